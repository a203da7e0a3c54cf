// SPDX-License-Identifier: BSD-3-Clause
#include "routing/target_trees.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace heddle::routing {
namespace {

// Adds up what flows over trees, for all that lead to one switch at a time.
class Adder {
 public:
  Adder(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
        const TargetTrees& trees)
      : channels_(channels),
        hosts_(hosts),
        trees_(trees),
        flows_{ChannelLoads(channels.count()), std::vector<std::uint64_t>(hosts.size()),
               std::vector<std::uint64_t>(hosts.size())} {}

  TreeFlows add_all(WayFinder& finder) {
    std::vector<fabric::SwitchIndex> targets;
    for (const std::uint32_t one : trees_.target) {
      const bool goes_on = !targets.empty() && targets.back().value == one;
      if (!goes_on) targets.push_back(fabric::SwitchIndex{one});
    }
    finder.expect(targets);
    last_ = 0;
    for (const fabric::SwitchIndex target : targets) add(target.value, finder.toward(target));
    return std::move(flows_);
  }

 private:
  void add(std::uint32_t target, const Ways& ways) {
    const std::size_t first = last_;
    while (last_ < trees_.count() && trees_.target[last_] == target) ++last_;
    width_ = last_ - first;
    carried_.assign(hosts_.size() * width_, 0);
    ways.farthest_first(
        [&](fabric::SwitchIndex at, std::span<const std::uint8_t>) { send_on(at.value, first); });
    for (std::size_t i = 0; i < width_; ++i) {
      flows_.received[target] += carried_[target * width_ + i];
    }
  }

  void send_on(std::uint32_t at, std::size_t first_tree) {
    const std::uint32_t first = channels_.first[at];
    const std::uint8_t* const next = trees_.at(at) + first_tree;
    const std::uint32_t* const weight = trees_.weight.data() + first_tree;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::uint64_t own = std::uint64_t{hosts_[at]} * weight[i];
      const std::uint64_t all = carried_[at * width_ + i] + own;
      flows_.sent[at] += own;
      flows_.loads[first + next[i]] += all * counts_for(channels_, first + next[i]);
      carried_[channels_.to[first + next[i]] * width_ + i] += all;
    }
  }

  const CompactChannels& channels_;
  const std::vector<std::uint32_t>& hosts_;
  const TargetTrees& trees_;
  TreeFlows flows_;
  std::size_t width_ = 0, last_ = 0;    // the trees in hand: how many, and where they end
  std::vector<std::uint64_t> carried_;  // by (switch, one of these)
};

// Adds up what flows over one tree after the other, from the outermost switches inwards.
class Collector {
 public:
  Collector(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
            const TargetTrees& trees)
      : channels_(channels),
        hosts_(hosts),
        trees_(trees),
        flows_{ChannelLoads(channels.count()), std::vector<std::uint64_t>(hosts.size()),
               std::vector<std::uint64_t>(hosts.size())},
        next_(hosts.size()),
        feeders_(hosts.size()),
        carried_(hosts.size()) {}

  TreeFlows add_all() {
    for (std::size_t tree = 0; tree < trees_.count(); ++tree) {
      find_feeders(tree);
      for (std::size_t i = 0; i < ready_.size(); ++i) send_on(tree, ready_[i]);
    }
    return std::move(flows_);
  }

 private:
  void find_feeders(std::size_t tree) {
    std::fill(feeders_.begin(), feeders_.end(), 0u);
    const auto switches = static_cast<std::uint32_t>(hosts_.size());
    for (std::uint32_t s = 0; s < switches; ++s) {
      const std::uint8_t place = trees_.at(s)[tree];
      next_[s] = place == TargetTrees::kNone ? kNoWay : channels_.first[s] + place;
      if (next_[s] != kNoWay) ++feeders_[channels_.to[next_[s]]];
      carried_[s] = 0;
    }
    ready_.clear();
    for (std::uint32_t s = 0; s < switches; ++s) {
      if (feeders_[s] == 0) ready_.push_back(s);
    }
  }

  void send_on(std::size_t tree, std::uint32_t at) {
    if (next_[at] == kNoWay) {
      if (at == trees_.target[tree]) flows_.received[at] += carried_[at];
      return;
    }
    const std::uint64_t own = std::uint64_t{hosts_[at]} * trees_.weight[tree];
    flows_.sent[at] += own;
    flows_.loads[next_[at]] += (carried_[at] + own) * counts_for(channels_, next_[at]);
    const std::uint32_t to = channels_.to[next_[at]];
    carried_[to] += carried_[at] + own;
    if (--feeders_[to] == 0) ready_.push_back(to);
  }

  const CompactChannels& channels_;
  const std::vector<std::uint32_t>& hosts_;
  const TargetTrees& trees_;
  TreeFlows flows_;
  std::vector<std::uint32_t> next_, feeders_;  // by switch, of the tree in hand
  std::vector<std::uint64_t> carried_;         // the same
  std::vector<std::uint32_t> ready_;           // switches that all has come to
};

}  // namespace

TreeFlows add_up(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
                 const TargetTrees& trees) {
  return Collector(channels, hosts, trees).add_all();
}

TreeFlows add_up(const CompactChannels& channels, const std::vector<std::uint32_t>& hosts,
                 const TargetTrees& trees, WayFinder& finder) {
  return Adder(channels, hosts, trees).add_all(finder);
}

std::uint64_t least_peak(const CompactChannels& channels, const TreeFlows& flows) {
  const auto share = [](std::uint64_t sum, std::uint64_t of) { return (sum + of - 1) / of; };
  const auto all = std::accumulate(flows.loads.begin(), flows.loads.end(), std::uint64_t{0});
  std::uint64_t least = share(all, std::max<std::size_t>(flows.loads.size(), 1));
  for (std::uint32_t s = 0; s < flows.sent.size(); ++s) {
    const std::uint32_t begin = channels.first[s], end = channels.first[s + 1];
    bool alike = begin != end;
    for (std::uint32_t c = begin; c < end; ++c) {
      alike =
          alike && counts_for(channels, c) == 1 && counts_for(channels, channels.reverse(c)) == 1;
    }
    const std::uint64_t own = std::max(flows.sent[s], flows.received[s]);
    if (alike) least = std::max(least, share(own, end - begin));
  }
  return least;
}

}  // namespace heddle::routing
