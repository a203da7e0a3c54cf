// SPDX-License-Identifier: BSD-3-Clause
#include "routing/relief.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "routing/shortest_trees.hpp"
#include "routing/turns_together.hpp"
#include "routing/way_offers.hpp"

namespace heddle::routing {
namespace {

// In each step what lies above the least peak by more than this part of the greatest excess is
// lowered.
constexpr std::uint64_t kStep = 16;
// LIDs times channels.
constexpr std::size_t kMost = 128'000'000;

// What a finder offers. A switch may take any of it, whatever others do.
class OfferedWays {
 public:
  OfferedWays(const CompactChannels& channels, WayFinder& finder)
      : channels_(channels), finder_(finder) {}

  TreeFlows flows(const std::vector<std::uint32_t>& hosts, const TargetTrees& trees) {
    return add_up(channels_, hosts, trees, finder_);
  }
  // Most trees do without.
  void prepare() { offers_.emplace(channels_, finder_); }
  void look_at(const TargetTrees&, std::size_t, std::uint32_t) {}
  bool has(const TargetTrees& trees, std::size_t tree, std::uint32_t channel) const {
    return offers_->has(channel, trees.target[tree]);
  }
  bool take(const TargetTrees&, std::size_t, std::uint32_t) { return true; }

 private:
  const CompactChannels& channels_;
  WayFinder& finder_;
  std::optional<WayOffers> offers_;
};

// What the layer of a tree admits: each two channels that packets hold in succession there.
class LayerWays {
 public:
  LayerWays(const CompactChannels& channels, std::vector<ChannelOrder>& layers,
            std::vector<std::uint8_t> layer_of)
      : channels_(channels), layers_(layers), layer_of_(std::move(layer_of)) {}

  TreeFlows flows(const std::vector<std::uint32_t>& hosts, const TargetTrees& trees) {
    return add_up(channels_, hosts, trees);
  }
  void prepare() {}
  // Before a switch's channels are asked for.
  void look_at(const TargetTrees& trees, std::size_t tree, std::uint32_t at) {
    entering_.clear();
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      const std::uint32_t child = channels_.to[c];
      if (trees.at(child)[tree] == channels_.reverse_local[c])
        entering_.push_back(channels_.reverse(c));
    }
  }
  bool has(const TargetTrees&, std::size_t, std::uint32_t) const { return true; }
  // Whether the layer has all that packets cause which leave by this channel, or can take it.
  bool take(const TargetTrees& trees, std::size_t tree, std::uint32_t channel) {
    turns_.begin(layers_[layer_of_[tree]]);
    const std::uint32_t to = channels_.to[channel];
    bool admits =
        to == trees.target[tree] || turns_.add(channel, channels_.first[to] + trees.at(to)[tree]);
    for (std::size_t i = 0; admits && i < entering_.size(); ++i) {
      admits = turns_.add(entering_[i], channel);
    }
    return turns_.end(admits);
  }

 private:
  const CompactChannels& channels_;
  std::vector<ChannelOrder>& layers_;
  std::vector<std::uint8_t> layer_of_;   // by tree
  std::vector<std::uint32_t> entering_;  // the switch that is looked at, in this tree
  TurnsTogether turns_;
};

template <class AllowedWays>
class Relief {
 public:
  Relief(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
         AllowedWays allowed, TargetTrees& trees, std::size_t looks)
      : channels_(channels),
        hosts_(hosts),
        allowed_(std::move(allowed)),
        trees_(trees),
        looks_left_(looks),
        flow_(hosts.size()),
        place_(hosts.size(), kNoWay) {}

  const ChannelLoads& loads() const { return loads_; }

