// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/fitting_tree.hpp"

#include <algorithm>

namespace heddle::multicast {

using fabric::ChannelIndex;
using fabric::kNoChannel;
using fabric::SwitchIndex;

namespace {

constexpr std::size_t kMostRoots = 8;

}  // namespace

FittingTrees::FittingTrees(const fabric::Topology& topology, TurnRule& rule)
    : topology_(&topology),
      rule_(&rule),
      by_(topology.switch_count(), kNoChannel),
      is_in_(topology.switch_count()),
      links_(topology.switch_count()) {}

// Where routes turn in all ways, as at the top of a tree, trees may too.
void FittingTrees::rank_switches(std::vector<std::uint64_t>& turns) const {
  turns.resize(topology_->switch_count());
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    const auto channels = topology_->channels_from(SwitchIndex{s});
    const std::uint32_t first = topology_->first_channel(SwitchIndex{s}).value;
    std::uint64_t there = 0;
    for (const fabric::Channel& by : channels) {
      for (std::uint32_t i = 0; i < channels.size(); ++i)
        there += rule_->has(by.reverse, {first + i});
    }
    const std::uint64_t all = std::uint64_t{channels.size()} * channels.size();
    if (all > 0) turns[s] = (there << 16) / all;
  }
}

std::vector<SwitchIndex> FittingTrees::island_of(SwitchIndex start, const MayUse& may_use) {
  std::vector<SwitchIndex> island(1, start);
  std::vector<std::uint8_t> seen(topology_->switch_count());
  seen[start.value] = 1;
  for (std::size_t i = 0; i < island.size(); ++i) {
    for (const fabric::Channel& channel : topology_->channels_from(island[i])) {
      if (seen[channel.to.value] != 0 || !may_use(channel.to)) continue;
      seen[channel.to.value] = 1;
      island.push_back(channel.to);
    }
  }
  return island;
}

// The turns between a new link of a switch and all that the tree has there.
bool FittingTrees::takes(SwitchIndex at, ChannelIndex link) {
  const std::size_t before = rule_->on_trial();
  const ChannelIndex back = topology_->channels()[link.value].reverse;
  for (const ChannelIndex other : links_[at.value]) {
    const ChannelIndex other_back = topology_->channels()[other.value].reverse;
    if (rule_->take(back, other) && rule_->take(other_back, link)) continue;
    rule_->undo(before);
    return false;
  }
  return true;
}

// Ring after ring around the root. True if all members are on it.
bool FittingTrees::grow(SwitchIndex root, std::span<const SwitchIndex> members,
                        const MayUse& may_use) {
  std::fill(is_in_.begin(), is_in_.end(), std::uint8_t{0});
  for (auto& links : links_) links.clear();
  queue_.assign(1, root);
  is_in_[root.value] = 1;
  by_[root.value] = kNoChannel;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const SwitchIndex at = queue_[i];
    std::uint32_t number = topology_->first_channel(at).value;
    for (const fabric::Channel& channel : topology_->channels_from(at)) {
      const ChannelIndex link{number++};
      if (is_in_[channel.to.value] != 0 || !may_use(channel.to) || !takes(at, link)) continue;
      is_in_[channel.to.value] = 1;
      by_[channel.to.value] = link;
      links_[at.value].push_back(link);
      links_[channel.to.value].push_back(channel.reverse);
      queue_.push_back(channel.to);
    }
  }
  return std::all_of(members.begin(), members.end(),
                     [&](SwitchIndex member) { return is_in_[member.value] != 0; });
}

// What leads to members; what is above all of them, where nobody is, stays out. Members must be of
// one island.
void FittingTrees::collect(std::span<const SwitchIndex> switches,
                           const std::vector<ChannelIndex>& by,
                           std::span<const SwitchIndex> members,
                           std::vector<ChannelIndex>& links) const {
  std::vector<std::uint32_t> below(topology_->switch_count());  // members, their own included
  for (const SwitchIndex member : members) below[member.value] = 1;
  for (std::size_t i = switches.size(); i-- > 0;) {
    const std::uint32_t at = switches[i].value;
    if (by[at] == kNoChannel) continue;
    below[topology_->channels()[by[at].value].from.value] += below[at];
    if (below[at] > 0 && below[at] < members.size()) links.push_back(by[at]);
  }
}

