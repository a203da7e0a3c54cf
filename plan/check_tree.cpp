// SPDX-License-Identifier: BSD-3-Clause
// Levels of a fat tree, and which switches are not like the others of theirs.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "plan/check.hpp"
#include "routing/tree_levels.hpp"
#include "routing/tree_pieces.hpp"

namespace heddle::plan {
namespace {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabric::Topology;

// Nodes get their index for a GUID: GUIDs themselves may be wrong.
base::Result<Topology> topology_of(const Inventory& fabric) {
  fabric::TopologyBuilder builder;
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    fabric::Node node;
    node.guid = mad::Guid{i + 1};
    node.type = fabric.nodes[i].type;
    node.port_count = fabric.nodes[i].port_count;
    builder.add_node(std::move(node));
  }
  const auto end = [](Inventory::End of) {
    return fabric::TopologyBuilder::End{mad::Guid{of.node + std::uint64_t{1}},
                                        mad::PortNumber{of.port}};
  };
  for (const Inventory::Cable& cable : fabric.cables) builder.add_link(end(cable.a), end(cable.b));
  return std::move(builder).build();
}

std::uint32_t node_of(const Topology& topology, SwitchIndex at) {
  return static_cast<std::uint32_t>(topology.node(at).guid.value - 1);
}

void add_up(const Inventory& fabric, Levels& levels) {
  for (const std::uint32_t level : levels.of) {
    if (level == Levels::kNone) continue;
    if (levels.levels.size() <= level) levels.levels.resize(level + std::size_t{1});
    ++levels.levels[level].switches;
  }
  for (const Inventory::Cable& cable : fabric.cables) {
    std::uint32_t low = levels.of[cable.a.node], high = levels.of[cable.b.node];
    const double gigabits = data_gigabits(cable.rate);
    if (low == Levels::kNone || high == Levels::kNone) {
      const std::uint32_t at = std::min(low, high);
      if (at == Levels::kNone) continue;  // two hosts
      ++levels.levels[at].hosts;
      levels.levels[at].down_gigabits += gigabits;
      continue;
    }
    ++levels.links;
    if (low == high) ++levels.cross_links;
    if (low == high) continue;
    if (low > high) std::swap(low, high);
    ++levels.levels[low].links_up;
    levels.levels[low].up_gigabits += gigabits;
    levels.levels[high].down_gigabits += gigabits;
  }
}

// The value that more than half have; nothing if there is none.
template <class Values>
const typename Values::key_type* majority(const Values& values) {
  std::size_t all = 0;
  for (const auto& [value, count] : values) all += count;
  for (const auto& [value, count] : values) {
    if (count * 2 > all) return &value;
  }
  return nullptr;
}

class Symmetry {
 public:
  Symmetry(const Inventory& fabric, const Levels& levels, Findings& findings)
      : fabric_(fabric),
        levels_(levels),
        findings_(findings),
        up_(fabric.nodes.size()),
        hosts_(fabric.nodes.size()) {
    for (const Inventory::Cable& cable : fabric.cables) {
      std::uint32_t low = cable.a.node, high = cable.b.node;
      if (level(low) == Levels::kNone || (level(high) != Levels::kNone && level(low) > level(high)))
        std::swap(low, high);
      if (level(low) == Levels::kNone) continue;
      if (level(high) == Levels::kNone) ++hosts_[low];
      if (level(high) == Levels::kNone) continue;
      if (level(low) == level(high)) tell_cross(cable);
      if (level(low) != level(high)) ++up_[low][high];
    }
  }

  void run() {
    for (std::uint32_t at = 0; at + 1 < levels_.levels.size(); ++at) {
      compare(at, "uneven-up", "links up", [&](std::uint32_t node) { return links_up(node); });
      compare_pairs(at);
    }
    for (std::uint32_t at = 0; at < levels_.levels.size(); ++at) {
      compare(at, "uneven-hosts", "hosts", [&](std::uint32_t node) { return hosts_[node]; });
    }
  }

 private:
  std::uint32_t level(std::uint32_t node) const { return levels_.of[node]; }
  std::size_t links_up(std::uint32_t node) const {
    std::size_t links = 0;
    for (const auto& [peer, count] : up_[node]) links += count;
    return links;
  }

  void add(Severity severity, std::string code, std::string text,
           const std::vector<std::uint32_t>& nodes, unsigned line) {
    Finding finding{severity, "symmetry", std::move(code), std::move(text), {}, line};
    for (const std::uint32_t node : nodes) finding.where.push_back(fabric_.nodes[node].name);
    findings_.add(std::move(finding));
  }

  void tell_cross(const Inventory::Cable& cable) {
    findings_.add(
        {Severity::Warning,
         "symmetry",
         "cross-link",
         fmt::format("{} - {} joins two switches of level {}: a tree has no such link",
                     name_of(fabric_, cable.a), name_of(fabric_, cable.b), level(cable.a.node)),
         {name_of(fabric_, cable.a), name_of(fabric_, cable.b)},
         cable.line});
  }

