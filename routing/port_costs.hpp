// SPDX-License-Identifier: BSD-3-Clause
// What the ports of every switch cost, while targets are routed subtree by subtree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "routing/cheapest_first.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// What is left of a rise once the next target is routed.
inline Cost after_target(Cost rise) {
  return (rise & kLoad) / (kWeightInTarget / kWeightInSubtree) + (rise & ~kLoad);
}
// And of a cost once the next subtree is.
inline Cost after_subtree(Cost at_its_beginning, Cost cost) {
  const Cost before = at_its_beginning >> kLoadShift;
  const Cost rise = (cost >> kLoadShift) - before;
  return (before + rise / (kWeightInSubtree / kWeightInAll)) << kLoadShift | (cost & ~kLoad);
}

// Whether they are positions side by side.
inline bool is_run(std::span<const std::uint8_t> choices) {
  return choices.back() - choices.front() + 1u == choices.size();
}

// The costs of some choices, apart from the switch that has them.
struct ChoiceCosts {
  // Ascending, then kNoCost; the place among the choices instead of a position.
  std::vector<Cost> in_order;
  std::vector<Cost> at_beginning;  // of the subtree, loads only; by place among the choices
  std::uint32_t subtree = 0;       // which that was: of how many that have begun

  // As they are since another subtree has begun.
  void leave_subtree(std::uint32_t begun);
};

// Costs at a switch are brought up to date when its turn comes. Positions are those of channels at
// their switch (CompactChannels); choices are ascending positions.
class PortCosts {
 public:
  // Keeps a reference. All ports cost the same.
  explicit PortCosts(const CompactChannels& channels);

  void begin_subtree() { ++begun_; }
  // How many subtrees have begun.
  std::uint32_t subtrees() const { return begun_; }

  // By position; for others to raise.
  Cost* at(fabric::SwitchIndex at) {
    if (dealt_[at.value].newer) settle(at);
    if (subtree_at_[at.value] != begun_) leave_subtree(at);
    return costs_.data() + channels_.first[at.value];
  }
  // Those of the choices, ascending, and room for one more behind; for others to raise and keep in
  // order. They mostly are those of the last target, and in order already.
  std::span<Cost> in_order(fabric::SwitchIndex at, std::span<const std::uint8_t> choices);
  // Whether the last ones in order were those of these choices.
  bool are_those(fabric::SwitchIndex at, std::span<const std::uint8_t> choices) const {
    const Dealt& dealt = dealt_[at.value];
    if (dealt.count != choices.size() || dealt.first != choices.front()) return false;
    if (dealt.is_run || is_run(choices)) return dealt.is_run && is_run(choices);
    return std::equal(choices.begin(), choices.end(),
                      dealt_choices_.data() + channels_.first[at.value]);
  }

  // What the choices cost that were in order last.
  void take(fabric::SwitchIndex at, ChoiceCosts& costs);
  // From now on they cost that, of the subtree that has begun last.
  void give(fabric::SwitchIndex at, const ChoiceCosts& costs);

 private:
  void settle(fabric::SwitchIndex at);
  void leave_subtree(fabric::SwitchIndex at);
  std::span<Cost> dealt_costs(fabric::SwitchIndex at) {
    return {dealt_costs_.data() + channels_.first[at.value] + at.value, dealt_[at.value].count};
  }
  std::uint8_t* dealt_choices(fabric::SwitchIndex at) {
    return dealt_choices_.data() + channels_.first[at.value];
  }

  const CompactChannels& channels_;
  std::vector<Cost> costs_;         // by channel
  std::vector<Cost> costs_before_;  // the same when this subtree began
  std::uint32_t begun_ = 0;
  std::vector<std::uint32_t> subtree_at_;  // by switch: how many had when its costs were updated
  // What dealt_costs_ has of a switch.
  struct Dealt {
    std::uint8_t first = 0, count = 0;  // of the choices
    bool is_run = false;                // of positions side by side
    bool newer = false;                 // than what costs_ has
  };
  std::vector<Dealt> dealt_;  // by switch
  // By channel, with one more for each switch: of the choices that were in order last.
  std::vector<Cost> dealt_costs_;
  std::vector<std::uint8_t> dealt_choices_;  // by channel: the same in ascending order
};

}  // namespace heddle::routing
