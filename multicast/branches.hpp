// SPDX-License-Identifier: BSD-3-Clause
// Finds links for trees: the shortest branch to a tree, and whole trees anew. It knows how many
// trees each link carries and chooses among equally short ways the least loaded; then a hash of the
// LID decides, so that trees spread even where nothing is loaded yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

class Branches {
 public:
  // Keeps a pointer to the topology.
  explicit Branches(const fabric::Topology& topology);

  bool has_entry(fabric::SwitchIndex at, mad::Lid mlid) const {
    return mlid.value - mad::kFirstMulticastLid.value < caps_[at.value];
  }

  // One tree more or less on a link and on a switch.
  void load_link(fabric::ChannelIndex link, int trees);
  void load_switch(fabric::SwitchIndex at, int trees);
  std::span<const std::uint32_t> load() const { return load_; }

  // The links of a shortest way from one of `own` to any other switch of `tree`, which must include
  // `own`; its inner switches are on neither. Empty when there is no way.
  std::vector<fabric::ChannelIndex> to_tree(mad::Lid mlid,
                                            std::span<const fabric::SwitchIndex> tree,
                                            std::span<const fabric::SwitchIndex> own);

  // The links of a fresh tree that joins these switches; a tree each for those that cannot reach
  // each other. `members` is rising and without repetition, and all have an entry for the LID.
  std::vector<fabric::ChannelIndex> fresh(mad::Lid mlid,
                                          std::span<const fabric::SwitchIndex> members);

 private:
  static constexpr std::uint32_t kFar = 0xFFFF'FFFF;
  struct Visit {
    std::uint32_t epoch = 0;
    std::uint32_t hops = 0;  // from the start of the search
    std::uint64_t cost = 0;  // trees on the links so far
    std::uint64_t tie = 0;
    fabric::ChannelIndex by = fabric::kNoChannel;
  };
  std::uint64_t tie_of(mad::Lid mlid, std::uint32_t number) const;
  bool visit(fabric::ChannelIndex channel, mad::Lid mlid, std::uint32_t hops);
  void walk_from(mad::Lid mlid, fabric::SwitchIndex start);
  std::uint32_t hops_to(fabric::SwitchIndex at) const;
  fabric::SwitchIndex choose_root(mad::Lid mlid, std::span<const fabric::SwitchIndex> members);
  fabric::ChannelIndex choose_step(mad::Lid mlid, fabric::SwitchIndex from) const;
  void grow(mad::Lid mlid, std::span<const fabric::SwitchIndex> members,
            std::vector<fabric::ChannelIndex>& links);

  const fabric::Topology* topology_;
  std::vector<std::uint16_t> caps_;         // by switch
  std::vector<std::uint32_t> load_;         // by channel
  std::vector<std::uint32_t> switch_load_;  // by switch
  // Scratch of one search.
  std::uint32_t epoch_ = 0;
  std::vector<Visit> visits_;              // by switch
  std::vector<std::uint32_t> tree_epoch_;  // by switch: on the tree of this search
  std::vector<fabric::SwitchIndex> queue_;
  std::vector<std::uint32_t> distance_sum_;  // by switch
};

}  // namespace heddle::multicast
