// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/branches.hpp"

#include <algorithm>
#include <tuple>

namespace heddle::multicast {
namespace {

using fabric::ChannelIndex;
using fabric::kNoChannel;
using fabric::SwitchIndex;

// So many members are asked how far a root would be; spread over all of them.
constexpr std::size_t kRootVoters = 8;
// Of equally good roots, so many are drawn by the LID, and the least loaded of them wins.
constexpr unsigned kRootDraws = 4;

// The finalizer of splitmix64: every bit of the input moves half of the output.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9;
  value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EB;
  return value ^ value >> 31;
}

}  // namespace

Branches::Branches(const fabric::Topology& topology)
    : topology_(&topology),
      load_(topology.channels().size()),
      switch_load_(topology.switch_count()),
      visits_(topology.switch_count()),
      tree_epoch_(topology.switch_count()) {
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    caps_.push_back(topology.node(SwitchIndex{s}).multicast_fdb_cap);
  }
}

void Branches::load_link(ChannelIndex link, int trees) {
  const auto change = static_cast<std::uint32_t>(trees);
  load_[link.value] += change;
  load_[topology_->channels()[link.value].reverse.value] += change;
}

void Branches::load_switch(SwitchIndex at, int trees) {
  switch_load_[at.value] += static_cast<std::uint32_t>(trees);
}

std::uint64_t Branches::tie_of(mad::Lid mlid, std::uint32_t number) const {
  return mixed(std::uint64_t{mlid.value} << 32 | number);
}

// Goes through a channel. True when nobody had been at its end before; a second way of the same
// length is taken if it is less loaded.
bool Branches::visit(ChannelIndex channel, mad::Lid mlid, std::uint32_t hops) {
  const fabric::Channel& way = topology_->channels()[channel.value];
  Visit& there = visits_[way.to.value];
  const bool first = there.epoch != epoch_;
  if (!first && there.hops < hops) return false;
  const std::uint64_t cost = visits_[way.from.value].cost + load_[channel.value];
  const std::uint64_t tie = tie_of(mlid, channel.value);
  if (first || std::tie(cost, tie) < std::tie(there.cost, there.tie)) {
    there = {epoch_, hops, cost, tie, channel};
  }
  return first;
}

std::vector<ChannelIndex> Branches::to_tree(mad::Lid mlid, std::span<const SwitchIndex> tree,
                                            std::span<const SwitchIndex> own) {
  ++epoch_;
  for (const SwitchIndex at : tree) tree_epoch_[at.value] = epoch_;
  queue_.assign(own.begin(), own.end());
  for (const SwitchIndex at : own) visits_[at.value] = {epoch_, 0, 0, 0, kNoChannel};
  std::vector<SwitchIndex> reached;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const SwitchIndex from = queue_[next];
    const std::uint32_t hops = visits_[from.value].hops + 1;
    // All that is as near as the first find has been seen once the next ring begins.
    if (!reached.empty() && hops > visits_[reached.front().value].hops) break;
    std::uint32_t number = topology_->first_channel(from).value;
    for (const fabric::Channel& channel : topology_->channels_from(from)) {
      const ChannelIndex index{number++};
      if (!has_entry(channel.to, mlid) || !visit(index, mlid, hops)) continue;
      (tree_epoch_[channel.to.value] == epoch_ ? reached : queue_).push_back(channel.to);
    }
  }
  std::vector<ChannelIndex> links;
  if (reached.empty()) return links;
  const auto best =
      std::min_element(reached.begin(), reached.end(), [&](SwitchIndex a, SwitchIndex b) {
        const Visit& x = visits_[a.value];
        const Visit& y = visits_[b.value];
        return std::tie(x.cost, x.tie) < std::tie(y.cost, y.tie);
      });
  for (ChannelIndex by = visits_[best->value].by; by != kNoChannel;) {
    links.push_back(by);
    by = visits_[topology_->channels()[by.value].from.value].by;
  }
  return links;
}

