// SPDX-License-Identifier: BSD-3-Clause
#include "routing/escape.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/check.hpp"
#include "routing/shortest_trees.hpp"

namespace heddle::routing {
namespace {

// Breadth first, from several switches at once.
std::vector<std::uint32_t> hops_from(const CompactChannels& channels,
                                     std::vector<std::uint32_t> found) {
  std::vector<std::uint32_t> hops(channels.first.size() - 1, kNoWay);
  for (const std::uint32_t at : found) hops[at] = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::uint32_t c = channels.first[found[i]]; c < channels.first[found[i] + 1]; ++c) {
      if (hops[channels.to[c]] != kNoWay) continue;
      hops[channels.to[c]] = hops[found[i]] + 1;
      found.push_back(channels.to[c]);
    }
  }
  return hops;
}

std::uint32_t farthest(const CompactChannels& channels,
                       const std::vector<fabric::SwitchIndex>& members,
                       const std::vector<std::uint32_t>& from) {
  const auto hops = hops_from(channels, from);
  return std::max_element(members.begin(), members.end(),
                          [&](auto a, auto b) { return hops[a.value] < hops[b.value]; })
      ->value;
}

// Half way between two switches that are far apart, as far as one of these can be.
std::uint32_t middle(const CompactChannels& channels,
                     const std::vector<fabric::SwitchIndex>& members,
                     const std::vector<fabric::SwitchIndex>& candidates) {
  const std::uint32_t one = farthest(channels, members, {members.front().value});
  const std::uint32_t other = farthest(channels, members, {one});
  const auto from_one = hops_from(channels, {one}), from_other = hops_from(channels, {other});
  return std::min_element(candidates.begin(), candidates.end(),
                          [&](auto a, auto b) {
                            const auto reach = [&](auto s) {
                              return std::max(from_one[s.value], from_other[s.value]);
                            };
                            return reach(a) < reach(b);
                          })
      ->value;
}

void add_for_good(ChannelOrder& layer, std::uint32_t held, std::uint32_t next) {
  const bool added = layer.add(held, next);
  HEDDLE_CHECK(added);
  layer.keep(held, next);
}

}  // namespace

EscapeTree::EscapeTree(const CompactChannels& channels, const std::vector<std::uint32_t>& roots)
    : channels_(channels),
      rank_(channels.first.size() - 1, kNoWay),
      upward_(channels.first.size() - 1, kNoWay) {
  std::vector<std::uint32_t> found = roots;
  for (std::uint32_t i = 0; i < roots.size(); ++i) rank_[roots[i]] = i;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::uint32_t c = channels.first[found[i]]; c < channels.first[found[i] + 1]; ++c) {
      const std::uint32_t to = channels.to[c];
      if (rank_[to] != kNoWay) continue;
      rank_[to] = static_cast<std::uint32_t>(found.size());
      upward_[to] = channels.reverse(c);
      found.push_back(to);
    }
  }
}

void EscapeTree::prepare(ChannelOrder& layer) const {
  std::vector<std::uint32_t> order(channels_.count());
  std::iota(order.begin(), order.end(), 0u);
  const auto switches = static_cast<std::uint32_t>(rank_.size());
  const auto key = [&](std::uint32_t c) {
    const std::uint32_t rank = rank_[channels_.from[c]];
    return rank_[channels_.to[c]] < rank ? switches - rank : switches + 1 + rank;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  layer.arrange(order);
  for (std::uint32_t s = 0; s < switches; ++s) {
    const std::uint32_t up = upward_[s];
    for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
      const std::uint32_t child = channels_.to[c];
      if (upward_[child] != channels_.reverse(c)) continue;
      if (up != kNoWay) {
        add_for_good(layer, upward_[child], up);
        add_for_good(layer, channels_.reverse(up), c);
      }
      for (std::uint32_t d = channels_.first[s]; d < channels_.first[s + 1]; ++d) {
        const bool to_child = d != c && upward_[channels_.to[d]] == channels_.reverse(d);
        if (to_child) add_for_good(layer, upward_[child], d);
      }
    }
  }
}

std::vector<std::uint32_t> EscapeTree::toward(std::uint32_t target) const {
  std::vector<std::uint32_t> next = upward_;
  for (std::uint32_t at = target; upward_[at] != kNoWay; at = channels_.to[upward_[at]]) {
    next[channels_.to[upward_[at]]] = channels_.reverse(upward_[at]);
  }
  next[target] = kNoWay;
  return next;
}

std::vector<std::vector<std::uint32_t>> scattered_roots(const CompactChannels& channels,
                                                        const fabric::Islands& islands,
                                                        unsigned count) {
  std::vector<std::vector<std::uint32_t>> roots(count);
  for (std::size_t island = 0; island < islands.count(); ++island) {
    const auto& members = islands.members(island);
    std::vector<std::uint32_t> own;
    if (count == 1) own.push_back(middle(channels, members, members));
    for (unsigned i = 0; i < count; ++i) {
      if (own.size() <= i) {
        const auto from = own.empty() ? std::vector<std::uint32_t>{members.front().value} : own;
        own.push_back(farthest(channels, members, from));
      }
      roots[i].push_back(own[i]);
    }
  }
  return roots;
}

std::vector<std::uint32_t> middle_roots(const CompactChannels& channels,
                                        const fabric::Islands& islands,
                                        const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> roots;
  for (std::size_t island = 0; island < islands.count(); ++island) {
    const auto& members = islands.members(island);
    std::vector<fabric::SwitchIndex> with_hosts;
    std::copy_if(members.begin(), members.end(), std::back_inserter(with_hosts),
                 [&](auto one) { return hosts[one.value] > 0; });
    roots.push_back(middle(channels, members, with_hosts.empty() ? members : with_hosts));
  }
  return roots;
}

void make_room_for_multicast(const CompactChannels& channels, const fabric::Islands& islands,
                             ChannelOrder& layer) {
  EscapeTree(channels, scattered_roots(channels, islands, 1).front()).prepare(layer);
}

}  // namespace heddle::routing
