// SPDX-License-Identifier: BSD-3-Clause
// The ways on which an engine allows packets to approach one switch. Which of several equal ways
// each LID takes is balance's affair, so an engine is little more than its way finder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::routing {

struct CompactChannels;

// Toward one target switch: for each switch that reaches it, the channels it may use next. A
// channel is given as its position among those that leave the switch (CompactChannels). Following
// any choices ends at the target, and each choice leads to a switch that comes later in
// farthest_first().
class Ways {
 public:
  // A switch, and where its choices stand in a memory.
  struct Step {
    std::uint32_t at = 0;
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
  };

  explicit Ways(const fabric::Topology& topology);
  // Those that are only to be lent.
  Ways() = default;

  // Forgets all choices.
  void clear();
  void add_switch(fabric::SwitchIndex at) { nearest_first_.push_back(at); }
  // In ascending order.
  void offer(fabric::SwitchIndex at, std::uint8_t local) {
    choices_[first_[at.value] + count_[at.value]++] = local;
  }
  // All switches that reach the target, the target itself first.
  std::vector<fabric::SwitchIndex>& nearest_first() { return nearest_first_; }
  const std::vector<fabric::SwitchIndex>& nearest_first() const { return nearest_first_; }

  // Instead of all these, memories that outlive these ways: `order` has the index in `steps` of
  // every switch that reaches the target, and `choices` what the steps are about.
  void lend(std::span<const std::uint32_t> order, bool nearest_first, const Step* steps,
            const std::uint8_t* choices) {
    lent_ = order;
    lent_steps_ = steps;
    lent_choices_ = choices;
    lent_nearest_first_ = nearest_first;
  }

  // How many switches reach the target, with itself.
  std::size_t size() const { return lent_.empty() ? nearest_first_.size() : lent_.size(); }
  // visit(switch, choices) for all of them but the target.
  template <class Visit>
  void farthest_first(Visit visit) const {
    for (std::size_t i = lent_.size(); i-- > 1;) {
      const Step& step = lent_steps_[lent_[lent_nearest_first_ ? i : lent_.size() - 1 - i]];
      visit(fabric::SwitchIndex{step.at}, std::span(lent_choices_ + step.begin, step.count));
    }
    if (!lent_.empty()) return;
    for (std::size_t i = nearest_first_.size(); i-- > 1;) {
      const fabric::SwitchIndex at = nearest_first_[i];
      visit(at, std::span(choices_.data() + first_[at.value], count_[at.value]));
    }
  }

 private:
  std::vector<std::uint32_t> first_;   // by switch: its own room in choices_
  std::vector<std::uint8_t> count_;    // by switch
  std::vector<std::uint8_t> choices_;  // the rooms of all switches
  std::vector<fabric::SwitchIndex> nearest_first_;
  std::span<const std::uint32_t> lent_;
  const Step* lent_steps_ = nullptr;
  const std::uint8_t* lent_choices_ = nullptr;
  bool lent_nearest_first_ = false;
};

// Holds scratch memory: one per thread.
class WayFinder {
 public:
  // Some targets at once: one bit for each.
  using Lanes = std::uint64_t;
  static constexpr std::size_t kLanes = 64;

  virtual ~WayFinder() = default;
  // The targets that are asked for next, in that order. Valid as long as they are asked for.
  virtual void expect(std::span<const fabric::SwitchIndex>) {}
  // Valid until the next call.
  virtual const Ways& toward(fabric::SwitchIndex target) = 0;
  // For those who do not ask in which order switches come: lane i is of targets[i], and `offers`
  // gets, by channel, the lanes that may take it. Then expect() is to be called anew.
  virtual void offer(std::span<const fabric::SwitchIndex> targets, const CompactChannels& channels,
                     std::span<Lanes> offers);

 protected:
  static void add_offers(const Ways& ways, std::size_t lane, const CompactChannels& channels,
                         std::span<Lanes> offers);
};

using MakeWayFinder = std::function<std::unique_ptr<WayFinder>()>;

// The channels without what the inner loops do not need. Those that leave a switch are in the order
// of the switches they lead to, then by port: neighbours that are cabled alike but to different
// ports still think alike, which keeps the destinations of one subtree apart.
struct CompactChannels {
  explicit CompactChannels(const fabric::Topology& topology);
  std::vector<std::uint32_t> first;          // by switch, one more at the end
  std::vector<std::uint32_t> from;           // switch it leaves
  std::vector<std::uint32_t> to;             // switch it leads to
  std::vector<std::uint8_t> out;             // port it leaves by
  std::vector<std::uint16_t> reverse_local;  // the way back, as a position at `to`
  // What a packet counts for in loads, by channel; empty: 1 everywhere.
  std::vector<std::uint8_t> counts_for;

  // By channel, Channel::slowness.
  std::vector<std::uint8_t> slowness(const fabric::Topology& topology) const;

  std::size_t count() const { return to.size(); }
  std::uint32_t reverse(std::uint32_t channel) const {
    return first[to[channel]] + reverse_local[channel];
  }

 private:
  // index: by channel, the topology's.
  void take(std::span<const fabric::Channel> channels, const std::vector<std::uint32_t>& index);
};

}  // namespace heddle::routing
