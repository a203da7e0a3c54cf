// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "routing/disjoint_sets.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using fabric::Topology;

constexpr std::uint32_t kNoPiece = 0xFFFF'FFFF;

std::vector<std::uint32_t> sorted_by_level(const std::vector<std::uint32_t>& level) {
  std::vector<std::uint32_t> order(level.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return level[a] < level[b]; });
  return order;
}

// Calls visit(begin, end) for each run of switches of one level.
template <class Iterator, class Visit>
void for_each_level(Iterator begin, Iterator end, const std::vector<std::uint32_t>& level,
                    Visit visit) {
  while (begin != end) {
    const auto next = std::find_if(
        begin, end, [&, of = level[*begin]](std::uint32_t at) { return level[at] != of; });
    visit(begin, next);
    begin = next;
  }
}

// Leaves in lists that are joined, level by level, as the subtrees grow together.
class SubtreeLists {
 public:
  explicit SubtreeLists(std::size_t count)
      : pieces_(count), head_(count, kNoPiece), tail_(count, kNoPiece), next_(count, kNoPiece) {}

  void add_leaf(std::uint32_t at) { head_[at] = tail_[at] = at; }

  void begin_level() { touched_.clear(); }
  void join(std::uint32_t a, std::uint32_t b) {
    note(a);
    note(b);
    joins_.emplace_back(a, b);
  }
  void end_level() {
    for (const auto& [a, b] : joins_) pieces_.unite(a, b);
    joins_.clear();
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const std::uint32_t old : touched_) append(old, pieces_.find(old));
  }

  void collect(std::vector<SwitchIndex>& into) {
    for (std::uint32_t piece = 0; piece < head_.size(); ++piece) {
      if (pieces_.find(piece) != piece) continue;
      for (std::uint32_t at = head_[piece]; at != kNoPiece; at = next_[at]) {
        into.push_back(SwitchIndex{at});
      }
    }
  }

 private:
  void note(std::uint32_t at) { touched_.push_back(pieces_.find(at)); }
  // Names ascend, and a piece has the lowest name of those that it is made of.
  void append(std::uint32_t old, std::uint32_t piece) {
    if (old == piece || head_[old] == kNoPiece) return;
    if (head_[piece] == kNoPiece) {
      head_[piece] = head_[old];
    } else {
      next_[tail_[piece]] = head_[old];
    }
    tail_[piece] = tail_[old];
    head_[old] = kNoPiece;
  }

  DisjointSets pieces_;
  std::vector<std::uint32_t> head_, tail_;  // by piece
  std::vector<std::uint32_t> next_;         // by leaf
  std::vector<std::uint32_t> touched_;      // pieces, as they were before this level
  std::vector<std::pair<std::uint32_t, std::uint32_t>> joins_;
};

std::vector<std::uint8_t> find_leaves(const Topology& topology,
                                      const std::vector<std::uint32_t>& level,
                                      const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint8_t> is_leaf(level.size());
  for (std::uint32_t s = 0; s < level.size(); ++s) {
    const auto channels = topology.channels_from({s});
    const bool lowest = std::none_of(channels.begin(), channels.end(), [&](const auto& channel) {
      return level[channel.to.value] < level[s];
    });
    is_leaf[s] = lowest && hosts[s] > 0 ? 1 : 0;
  }
  return is_leaf;
}

}  // namespace

std::vector<std::uint32_t> find_planes(const Topology& topology,
                                       const std::vector<std::uint32_t>& level) {
  DisjointSets pieces(level.size());
  std::vector<std::uint32_t> plane(level.size());
  const auto order = sorted_by_level(level);
  for_each_level(order.rbegin(), order.rend(), level, [&](auto begin, auto end) {
    for (auto at = begin; at != end; ++at) {
      for (const auto& channel : topology.channels_from({*at})) {
        if (level[channel.to.value] >= level[*at]) pieces.unite(*at, channel.to.value);
      }
    }
    for (auto at = begin; at != end; ++at) plane[*at] = pieces.find(*at);
  });
  return plane;
}

std::vector<SwitchIndex> order_by_subtree(const Topology& topology,
                                          const std::vector<std::uint32_t>& level,
                                          const std::vector<std::uint32_t>& hosts) {
  const auto is_leaf = find_leaves(topology, level, hosts);
  SubtreeLists lists(level.size());
  const auto order = sorted_by_level(level);
  for_each_level(order.begin(), order.end(), level, [&](auto begin, auto end) {
    lists.begin_level();
    for (auto at = begin; at != end; ++at) {
      if (is_leaf[*at] != 0) lists.add_leaf(*at);
      for (const auto& channel : topology.channels_from({*at})) {
        if (level[channel.to.value] <= level[*at]) lists.join(*at, channel.to.value);
      }
    }
    lists.end_level();
  });
  std::vector<SwitchIndex> all;
  all.reserve(level.size());
  lists.collect(all);
  for (const bool with_hosts : {true, false}) {
    for (std::uint32_t s = 0; s < level.size(); ++s) {
      if (is_leaf[s] == 0 && (hosts[s] > 0) == with_hosts) all.push_back(SwitchIndex{s});
    }
  }
  return all;
}

std::vector<std::uint32_t> plain_levels(const Topology& topology,
                                        const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> level(hosts.size(), kNoPiece);
  std::vector<std::uint32_t> reached;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    if (hosts[s] == 0) continue;
    level[s] = 0;
    reached.push_back(s);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& channel : topology.channels_from({reached[i]})) {
      if (level[channel.to.value] != kNoPiece) continue;
      level[channel.to.value] = level[reached[i]] + 1;
      reached.push_back(channel.to.value);
    }
  }
  return level;
}

}  // namespace heddle::routing
