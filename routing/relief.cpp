// SPDX-License-Identifier: BSD-3-Clause
#include "routing/relief.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "routing/shortest_trees.hpp"
#include "routing/way_offers.hpp"

namespace heddle::routing {
namespace {

// In each step what lies above the least peak by more than this part of the greatest excess is
// lowered.
constexpr std::uint64_t kStep = 16;
// LIDs times channels.
constexpr std::size_t kMost = 128'000'000;

class Relief {
 public:
  Relief(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
         WayFinder& finder, TargetTrees& trees, std::size_t looks)
      : channels_(channels),
        hosts_(hosts),
        finder_(finder),
        trees_(trees),
        looks_left_(looks),
        flow_(hosts.size()),
        place_(hosts.size(), kNoWay) {}

  // Whether it changed anything.
  bool run() {
    TreeFlows flows = add_up(channels_, hosts_, trees_, finder_);
    least_ = least_peak(channels_, flows);
    loads_ = std::move(flows.loads);
    if (loads_.empty() || peak() <= least_) return false;
    offers_.emplace(channels_, finder_);
    for (std::uint64_t step = kStep; looks_left_ > 0;) {
      const std::uint64_t most = peak();
      if (most <= least_) break;
      const std::uint64_t below = std::max<std::uint64_t>((most - least_) / step, 1);
      if (lower(most - below)) continue;
      if (below == 1) break;
      step *= 2;
    }
    return changed_;
  }

 private:
  std::uint64_t peak() const { return *std::max_element(loads_.begin(), loads_.end()); }
  std::uint32_t next(std::size_t tree, std::uint32_t at) const {
    return channels_.first[at] + trees_.at(at)[tree];
  }
  std::uint32_t after(std::size_t tree, std::uint32_t at) const {
    return channels_.to[next(tree, at)];
  }

  // Whether all channels keep to the limit after it.
  bool lower(std::uint64_t limit) {
    limit_ = limit;
    std::vector<std::uint32_t> busiest;
    for (std::uint32_t c = 0; c < loads_.size(); ++c) {
      if (loads_[c] > limit) busiest.push_back(c);
    }
    std::stable_sort(busiest.begin(), busiest.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return loads_[a] > loads_[b]; });
    bool whole = true;
    for (const std::uint32_t channel : busiest) whole = lower_one(channel) && whole;
    return whole;
  }

  bool lower_one(std::uint32_t channel) {
    const std::uint32_t from = channels_.from[channel];
    const std::uint8_t* const row = trees_.at(from);
    const auto place = static_cast<std::uint8_t>(channel - channels_.first[from]);
    for (std::size_t i = 0; i < trees_.count() && loads_[channel] > limit_; ++i) {
      // Not always the same ones first.
      const std::size_t tree = (i + channel) % trees_.count();
      if (row[tree] != place) continue;
      find_branch(tree, from);
      for (const std::uint32_t at : branch_) {
        if (looks_left_ == 0) return false;
        --looks_left_;
        if (lead_away(tree, at, from)) break;
      }
    }
    return loads_[channel] <= limit_;
  }

  // The switch and all whose ways lead through it, each after the one it leads to.
  void find_branch(std::size_t tree, std::uint32_t at) {
    branch_.assign(1, at);
    for (std::size_t i = 0; i < branch_.size(); ++i) {
      const std::uint32_t here = branch_[i];
      flow_[here] = std::uint64_t{hosts_[here]} * trees_.weight[tree];
      for (std::uint32_t c = channels_.first[here]; c < channels_.first[here + 1]; ++c) {
        if (next(tree, channels_.to[c]) == channels_.reverse(c)) branch_.push_back(channels_.to[c]);
      }
    }
    for (std::size_t i = branch_.size(); i-- > 1;) {
      flow_[after(tree, branch_[i])] += flow_[branch_[i]];
    }
  }

  // So that its ways do not pass that switch any more.
  bool lead_away(std::size_t tree, std::uint32_t at, std::uint32_t busy) {
    if (flow_[at] == 0) return false;
    number_way(tree, at);
    std::uint32_t best = kNoWay;
    std::int64_t least = 0;
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (c == next(tree, at) || !offers_->has(c, trees_.target[tree])) continue;
      const std::int64_t change = unevenness_by(tree, c, busy);
      if (change < least) best = c;
      least = std::min(least, change);
    }
    forget_way(tree, at);
    if (best != kNoWay) change(tree, at, best);
    return best != kNoWay;
  }

  // How the sum of all loads' squares would change, by the flow; 0 if a channel would carry more
  // than the limit, or the way would join the old one before it has passed the busy switch.
  std::int64_t unevenness_by(std::size_t tree, std::uint32_t channel, std::uint32_t busy) const {
    std::uint32_t at = channels_.from[channel];
    const std::uint64_t flow = flow_[at];
    std::uint64_t more = 0, less = 0;
    std::uint32_t c = channel, joined = channels_.to[c];
    for (;; c = next(tree, joined), joined = channels_.to[c]) {
      const std::uint64_t load = flow * counts_for(channels_, c);
      if (loads_[c] + load > limit_) return 0;
      more += load * (2 * loads_[c] + load);
      if (place_[joined] != kNoWay) break;
    }
    if (place_[joined] <= place_[busy]) return 0;
    for (; at != joined; at = after(tree, at)) {
      c = next(tree, at);
      const std::uint64_t load = flow * counts_for(channels_, c);
      less += load * (2 * loads_[c] - load);
    }
    return static_cast<std::int64_t>(more - less);
  }

