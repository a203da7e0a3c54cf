// SPDX-License-Identifier: BSD-3-Clause
#include "routing/learned_ways.hpp"

#include <cstddef>
#include <utility>

#include "base/prng.hpp"
#include "routing/relief.hpp"
#include "routing/shortest_ways.hpp"
#include "routing/target_trees.hpp"
#include "routing/turns_together.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint64_t kLessonSeed = 5;
constexpr std::size_t kLessonsInOneBreath = 4096;  // pairs

// A tree toward each switch with hosts.
TargetTrees even_trees(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts) {
  TargetTrees trees;
  const auto switches = static_cast<std::uint32_t>(hosts.size());
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (hosts[s] == 0) continue;
    trees.target.push_back(s);
    trees.weight.push_back(hosts[s]);
  }
  trees.next.assign(switches * trees.count(), TargetTrees::kNone);
  ShortestTrees shortest(channels);
  ChannelLoads loads(channels.count());
  std::vector<std::uint32_t> sent(switches);
  for (std::size_t tree = 0; tree < trees.count(); ++tree) {
    shortest.approach(fabric::SwitchIndex{trees.target[tree]});
    shortest.choose(loads);
    for (const std::uint32_t at : shortest.nearest_first().subspan(1)) {
      trees.at(at)[tree] = static_cast<std::uint8_t>(shortest.next(at) - channels.first[at]);
    }
    for (std::uint32_t s = 0; s < switches; ++s) sent[s] = hosts[s] * trees.weight[tree];
    shortest.load(sent, loads);
  }
  ShortestWays ways(channels);
  relieve(channels, hosts, ways, trees);
  return trees;
}

class Teacher {
 public:
  explicit Teacher(const CompactChannels& channels) : channels_(channels) {}

  // Adds the whole way, or nothing of it. next: what a switch leaves by; kNoWay at the target, and
  // in other islands.
  template <class Next>
  void teach(ChannelOrder& layer, std::uint32_t from, const Next& next) {
    turns_.begin(layer);
    bool fits = true;
    for (std::uint32_t held = next(from); held != kNoWay && fits;) {
      const std::uint32_t onward = next(channels_.to[held]);
      fits = onward == kNoWay || turns_.add(held, onward);
      held = onward;
    }
    turns_.end(fits);
  }

 private:
  const CompactChannels& channels_;
  TurnsTogether turns_;  // of the way in hand
};

}  // namespace

void learn_shortest_ways(const CompactChannels& channels, const Destinations& destinations,
                         std::span<const std::uint8_t> layer_of, std::vector<ChannelOrder>& layers,
                         const base::ParallelFor& parallel) {
  const TargetTrees trees = even_trees(channels, destinations.hosts);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  // tree, and where a way begins
  for (std::uint32_t tree = 0; tree < trees.count(); ++tree) {
    for (std::uint32_t s = 0; s < destinations.hosts.size(); ++s) {
      if (destinations.hosts[s] > 0) pairs.emplace_back(tree, s);
    }
  }
  Teacher teacher(channels);
  base::Prng dice(kLessonSeed);
  dice.shuffle(pairs);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i % kLessonsInOneBreath == 0) base::breathe(parallel);
    const auto [tree, from] = pairs[i];
    const auto next = [&, number = tree](std::uint32_t at) {
      const std::uint8_t place = trees.at(at)[number];
      return place == TargetTrees::kNone ? kNoWay : channels.first[at] + place;
    };
    teacher.teach(layers[layer_of[trees.target[tree]]], from, next);
  }
}

void learn_ways(const CompactChannels& channels, std::span<const std::uint32_t> hosts,
                std::span<const std::uint32_t> tree, ChannelOrder& layer) {
  Teacher teacher(channels);
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    if (hosts[s] > 0) teacher.teach(layer, s, [&](std::uint32_t at) { return tree[at]; });
  }
}

}  // namespace heddle::routing
