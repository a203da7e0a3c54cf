// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_levels.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "fabric/islands.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using fabric::Topology;
using Members = std::vector<SwitchIndex>;

constexpr std::uint32_t kUnknown = 0xFFFF'FFFF;
// A switch with fewer hosts than this part of the most that any has may stand above the leaves.
constexpr std::uint32_t kFewHosts = 4;
// An island is no tree if more than this part of its links join switches of one level.
constexpr std::size_t kMostSiblings = 4;

std::string name_of(const Topology& topology, SwitchIndex at) {
  const fabric::Node& node = topology.node(at);
  return node.description.empty() ? base::hex(node.guid.value) : node.description;
}

class LevelFinder {
 public:
  explicit LevelFinder(const Topology& topology)
      : topology_(topology),
        hosts_(count_hosts(topology)),
        level_(topology.switch_count(), kUnknown),
        neighbours_(topology.switch_count()) {
    for (std::uint32_t s = 0; s < neighbours_.size(); ++s) {
      neighbours_[s].reserve(topology.channels_from(SwitchIndex{s}).size());
    }
    // Whoever comes from them comes in ascending order.
    for (const fabric::Channel& channel : topology.channels()) {
      auto& list = neighbours_[channel.to.value];
      if (list.empty() || list.back() != channel.from.value) list.push_back(channel.from.value);
    }
  }

  base::Result<void> measure(const Members& island, const Members& roots) {
    if (!roots.empty()) {
      spread_from(roots);
      turn_over(island);
    } else if (has_no_ring(island)) {
      peel(island);
      return {};
    } else {
      spread_from(leaves_of(island));
      lower_those_like_leaves(island);
    }
    return check_siblings(island, !roots.empty());
  }

  std::vector<std::uint32_t> take() { return std::move(level_); }

 private:
  void spread_from(const Members& sources) {
    Members reached = sources;
    for (const SwitchIndex at : sources) level_[at.value] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::uint32_t to : neighbours_[reached[i].value]) {
        if (level_[to] != kUnknown) continue;
        level_[to] = level_[reached[i].value] + 1;
        reached.push_back(SwitchIndex{to});
      }
    }
  }

  void turn_over(const Members& island) {
    std::uint32_t deepest = 0;
    for (const SwitchIndex at : island) deepest = std::max(deepest, level_[at.value]);
    for (const SwitchIndex at : island) level_[at.value] = deepest - level_[at.value];
  }

  bool has_no_ring(const Members& island) const {
    std::size_t ends = 0;
    for (const SwitchIndex at : island) ends += neighbours_[at.value].size();
    return ends / 2 < island.size();
  }

  // The outermost switches first, until one or two are left.
  void peel(const Members& island) {
    std::vector<std::uint32_t> left(neighbours_.size());
    Members ready;
    for (const SwitchIndex at : island) {
      left[at.value] = static_cast<std::uint32_t>(neighbours_[at.value].size());
      if (left[at.value] > 1) continue;
      level_[at.value] = 0;
      ready.push_back(at);
    }
    for (std::size_t i = 0; i < ready.size(); ++i) {
      for (const std::uint32_t to : neighbours_[ready[i].value]) {
        if (level_[to] != kUnknown || --left[to] > 1) continue;
        level_[to] = level_[ready[i].value] + 1;
        ready.push_back(SwitchIndex{to});
      }
    }
  }

  // Without any host nobody cares where the tree begins.
  Members leaves_of(const Members& island) const {
    std::uint32_t most = 0;
    for (const SwitchIndex at : island) most = std::max(most, hosts_[at.value]);
    Members leaves;
    for (const SwitchIndex at : island) {
      if (hosts_[at.value] * kFewHosts >= most) leaves.push_back(at);
      if (most == 0) break;
    }
    return leaves;
  }

  void lower_those_like_leaves(const Members& island) {
    Members by_level = island;
    std::stable_sort(by_level.begin(), by_level.end(), [this](SwitchIndex a, SwitchIndex b) {
      return level_[a.value] < level_[b.value];
    });
    for (const SwitchIndex at : by_level) {
      std::uint32_t lowest = kUnknown;
      for (const std::uint32_t to : neighbours_[at.value]) lowest = std::min(lowest, level_[to]);
      std::uint32_t& level = level_[at.value];
      if (level > 0 && lowest != kUnknown) level = std::min(level, lowest + 1);
      if (level >= 2 && is_cabled_as_some_of_level(at, level - 2)) level -= 2;
    }
  }

  // Whether one switch of that level has more than half of the neighbours of this one.
  bool is_cabled_as_some_of_level(SwitchIndex at, std::uint32_t level) {
    const auto& own = neighbours_[at.value];
    shared_.resize(level_.size());
    bool found = false;
    for (const std::uint32_t neighbour : own) {
      for (const std::uint32_t other : neighbours_[neighbour]) {
        if (level_[other] == level) found |= ++shared_[other] * 2 > own.size();
      }
    }
    for (const std::uint32_t neighbour : own) {
      for (const std::uint32_t other : neighbours_[neighbour]) shared_[other] = 0;
    }
    return found;
  }

  base::Result<void> check_siblings(const Members& island, bool from_roots) const {
    std::size_t links = 0, siblings = 0;
    const fabric::Channel* example = nullptr;
    for (const SwitchIndex at : island) {
      for (const fabric::Channel& channel : topology_.channels_from(at)) {
        ++links;
        if (level_[at.value] != level_[channel.to.value]) continue;
        ++siblings;
        if (example == nullptr) example = &channel;
      }
    }
    if (siblings * kMostSiblings <= links) return {};
    return base::error(fmt::format(
        "{} of {} links between switches join two of one level, counted {}, for example {} and {}: "
        "that is no tree",
        siblings / 2, links / 2, from_roots ? "from the roots down" : "from the hosts up",
        name_of(topology_, example->from), name_of(topology_, example->to)));
  }

  const Topology& topology_;
  std::vector<std::uint32_t> hosts_;                    // by switch
  std::vector<std::uint32_t> level_;                    // by switch
  std::vector<std::vector<std::uint32_t>> neighbours_;  // by switch, each once
  std::vector<std::uint32_t> shared_;                   // by switch; zero between uses
};

