// SPDX-License-Identifier: BSD-3-Clause
#include "routing/orientation.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "fabric/islands.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using fabric::Topology;
using Members = std::vector<SwitchIndex>;

constexpr std::uint32_t kFar = 0xFFFF'FFFF;
constexpr std::size_t kSamples = 64;  // host switches that the centre is measured from

// Breadth-first distances from a set of switches; scratch of whole-fabric size, reset after use.
class Distances {
 public:
  explicit Distances(const Topology& topology)
      : topology_(topology), of_(topology.switch_count(), kFar) {}

  const std::vector<std::uint32_t>& from(const Members& sources) {
    for (const SwitchIndex seen : order_) of_[seen.value] = kFar;
    order_ = sources;
    for (const SwitchIndex source : sources) of_[source.value] = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const auto& channel : topology_.channels_from(order_[i])) {
        if (of_[channel.to.value] != kFar) continue;
        of_[channel.to.value] = of_[order_[i].value] + 1;
        order_.push_back(channel.to);
      }
    }
    return of_;
  }

 private:
  const Topology& topology_;
  std::vector<std::uint32_t> of_;
  Members order_;
};

// The switches of an island with hosts; all of them when none has any.
Members host_switches(const Topology& topology, const Members& members) {
  std::vector<bool> has_hosts(topology.switch_count());
  for (const auto endport : topology.endports()) {
    const auto attachment = topology.attachment(endport);
    if (attachment && attachment->out.value != 0) has_hosts[attachment->at.value] = true;
  }
  Members with;
  for (const SwitchIndex at : members) {
    if (has_hosts[at.value]) with.push_back(at);
  }
  return with.empty() ? members : with;
}

// By member, how far the farthest of up to 64 switches is, and how far all of them are together.
// All of them are looked for at once, each being one bit.
class Remoteness {
 public:
  using Found = std::uint64_t;
  static_assert(kSamples == 64);

  Remoteness(const Topology& topology, const Members& members, const Members& samples)
      : topology_(topology),
        seen_(topology.switch_count()),
        nearer_(topology.switch_count()),
        found_(topology.switch_count()),
        of_(members.size()) {
    for (const SwitchIndex sample : samples) found_[sample.value] |= bit(all_++);
    seen_ = found_;
    for (std::uint32_t hops = 1; advance(members, hops); ++hops) {
    }
  }

  // The place among the members of the one from which the farthest is nearest; of several the one
  // nearest to all.
  std::size_t least() const {
    return static_cast<std::size_t>(std::min_element(of_.begin(), of_.end()) - of_.begin());
  }

 private:
  static Found bit(std::size_t sample) { return Found{1} << sample; }

  bool advance(const Members& members, std::uint32_t hops) {
    nearer_.swap(found_);
    const Found all = all_ < kSamples ? bit(all_) - 1 : ~Found{0};
    bool more = false;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::uint32_t at = members[m].value;
      found_[at] = 0;
      if (seen_[at] == all) continue;
      Found found = 0;
      for (const auto& channel : topology_.channels_from(members[m])) {
        found |= nearer_[channel.to.value];
      }
      found &= ~seen_[at];
      if (found == 0) continue;
      found_[at] = found;
      seen_[at] |= found;
      auto& [farthest, sum] = of_[m];
      farthest = hops;
      sum += std::uint64_t{hops} * static_cast<unsigned>(std::popcount(found));
      more = true;
    }
    return more;
  }

  const Topology& topology_;
  std::size_t all_ = 0;                       // how many are looked for
  std::vector<Found> seen_, nearer_, found_;  // by switch: ever, with the last hop, and with this
  std::vector<std::pair<std::uint32_t, std::uint64_t>> of_;  // by member: the farthest, and the sum
};

// The switch from which the farthest host is nearest; of several the one nearest to all hosts.
SwitchIndex centre(const Topology& topology, const Members& members, const Members& with_hosts) {
  const std::size_t stride = (with_hosts.size() + kSamples - 1) / kSamples;
  Members samples;
  for (std::size_t i = 0; i < with_hosts.size(); i += stride) samples.push_back(with_hosts[i]);
  return members[Remoteness(topology, members, samples).least()];
}

