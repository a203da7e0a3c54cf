// SPDX-License-Identifier: BSD-3-Clause
// Trees of turns that close no credit loop. They grow link by link from a root, and each link must
// get on with what is there already: so they are not the shortest, and for those alone that would
// close a loop otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "multicast/turns.hpp"

namespace heddle::multicast {

class FittingTrees {
 public:
  using MayUse = std::function<bool(fabric::SwitchIndex)>;  // whether it has an entry for the LID

  // Keeps references to both. O(channels and the ports of their switches).
  FittingTrees(const fabric::Topology& topology, TurnRule& rule);

  // The links of a tree that joins these switches; a tree each for those that cannot reach each
  // other. Nothing when none was found. The rule is as before.
  std::optional<std::vector<fabric::ChannelIndex>> find(
      mad::Lid mlid, std::span<const fabric::SwitchIndex> members, const MayUse& may_use);

 private:
  static constexpr std::uint32_t kOutside = 0xFFFF'FFFF;

  void rank_switches();
  std::vector<fabric::SwitchIndex> island_of(fabric::SwitchIndex start, const MayUse& may_use);
  bool grow(fabric::SwitchIndex root, std::span<const fabric::SwitchIndex> members,
            const MayUse& may_use);
  bool takes(fabric::SwitchIndex at, fabric::ChannelIndex link);
  void collect(std::span<const fabric::SwitchIndex> members,
               std::vector<fabric::ChannelIndex>& links);

  const fabric::Topology* topology_;
  TurnRule* rule_;
  std::vector<std::uint64_t> turns_;                      // by switch: that are there, in 1/65536
  std::vector<fabric::ChannelIndex> by_;                  // by switch of the tree: from its parent
  std::vector<std::uint8_t> is_in_;                       // by switch
  std::vector<std::vector<fabric::ChannelIndex>> links_;  // by switch: that leave it along the tree
  std::vector<fabric::SwitchIndex> queue_;
};

}  // namespace heddle::multicast
