// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lone_lids.hpp"

namespace heddle::routing {
namespace {

template <class Visit>
void for_each_lane(WayFinder::Lanes lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

}  // namespace

void LoneLids::remember(std::span<const Lanes> offers, const Cost* costs) {
  offers_.assign(offers.begin(), offers.end());
  costs_before_.assign(costs, costs + offers.size());
  dealt_ = 0;
  for (const Lanes lanes : offers) dealt_ |= lanes;
}

void LoneLids::deal_anew(std::span<const Lanes> offers, Cost* costs) {
  Lanes some = 0, several = 0;
  for (const Lanes lanes : offers) {
    several |= some & lanes;
    some |= lanes;
  }
  for (std::size_t position = 0; position < offers.size(); ++position) {
    const Lanes alone = offers[position] & ~several;
    for_each_lane(alone,
                  [&](std::size_t lane) { position_[lane] = static_cast<std::uint8_t>(position); });
    if (several == 0) costs[position] += static_cast<Cost>(std::popcount(alone)) * kOneLid;
  }
  if (several == 0) return;
  shared_count_ = 0;
  for (Lanes left = several; left != 0;) left &= ~share(offers, left);
  while (some != 0) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(some));
    if ((several >> lane & 1) == 0) {
      costs[position_[lane]] += kOneLid;
      some &= some - 1;
    } else {
      // With those of the next lanes that have the same choices.
      const Lanes others = some & ~sharing_[which_[lane]];
      Lanes run = some & ((others & (~others + 1)) - 1);
      some &= ~run;
      while (run != 0) run = deal_round(choices(which_[lane]), run, costs);
    }
  }
}

// One for each of the ports that cost least. Returns the lanes that are left.
LoneLids::Lanes LoneLids::deal_round(std::span<const std::uint8_t> choices, Lanes lanes,
                                     Cost* costs) {
  Cost least = kNoCost;
  for (const std::uint8_t position : choices) least = std::min(least, costs[position]);
  for (const std::uint8_t position : choices) {
    if ((costs[position] & ~kPosition) != (least & ~kPosition)) continue;
    position_[static_cast<std::size_t>(std::countr_zero(lanes))] = position;
    costs[position] += kOneLid;
    lanes &= lanes - 1;
    if (lanes == 0) return lanes;
  }
  return lanes;
}

// The choices of the first of these lanes. Returns all that have the same.
LoneLids::Lanes LoneLids::share(std::span<const Lanes> offers, Lanes lanes) {
  const Lanes first = lanes & (~lanes + 1);
  Choices& choices = shared_[shared_count_];
  choices.count = 0;
  for (std::size_t position = 0; position < offers.size(); ++position) {
    const bool offered = (offers[position] & first) != 0;
    lanes &= offered ? offers[position] : ~offers[position];
    choices.positions[choices.count] = static_cast<std::uint8_t>(position);
    choices.count += offered ? 1 : 0;
  }
  for_each_lane(lanes,
                [&](std::size_t lane) { which_[lane] = static_cast<std::uint8_t>(shared_count_); });
  sharing_[shared_count_++] = lanes;
  return lanes;
}

}  // namespace heddle::routing
