// SPDX-License-Identifier: BSD-3-Clause
// A bad line: loses, repeats, delays (and so reorders) and damages MADs, by a seed, so that the
// same seed and the same traffic give the same mishaps.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/prng.hpp"
#include "base/time.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

// Chances are per MAD and direction, 0 never to 1 always.
struct MishapOptions {
  std::uint64_t seed = 1;
  double drop = 0;
  double duplicate = 0;
  double damage = 0;  // one bit somewhere in the payload
  double delay = 0;   // by 0 to max_delay; what comes later may overtake
  base::Duration max_delay{0};
};

// One direction of a line. Also of use below a KernelHabits, on the medium itself.
class Mishaps {
 public:
  explicit Mishaps(const MishapOptions& options);

  // Takes what enters now; returns what leaves at once: nothing, or one or two.
  std::vector<Received> pass(base::Instant now, Received entering);
  // What was delayed and is due.
  std::vector<Received> take_due(base::Instant now);
  base::Instant deadline() const;

 private:
  void damage(mad::Payload& payload);

  MishapOptions options_;
  base::Prng prng_;
  std::multimap<base::Instant, Received> delayed_;
};

// `inner` must outlive this. A lost request does not come back as SendFailed: it was sent.
class Faulty final : public Transport {
 public:
  Faulty(Transport& inner, const MishapOptions& options);

  void set_receiver(Receiver receiver) override;
  void send(mad::Datagram datagram) override;
  void set_is_sm(bool is_sm) override { inner_.set_is_sm(is_sm); }

  // Time is what the last advance() said; it sends and delivers what was delayed until then.
  void advance(base::Instant now);
  base::Instant deadline() const;

 private:
  Transport& inner_;
  Mishaps outward_;
  Mishaps inward_;
  Receiver receiver_;
  base::Instant now_{};
};

}  // namespace heddle::transport
