// SPDX-License-Identifier: BSD-3-Clause
// A manager that only watches: what it would write is noted instead of sent, and taken for written,
// so that everything that follows from it is found too.
#pragma once

#include <utility>
#include <vector>

#include "mad/smp.hpp"
#include "sm/events.hpp"
#include "sm/picture.hpp"

namespace heddle::sm {

class Shadow {
 public:
  void begin_sweep() { *this = {}; }
  // A Set that is not sent. `picture` is what was read of its device so far.
  WouldWrite note(const Picture& picture, const mad::Smp& set);
  // The answers that the devices would have given since the last call.
  std::vector<mad::Smp> take_answers() { return std::exchange(answers_, {}); }
  const ShadowReport& report() const { return report_; }

 private:
  std::vector<mad::Smp> answers_;
  ShadowReport report_;
};

}  // namespace heddle::sm
