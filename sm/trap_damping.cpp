// SPDX-License-Identifier: BSD-3-Clause
#include "sm/trap_damping.hpp"

#include <algorithm>
#include <chrono>

namespace heddle::sm {

TrapDamping::Verdict TrapDamping::on_trap(base::Instant now, mad::Lid from) {
  const auto [entry, is_first] = sources_.try_emplace(from);
  Source& source = entry->second;
  if (!is_first) {
    const auto earned =
        std::chrono::duration<double>(now - source.last) / std::chrono::duration<double>(kPerTrap);
    source.tokens = std::min<double>(kBurst, source.tokens + earned);
  }
  source.last = now;
  source.tokens = std::max(source.tokens - 1, 0.0);
  const Level before = source.level;
  if (before == Level::Heard && source.tokens < 1) {
    source.level = Level::Damped;
    source.damped = source.heeded = now;
  } else if (before == Level::Damped && source.tokens < 1 && now >= source.damped + kPatience) {
    source.level = Level::Quarantined;
  } else if (before == Level::Quarantined && source.tokens >= kBurst - 1) {
    source.level = Level::Damped;  // a trap from time to time is no noise
    source.damped = now;
    source.heeded = now - kDampedPause;
  }
  const bool due = source.level == Level::Heard ||
                   (source.level == Level::Damped && now >= source.heeded + kDampedPause);
  if (due) source.heeded = now;
  return {due, source.level, source.level != before};
}

std::vector<mad::Lid> TrapDamping::take_quiet(base::Instant now) {
  std::vector<mad::Lid> quiet;
  for (auto source = sources_.begin(); source != sources_.end();) {
    if (now < source->second.last + kQuiet) {
      ++source;
      continue;
    }
    if (source->second.level != Level::Heard) quiet.push_back(source->first);
    source = sources_.erase(source);
  }
  return quiet;
}

}  // namespace heddle::sm