  // Whether it changed anything.
  bool run() {
    TreeFlows flows = allowed_.flows(hosts_, trees_);
    least_ = least_peak(channels_, flows);
    loads_ = std::move(flows.loads);
    if (loads_.empty() || peak() <= least_) return false;
    allowed_.prepare();
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
    gains_.clear();
    for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
      if (c == next(tree, at) || !allowed_.has(trees_, tree, c)) continue;
      const std::int64_t change = unevenness_by(tree, c, busy);
      if (change < 0) gains_.emplace_back(change, c);
    }
    forget_way(tree, at);
    if (gains_.empty()) return false;
    allowed_.look_at(trees_, tree, at);
    std::sort(gains_.begin(), gains_.end());
    const auto best = std::find_if(gains_.begin(), gains_.end(), [&](const auto& gain) {
      return allowed_.take(trees_, tree, gain.second);
    });
    if (best == gains_.end()) return false;
    change(tree, at, best->second);
    return true;
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
  AllowedWays allowed_;
  TargetTrees& trees_;
  ChannelLoads loads_;
  std::uint64_t least_ = 0, limit_ = 0;
  bool changed_ = false;
  std::size_t looks_left_;
  std::vector<std::uint32_t> branch_;
  // What a switch could do: how the sum of squares would change, and by which channel.
  std::vector<std::pair<std::int64_t, std::uint32_t>> gains_;
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

  // By tree, from what is known by LID.
  std::vector<std::uint8_t> of_each(std::span<const std::uint8_t> by_lid) const {
    std::vector<std::uint8_t> by_tree;
    for (const std::uint16_t lid : lids_) by_tree.push_back(by_lid[lid]);
    return by_tree;
  }
  void write_all() {
    for (std::uint32_t s = 0; s + 1 < channels_.first.size(); ++s) write(s);
  }

 private:
  void write(std::uint32_t at) {
    std::uint8_t* const row = tables_.row(fabric::SwitchIndex{at}).data();
    const std::uint8_t* const next = trees_.at(at);
    const std::uint8_t* const out = channels_.out.data() + channels_.first[at];
    for (std::size_t tree = 0; tree < lids_.size(); ++tree) {
      if (next[tree] != TargetTrees::kNone) row[lids_[tree]] = out[next[tree]];
    }
  }
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

bool is_for(const CompactChannels& channels, const Destinations& destinations) {
  const auto& all = destinations.by_switch;
  const std::size_t lids =
      std::accumulate(destinations.hosts.begin(), destinations.hosts.end(), std::size_t{0});
  if (lids * channels.count() > kMost) return false;
  return std::all_of(all.begin(), all.end(), has_one_lid_each);
}

}  // namespace

void relieve(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
             WayFinder& finder, TargetTrees& trees) {
  if (trees.count() * channels.count() <= kMost) {
    Relief(channels, hosts, OfferedWays(channels, finder), trees, kManyLooks).run();
  }
}

bool relieve(const CompactChannels& channels, const Destinations& destinations, WayFinder& finder,
             fabric::ForwardingTables& tables, std::size_t looks) {
  if (!is_for(channels, destinations)) return false;
  LidTrees lid_trees(channels, destinations, tables);
  Relief relief(channels, destinations.hosts, OfferedWays(channels, finder), lid_trees.trees(),
                looks);
  if (!relief.run()) return false;
  lid_trees.write_all();
  return true;
}

std::optional<ChannelLoads> relieve_in_layers(const CompactChannels& channels,
                                              const Destinations& destinations,
                                              std::vector<ChannelOrder>& layers,
                                              std::span<const std::uint8_t> layer_of,
                                              fabric::ForwardingTables& tables) {
  if (!is_for(channels, destinations)) return std::nullopt;
  LidTrees lid_trees(channels, destinations, tables);
  LayerWays ways(channels, layers, lid_trees.of_each(layer_of));
  Relief relief(channels, destinations.hosts, std::move(ways), lid_trees.trees(), kManyLooks);
  if (!relief.run()) return std::nullopt;
  lid_trees.write_all();
  return relief.loads();
}

}  // namespace heddle::routing