Members find_roots(const Topology& topology, const Members& members, Distances& distances) {
  const Members with_hosts = host_switches(topology, members);
  const SwitchIndex middle = centre(topology, members, with_hosts);
  const auto& height = distances.from(with_hosts);
  if (height[middle.value] == 0) return {middle};
  Members roots;
  for (const SwitchIndex at : members) {
    if (height[at.value] == height[middle.value]) roots.push_back(at);
  }
  return roots;
}

// The order of one island's switches, bent until one switch alone is on top.
class IslandOrder {
 public:
  IslandOrder(const Topology& topology, Members from_top)
      : topology_(topology),
        order_(std::move(from_top)),
        position_(topology.switch_count()),
        covered_(topology.switch_count()) {
    number();
    raised_.push_back(order_.front());
    cover(order_.front());
  }

  // Each step covers at least one more switch and uncovers none, so it ends.
  Members bend() {
    for (Members tops = uncovered_tops(); !tops.empty(); tops = uncovered_tops()) {
      bool lowered = false;
      for (const SwitchIndex top : tops) lowered |= lower(top);
      if (!lowered) raise_toward(tops);
    }
    return std::move(order_);
  }

 private:
  void number() { number(0, order_.size()); }
  void number(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      position_[order_[i].value] = static_cast<std::uint32_t>(i);
    }
  }

  bool is_above(SwitchIndex a, SwitchIndex b) const {
    return position_[a.value] < position_[b.value];
  }

  // Covered: has a way up to the one top.
  void cover(SwitchIndex from) {
    Members reached{from};
    covered_[from.value] = true;
    while (!reached.empty()) {
      const SwitchIndex at = reached.back();
      reached.pop_back();
      for (const auto& channel : topology_.channels_from(at)) {
        if (covered_[channel.to.value] || is_above(channel.to, at)) continue;
        covered_[channel.to.value] = true;
        reached.push_back(channel.to);
      }
    }
  }

  Members uncovered_tops() const {
    Members tops;
    for (const SwitchIndex at : order_) {
      if (covered_[at.value]) continue;
      const auto channels = topology_.channels_from(at);
      const bool top = std::none_of(channels.begin(), channels.end(),
                                    [&](const auto& channel) { return is_above(channel.to, at); });
      if (top) tops.push_back(at);
    }
    return tops;
  }

  // Its island has other switches.
  SwitchIndex highest_neighbour(SwitchIndex of) const {
    const auto channels = topology_.channels_from(of);
    return std::min_element(channels.begin(), channels.end(),
                            [&](const auto& a, const auto& b) { return is_above(a.to, b.to); })
        ->to;
  }

  std::vector<SwitchIndex> neighbours_from_top(SwitchIndex of) const {
    std::vector<SwitchIndex> neighbours;
    for (const auto& channel : topology_.channels_from(of)) neighbours.push_back(channel.to);
    std::sort(neighbours.begin(), neighbours.end(),
              [&](SwitchIndex a, SwitchIndex b) { return is_above(a, b); });
    return neighbours;
  }

  // Puts it right below its highest neighbour, if that one is covered: one link changes direction.
  // Below a lower neighbour it would lose all others above that one.
  bool lower(SwitchIndex top) {
    const SwitchIndex below = highest_neighbour(top);
    if (!covered_[below.value]) return false;
    const std::size_t first = position_[top.value], end = position_[below.value] + std::size_t{1};
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(first), at(first + 1), at(end));
    number(first, end);
    cover(top);
    return true;
  }

  // Raises the switches on the shortest way from those raised before to the nearest of the tops;
  // of several ways the one over the highest switches, below which tops were put before.
  void raise_toward(const Members& tops) {
    std::vector<SwitchIndex> came_from(topology_.switch_count(), SwitchIndex{kFar});
    Members reached = raised_;
    for (const SwitchIndex at : raised_) came_from[at.value] = at;
    std::size_t i = 0;
    while (std::find(tops.begin(), tops.end(), reached[i]) == tops.end()) {
      for (const SwitchIndex to : neighbours_from_top(reached[i])) {
        if (came_from[to.value] != SwitchIndex{kFar}) continue;
        came_from[to.value] = reached[i];
        reached.push_back(to);
      }
      ++i;
    }
    Members way;
    for (auto at = came_from[reached[i].value]; came_from[at.value] != at;
         at = came_from[at.value]) {
      way.push_back(at);
    }
    raised_.insert(raised_.end(), way.rbegin(), way.rend());
    put_raised_on_top();
    for (const SwitchIndex at : way) cover(at);
  }

  void put_raised_on_top() {
    Members order = raised_;
    for (const SwitchIndex at : order_) {
      if (std::find(raised_.begin(), raised_.end(), at) == raised_.end()) order.push_back(at);
    }
    order_ = std::move(order);
    number();
  }

  const Topology& topology_;
  Members order_;
  std::vector<std::uint32_t> position_;  // by switch
  std::vector<bool> covered_;            // by switch
  Members raised_;                       // first in order_, each below one before it
};

