// SPDX-License-Identifier: BSD-3-Clause
// The choices toward up to 64 targets at once. Those of one subtree have the same choices at most
// switches, so these are kept once for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "routing/way_finder.hpp"

namespace heddle::routing {

class SharedChoices {
 public:
  static constexpr std::size_t kLanes = WayFinder::kLanes;
  using Lanes = WayFinder::Lanes;
  // A channel of a switch, and the lanes that may take it.
  struct Lead {
    Lanes lanes = 0;
    std::uint8_t position = 0;
  };

  explicit SharedChoices(std::size_t switch_count);

  // Forgets all switches of all lanes.
  void clear();
  // A switch that reaches the targets of the lanes, as each of them is told only once: nearest
  // first, or nearest last. Leads are in ascending order, and some for each lane; none if the
  // switch is the target.
  void add(std::uint32_t at, Lanes lanes, std::span<const Lead> leads);

  // All switches of the lane and their choices, until the next clear().
  void lend(std::size_t lane, bool nearest_first, Ways& ways) const {
    ways.lend({order_.get() + lane * switch_count_, count_[lane]}, nearest_first, steps_.data(),
              choices_.data());
  }

 private:
  bool add_if_all_alike(std::uint32_t at, Lanes lanes, std::span<const Lead> leads);
  void add_each(std::uint32_t at, Lanes lanes, std::span<const Lead> leads);
  void append(std::uint32_t at, Lanes lanes, std::span<const std::uint8_t> choices);

  std::size_t switch_count_;
  std::vector<Ways::Step> steps_;
  // By (lane, as they came): which of the steps.
  std::unique_ptr<std::uint32_t[]> order_;
  std::array<std::uint32_t, kLanes> count_{};  // by lane: of these
  // 0, 1, 2 ... for choices side by side, then all others.
  std::vector<std::uint8_t> choices_;
  std::vector<std::uint8_t> chosen_;                // positions that some lanes have in common
  std::vector<std::vector<std::uint8_t>> by_lane_;  // positions of each lane
};

// Which lane serves which target, when targets are asked for in an order that was foretold.
class LaneOfTarget {
 public:
  void expect(std::span<const fabric::SwitchIndex> targets) {
    expected_ = targets;
    next_ = 0;
  }

  // For the target asked for now. spread(targets) is called where the lanes of the next ones begin.
  template <class Spread>
  std::size_t next(fabric::SwitchIndex target, Spread spread) {
    const bool foreseen = next_ < expected_.size() && expected_[next_] == target;
    if (!foreseen) {
      alone_ = target;
      expect({&alone_, 1});
    }
    const std::size_t lane = next_ % SharedChoices::kLanes;
    if (lane == 0) {
      const std::size_t left = expected_.size() - next_;
      spread(expected_.subspan(next_, left < SharedChoices::kLanes ? left : SharedChoices::kLanes));
    }
    ++next_;
    return lane;
  }

 private:
  std::span<const fabric::SwitchIndex> expected_;
  std::size_t next_ = 0;         // of these
  fabric::SwitchIndex alone_{};  // what nobody foresaw
};

}  // namespace heddle::routing