  template <class Count>
  void compare(std::uint32_t at, const char* code, const char* what, Count count) {
    std::map<std::size_t, std::size_t> values;
    for (std::uint32_t node = 0; node < fabric_.nodes.size(); ++node) {
      if (level(node) == at) ++values[count(node)];
    }
    const auto* usual = majority(values);
    if (usual == nullptr || values.size() == 1) return;
    for (std::uint32_t node = 0; node < fabric_.nodes.size(); ++node) {
      if (level(node) != at || count(node) == *usual) continue;
      // A leaf with free host ports is as it may be.
      const bool is_odd = std::string_view(code) != "uneven-hosts" || count(node) > *usual;
      add(is_odd ? Severity::Warning : Severity::Info, code,
          fmt::format("{} has {} {}, and {} of {} switches of its level have {}",
                      fabric_.nodes[node].name, count(node), what, values[*usual],
                      levels_.levels[at].switches, *usual),
          {node}, fabric_.nodes[node].line);
    }
  }

  // Switches of two neighbouring levels that hang together are all joined alike in a fat tree.
  void compare_pairs(std::uint32_t at) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> pieces = pieces_of(at);
    for (const auto& [name, members] : pieces) compare_piece(at, members);
  }

  std::map<std::uint32_t, std::vector<std::uint32_t>> pieces_of(std::uint32_t at) const {
    std::vector<std::uint32_t> parent(fabric_.nodes.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t node) {
      while (parent[node] != node) node = parent[node] = parent[parent[node]];
      return node;
    };
    for (std::uint32_t node = 0; node < fabric_.nodes.size(); ++node) {
      if (level(node) != at) continue;
      for (const auto& [peer, links] : up_[node]) parent[root(node)] = root(peer);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> pieces;
    for (std::uint32_t node = 0; node < fabric_.nodes.size(); ++node) {
      if (level(node) == at || level(node) == at + 1) pieces[root(node)].push_back(node);
    }
    return pieces;
  }

  std::size_t links(std::uint32_t low, std::uint32_t high) const {
    const auto found = up_[low].find(high);
    return found == up_[low].end() ? 0 : found->second;
  }

  void compare_piece(std::uint32_t at, const std::vector<std::uint32_t>& members) {
    std::vector<std::uint32_t> low, high;
    for (const std::uint32_t node : members) (level(node) == at ? low : high).push_back(node);
    std::map<std::size_t, std::size_t> values;
    for (const std::uint32_t a : low) {
      for (const std::uint32_t b : high) ++values[links(a, b)];
    }
    const auto* usual = majority(values);
    if (usual == nullptr || *usual == 0 || values.size() == 1) return;
    for (const std::uint32_t a : low) {
      for (const std::uint32_t b : high) {
        if (links(a, b) == *usual) continue;
        add(Severity::Warning, links(a, b) == 0 ? "no-link" : "few-links",
            fmt::format("{} and {} are joined by {} {}, and most such switches by {}",
                        fabric_.nodes[a].name, fabric_.nodes[b].name, links(a, b),
                        links(a, b) == 1 ? "link" : "links", *usual),
            {a, b}, fabric_.nodes[a].line);
      }
    }
  }

  const Inventory& fabric_;
  const Levels& levels_;
  Findings& findings_;
  std::vector<std::map<std::uint32_t, std::size_t>> up_;  // links by peer above, by node
  std::vector<std::size_t> hosts_;                        // by node
};

}  // namespace

Levels find_levels(const Inventory& fabric) {
  Levels levels;
  levels.of.assign(fabric.nodes.size(), Levels::kNone);
  const auto topology = topology_of(fabric);
  if (topology.has_error()) return levels;
  const auto found = routing::find_levels(*topology, {});
  levels.is_tree = !found.has_error();
  const auto level = levels.is_tree
                         ? found->level
                         : routing::plain_levels(*topology, routing::count_hosts(*topology));
  for (std::uint32_t s = 0; s < topology->switch_count(); ++s) {
    levels.of[node_of(*topology, SwitchIndex{s})] = level[s] == Levels::kNone ? 0 : level[s];
  }
  add_up(fabric, levels);
  return levels;
}

void check_symmetry(const Inventory& fabric, const Levels& levels, Findings& findings) {
  if (!levels.is_tree) {
    findings.add({Severity::Info,
                  "symmetry",
                  "no-tree",
                  fmt::format("the fabric is no fat tree: {} of {} links between switches join "
                              "two of one level",
                              levels.cross_links, levels.links),
                  {}});
    return;
  }
  Symmetry(fabric, levels, findings).run();
  for (std::size_t at = 0; at + 1 < levels.levels.size(); ++at) {
    const auto& level = levels.levels[at];
    if (level.oversubscription() <= 1.001) continue;
    findings.add({Severity::Info,
                  "symmetry",
                  "oversubscribed",
                  fmt::format("level {} is oversubscribed {:.2f} to 1: {:.0f} Gb/s come from "
                              "below, {:.0f} Gb/s lead up",
                              at, level.oversubscription(), level.down_gigabits, level.up_gigabits),
                  {}});
  }
}

}  // namespace heddle::plan
