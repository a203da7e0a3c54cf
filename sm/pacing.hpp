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
  // A request got no answer in time.
  void on_loss();

  // Requests that may be in flight now.
  std::uint32_t window() const { return static_cast<std::uint32_t>(window_); }
  // How long to wait for the answer to this attempt (1 is the first): twice as long each time.
  base::Duration timeout(std::uint32_t attempt) const;

 private:
  std::uint32_t limit_ = 1;
  base::Duration smallest_{};
  base::Duration largest_{};
  double window_ = 0;
  bool probing_ = true;        // doubling, until the first loss
  base::Duration smoothed_{};  // round trip and its mean deviation, as TCP estimates them
  base::Duration deviation_{};
  bool sampled_ = false;
};

}  // namespace heddle::sm
