// SPDX-License-Identifier: BSD-3-Clause
// All shortest ways, as a way finder.
#pragma once

#include "routing/shortest_choices.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

class ShortestWays : public WayFinder {
 public:
  // Keeps a reference.
  explicit ShortestWays(const CompactChannels& channels) : choices_(channels) {}

  void expect(std::span<const fabric::SwitchIndex> targets) override { lane_.expect(targets); }

  const Ways& toward(fabric::SwitchIndex target) override {
    const auto spread = [&](std::span<const fabric::SwitchIndex> targets) {
      choices_.spread(targets);
    };
    const std::size_t lane = lane_.next(target, spread);
    choices_.lend(lane, ways_);
    return ways_;
  }

  void offer(std::span<const fabric::SwitchIndex> targets, const CompactChannels&,
             std::span<Lanes> offers) override {
    choices_.offer(targets, offers);
  }

 private:
  ShortestChoices choices_;
  LaneOfTarget lane_;
  Ways ways_;
};

}  // namespace heddle::routing
