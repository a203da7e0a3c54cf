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
      turns_(topology.switch_count()),
      by_(topology.switch_count(), kNoChannel),
      is_in_(topology.switch_count()),
      links_(topology.switch_count()) {
  rank_switches();
}

// Where routes turn in all ways, as at the top of a tree, trees may too.
void FittingTrees::rank_switches() {
  for (std::uint32_t s = 0; s < topology_->switch_count(); ++s) {
    const auto channels = topology_->channels_from(SwitchIndex{s});
    const std::uint32_t first = topology_->first_channel(SwitchIndex{s}).value;
    std::uint64_t there = 0;
    for (const fabric::Channel& by : channels) {
      for (std::uint32_t i = 0; i < channels.size(); ++i)
        there += rule_->has(by.reverse, {first + i});
    }
    const std::uint64_t all = std::uint64_t{channels.size()} * channels.size();
    if (all > 0) turns_[s] = (there << 16) / all;
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

// What leads to members; what is above all of them, where nobody is, stays out.
void FittingTrees::collect(std::span<const SwitchIndex> members, std::vector<ChannelIndex>& links) {
  std::vector<std::uint32_t> below(topology_->switch_count());  // members, their own included
  std::vector<std::uint8_t> is_member(topology_->switch_count());
  for (const SwitchIndex member : members) below[member.value] = is_member[member.value] = 1;
  for (std::size_t i = queue_.size(); i-- > 1;) {
    const std::uint32_t at = queue_[i].value;
    below[topology_->channels()[by_[at].value].from.value] += below[at];
  }
  for (std::size_t i = 1; i < queue_.size(); ++i) {
    const std::uint32_t at = queue_[i].value;
    if (below[at] > 0 && below[at] < members.size()) links.push_back(by_[at]);
  }
}

std::optional<std::vector<ChannelIndex>> FittingTrees::find(mad::Lid mlid,
                                                            std::span<const SwitchIndex> members,
                                                            const MayUse& may_use) {
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
    // Among equals each LID begins at another.
    const std::uint32_t turn = mlid.value % static_cast<std::uint32_t>(roots.size());
    std::rotate(roots.begin(), roots.begin() + turn, roots.end());
    std::stable_sort(roots.begin(), roots.end(), [&](SwitchIndex a, SwitchIndex b) {
      return turns_[a.value] > turns_[b.value];
    });
    roots.resize(std::min(roots.size(), kMostRoots));
    const bool found = std::any_of(roots.begin(), roots.end(), [&](SwitchIndex root) {
      rule_->undo(before);
      return grow(root, together, may_use);
    });
    rule_->undo(before);
    if (!found) return std::nullopt;
    collect(together, links);
  }
  return links;
}

}  // namespace heddle::multicast
