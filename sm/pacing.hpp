// SPDX-License-Identifier: BSD-3-Clause
// How fast is fast enough: a window that doubles until something is lost, halves then and grows
// slowly again, as TCP's does. Round trips set the timeouts but not the window: on a busy host they
// tell more about its scheduler than about the fabric.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace heddle::sm {

class Pacing {
 public:
  // `window` is the most that is ever allowed; the timeouts bound what timeout() returns.
  void set_limits(std::uint32_t window, base::Duration smallest, base::Duration largest);

  void on_answer(base::Duration round_trip);
  // An answer came, whichever of so many sendings it was that got through.
  void on_success(std::uint32_t sendings);
  // A request got no answer in time.
  void on_loss();

  // Requests that may be in flight now.
  std::uint32_t window() const { return static_cast<std::uint32_t>(window_); }
  // How long to wait for the answer to this attempt (1 is the first): twice as long each time.
  base::Duration timeout(std::uint32_t attempt) const;
  // How often to send before silence counts as such. On a fabric that loses much, a few lost
  // attempts prove nothing: up to eight times as many as are `usual`.
  std::uint32_t attempts(std::uint32_t usual) const;

 private:
  std::uint32_t limit_ = 1;
  base::Duration smallest_{};
  base::Duration largest_{};
  double window_ = 0;
  bool probing_ = true;        // doubling, until the first loss
  base::Duration smoothed_{};  // round trip and its mean deviation, as TCP estimates them
  base::Duration deviation_{};
  bool sampled_ = false;
  double repeats_ = 0;  // of requests that were answered in the end, smoothed
};

}  // namespace heddle::sm