// Distances only: what it leaves in `cost` does not count.
void Branches::walk_from(mad::Lid mlid, SwitchIndex start) {
  ++epoch_;
  queue_.assign(1, start);
  visits_[start.value] = {epoch_, 0, 0, 0, kNoChannel};
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::uint32_t hops = visits_[queue_[next].value].hops + 1;
    for (const fabric::Channel& channel : topology_->channels_from(queue_[next])) {
      Visit& there = visits_[channel.to.value];
      if (there.epoch == epoch_ || !has_entry(channel.to, mlid)) continue;
      there.epoch = epoch_;
      there.hops = hops;
      queue_.push_back(channel.to);
    }
  }
}

std::uint32_t Branches::hops_to(SwitchIndex at) const {
  return visits_[at.value].epoch == epoch_ ? visits_[at.value].hops : kFar;
}

// One of the switches that are nearest to the members, as far as a few of them can tell.
SwitchIndex Branches::choose_root(mad::Lid mlid, std::span<const SwitchIndex> members) {
  distance_sum_.assign(topology_->switch_count(), 0);
  const std::size_t voters = std::min(kRootVoters, members.size());
  std::vector<SwitchIndex> near;
  for (std::size_t i = 0; i < voters; ++i) {
    walk_from(mlid, members[i * members.size() / voters]);
    near = queue_;  // the same switches for every voter
    for (const SwitchIndex at : near) distance_sum_[at.value] += visits_[at.value].hops;
  }
  const auto sum_of = [&](SwitchIndex at) { return distance_sum_[at.value]; };
  std::uint32_t least = kFar;
  for (const SwitchIndex at : near) least = std::min(least, sum_of(at));
  std::erase_if(near, [&](SwitchIndex at) { return sum_of(at) != least; });
  std::sort(near.begin(), near.end());
  SwitchIndex best = near[tie_of(mlid, 0) % near.size()];
  for (unsigned draw = 1; draw < kRootDraws; ++draw) {
    const SwitchIndex drawn = near[tie_of(mlid, draw) % near.size()];
    if (switch_load_[drawn.value] < switch_load_[best.value]) best = drawn;
  }
  return best;
}

// One hop nearer to the root: to where the tree is already, or by the least loaded link.
ChannelIndex Branches::choose_step(mad::Lid mlid, SwitchIndex from) const {
  ChannelIndex best = kNoChannel;
  std::tuple<bool, std::uint32_t, std::uint64_t> best_rank;
  std::uint32_t number = topology_->first_channel(from).value;
  for (const fabric::Channel& channel : topology_->channels_from(from)) {
    const ChannelIndex index{number++};
    if (hops_to(channel.to) == kFar || hops_to(channel.to) + 1 != hops_to(from)) continue;
    const bool is_new = tree_epoch_[channel.to.value] != epoch_;
    const std::tuple rank{is_new, load_[index.value], tie_of(mlid, index.value)};
    if (best != kNoChannel && rank >= best_rank) continue;
    best = index;
    best_rank = rank;
  }
  return best;
}

// A tree over members that can all reach each other. The root is never an end where nobody is: were
// there one way only, its next switch would be nearer to all.
void Branches::grow(mad::Lid mlid, std::span<const SwitchIndex> members,
                    std::vector<ChannelIndex>& links) {
  if (members.size() < 2) return;
  const SwitchIndex root = choose_root(mlid, members);
  walk_from(mlid, root);
  tree_epoch_[root.value] = epoch_;
  // From far to near: what comes later finds more of the tree to lean on.
  std::vector<SwitchIndex> order(members.begin(), members.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](SwitchIndex a, SwitchIndex b) { return hops_to(a) > hops_to(b); });
  for (SwitchIndex at : order) {
    while (tree_epoch_[at.value] != epoch_) {
      tree_epoch_[at.value] = epoch_;
      links.push_back(choose_step(mlid, at));
      at = topology_->channels()[links.back().value].to;
    }
  }
}

std::vector<ChannelIndex> Branches::fresh(mad::Lid mlid, std::span<const SwitchIndex> members) {
  std::vector<ChannelIndex> links;
  std::vector<SwitchIndex> left(members.begin(), members.end());
  while (left.size() > 1) {
    walk_from(mlid, left.front());
    const auto cut_off = std::stable_partition(left.begin(), left.end(),
                                               [&](SwitchIndex at) { return hops_to(at) != kFar; });
    const std::vector<SwitchIndex> together(left.begin(), cut_off);
    left.erase(left.begin(), cut_off);
    grow(mlid, together, links);
  }
  return links;
}

}  // namespace heddle::multicast
