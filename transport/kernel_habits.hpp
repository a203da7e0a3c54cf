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

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "transport/header.hpp"
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
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  // What is kept of a request: as much of it as the kernel gives back. All wait equally long, so
  // they are due in the order in which they were sent: a list through the slots.
  struct Waiting {
    base::Instant due{};
    std::uint64_t id = 0;  // as it went out; its high half is the agent's, and so the class's
    mad::Address peer{};
    std::array<std::byte, kHeaderBytes> header{};
    std::uint32_t before = kNone, after = kNone;
  };

  std::uint32_t agent_of(std::uint8_t management_class);
  void wait_for(std::uint32_t slot, std::uint64_t id, const mad::Datagram& request);
  Waiting take(std::uint32_t slot);
  void give_back(const mad::Address& peer, std::span<const std::byte> request);

  KernelHabitsOptions options_;
  ToMedium to_medium_;
  SetIsSm set_is_sm_;
  Receiver receiver_;
  base::Instant now_{};
  std::map<std::uint8_t, std::uint32_t> agents_;
  std::unordered_map<std::uint64_t, std::uint32_t> waiting_;  // slots, by transaction id
  std::vector<Waiting> slots_;
  std::vector<std::uint32_t> free_;
  std::uint32_t first_ = kNone, last_ = kNone;  // due
  std::vector<Received> refused_;               // given back with the next advance()
};

}  // namespace heddle::transport