std::string levels_note(const std::vector<std::uint32_t>& level, const Members& island) {
  std::vector<std::size_t> count;
  for (const SwitchIndex at : island) {
    if (count.size() <= level[at.value]) count.resize(level[at.value] + 1u);
    ++count[level[at.value]];
  }
  std::string sizes;
  constexpr std::size_t kNamed = 8;
  for (std::size_t i = 0; i < std::min(count.size(), kNamed); ++i) {
    sizes += fmt::format("{}{}", i == 0 ? "" : " + ", count[i]);
  }
  if (count.size() > kNamed) sizes += " + ...";
  return fmt::format("a tree of {} level{} of switches: {}", count.size(),
                     count.size() == 1 ? "" : "s", sizes);
}

}  // namespace

std::vector<std::uint32_t> count_hosts(const Topology& topology) {
  std::vector<std::uint32_t> hosts(topology.switch_count());
  for (const fabric::PortIndex endport : topology.endports()) {
    const auto attachment = topology.attachment(endport);
    if (attachment && attachment->out.value != 0) ++hosts[attachment->at.value];
  }
  return hosts;
}

base::Result<TreeLevels> find_levels(const Topology& topology,
                                     const std::vector<mad::Guid>& root_guids) {
  const fabric::Islands islands(topology);
  TreeLevels levels;
  std::vector<Members> roots(islands.count());
  for (const mad::Guid guid : root_guids) {
    const auto node = topology.find_node(guid);
    if (node && topology.is_switch(*node)) {
      roots[islands.of(SwitchIndex{node->value})].push_back(SwitchIndex{node->value});
    } else {
      levels.notes.push_back(
          fmt::format("the root {} is no switch of this fabric", base::hex(guid.value)));
    }
  }
  LevelFinder finder(topology);
  for (std::size_t i = 0; i < islands.count(); ++i) {
    if (const auto measured = finder.measure(islands.members(i), roots[i]); measured.has_error()) {
      return measured.error();
    }
  }
  levels.level = finder.take();
  constexpr std::size_t kIslandsNoted = 4;
  for (std::size_t i = 0; i < std::min(islands.count(), kIslandsNoted); ++i) {
    levels.notes.push_back(levels_note(levels.level, islands.members(i)));
  }
  return levels;
}

}  // namespace heddle::routing
