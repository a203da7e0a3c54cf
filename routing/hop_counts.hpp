// SPDX-License-Identifier: BSD-3-Clause
// How far every switch is from every other one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

// Two bytes for each two switches.
class HopCounts {
 public:
  static constexpr std::uint16_t kFar = 0xFFFF;  // there is no way

  explicit HopCounts(const CompactChannels& channels);

  // Of a shortest way; as many as of one back.
  std::uint16_t operator()(std::uint32_t from, std::uint32_t to) const {
    return hops_[std::size_t{to} * switches_ + from];
  }

 private:
  std::size_t switches_;
  std::vector<std::uint16_t> hops_;  // by (to, from)
};

}  // namespace heddle::routing
