// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mlid_levels.hpp"

namespace heddle::multicast {
namespace {

constexpr std::uint16_t kLevelZero = 1;

}  // namespace

std::uint16_t MlidLevels::of(mad::Lid mlid) const {
  const auto found = others_.find(mlid);
  return found == others_.end() ? kLevelZero : found->second;
}

bool MlidLevels::take(const Groups& groups, mad::Lid mlid) {
  unsigned levels = 0;
  for (const mad::Gid& mgid : groups.groups_on(mlid)) {
    levels |= 1u << groups.find(mgid)->record().sl.value;
  }
  const auto now = levels == 0 ? kLevelZero : static_cast<std::uint16_t>(levels);
  const bool changes = now != of(mlid);
  if (now == kLevelZero) {
    others_.erase(mlid);
  } else {
    others_[mlid] = now;
  }
  return changes;
}

}  // namespace heddle::multicast
