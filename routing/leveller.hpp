// SPDX-License-Identifier: BSD-3-Clause
// Makes ways shorter, and takes load off the channels that carry most, once all trees are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "routing/branch_ways.hpp"
#include "routing/ordered_forest.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {

// Branches whose ways lead through a busy channel are given others, if that makes no channel as
// busy, and if whoever holds the trees allows it. First such as are no longer; then also longer
// ones, as long as something carries more than it has to.
class Leveller {
 public:
  // Whether trees may be as they are after these changes.
  using Allows = std::function<bool(std::span<const OrderedForest::Change>)>;
  struct Flows {
    std::span<const std::uint32_t> sent;    // by switch
    std::span<const std::uint32_t> weight;  // by tree: each switch sends so many times that
    ChannelLoads& loads;                    // what that makes of all trees; kept up to date
    std::uint64_t enough = 0;               // more than that is too much for a channel
  };
  // All outlive this. mutual: tree and target of the forest have the same number, and where a way
  // changes its layer, so does the way back.
  Leveller(const CompactChannels& channels, const LayerOrders& orders, OrderedForest& forest,
           Flows flows, bool mutual, Allows allows);

  // trees: those that may be changed.
  void level(std::span<const std::uint32_t> trees);
  // Leads branches whose ways are longer than the shortest ones by shorter ways, wherever all
  // together carry less by it, and none more than the busiest channel does. Whether there were any.
  bool shorten(std::span<const std::uint32_t> trees);

 private:
  struct Graft {
    std::uint32_t hops = 0;
    std::uint64_t peak = 0;  // what the busiest of the channels carries that gain by it
    std::uint32_t channel = 0;
    auto operator<=>(const Graft&) const = default;
  };
  struct Loaded {
    std::uint32_t channel = 0;
    std::uint64_t before = 0;
  };
  bool lower(std::uint64_t limit, std::span<const std::uint32_t> trees);
  void relieve(std::uint32_t channel, std::span<const std::uint32_t> trees);
  std::uint64_t measure_branch(std::uint32_t tree, std::uint32_t at);
  bool graft_away(std::uint32_t tree, std::uint32_t at);
  void find_grafts(std::uint32_t tree, std::uint32_t at);
  void mark_way(std::uint32_t tree, std::uint32_t at);
  bool lead_away(std::uint32_t tree, std::uint32_t at, int more_hops, int more_hops_back);
  bool lead(std::uint32_t tree, std::uint32_t from, unsigned layer, int more_hops);
  void graft(std::uint32_t tree, std::uint32_t at, std::uint32_t channel);
  void add(std::uint32_t tree, std::uint32_t at, std::uint64_t flow, bool take_off);
  bool settle();
  void take_back();

  const CompactChannels& channels_;
  const LayerOrders& orders_;
  OrderedForest& forest_;
  Flows flows_;
  bool mutual_;
  Allows allows_;
  BranchWays ways_;
  std::size_t work_left_ = 0;    // in branches and channels looked at
  std::uint32_t busy_ = kNoWay;  // what is relieved, if anything
  std::uint64_t limit_ = 0;
  std::uint32_t slack_ = 0;  // how many hops more ways may have
  bool leads_ = false;       // whether ways may change more than their first hop
  std::vector<Graft> grafts_;
  std::vector<Loaded> loaded_;  // by the changes that are not settled yet
  std::int64_t more_ = 0;       // what all channels together carry more by these
  std::vector<std::uint32_t> branch_, relieved_, busiest_;
  std::vector<std::uint64_t> flow_;     // by switch, of the branch in hand
  std::vector<std::uint32_t> marked_;   // by switch: the latest mark
  std::vector<std::uint32_t> hops_at_;  // by switch, if it bears the latest mark
  std::uint32_t mark_ = 0;
};

}  // namespace heddle::routing
