// SPDX-License-Identifier: BSD-3-Clause
// Deals LIDs to which no host sends: those of switches without hosts. What is dealt at one switch
// means nothing to any other, so each switch deals all of them while its costs are at hand.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "routing/cheapest_first.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Holds scratch memory: one per thread.
class LoneLids {
 public:
  using Lanes = WayFinder::Lanes;

  // Each lane has one LID, which goes to the cheapest port by then: lane by lane. offers and costs
  // are by position; send(lane, position) is told where each goes, in any order.
  template <class Send>
  void deal(std::span<const Lanes> offers, Cost* costs, Send send);

 private:
  // The choices that some lanes have in common.
  struct Choices {
    std::array<std::uint8_t, kPosition> positions;
    std::size_t count;
  };

  Lanes share(std::span<const Lanes> offers, Lanes lanes);
  std::span<const std::uint8_t> choices(std::size_t which) const {
    return std::span(shared_[which].positions).first(shared_[which].count);
  }
  template <class Send>
  static Lanes deal_round(std::span<const std::uint8_t> choices, Lanes lanes, Cost* costs,
                          Send send);

  // By lane: its only position, or which of shared_ if it has several.
  std::array<std::uint8_t, WayFinder::kLanes> which_{};
  std::array<Choices, WayFinder::kLanes> shared_;
  std::array<Lanes, WayFinder::kLanes> sharing_{};  // and the lanes that do
  std::size_t shared_count_ = 0;
};

namespace detail {

template <class Visit>
void for_each_lane(WayFinder::Lanes lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

}  // namespace detail

template <class Send>
void LoneLids::deal(std::span<const Lanes> offers, Cost* costs, Send send) {
  Lanes some = 0, several = 0;
  for (const Lanes lanes : offers) {
    several |= some & lanes;
    some |= lanes;
  }
  for (std::size_t position = 0; position < offers.size(); ++position) {
    const Lanes alone = offers[position] & ~several;
    detail::for_each_lane(alone, [&](std::size_t lane) {
      which_[lane] = static_cast<std::uint8_t>(position);
      send(lane, position);
    });
    if (several == 0) costs[position] += static_cast<Cost>(std::popcount(alone)) * kOneLid;
  }
  if (several == 0) return;
  shared_count_ = 0;
  for (Lanes left = several; left != 0;) left &= ~share(offers, left);
  while (some != 0) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(some));
    if ((several >> lane & 1) == 0) {
      costs[which_[lane]] += kOneLid;
      some &= some - 1;
    } else {
      // With those of the next lanes that have the same choices.
      const Lanes others = some & ~sharing_[which_[lane]];
      Lanes run = some & ((others & (~others + 1)) - 1);
      some &= ~run;
      while (run != 0) run = deal_round(choices(which_[lane]), run, costs, send);
    }
  }
}

// One for each of the ports that cost least. Returns the lanes that are left.
template <class Send>
LoneLids::Lanes LoneLids::deal_round(std::span<const std::uint8_t> choices, Lanes lanes,
                                     Cost* costs, Send send) {
  Cost least = kNoCost;
  for (const std::uint8_t position : choices) least = std::min(least, costs[position]);
  for (const std::uint8_t position : choices) {
    if ((costs[position] & ~kPosition) != (least & ~kPosition)) continue;
    send(static_cast<std::size_t>(std::countr_zero(lanes)), position);
    costs[position] += kOneLid;
    lanes &= lanes - 1;
    if (lanes == 0) return lanes;
  }
  return lanes;
}

}  // namespace heddle::routing
