// SPDX-License-Identifier: BSD-3-Clause
#include "routing/port_costs.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace heddle::routing {

using fabric::SwitchIndex;

void ChoiceCosts::leave_subtree(std::uint32_t begun) {
  if (subtree == begun) return;
  subtree = begun;
  for (std::size_t i = 0; i < at_beginning.size(); ++i) {
    Cost& before = at_beginning[in_order[i] & kPosition];
    const Cost cost = after_subtree(before, in_order[i]);
    before = cost & kLoad;
    insert_cost(in_order.data(), in_order.data() + i, cost);
  }
}

PortCosts::PortCosts(const CompactChannels& channels)
    : channels_(channels),
      subtree_at_(channels.first.size() - 1),
      dealt_(subtree_at_.size()),
      dealt_costs_(channels.count() + subtree_at_.size()),
      dealt_choices_(channels.count()) {
  costs_.resize(channels.count());
  for (std::size_t s = 0; s < subtree_at_.size(); ++s) {
    const std::uint32_t first = channels.first[s], end = channels.first[s + 1];
    std::iota(costs_.begin() + first, costs_.begin() + end, Cost{0});
  }
  costs_before_ = costs_;
}

std::span<Cost> PortCosts::in_order(SwitchIndex at, std::span<const std::uint8_t> choices) {
  Dealt& dealt = dealt_[at.value];
  const bool same = are_those(at, choices);
  if (same && dealt.newer && subtree_at_[at.value] == begun_) return dealt_costs(at);
  const Cost* costs = this->at(at);
  if (same) {
    const std::span<Cost> ordered = dealt_costs(at);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      insert_cost(ordered.data(), ordered.data() + i, costs[ordered[i] & kPosition]);
    }
  } else {
    dealt = {choices.front(), static_cast<std::uint8_t>(choices.size()), is_run(choices), true};
    std::copy(choices.begin(), choices.end(), dealt_choices(at));
    std::array<Cost, kPosition + 1> any;
    for (std::size_t i = 0; i < choices.size(); ++i) any[i] = costs[choices[i]];
    sort_costs(any.data(), choices.size(), dealt_costs(at).data());
  }
  dealt.newer = true;
  return dealt_costs(at);
}

void PortCosts::take(SwitchIndex at, ChoiceCosts& costs) {
  const std::size_t count = dealt_[at.value].count;
  const std::uint8_t* choices = dealt_choices(at);
  const std::span<const Cost> ordered = in_order(at, {choices, count});
  const Cost* before = costs_before_.data() + channels_.first[at.value];
  std::array<Cost, kPosition + 1> place;
  for (std::size_t i = 0; i < count; ++i) place[choices[i]] = i;
  costs.in_order.assign(count + 1, kNoCost);
  costs.at_beginning.resize(count);
  costs.subtree = begun_;
  for (std::size_t i = 0; i < count; ++i) {
    costs.in_order[i] = (ordered[i] & ~kPosition) | place[ordered[i] & kPosition];
    costs.at_beginning[i] = before[choices[i]] & kLoad;
  }
}

void PortCosts::give(SwitchIndex at, const ChoiceCosts& costs) {
  Cost* own = this->at(at);
  Cost* before = costs_before_.data() + channels_.first[at.value];
  const std::uint8_t* choices = dealt_choices(at);
  for (std::size_t i = 0; i < costs.at_beginning.size(); ++i) {
    const Cost cost = costs.in_order[i];
    const std::uint8_t position = choices[cost & kPosition];
    own[position] = (cost & ~kPosition) | position;
    before[position] = costs.at_beginning[cost & kPosition] | position;
  }
}

// Brings costs up to date: with those of the ports in order, if they were kept there ...
void PortCosts::settle(SwitchIndex at) {
  dealt_[at.value].newer = false;
  Cost* costs = costs_.data() + channels_.first[at.value];
  for (const Cost cost : dealt_costs(at)) costs[cost & kPosition] = cost;
}

// ... and as they are since another subtree has begun.
void PortCosts::leave_subtree(SwitchIndex at) {
  subtree_at_[at.value] = begun_;
  for (std::uint32_t c = channels_.first[at.value]; c < channels_.first[at.value + 1]; ++c) {
    costs_before_[c] = costs_[c] = after_subtree(costs_before_[c], costs_[c]);
  }
}

}  // namespace heddle::routing
