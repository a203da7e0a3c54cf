// SPDX-License-Identifier: BSD-3-Clause
// Ports that cannot stop sending traps. One that sends too many is damped: only one of its traps in
// a while is heeded. If it goes on it is put in quarantine, and none is. Light sweeps look at it as
// at everybody else, so nothing stays hidden for longer than their interval. When it has been quiet
// for long enough it is heard again; one in quarantine that only slows down is damped.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"

namespace heddle::sm {

class TrapDamping {
 public:
  static constexpr unsigned kBurst = 20;  // traps at once that are nothing special
  static constexpr base::Duration kPerTrap = std::chrono::seconds(1);      // and then so many
  static constexpr base::Duration kDampedPause = std::chrono::seconds(5);  // between heeded ones
  static constexpr base::Duration kPatience = std::chrono::minutes(1);  // with one that is damped
  static constexpr base::Duration kQuiet = std::chrono::minutes(1);     // makes it heard again

  enum class Level : std::uint8_t { Heard, Damped, Quarantined };
  struct Verdict {
    bool heeded = true;
    Level level = Level::Heard;
    bool is_new = false;  // it has just come to this level
  };
  // Of a trap that came from this LID.
  Verdict on_trap(base::Instant now, mad::Lid from);
  // Who was damped and is heard again. To be called from time to time.
  std::vector<mad::Lid> take_quiet(base::Instant now);

 private:
  struct Source {
    Level level = Level::Heard;
    double tokens = kBurst;
    base::Instant last{};    // trap
    base::Instant heeded{};  // trap
    base::Instant damped{};  // since
  };
  std::map<mad::Lid, Source> sources_;
};

}  // namespace heddle::sm
