// SPDX-License-Identifier: BSD-3-Clause
#include "routing/layer_orders.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/prng.hpp"
#include "routing/escape.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {
namespace {

using Positions = std::vector<std::uint32_t>;

std::size_t greatest_degree(const CompactChannels& channels) {
  std::size_t most = 1;
  for (std::size_t s = 0; s + 1 < channels.first.size(); ++s) {
    most = std::max<std::size_t>(most, channels.first[s + 1] - channels.first[s]);
  }
  return most;
}

// Breadth first from the roots; among switches that are as far away the dice decide.
std::vector<std::uint32_t> ranks_from(const CompactChannels& channels,
                                      const std::vector<std::uint32_t>& roots, std::uint64_t seed) {
  std::vector<std::uint32_t> rank(channels.first.size() - 1, kNoWay), found = roots;
  base::Prng dice(seed);
  for (const std::uint32_t root : roots) rank[root] = 0;
  for (std::size_t begin = 0; begin < found.size();) {
    const std::size_t end = found.size();
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint32_t c = channels.first[found[i]]; c < channels.first[found[i] + 1]; ++c) {
        if (rank[channels.to[c]] != kNoWay) continue;
        rank[channels.to[c]] = 0;
        found.push_back(channels.to[c]);
      }
    }
    auto farther = std::span(found).subspan(end);
    dice.shuffle(farther);
    begin = end;
  }
  for (std::uint32_t i = 0; i < found.size(); ++i) rank[found[i]] = i;
  return rank;
}

// Toward lower ranks first, then toward higher ones.
Positions positions_by_rank(const CompactChannels& channels,
                            const std::vector<std::uint32_t>& rank) {
  const std::uint32_t last = *std::max_element(rank.begin(), rank.end());
  Positions position(channels.count());
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    const std::uint32_t from = rank[channels.from[c]];
    position[c] = rank[channels.to[c]] < from ? last - from : last + 1 + from;
  }
  return position;
}

// One layer in the order of the ranks, the next one in that of the same ranks turned round.
template <class MakeRanks>
LayerOrders orders_by_ranks(const CompactChannels& channels, unsigned count,
                            const MakeRanks& make_ranks) {
  std::vector<Positions> positions;
  for (unsigned v = 0; v < count; ++v) {
    std::vector<std::uint32_t> rank = make_ranks(v / 2);
    const auto last = static_cast<std::uint32_t>(rank.size()) - 1;
    for (std::uint32_t& one : rank) one = v % 2 == 0 ? one : last - one;
    positions.push_back(positions_by_rank(channels, rank));
  }
  return {channels, positions};
}

// By group, its switches in the order of their ranks. The first one has a link into an earlier
// group, so that all can descend to one root; the last one has a link into a later group.
std::vector<std::vector<std::uint32_t>> ranked_groups(const CompactChannels& channels,
                                                      const DragonflyGroups& groups,
                                                      std::uint64_t seed) {
  base::Prng dice(seed);
  auto ranked = groups.members;
  dice.shuffle(ranked);
  std::vector<std::size_t> place(ranked.size());  // by group
  for (std::size_t i = 0; i < ranked.size(); ++i) place[groups.of[ranked[i].front()]] = i;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    dice.shuffle(ranked[i]);
    const auto leads = [&](bool earlier) {
      return [&, earlier](std::uint32_t s) {
        for (std::uint32_t c = channels.first[s]; c < channels.first[s + 1]; ++c) {
          const std::size_t there = place[groups.of[channels.to[c]]];
          if (earlier ? there < i : there > i) return true;
        }
        return false;
      };
    };
    const auto first = std::find_if(ranked[i].begin(), ranked[i].end(), leads(true));
    if (first != ranked[i].end()) std::iter_swap(ranked[i].begin(), first);
    const auto last = std::find_if(ranked[i].rbegin(), std::prev(ranked[i].rend()), leads(false));
    if (last != std::prev(ranked[i].rend())) std::iter_swap(ranked[i].rbegin(), last);
  }
  return ranked;
}

}  // namespace

LayerOrders::LayerOrders(const CompactChannels& channels,
                         std::vector<std::vector<std::uint32_t>> positions)
    : channels_(&channels),
      positions_(std::move(positions)),
      count_(static_cast<unsigned>(positions_.size())),
      width_(greatest_degree(channels)),
      admit_(channels.count() * width_) {
  for (std::uint32_t held = 0; held < channels.count(); ++held) {
    const std::uint32_t at = channels.to[held];
    for (std::uint32_t next = channels.first[at]; next < channels.first[at + 1]; ++next) {
      unsigned layers = 0;
      for (unsigned v = 0; v < count_; ++v) {
        if (positions_[v][held] < positions_[v][next]) layers |= 1u << v;
      }
      admit_[held * width_ + next - channels.first[at]] = static_cast<LayerSet>(layers);
    }
  }
}

LayerOrders descending_orders(const CompactChannels& channels,
                              const std::vector<std::vector<std::uint32_t>>& ranks) {
  std::vector<Positions> positions;
  for (const auto& rank : ranks) positions.push_back(positions_by_rank(channels, rank));
  return {channels, positions};
}

LayerOrders ranked_orders(const CompactChannels& channels, const fabric::Islands& islands,
                          unsigned count) {
  const auto roots = scattered_roots(channels, islands, (count + 1) / 2);
  return orders_by_ranks(channels, count, [&](unsigned number) {
    return ranks_from(channels, roots[number], number + 1);
  });
}

LayerOrders grouped_orders(const CompactChannels& channels, const DragonflyGroups& groups,
                           unsigned count) {
  return orders_by_ranks(channels, count, [&](unsigned number) {
    auto ranked = ranked_groups(channels, groups, number / 2 + 1);
    std::vector<std::uint32_t> rank(groups.of.size());
    std::uint32_t next = 0;
    for (auto& group : ranked) {
      if (number % 2 == 1) std::reverse(group.begin(), group.end());
      for (const std::uint32_t s : group) rank[s] = next++;
    }
    return rank;
  });
}

}  // namespace heddle::routing
