// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "routing/lane_packer.hpp"
#include "routing/pair_layers.hpp"
#include "routing/relief.hpp"
#include "routing/shortest_ways.hpp"

namespace heddle::routing {
namespace {

// A third growth finds what a second one does not, and the other way round; a fourth, nothing.
constexpr unsigned kGrowths = 3;

class Layering {
 public:
  Layering(const CompactChannels& channels, const Destinations& destinations,
           std::vector<ChannelOrder>& layers)
      : channels_(channels),
        destinations_(destinations),
        pairs_(destinations.hosts.size()),
        loads_(channels.count()),
        packer_(layers) {}

  // Once more: each tree anew, beside what the others carry.
  void grow_trees(bool alike, bool once_more = false) {
    ShortestTrees trees(channels_);
    std::vector<std::uint32_t> sent(switches()), before(switches());
    for (std::uint32_t target = 0; target < switches(); ++target) {
      for (std::uint32_t s = 0; s < switches(); ++s) {
        sent[s] = destinations_.hosts[s] * destinations_.hosts[target];
      }
      trees.approach(fabric::SwitchIndex{target});
      if (once_more) {
        for (const std::uint32_t at : trees.nearest_first().subspan(1)) {
          before[at] = channels_.first[at] + pairs_.way(target, at);
        }
        add_flow(channels_, trees.nearest_first(), before, sent, loads_, true);
      }
      trees.choose(loads_, !alike);
      for (const std::uint32_t at : trees.nearest_first().subspan(1)) {
        pairs_.set_way(target, at, static_cast<std::uint8_t>(trees.next(at) - channels_.first[at]));
      }
      if (!alike) trees.load(sent, loads_);
    }
  }

  // After grow_trees: grows them again as often as it gains by it.
  void grow_evenest(const BandwidthOfTrees& bandwidth_of) {
    PairLayers grown = pairs_;
    std::uint64_t least = even_out();
    PairLayers best = pairs_;
    for (unsigned growth = 1; growth < kGrowths; ++growth) {
      pairs_ = std::move(grown);
      grow_trees(false, true);
      grown = pairs_;
      const std::uint64_t busiest = even_out();
      if (busiest >= least || bandwidth_of(pairs_) < bandwidth_of(best)) continue;
      least = busiest;
      best = pairs_;
    }
    pairs_ = std::move(best);
  }

  // What the busiest channel carries then.
  std::uint64_t even_out() {
    ShortestWays shortest(channels_);
    TargetTrees trees;
    for (std::uint32_t target = 0; target < switches(); ++target) trees.target.push_back(target);
    trees.weight = destinations_.hosts;
    trees.next.resize(std::size_t{switches()} * switches());
    const auto for_each = [&](const auto& visit) {
      for (std::uint32_t target = 0; target < switches(); ++target) {
        for (std::uint32_t s = 0; s < switches(); ++s) visit(target, s);
      }
    };
    for_each([&](auto target, auto s) { trees.at(s)[target] = pairs_.way(target, s); });
    relieve(channels_, destinations_.hosts, shortest, trees);
    for_each([&](auto target, auto s) { pairs_.set_way(target, s, trees.at(s)[target]); });
    const auto carried = add_up(channels_, destinations_.hosts, trees, shortest).loads;
    return carried.empty() ? 0 : *std::max_element(carried.begin(), carried.end());
  }

  // Long ways first: they are the hardest to place.
  bool give_layers() {
    LanePacker::Dependencies flow;
    for (const auto& [a, b] : pairs_longest_first()) {
      flow.clear();
      follow(a, b, flow);
      follow(b, a, flow);
      const auto layer = packer_.pack(flow);
      if (!layer) return false;
      pairs_.set(a, b, *layer);
    }
    return true;
  }
  PairLayers take() { return std::move(pairs_); }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::uint32_t switches() const { return static_cast<std::uint32_t>(destinations_.hosts.size()); }

  std::vector<Pair> pairs_longest_first() const {
    std::vector<std::vector<Pair>> by_length;
    LanePacker::Dependencies flow;
    for (std::uint32_t a = 0; a < switches(); ++a) {
      for (std::uint32_t b = a + 1; b < switches(); ++b) {
        if (destinations_.hosts[a] == 0 && destinations_.hosts[b] == 0) continue;
        if (pairs_.way(a, b) == 0xFF) continue;  // another island
        flow.clear();
        follow(a, b, flow);
        if (by_length.size() <= flow.size()) by_length.resize(flow.size() + 1);
        by_length[flow.size()].push_back({a, b});
      }
    }
    std::vector<Pair> all;
    for (std::size_t length = by_length.size(); length-- > 0;) {
      all.insert(all.end(), by_length[length].begin(), by_length[length].end());
    }
    return all;
  }

  void follow(std::uint32_t from, std::uint32_t target, LanePacker::Dependencies& flow) const {
    std::uint32_t held = channels_.first[from] + pairs_.way(target, from);
    for (std::uint32_t at = channels_.to[held]; at != target; at = channels_.to[held]) {
      const std::uint32_t next = channels_.first[at] + pairs_.way(target, at);
      flow.push_back({held, next});
      held = next;
    }
  }

  const CompactChannels& channels_;
  const Destinations& destinations_;
  PairLayers pairs_;
  ChannelLoads loads_;  // as the trees have grown
  LanePacker packer_;
};

}  // namespace

std::optional<PairLayers> layer_shortest_trees(const CompactChannels& channels,
                                               const Destinations& destinations,
                                               std::vector<ChannelOrder>& layers, TreeLoads loads,
                                               const BandwidthOfTrees& bandwidth_of) {
  Layering layering(channels, destinations, layers);
  layering.grow_trees(loads == TreeLoads::Any);
  if (loads == TreeLoads::Evenest) layering.grow_evenest(bandwidth_of);
  if (loads == TreeLoads::Even) layering.even_out();
  if (!layering.give_layers()) return std::nullopt;
  return layering.take();
}

}  // namespace heddle::routing
