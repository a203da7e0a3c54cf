// SPDX-License-Identifier: BSD-3-Clause
#include "routing/pair_layers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "base/prng.hpp"
#include "routing/tree_grower.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint64_t kSeed = 11;
constexpr std::size_t kAtATime = 3;

class Builder {
 public:
  Builder(const CompactChannels& channels, const Destinations& destinations,
          const fabric::Islands& islands, std::vector<ChannelOrder>& layers, Choice choice)
      : channels_(channels),
        destinations_(destinations),
        islands_(islands),
        layers_(layers),
        choice_(choice),
        grower_(channels, layers),
        pairs_(destinations.hosts.size()),
        loads_(channels.count()),
        wanted_(destinations.hosts.size()) {
    grower_.choose_layers(choice);
  }

  // False if some pair has no way, or nobody needs it any more.
  template <class IsVain>
  bool build(const IsVain& is_vain) {
    std::vector<std::uint32_t> targets;
    for (std::uint32_t s = 0; s < wanted_.size(); ++s) targets.push_back(s);
    base::Prng dice(kSeed);
    dice.shuffle(targets);
    return std::all_of(targets.begin(), targets.end(),
                       [&](std::uint32_t target) { return !is_vain() && add(target); });
  }
  PairLayers take() { return std::move(pairs_); }

 private:
  bool add(std::uint32_t target) {
    for (std::uint32_t s = 0; s < wanted_.size(); ++s) {
      const bool matters = destinations_.hosts[target] > 0 || destinations_.hosts[s] > 0;
      const std::uint8_t known = pairs_.layer(target, s);
      wanted_[s] = !matters ? kNoLayer : known == kNoLayer ? kAnyLayer : known;
    }
    const auto reachable = islands_.members(islands_.of(fabric::SwitchIndex{target})).size();
    if (!grower_.grow(target, wanted_, loads_, reachable) && !change_layers(target)) return false;
    grower_.keep();
    for (const std::uint32_t at : grower_.nearest_first().subspan(1)) {
      if (grower_.layer(at) != kNoLayer) pairs_.set(target, at, grower_.layer(at));
      pairs_.set_way(target, at, static_cast<std::uint8_t>(grower_.next(at) - channels_.first[at]));
    }
    std::vector<std::uint32_t> sent = destinations_.hosts;
    for (std::uint32_t& one : sent) one *= destinations_.hosts[target];
    if (!choice_.alike) grower_.load(sent, loads_);
    return true;
  }

  // For pairs whose layer takes the way in one direction only: looks for one that takes both.
  bool change_layers(std::uint32_t target) {
    for (std::uint8_t other = 0; other < layers_.size(); ++other) {
      for (std::uint32_t s = 0; s < wanted_.size(); ++s) {
        if (grower_.reaches(s) || wanted_[s] >= layers_.size()) continue;
        if (islands_.of({s}) != islands_.of({target})) continue;
        if (pairs_.layer(target, s) == other || !has_way_back(target, s, other)) continue;
        wanted_[s] = other;
      }
      if (grower_.resume(loads_)) return true;
    }
    return false;
  }

  // Whether packets from `from` to s, whose tree is there, may have the layer.
  bool has_way_back(std::uint32_t from, std::uint32_t s, std::uint8_t layer) {
    const auto channel = [&](std::uint32_t at) { return channels_.first[at] + pairs_.way(s, at); };
    std::uint32_t held = channel(from);
    for (std::uint32_t at = channels_.to[held]; at != s; at = channels_.to[held]) {
      const std::uint32_t next = channel(at);
      if (!layers_[layer].has(held, next)) {
        if (!layers_[layer].add(held, next)) return false;
        layers_[layer].keep(held, next);
      }
      held = next;
    }
    return true;
  }

  const CompactChannels& channels_;
  const Destinations& destinations_;
  const fabric::Islands& islands_;
  std::vector<ChannelOrder>& layers_;
  Choice choice_;
  TreeGrower grower_;
  PairLayers pairs_;
  ChannelLoads loads_;
  std::vector<std::uint8_t> wanted_;  // by switch, for the target in hand
};

}  // namespace

std::vector<std::uint32_t> PairLayers::tree(const CompactChannels& channels,
                                            std::uint32_t target) const {
  std::vector<std::uint32_t> next(switches_, kNoWay);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (way(target, s) != 0xFF) next[s] = channels.first[s] + way(target, s);
  }
  return next;
}

unsigned PairLayers::count() const {
  unsigned count = 1;
  for (const std::uint8_t layer : layer_) {
    if (layer != kNoLayer) count = std::max(count, layer + 1u);
  }
  return count;
}

fabric::ServiceLevels PairLayers::levels(const Destinations& destinations, mad::Lid top) const {
  std::vector<std::uint32_t> row_of, column_of(std::size_t{top.value} + 1);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    row_of.push_back(s);
    for (const Destination& to : destinations.by_switch[s]) {
      std::fill_n(column_of.begin() + to.base.value, to.lid_count(), s);
    }
  }
  auto levels = layer_;
  std::replace(levels.begin(), levels.end(), kNoLayer, std::uint8_t{0});
  return {std::move(row_of), std::move(column_of), switches_, std::move(levels)};
}

std::optional<PairLayers> make_pair_layers(const CompactChannels& channels,
                                           const Destinations& destinations,
                                           const fabric::Islands& islands,
                                           std::vector<ChannelOrder>& layers,
                                           const base::ParallelFor& parallel) {
  // What leaves most room for other ways comes first.
  constexpr Choice kChoices[] = {{true, true, false},   {false, true, false}, {true, false, false},
                                 {false, false, false}, {true, true, true},   {false, true, true},
                                 {false, false, true}};
  const std::vector<ChannelOrder> fresh = layers;
  struct Attempt {
    std::vector<ChannelOrder> layers;
    std::optional<PairLayers> pairs;
  };
  std::array<Attempt, std::size(kChoices)> attempts;
  // A few at a time: each needs memory of its own. The first that does is taken, whoever is ready
  // first: those behind it only have to stop.
  std::atomic<std::size_t> next = 0, best = std::size(kChoices);
  const auto try_next = [&] {
    const std::size_t mine = next++;
    if (mine >= best) return false;
    Attempt& attempt = attempts[mine];
    attempt.layers = fresh;
    Builder builder(channels, destinations, islands, attempt.layers, kChoices[mine]);
    if (!builder.build([&] { return best < mine; })) {
      attempt.layers = {};
      return true;
    }
    attempt.pairs = builder.take();
    std::size_t seen = best;
    while (mine < seen && !best.compare_exchange_weak(seen, mine)) continue;
    return false;
  };
  parallel(kAtATime, [&](std::size_t begin, std::size_t end) {
    for (std::size_t worker = begin; worker < end; ++worker) {
      while (try_next()) continue;
    }
  });
  if (best < attempts.size()) {
    layers = std::move(attempts[best].layers);
    return std::move(attempts[best].pairs);
  }
  return layer_shortest_trees(channels, destinations, layers, TreeLoads::Any);
}

}  // namespace heddle::routing