// By switch.
std::vector<std::uint64_t> ids_of(const Topology& topology, const std::vector<SwitchId>& given) {
  std::vector<std::uint64_t> ids;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    ids.push_back(topology.node(SwitchIndex{s}).guid.value);
  }
  for (const auto& [guid, id] : given) {
    const auto node = topology.find_node(guid);
    if (node && topology.is_switch(*node)) ids[node->value] = id;
  }
  return ids;
}

Members order_island(const Topology& topology, const Members& members, const Members& roots,
                     const std::vector<std::uint64_t>& ids, Distances& distances) {
  const auto& rank = distances.from(roots);
  Members order = members;
  std::sort(order.begin(), order.end(), [&](SwitchIndex a, SwitchIndex b) {
    return std::tie(rank[a.value], ids[a.value], a) < std::tie(rank[b.value], ids[b.value], b);
  });
  return IslandOrder(topology, std::move(order)).bend();
}

std::vector<bool> given_roots(const Topology& topology, const std::vector<mad::Guid>& guids,
                              std::vector<std::string>& notes) {
  std::vector<bool> given(topology.switch_count());
  for (const mad::Guid guid : guids) {
    const auto node = topology.find_node(guid);
    if (node && topology.is_switch(*node)) {
      given[node->value] = true;
    } else {
      notes.push_back(fmt::format("root {} is not a switch of this fabric, so it is left out",
                                  base::hex(guid.value)));
    }
  }
  return given;
}

std::string describe_roots(const Topology& topology, const Members& roots) {
  constexpr std::size_t kNamed = 3;
  std::string text = fmt::format("{} root{}:", roots.size(), roots.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(kNamed, roots.size()); ++i) {
    const auto& node = topology.node(roots[i]);
    text += ' ' + (node.description.empty() ? base::hex(node.guid.value) : node.description);
    if (i + 1 < roots.size()) text += ',';
  }
  return roots.size() > kNamed ? text + " ..." : text;
}

}  // namespace

Orientation orient(const Topology& topology, const std::vector<mad::Guid>& root_guids,
                   const std::vector<SwitchId>& given_ids) {
  Orientation result;
  const auto ids = ids_of(topology, given_ids);
  const auto given = given_roots(topology, root_guids, result.notes);
  const fabric::Islands islands(topology);
  Distances distances(topology);
  bool found = false;
  for (std::size_t i = 0; i < islands.count(); ++i) {
    const Members& members = islands.members(i);
    Members roots;
    for (const SwitchIndex at : members) {
      if (given[at.value]) roots.push_back(at);
    }
    if (roots.empty()) {
      roots = find_roots(topology, members, distances);
      found = true;
    }
    const Members order = order_island(topology, members, roots, ids, distances);
    result.from_top.insert(result.from_top.end(), order.begin(), order.end());
    result.roots.insert(result.roots.end(), roots.begin(), roots.end());
  }
  std::sort(result.roots.begin(), result.roots.end());
  result.position.resize(topology.switch_count());
  for (std::uint32_t i = 0; i < result.from_top.size(); ++i) {
    result.position[result.from_top[i].value] = i;
  }
  if (!result.roots.empty()) {
    result.notes.push_back((found ? "found " : "given ") + describe_roots(topology, result.roots));
  }
  return result;
}

}  // namespace heddle::routing
