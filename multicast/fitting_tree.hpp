// SPDX-License-Identifier: BSD-3-Clause
// Trees of turns that close no credit loop. They grow link by link from a root, and each link must
// get on with what is there already: so they are not the shortest, and for those alone that would
// close a loop otherwise. Where lanes are full of routes, each tree that goes its own way takes
// turns from those that come later. So there can be one that joins all switches, taken before all
// others: what of it joins some of them always fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

  // Keeps references to both.
  FittingTrees(const fabric::Topology& topology, TurnRule& rule);

  // O(channels and the ports of their switches) for LIDs whose packets travel on lanes that were
  // not asked for before. The links of a tree that joins these switches; a tree each for those that
  // cannot reach each other. Nothing when none was found. The rule is as before.
  std::optional<std::vector<fabric::ChannelIndex>> find(
      mad::Lid mlid, std::span<const fabric::SwitchIndex> members, const MayUse& may_use);

  // Takes, for good, the turns of a tree for everybody, if there is one: find() falls back on it
  // for all LIDs whose packets travel on the same lanes. False when there is none.
  bool reserve(mad::Lid mlid, const MayUse& may_use);

 private:
  // A tree for each island, from its root outward.
  struct Common {
    std::vector<fabric::SwitchIndex> switches;
    std::vector<fabric::ChannelIndex> by;  // by switch: from its parent
  };

  std::vector<std::uint64_t>& ranks(mad::Lid mlid);
  bool grow_from_best(mad::Lid mlid, std::vector<fabric::SwitchIndex> roots,
                      std::span<const fabric::SwitchIndex> members, const MayUse& may_use);
  std::optional<std::vector<fabric::ChannelIndex>> within_common(
      const Common& common, std::span<const fabric::SwitchIndex> members,
      const MayUse& may_use) const;
  void rank_switches(std::vector<std::uint64_t>& turns) const;
  std::vector<fabric::SwitchIndex> island_of(fabric::SwitchIndex start, const MayUse& may_use);
  bool grow(fabric::SwitchIndex root, std::span<const fabric::SwitchIndex> members,
            const MayUse& may_use);
  bool takes(fabric::SwitchIndex at, fabric::ChannelIndex link);
  void collect(std::span<const fabric::SwitchIndex> switches,
               const std::vector<fabric::ChannelIndex>& by,
               std::span<const fabric::SwitchIndex> members,
               std::vector<fabric::ChannelIndex>& links) const;

  const fabric::Topology* topology_;
  TurnRule* rule_;
  // By TurnRule::packets_to() and switch: turns that are there, in 1/65536.
  std::map<unsigned, std::vector<std::uint64_t>> turns_;
  std::map<unsigned, Common> common_;                     // by TurnRule::packets_to()
  std::vector<fabric::ChannelIndex> by_;                  // by switch of the tree: from its parent
  std::vector<std::uint8_t> is_in_;                       // by switch
  std::vector<std::vector<fabric::ChannelIndex>> links_;  // by switch: that leave it along the tree
  std::vector<fabric::SwitchIndex> queue_;
};

}  // namespace heddle::multicast