  void number_way(std::size_t tree, std::uint32_t at) {
    std::uint32_t place = 0;
    for (place_[at] = 0; at != trees_.target[tree]; place_[at] = ++place) at = after(tree, at);
  }
  void forget_way(std::size_t tree, std::uint32_t at) {
    for (place_[at] = kNoWay; at != trees_.target[tree]; place_[at] = kNoWay) at = after(tree, at);
  }

  void change(std::size_t tree, std::uint32_t at, std::uint32_t channel) {
    add_along(tree, at, -flow_[at]);
    changed_ = true;
    trees_.at(at)[tree] = static_cast<std::uint8_t>(channel - channels_.first[at]);
    add_along(tree, at, flow_[at]);
  }
  void add_along(std::size_t tree, std::uint32_t at, std::uint64_t flow) {
    for (; at != trees_.target[tree]; at = after(tree, at)) {
      const std::uint32_t c = next(tree, at);
      loads_[c] += flow * counts_for(channels_, c);
    }
  }

  const CompactChannels& channels_;
  const std::vector<std::uint32_t>& hosts_;
  WayFinder& finder_;
  TargetTrees& trees_;
  std::optional<WayOffers> offers_;  // most trees do without
  ChannelLoads loads_;
  std::uint64_t least_ = 0, limit_ = 0;
  bool changed_ = false;
  std::size_t looks_left_;
  std::vector<std::uint32_t> branch_;
  std::vector<std::uint64_t> flow_;   // by switch, of the branch in hand
  std::vector<std::uint32_t> place_;  // by switch: on the way in hand, from its beginning
};

// The places of a switch's channels, by port.
std::array<std::uint8_t, 256> places_at(const CompactChannels& channels, std::uint32_t at) {
  std::array<std::uint8_t, 256> places;
  places.fill(TargetTrees::kNone);
  for (std::uint32_t c = channels.first[at]; c < channels.first[at + 1]; ++c) {
    places[channels.out[c]] = static_cast<std::uint8_t>(c - channels.first[at]);
  }
  return places;
}

// The LIDs of hosts as trees.
class LidTrees {
 public:
  LidTrees(const CompactChannels& channels, const Destinations& destinations,
           fabric::ForwardingTables& tables)
      : channels_(channels), tables_(tables) {
    const auto switches = static_cast<std::uint32_t>(destinations.hosts.size());
    for (std::uint32_t s = 0; s < switches; ++s) {
      for (const Destination& to : destinations.by_switch[s]) {
        if (!to.is_host()) continue;
        trees_.target.push_back(s);
        lids_.push_back(to.base.value);
      }
    }
    trees_.weight.assign(lids_.size(), 1);
    trees_.next.resize(switches * lids_.size());
    for (std::uint32_t s = 0; s < switches; ++s) read(s);
  }
  TargetTrees& trees() { return trees_; }

  void write(std::uint32_t at) {
    std::uint8_t* const row = tables_.row(fabric::SwitchIndex{at}).data();
    const std::uint8_t* const next = trees_.at(at);
    const std::uint8_t* const out = channels_.out.data() + channels_.first[at];
    for (std::size_t tree = 0; tree < lids_.size(); ++tree) {
      if (next[tree] != TargetTrees::kNone) row[lids_[tree]] = out[next[tree]];
    }
  }

 private:
  void read(std::uint32_t at) {
    const auto places = places_at(channels_, at);
    const std::uint8_t* const row = std::as_const(tables_).row(fabric::SwitchIndex{at}).data();
    std::uint8_t* const next = trees_.at(at);
    const std::uint16_t* const lids = lids_.data();
    for (std::size_t tree = 0, count = lids_.size(); tree < count; ++tree) {
      next[tree] = places[row[lids[tree]]];
    }
  }

  const CompactChannels& channels_;
  fabric::ForwardingTables& tables_;
  TargetTrees trees_;
  std::vector<std::uint16_t> lids_;  // by tree
};

bool has_one_lid_each(const std::vector<Destination>& here) {
  return std::all_of(here.begin(), here.end(),
                     [](const Destination& to) { return !to.is_host() || to.lmc == 0; });
}

}  // namespace

void relieve(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
             WayFinder& finder, TargetTrees& trees) {
  if (trees.count() * channels.count() <= kMost) {
    Relief(channels, hosts, finder, trees, kManyLooks).run();
  }
}

bool relieve(const CompactChannels& channels, const Destinations& destinations, WayFinder& finder,
             fabric::ForwardingTables& tables, std::size_t looks) {
  const auto& all = destinations.by_switch;
  const std::size_t lids =
      std::accumulate(destinations.hosts.begin(), destinations.hosts.end(), std::size_t{0});
  if (lids * channels.count() > kMost) return false;
  if (!std::all_of(all.begin(), all.end(), has_one_lid_each)) return false;
  LidTrees lid_trees(channels, destinations, tables);
  Relief relief(channels, destinations.hosts, finder, lid_trees.trees(), looks);
  if (!relief.run()) return false;
  for (std::uint32_t s = 0; s < all.size(); ++s) lid_trees.write(s);
  return true;
}

}  // namespace heddle::routing
