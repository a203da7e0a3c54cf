// SPDX-License-Identifier: BSD-3-Clause
// Trees of shortest ways toward a switch, each switch choosing by the load of the whole way that
// lies ahead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Hosts times LIDs that a channel carries, by channel (CompactChannels).
using ChannelLoads = std::vector<std::uint64_t>;

inline constexpr std::uint32_t kNoWay = 0xFFFF'FFFF;

// What a packet counts for there.
inline std::uint64_t counts_for(const CompactChannels& channels, std::uint32_t channel) {
  return channels.counts_for.empty() ? 1 : channels.counts_for[channel];
}

// Adds, or takes off, what flows down a tree when each switch sends so much. order: every switch
// after the one its way leads to, the target first. next: by switch, the channel it leaves by.
void add_flow(const CompactChannels& channels, std::span<const std::uint32_t> order,
              std::span<const std::uint32_t> next, std::span<const std::uint32_t> sent,
              ChannelLoads& loads, bool take_off = false);

// Holds scratch memory: one per thread.
class ShortestTrees {
 public:
  // channels outlives this.
  explicit ShortestTrees(const CompactChannels& channels);

  // Breadth first: finds all shortest ways. Needed before the other calls.
  void approach(fabric::SwitchIndex target);
  // The switches that reach the target, nearest first; the target itself is the first.
  std::span<const std::uint32_t> nearest_first() const { return nearest_first_; }

  // Chooses the way with the least sum of loads from every switch. Equal ways are taken in turns
  // that differ from target to target, so that targets that cannot see each other's loads do not
  // all take the same; or the first one is taken always, so that trees resemble each other.
  void choose(const ChannelLoads& loads, bool in_turns = true);
  // The same as choose(), where no load has become less since the last choice toward this target.
  void choose_again(const ChannelLoads& loads);
  // The channel that a switch leaves by; kNoWay at the target and at what does not reach it.
  std::uint32_t next(std::uint32_t at) const { return next_[at]; }
  // And the port, by switch; of no meaning where there is no such channel.
  std::span<const std::uint8_t> out() const { return out_; }
  // Adds what flows down the tree when each switch sends so much.
  void load(std::span<const std::uint32_t> sent, ChannelLoads& loads) const {
    add_flow(channels_, nearest_first_, next_, sent, loads);
  }

 private:
  struct Way {
    std::uint32_t to = 0;
    std::uint32_t channel = 0;
  };
  struct Choice {
    std::uint32_t way = 0;  // in ways_
    std::uint64_t cost = 0;
  };

  std::uint64_t cost_of(const Way& way, const ChannelLoads& loads) const {
    return cost_[way.to] + loads[way.channel];
  }
  void choose_from(std::uint32_t at, const ChannelLoads& loads);
  Choice least(std::uint32_t begin, std::uint32_t end, const ChannelLoads& loads) const;

  const CompactChannels& channels_;
  fabric::SwitchIndex target_{};
  bool in_turns_ = true;
  std::vector<std::uint32_t> reverse_;  // by channel: the way back
  std::vector<std::uint32_t> nearest_first_;
  std::vector<std::uint32_t> hops_;    // by switch
  std::vector<Way> ways_;              // by channel: those of a switch stand together
  std::vector<std::uint32_t> end_;     // by switch: where its ways end
  std::vector<std::uint64_t> cost_;    // by switch
  std::vector<std::uint32_t> chosen_;  // by switch: its way, in ways_
  std::vector<std::uint32_t> next_;    // by switch
  std::vector<std::uint8_t> out_;      // by switch
};

}  // namespace heddle::routing
