// SPDX-License-Identifier: BSD-3-Clause
// The shortest ways toward many switches at once: one bit of a word for each target, so that one
// walk over the links serves 64 of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/frontier.hpp"
#include "routing/shared_choices.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

class ShortestChoices {
 public:
  static constexpr std::size_t kLanes = SharedChoices::kLanes;

  // Keeps a reference.
  explicit ShortestChoices(const CompactChannels& channels);

  // At most kLanes targets; lane i is of targets[i] from now on.
  void spread(std::span<const fabric::SwitchIndex> targets);
  // Every switch that reaches the lane's target, and its ways there, until the next spread().
  void lend(std::size_t lane, Ways& ways) const { choices_.lend(lane, true, ways); }
  // The same by channel, and nothing to lend after it: WayFinder::offer().
  void offer(std::span<const fabric::SwitchIndex> targets, std::span<SharedChoices::Lanes> offers);

 private:
  using Lanes = SharedChoices::Lanes;

  std::size_t switch_count() const { return channels_.first.size() - 1; }
  void begin(std::span<const fabric::SwitchIndex> targets);
  template <class Take, class Find>
  bool advance(Take take, Find find);
  void find(std::uint32_t at, Lanes found);

  const CompactChannels& channels_;
  Lanes lanes_ = 0;            // in use
  std::vector<Lanes> seen_;    // by switch: the lanes whose distance is known
  std::vector<Lanes> nearer_;  // by switch: those whose distance is what was found last
  std::vector<Lanes> found_;   // by switch: and what is found now
  Frontier frontier_;
  std::vector<SharedChoices::Lead> leads_;  // of the switch in hand
  SharedChoices choices_;
};

}  // namespace heddle::routing
