// SPDX-License-Identifier: BSD-3-Clause
// Grows a tree of ways toward a switch inside what the layers allow: a layer is one VL's channel
// dependencies, and stays free of cycles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/channel_order.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {

// In the place of a layer: packets from there do not matter.
inline constexpr std::uint8_t kNoLayer = 0xFF;
// In the place of a layer: any that takes them, as Choice says.
inline constexpr std::uint8_t kAnyLayer = 0xFE;

// How a layer is chosen where it was left open.
struct Choice {
  bool spread = false;  // begins to look at a layer that differs from pair to pair of switches
  // The layer must take the same way back as well, so that it will be there when it is needed.
  bool both_ways = false;
  // Equal ways are not taken in turns, so that trees resemble each other and fewer layers do.
  bool alike = false;
};

// Holds scratch memory: one for each tree that grows at a time. Trees that grow at the same time
// must not share layers.
class TreeGrower {
 public:
  // Both outlive this. At most 16 layers.
  TreeGrower(const CompactChannels& channels, std::vector<ChannelOrder>& layers);

  // What a way costs more, in the unit of loads, if its layer has to take a new dependency: layers
  // that stay sparse have room for other ways later.
  void set_price(std::uint64_t price) { price_ = price; }
  void choose_layers(Choice how) { choice_ = how; }

  // Every switch takes the way with fewest hops, then with the least load, that its packets may
  // take in the layer they have, by switch. A way that was settled is never taken back, so
  // switches can remain that find none: false then. What the layers admitted for it is on trial
  // until keep() or undo().
  bool grow(std::uint32_t target, std::span<const std::uint8_t> layer_of, const ChannelLoads& loads,
            std::size_t reachable);
  // The same, but a way that is given for a switch comes before all others as short; by switch.
  bool grow_along(std::uint32_t target, std::span<const std::uint32_t> given,
                  std::span<const std::uint8_t> layer_of, const ChannelLoads& loads,
                  std::size_t reachable);
  // Tries once more what found no way, after layer_of has changed; ways are no longer the shortest
  // that could be. True if everything is reached then.
  bool resume(const ChannelLoads& loads);
  // For a tree in one layer that does not reach everything: lets switches that did find a way take
  // another, so that their neighbours find one. True if it reaches everything then.
  bool mend(const ChannelLoads& loads);
  // Takes a given tree instead, whose dependencies the layers have. By switch, kNoWay at the
  // target.
  void adopt(std::uint32_t target, std::span<const std::uint32_t> next);
  // What the layers admitted for the latest tree stays there, or is taken back. One of the two must
  // be called before the next tree.
  void keep();
  void undo();

  // Of the latest tree: the switches it reaches, each after the one its way leads to.
  std::span<const std::uint32_t> nearest_first() const { return order_; }
  std::uint32_t next(std::uint32_t at) const { return next_[at]; }
  bool reaches(std::uint32_t at) const { return hops_[at] != kNoWay; }
  // The layer that packets from there have, if that was left open.
  std::uint8_t layer(std::uint32_t at) const { return layer_[at]; }

  struct Cost {
    std::uint64_t hops = 0;
    std::uint64_t load = 0;
    auto operator<=>(const Cost&) const = default;
  };
  // Over all that is sent, so much by each switch.
  Cost cost(std::span<const std::uint32_t> sent) const;
  // The same with these loads and nothing else.
  Cost cost(std::span<const std::uint32_t> sent, const ChannelLoads& loads);
  // Adds what flows down the tree when each switch sends so much.
  void load(std::span<const std::uint32_t> sent, ChannelLoads& loads) const {
    add_flow(channels_, order_, next_, sent, loads, false);
  }
  void unload(std::span<const std::uint32_t> sent, ChannelLoads& loads) const {
    add_flow(channels_, order_, next_, sent, loads, true);
  }

 private:
  struct Dependency {
    std::uint8_t layer = 0;
    std::uint32_t held = 0;
    std::uint32_t next = 0;
  };
  struct Candidate {
    std::uint64_t cost = 0;
    std::uint32_t channel = 0;
  };
  void begin(std::uint32_t target, std::span<const std::uint8_t> layer_of, std::size_t reachable);
  void spread(std::size_t from, const ChannelLoads& loads);
  void attach(std::uint32_t at, std::uint32_t hops, const ChannelLoads& loads);
  std::uint64_t price(std::uint32_t at, std::uint32_t channel) const;
  bool attach_as_given(std::uint32_t at, std::uint32_t hops, const ChannelLoads& loads);
  bool attach_to_best(std::uint32_t at);
  bool admit(std::uint32_t at, std::uint32_t channel);
  bool admit_in(std::uint8_t layer, std::uint32_t at, std::uint32_t channel);
  bool admit_one(std::uint8_t layer, std::uint32_t held, std::uint32_t next);
  bool follow(std::uint8_t layer, std::uint32_t channel);
  bool follow_back(std::uint8_t layer, std::uint32_t channel);
  void take_back(std::size_t admitted);
  bool find_detour(std::uint32_t lost);
  bool bend(std::uint32_t by, std::uint32_t onward, std::uint32_t entering);
  void put_in_order();
  void settle(std::uint32_t at, std::uint32_t channel, std::uint64_t cost);

  const CompactChannels& channels_;
  std::vector<ChannelOrder>& layers_;
  Choice choice_;
  std::uint64_t price_ = 0;
  std::size_t tries_left_ = 0;
  std::uint32_t target_ = 0;
  std::size_t reachable_ = 0;
  std::span<const std::uint8_t> layer_of_;
  std::span<const std::uint32_t> given_;  // empty if nothing is
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> next_;    // by switch
  std::vector<std::uint32_t> hops_;    // by switch; kNoWay if not reached
  std::vector<std::uint64_t> cost_;    // by switch: the loads of its way
  std::vector<std::uint8_t> layer_;    // by switch
  std::vector<std::uint16_t> passed_;  // by switch: a bit for each layer whose packets leave it
  std::vector<std::uint32_t> seen_;    // by switch: the round in which it was tried
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> tried_;
  std::vector<Candidate> candidates_;
  std::vector<Dependency> admitted_;
  struct Pass {
    std::uint32_t at = 0;
    std::uint16_t bits = 0;
  };
  std::vector<Pass> passes_;  // marks in passed_ that the way in hand made
};

}  // namespace heddle::routing
