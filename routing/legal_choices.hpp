// SPDX-License-Identifier: BSD-3-Clause
// Up*/down* ways toward up to 64 targets at once: one bit of a word for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/frontier.hpp"
#include "routing/orientation.hpp"
#include "routing/shared_choices.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Where no switch that can descend to the target is nearer by climbing. Elsewhere a switch that
// descends can make the ways of others longer, and each target is a case of its own: such a lane
// has a detour, and nothing else is known of it.
//
// A forwarding table does not know how a packet came. So toward a target each switch has one mode
// for all: it descends, or it climbs; and a switch that descends may only lead to switches that
// descend, because what came down must not go up.
class LegalChoices {
 public:
  static constexpr std::size_t kLanes = SharedChoices::kLanes;

  // Keeps references.
  LegalChoices(const CompactChannels& channels, const Orientation& orientation);

  // At most kLanes targets; lane i is of targets[i] from now on.
  void spread(std::span<const fabric::SwitchIndex> targets);
  bool has_detour(std::size_t lane) const { return (detours_ >> lane & 1) != 0; }
  // Every switch that reaches the lane's target, and its ways there, until the next spread().
  void lend(std::size_t lane, Ways& ways) const { choices_.lend(lane, false, ways); }
  // The same by channel, and nothing to lend after it: WayFinder::offer(). No channel is offered to
  // a lane that has a detour.
  void offer(std::span<const fabric::SwitchIndex> targets, std::span<SharedChoices::Lanes> offers);

 private:
  using Lanes = SharedChoices::Lanes;
  // One switch, at some number of hops from the targets of some lanes.
  struct Reached {
    std::uint32_t at = 0;
    std::uint32_t hops = 0;
    Lanes lanes = 0;
  };

  // Channels of one switch that all climb, or all descend.
  struct Links {
    std::span<const std::uint32_t> to;       // switches
    std::span<const std::uint8_t> position;  // among the channels of the switch
  };

  std::size_t switch_count() const { return channels_.first.size() - 1; }
  void part_channels(const Orientation& orientation);
  Links links(std::size_t begin, std::size_t end) const {
    return {std::span(to_).subspan(begin, end - begin),
            std::span(position_).subspan(begin, end - begin)};
  }
  Links ups(std::uint32_t at) const { return links(channels_.first[at], first_down_[at]); }
  Links downs(std::uint32_t at) const { return links(first_down_[at], channels_.first[at + 1]); }
  void begin(std::span<const fabric::SwitchIndex> targets);
  bool advance(std::uint32_t hops);
  Lanes choose_from(const Reached& reached, Lanes* offers);
  void add_from(const Reached& reached);
  Lanes offer_without_loss(const Reached& reached, Lanes lanes, Lanes* offers);
  void offer_descents(const Reached& reached, Lanes lanes, Lanes* offers);
  Lanes* level(std::uint32_t hops) { return levels_.data() + hops * switch_count(); }

  const CompactChannels& channels_;
  std::vector<std::uint32_t> from_top_;  // switches
  // As channels, but those of each switch that climb stand first.
  std::vector<std::uint32_t> to_;
  std::vector<std::uint8_t> position_;
  std::vector<std::uint32_t> first_down_;  // by switch
  Lanes lanes_ = 0;                        // in use
  Lanes detours_ = 0;
  bool may_descend_ = false;  // something was found so with the last hop
  // By (hops, switch): lanes whose target is so far.
  std::vector<Lanes> levels_;
  std::vector<Reached> nearest_first_;  // equals from the top
  // All by switch.
  std::vector<Lanes> seen_;                 // lanes whose hops are known
  std::vector<Lanes> descends_;             // that it can descend for
  std::vector<Lanes> lower_, found_lower_;  // and those for which it was found with the last hop
  std::vector<Lanes> can_climb_;            // for which it is as near by climbing
  std::vector<Lanes> entered_;              // for which some way descends into it
  std::vector<Lanes> by_position_;          // of the switch in hand: what a channel is offered to
  std::vector<SharedChoices::Lead> leads_;  // the same without those that are offered to none
  Frontier frontier_;
  SharedChoices choices_;
};

}  // namespace heddle::routing
