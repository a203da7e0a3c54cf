// SPDX-License-Identifier: BSD-3-Clause
#include "qos/policy.hpp"

#include <algorithm>

namespace heddle::qos {

bool contains(const Ranges& ranges, std::uint64_t number) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), number,
                       [](std::uint64_t value, const Range& range) { return value < range.first; });
  return after != ranges.begin() && number <= std::prev(after)->last;
}

Ranges in_order(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  Ranges merged;
  for (const Range& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().last) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

partitions::Policy with_ipoib_levels(partitions::Policy partitions, const Policy& policy) {
  for (partitions::Partition& partition : partitions.partitions) {
    for (const IpoibLevel& level : policy.ipoib) {
      if (level.key != partition.key) continue;
      partition.sl = level.sl;
      for (partitions::GroupSpec& group : partition.groups) group.sl = level.sl;
      break;
    }
  }
  return partitions;
}

}  // namespace heddle::qos
