// SPDX-License-Identifier: BSD-3-Clause
// Where a walk over the links of a fabric, hop by hop, may find something new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

// The neighbours of those switches that were found with the last hop. A walk finds few at its
// beginning, and looks at all links of the fabric in vain if it is not told which of them to leave
// out. Holds scratch memory: one per walker.
class Frontier {
 public:
  // Keeps a reference.
  explicit Frontier(const CompactChannels& channels)
      : channels_(channels), near_(channels.first.size() - 1) {}

  void clear() { found_.clear(); }
  // A switch where something is found with this hop.
  void add(std::uint32_t at) { found_.push_back(at); }
  // The next hop begins.
  void advance();
  // Whether something may be found there with this hop: a neighbour of one that was added for the
  // last one, or more than those.
  bool may_reach(std::uint32_t at) const { return near_[at] != 0; }

 private:
  const CompactChannels& channels_;
  std::vector<std::uint32_t> found_;  // switches, with the hop in hand
  std::vector<std::uint8_t> near_;    // by switch
};

}  // namespace heddle::routing
