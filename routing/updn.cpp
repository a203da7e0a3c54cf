// SPDX-License-Identifier: BSD-3-Clause
#include "routing/updn.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "routing/balance.hpp"
#include "routing/legal_choices.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// The ways toward one target that has a detour (LegalChoices): some switch that could descend to it
// is nearer by climbing.
class DetourWays {
 public:
  DetourWays(const fabric::Topology& topology, const CompactChannels& channels,
             const Orientation& orientation)
      : channels_(channels),
        orientation_(orientation),
        ways_(topology),
        down_(topology.switch_count()),
        hops_(topology.switch_count()),
        descends_(topology.switch_count()),
        can_climb_(topology.switch_count()),
        entered_(topology.switch_count()) {
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      first_up_.push_back(static_cast<std::uint32_t>(ups_.size()));
      for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
        climbs_.push_back(orientation.position[channels.to[c]] < orientation.position[s]);
        if (!climbs_.back()) continue;
        ups_.push_back(channels.to[c]);
        up_positions_.push_back(static_cast<std::uint8_t>(c - channels.first[s]));
      }
    }
    first_up_.push_back(static_cast<std::uint32_t>(ups_.size()));
  }

  const Ways& toward(SwitchIndex target) {
    measure_descents(target);
    // First as if every switch were free to choose ...
    std::fill(descends_.begin(), descends_.end(), false);
    measure_hops();
    // ... then a switch descends where that is shortest for it, and where another's descent
    // needs it, which can make the ways of those that climb over it longer.
    for (const std::uint32_t at : descents_) descends_[at] = hops_[at] == down_[at];
    // That may leave others nothing shorter than to descend as well.
    for (bool again = true; again; again = bind_those_left()) {
      keep_descents_whole();
      measure_hops();
    }
    collect();
    return ways_;
  }

 private:
  static constexpr std::uint32_t kFar = 0xFFFF'FFF0;

  template <class Visit>
  void for_each_neighbour(std::uint32_t at, Visit visit) const {
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      visit(channels_.to[c], c);
    }
  }
  std::span<const std::uint32_t> ups(std::uint32_t at) const {
    return {ups_.data() + first_up_[at], first_up_[at + 1] - first_up_[at]};
  }

  // down_: hops to the target when only descending; descents_ nearest first.
  void measure_descents(SwitchIndex target) {
    std::fill(down_.begin(), down_.end(), kFar);
    down_[target.value] = 0;
    descents_.assign(1, target.value);
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      const std::uint32_t at = descents_[i];
      for (const std::uint32_t up : ups(at)) {
        if (down_[up] != kFar) continue;
        down_[up] = down_[at] + 1;
        descents_.push_back(up);
      }
    }
  }

  // hops_: along legal ways, where switches bound to descend do so and others choose. Every switch
  // looks only upward, so one pass from the top is enough.
  void measure_hops() {
    for (const SwitchIndex s : orientation_.from_top) {
      const std::uint32_t at = s.value;
      std::uint32_t climb = kFar;
      for (const std::uint32_t up : ups(at)) climb = std::min(climb, hops_[up] + 1);
      hops_[at] = descends_[at] ? down_[at] : std::min(down_[at], climb);
      can_climb_[at] = climb == hops_[at];
    }
  }

  // Farthest first: a descending switch without a descending next one binds one to descend.
  void keep_descents_whole() {
    for (std::size_t i = descents_.size(); i-- > 1;) {
      const std::uint32_t at = descents_[i];
      if (!descends_[at]) continue;
      std::uint32_t needed = kFar;
      bool whole = false;
      for_each_neighbour(at, [&](std::uint32_t to, std::uint32_t c) {
        if (climbs_[c] || down_[to] + 1 != down_[at]) return;
        whole |= descends_[to];
        needed = std::min(needed, to);
      });
      if (!whole) descends_[needed] = true;
    }
  }

  // Switches whose only shortest way has become to descend; false if there are none.
  bool bind_those_left() {
    bool bound = false;
    for (const std::uint32_t at : descents_) {
      if (descends_[at] || can_climb_[at] || hops_[at] != down_[at]) continue;
      descends_[at] = true;
      bound = true;
    }
    return bound;
  }

  void collect() {
    ways_.clear();
    sort_by_hops();
    const auto& order = ways_.nearest_first();
    // Farthest first: who descends into a switch is known when its turn comes. What nobody enters
    // from above is free to climb as well, if that is as short.
    std::fill(entered_.begin(), entered_.end(), false);
    for (std::size_t i = order.size(); i-- > 1;) offer_from(order[i]);
  }

  // Those that reach the target, equals from the top.
  void sort_by_hops() {
    of_hops_.clear();
    for (const SwitchIndex s : orientation_.from_top) {
      const std::uint32_t hops = hops_[s.value];
      if (hops >= kFar) continue;
      if (hops >= of_hops_.size()) of_hops_.resize(hops + 1);
      ++of_hops_[hops];
    }
    std::exclusive_scan(of_hops_.begin(), of_hops_.end(), of_hops_.begin(), 0u);
    auto& order = ways_.nearest_first();
    order.resize(orientation_.from_top.size());
    std::size_t count = 0;
    for (const SwitchIndex s : orientation_.from_top) {
      if (hops_[s.value] >= kFar) continue;
      order[of_hops_[hops_[s.value]]++] = s;
      ++count;
    }
    order.resize(count);
  }

  // To enter a switch from above takes its climbing ways from it and from all traffic that passes
  // there, so that is done only where there is no other choice, or no loss.
  void offer_from(SwitchIndex s) {
    if (!descends_[s.value]) return offer_climbs(s);
    if (!offer(s, false)) offer(s, true);
  }

  void offer_climbs(SwitchIndex s) {
    for (std::uint32_t i = first_up_[s.value]; i < first_up_[s.value + 1]; ++i) {
      if (hops_[ups_[i]] + 1 == hops_[s.value]) ways_.offer(s, up_positions_[i]);
    }
  }

  bool offer(SwitchIndex s, bool at_a_loss) {
    bool offered = false;
    for_each_neighbour(s.value, [&](std::uint32_t to, std::uint32_t c) {
      if (hops_[to] + 1 != hops_[s.value]) return;
      const bool climbs = climbs_[c] != 0;
      if (climbs ? entered_[s.value] : !descends_[to]) return;
      if (!climbs && !at_a_loss && can_climb_[to] && !entered_[to]) return;
      if (!climbs) entered_[to] = true;
      ways_.offer(s, static_cast<std::uint8_t>(c - channels_.first[s.value]));
      offered = true;
    });
    return offered;
  }

  const CompactChannels& channels_;
  const Orientation& orientation_;
  std::vector<std::uint8_t> climbs_;        // by channel
  std::vector<std::uint32_t> ups_;          // the switches that those that climb lead to, by switch
  std::vector<std::uint8_t> up_positions_;  // of those channels at their switch
  std::vector<std::uint32_t> first_up_;     // by switch, one more at the end
  Ways ways_;
  std::vector<std::uint32_t> down_;      // by switch
  std::vector<std::uint32_t> hops_;      // by switch
  std::vector<std::uint32_t> of_hops_;   // by hops: how many switches, then where they go
  std::vector<std::uint8_t> descends_;   // by switch
  std::vector<std::uint8_t> can_climb_;  // by switch: it is as near by climbing
  std::vector<std::uint8_t> entered_;    // by switch: some way descends into it
  std::vector<std::uint32_t> descents_;  // switches that can descend, nearest first
};

