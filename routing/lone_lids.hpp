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
#include <vector>

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
  void deal(std::span<const Lanes> offers, Cost* costs, Send send) {
    if (!is_as_before(offers, costs)) {
      remember(offers, costs);
      deal_anew(offers, costs);
      costs_after_.assign(costs, costs + offers.size());
    }
    std::copy(costs_after_.begin(), costs_after_.end(), costs);
    for (Lanes left = dealt_; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      send(lane, position_[lane]);
    }
  }

 private:
  // The choices that some lanes have in common.
  struct Choices {
    std::array<std::uint8_t, kPosition> positions;
    std::size_t count;
  };

  // Switches side by side mostly stand alike, leaves of one subtree above all.
  bool is_as_before(std::span<const Lanes> offers, const Cost* costs) const {
    return offers.size() == offers_.size() &&
           std::equal(offers_.begin(), offers_.end(), offers.begin()) &&
           std::equal(costs_before_.begin(), costs_before_.end(), costs);
  }
  void remember(std::span<const Lanes> offers, const Cost* costs);
  void deal_anew(std::span<const Lanes> offers, Cost* costs);
  Lanes share(std::span<const Lanes> offers, Lanes lanes);
  std::span<const std::uint8_t> choices(std::size_t which) const {
    return std::span(shared_[which].positions).first(shared_[which].count);
  }
  Lanes deal_round(std::span<const std::uint8_t> choices, Lanes lanes, Cost* costs);

  // What was dealt last, and what came of it.
  std::vector<Lanes> offers_;
  std::vector<Cost> costs_before_, costs_after_;
  Lanes dealt_ = 0;
  std::array<std::uint8_t, WayFinder::kLanes> position_{};  // by lane
  // By lane with several choices: which of shared_.
  std::array<std::uint8_t, WayFinder::kLanes> which_{};
  std::array<Choices, WayFinder::kLanes> shared_;
  std::array<Lanes, WayFinder::kLanes> sharing_{};  // and the lanes that do
  std::size_t shared_count_ = 0;
};

}  // namespace heddle::routing