// True if a tree was found; its turns are on trial then.
bool FittingTrees::grow_from_best(mad::Lid mlid, std::vector<SwitchIndex> roots,
                                  std::span<const SwitchIndex> members, const MayUse& may_use) {
  auto& turns = turns_[rule_->packets_to(mlid)];
  if (turns.empty()) rank_switches(turns);
  const std::size_t before = rule_->on_trial();
  // Among equals each LID begins at another.
  const std::uint32_t turn = mlid.value % static_cast<std::uint32_t>(roots.size());
  std::rotate(roots.begin(), roots.begin() + turn, roots.end());
  std::stable_sort(roots.begin(), roots.end(),
                   [&](SwitchIndex a, SwitchIndex b) { return turns[a.value] > turns[b.value]; });
  roots.resize(std::min(roots.size(), kMostRoots));
  const bool found = std::any_of(roots.begin(), roots.end(), [&](SwitchIndex root) {
    rule_->undo(before);
    return grow(root, members, may_use);
  });
  if (!found) rule_->undo(before);
  return found;
}

bool FittingTrees::reserve(mad::Lid mlid, const MayUse& may_use) {
  Common common{{}, std::vector<ChannelIndex>(topology_->switch_count(), kNoChannel)};
  std::vector<std::uint8_t> is_done(topology_->switch_count());
  for (std::uint32_t s = 0; s < is_done.size(); ++s) {
    if (is_done[s] != 0 || !may_use({s})) continue;
    auto island = island_of({s}, may_use);
    for (const SwitchIndex at : island) is_done[at.value] = 1;
    std::sort(island.begin(), island.end());
    if (!grow_from_best(mlid, island, island, may_use)) {
      rule_->undo(0);
      return false;
    }
    for (const SwitchIndex at : queue_) common.by[at.value] = by_[at.value];
    common.switches.insert(common.switches.end(), queue_.begin(), queue_.end());
  }
  rule_->keep();
  common_.insert_or_assign(rule_->packets_to(mlid), std::move(common));
  return true;
}

std::optional<std::vector<ChannelIndex>> FittingTrees::within_common(
    const Common& common, std::span<const SwitchIndex> members, const MayUse& may_use) const {
  std::vector<ChannelIndex> links;
  collect(common.switches, common.by, members, links);
  const bool usable = std::all_of(links.begin(), links.end(), [&](ChannelIndex link) {
    const fabric::Channel& channel = topology_->channels()[link.value];
    return may_use(channel.from) && may_use(channel.to);
  });
  return usable ? std::optional(std::move(links)) : std::nullopt;
}

std::optional<std::vector<ChannelIndex>> FittingTrees::find(mad::Lid mlid,
                                                            std::span<const SwitchIndex> members,
                                                            const MayUse& may_use) {
  const auto common = common_.find(rule_->packets_to(mlid));
  std::vector<ChannelIndex> links;
  std::vector<SwitchIndex> left(members.begin(), members.end());
  const std::size_t before = rule_->on_trial();
  while (!left.empty()) {
    auto roots = island_of(left.front(), may_use);
    std::sort(roots.begin(), roots.end());
    const auto cut_off = std::stable_partition(left.begin(), left.end(), [&](SwitchIndex at) {
      return std::binary_search(roots.begin(), roots.end(), at);
    });
    const std::vector<SwitchIndex> together(left.begin(), cut_off);
    left.erase(left.begin(), cut_off);
    if (together.size() == 1) continue;
    // First, for to grow one takes as long as the fabric has links, and its turns would be new.
    const auto shared =
        common == common_.end() ? std::nullopt : within_common(common->second, together, may_use);
    if (shared) {
      links.insert(links.end(), shared->begin(), shared->end());
      continue;
    }
    if (!grow_from_best(mlid, std::move(roots), together, may_use)) return std::nullopt;
    rule_->undo(before);
    collect(queue_, by_, together, links);
  }
  return links;
}

}  // namespace heddle::multicast
