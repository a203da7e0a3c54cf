// SPDX-License-Identifier: BSD-3-Clause
// A transport over any medium that treats MADs as Linux' ib_umad does, so that what runs against
// a simulated fabric also runs on a real one:
//  - the high half of a request's transaction id is overwritten with the sending agent's number;
//  - a request with the id and class of one still waiting is refused;
//  - a response that matches no waiting request is dropped;
//  - a request that nobody answers in time comes back, its header only;
//  - what others ask is handed up unchanged;
//  - payloads are whole RMPP messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

struct KernelHabitsOptions {
  base::Duration timeout = std::chrono::seconds(3);  // as UmadOptions::kernel_timeout
  std::uint32_t first_agent = 1;  // agents are numbered upwards from here, one per class
};

class KernelHabits final : public Transport {
 public:
  using ToMedium = std::function<void(mad::Datagram)>;
  using SetIsSm = std::function<void(bool)>;

  // `to_medium` is called from inside send(). `set_is_sm` may be empty.
  KernelHabits(KernelHabitsOptions options, ToMedium to_medium, SetIsSm set_is_sm = {});

  void set_receiver(Receiver receiver) override;
  void send(mad::Datagram datagram) override;
  void set_is_sm(bool is_sm) override;

  // Time is what the last advance() said. It gives back what is due by then, and never goes back.
  void advance(base::Instant now);
  // When advance() has something to give back; kNever when nothing waits.
  base::Instant deadline() const;

  // A MAD came in from the medium.
  void arrive(mad::Datagram datagram);

  // Requests that wait for an answer.
  std::size_t waiting() const { return waiting_.size(); }

 private:
  // (class, transaction id as it went out)
  using Key = std::pair<std::uint8_t, std::uint64_t>;
  using Timers = std::multimap<base::Instant, Key>;
  struct Waiting {
    Timers::iterator timer{};
    mad::Datagram request;
  };

  std::uint32_t agent_of(std::uint8_t management_class);
  void give_back(mad::Datagram request);

  KernelHabitsOptions options_;
  ToMedium to_medium_;
  SetIsSm set_is_sm_;
  Receiver receiver_;
  base::Instant now_{};
  std::map<std::uint8_t, std::uint32_t> agents_;
  std::map<Key, Waiting> waiting_;
  Timers timers_;
  std::vector<Received> refused_;  // given back with the next advance()
};

}  // namespace heddle::transport