class LegalWays : public WayFinder {
 public:
  LegalWays(const fabric::Topology& topology, const CompactChannels& channels,
            const Orientation& orientation)
      : topology_(topology),
        channels_(channels),
        orientation_(orientation),
        choices_(channels, orientation),
        ways_(topology) {}

  void expect(std::span<const SwitchIndex> targets) override { lane_.expect(targets); }

  const Ways& toward(SwitchIndex target) override {
    const auto spread = [&](std::span<const SwitchIndex> targets) { choices_.spread(targets); };
    const std::size_t lane = lane_.next(target, spread);
    if (choices_.has_detour(lane)) return detour(target);
    choices_.lend(lane, ways_);
    return ways_;
  }

  void offer(std::span<const SwitchIndex> targets, const CompactChannels& channels,
             std::span<Lanes> offers) override {
    choices_.offer(targets, offers);
    for (std::size_t lane = 0; lane < targets.size(); ++lane) {
      if (choices_.has_detour(lane)) add_offers(detour(targets[lane]), lane, channels, offers);
    }
  }

 private:
  const Ways& detour(SwitchIndex target) {
    if (!detours_) detours_.emplace(topology_, channels_, orientation_);
    return detours_->toward(target);
  }

  const fabric::Topology& topology_;
  const CompactChannels& channels_;
  const Orientation& orientation_;
  LegalChoices choices_;
  LaneOfTarget lane_;
  Ways ways_;
  std::optional<DetourWays> detours_;  // few fabrics need it
};

}  // namespace

fabric::ForwardingTables up_down_tables(const Request& request, const Orientation& orientation) {
  const CompactChannels channels(request.topology);
  return balanced_tables(request, channels, [&] {
    return std::make_unique<LegalWays>(request.topology, channels, orientation);
  });
}

base::Result<Routes> UpDown::route(const Request& request) const {
  auto orientation =
      orient(request.topology, request.options.root_guids, request.options.switch_ids);
  auto tables = up_down_tables(request, orientation);
  return Routes{std::string(name()), std::move(tables), std::move(orientation.notes)};
}

}  // namespace heddle::routing
