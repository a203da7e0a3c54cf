// SPDX-License-Identifier: BSD-3-Clause
// Ways that are always there: a spanning tree of each island, on which everything can be reached
// without a credit loop, because packets climb it first and descend after.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/islands.hpp"
#include "routing/channel_order.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

class EscapeTree {
 public:
  // One root for each island.
  EscapeTree(const CompactChannels& channels, const std::vector<std::uint32_t>& roots);

  // Puts the channels in the order of up*/down* routing from these roots, and gives the layer,
  // still without dependencies, those of the tree.
  void prepare(ChannelOrder& layer) const;

  // By switch, the channel to leave by; kNoWay at the target.
  std::vector<std::uint32_t> toward(std::uint32_t target) const;

 private:
  const CompactChannels& channels_;
  std::vector<std::uint32_t> rank_;    // by switch: lower is nearer to the root
  std::vector<std::uint32_t> upward_;  // by switch: the channel to its parent; kNoWay at a root
};

// Leaves room for multicast in a layer without dependencies: trees of groups whose packets are on
// it find a way there, whatever routes are packed into it afterwards.
void make_room_for_multicast(const CompactChannels& channels, const fabric::Islands& islands,
                             ChannelOrder& layer);

// What an engine says whose routes left no such room.
inline constexpr const char* kNoRoomForMulticast =
    "the VLs are too few to leave room for multicast trees on the first one";

// For each of `count` trees, the roots of all islands. They lie as far apart as they can; a single
// one lies in the middle.
std::vector<std::vector<std::uint32_t>> scattered_roots(const CompactChannels& channels,
                                                        const fabric::Islands& islands,
                                                        unsigned count);

// One root for each island: in the middle, of those with hosts if there are such. hosts: by switch.
std::vector<std::uint32_t> middle_roots(const CompactChannels& channels,
                                        const fabric::Islands& islands,
                                        const std::vector<std::uint32_t>& hosts);

}  // namespace heddle::routing
