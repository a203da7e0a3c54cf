// SPDX-License-Identifier: BSD-3-Clause
#include "plan/slurm.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle::plan {
namespace {

using Switch = SlurmTopology::Switch;

std::string plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool fits =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    plain += fits ? c : '_';
  }
  return plain;
}

class Builder {
 public:
  Builder(const Inventory& fabric, const Levels& levels) : fabric_(fabric), levels_(levels) {}

  SlurmTopology build() && {
    place_hosts();
    add_leaves();
    std::size_t level = 1;
    while (levels_.is_tree && current_.size() > 1 && level < levels_.levels.size()) {
      join(level++);
    }
    if (current_.size() > 1) add_root();
    return std::move(topology_);
  }

 private:
  std::string unique(std::string name) {
    if (names_.insert(name).second) return name;
    for (unsigned i = 2;; ++i) {
      std::string other = fmt::format("{}_{}", name, i);
      if (names_.insert(other).second) return other;
    }
  }

  // By (host, adapter): the first adapter's switch counts.
  void place_hosts() {
    std::map<std::pair<std::string, std::string>, std::uint32_t> ports;
    for (const Inventory::Cable& cable : fabric_.cables) {
      for (const auto& [host, at] : {std::pair(cable.a, cable.b), std::pair(cable.b, cable.a)}) {
        const Inventory::Node& node = fabric_.nodes[host.node];
        const bool is_host = node.type == mad::NodeType::ChannelAdapter;
        if (!is_host || !is_switch(fabric_.nodes[at.node])) continue;
        const std::string name = node.description.substr(0, node.description.find_first_of(" \t"));
        ports.emplace(std::pair(plain(name), fmt::format("{}/{:03}", node.description, host.port)),
                      at.node);
      }
    }
    std::map<std::string, std::uint32_t> place;
    for (const auto& [name, at] : ports) {
      const auto [known, is_first] = place.emplace(name.first, at);
      if (is_first) hosts_[at].push_back(name.first);
      if (!is_first && known->second != at && told_.insert(name.first).second) {
        topology_.warnings.push_back(
            fmt::format("{} has adapters on several switches: it is put on {}", name.first,
                        fabric_.nodes[known->second].name));
      }
    }
  }

  void add_leaves() {
    for (auto& [at, hosts] : hosts_) {
      const std::string name = unique(plain(fabric_.nodes[at].name));
      if (name != fabric_.nodes[at].name) {
        topology_.warnings.push_back(fmt::format("{} is called {}: Slurm takes no other signs",
                                                 fabric_.nodes[at].name, name));
      }
      std::sort(hosts.begin(), hosts.end());
      current_.push_back({{at}, name});
      topology_.switches.push_back({name, hosts, {}});
    }
  }

  // What hangs together over switches up to a level becomes one.
  void join(std::size_t level) {
    std::vector<std::uint32_t> parent(fabric_.nodes.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t node) {
      while (parent[node] != node) node = parent[node] = parent[parent[node]];
      return node;
    };
    for (const Inventory::Cable& cable : fabric_.cables) {
      const bool is_low = within(cable.a.node, level) && within(cable.b.node, level);
      if (is_low) parent[root(cable.a.node)] = root(cable.b.node);
    }
    std::map<std::uint32_t, std::vector<std::size_t>> pieces;  // by place in current_
    for (std::size_t i = 0; i < current_.size(); ++i) {
      pieces[root(current_[i].members.front())].push_back(i);
    }
    if (pieces.size() == 1) return;  // the root's affair
    std::vector<Piece> next;
    for (const std::size_t first : firsts(pieces)) {
      const auto& members = pieces[root(current_[first].members.front())];
      if (members.size() == 1) {
        next.push_back(current_[first]);
        continue;
      }
      Switch above{unique(fmt::format("pod-{}", next.size() + 1)), {}, {}};
      for (const std::size_t i : members) above.children.push_back(current_[i].name);
      next.push_back({current_[first].members, above.name});
      topology_.switches.push_back(std::move(above));
    }
    current_ = std::move(next);
  }

  // The pieces in the order of their first members.
  static std::vector<std::size_t> firsts(
      const std::map<std::uint32_t, std::vector<std::size_t>>& pieces) {
    std::vector<std::size_t> order;
    for (const auto& [name, members] : pieces) order.push_back(members.front());
    std::sort(order.begin(), order.end());
    return order;
  }

  bool within(std::uint32_t node, std::size_t level) const {
    return levels_.of[node] != Levels::kNone && levels_.of[node] <= level;
  }

  void add_root() {
    Switch top{unique("fabric"), {}, {}};
    for (const Piece& piece : current_) top.children.push_back(piece.name);
    topology_.switches.push_back(std::move(top));
  }

  struct Piece {
    std::vector<std::uint32_t> members;  // one is enough
    std::string name;
  };

  const Inventory& fabric_;
  const Levels& levels_;
  SlurmTopology topology_;
  std::map<std::uint32_t, std::vector<std::string>> hosts_;  // by switch
  std::vector<Piece> current_;                               // what has no switch above it yet
  std::set<std::string> names_, told_;
};

std::size_t largest_leaf(const SlurmTopology& topology) {
  std::size_t most = 1;
  for (const Switch& one : topology.switches) most = std::max(most, one.nodes.size());
  return most;
}

}  // namespace

SlurmTopology slurm_topology(const Inventory& fabric, const Levels& levels) {
  return Builder(fabric, levels).build();
}

std::string slurm_tree(const SlurmTopology& topology) {
  std::string text = "# For Slurm's TopologyPlugin=topology/tree\n";
  for (const Switch& one : topology.switches) {
    text +=
        one.children.empty()
            ? fmt::format("SwitchName={} Nodes={}\n", one.name, fmt::join(one.nodes, ","))
            : fmt::format("SwitchName={} Switches={}\n", one.name, fmt::join(one.children, ","));
  }
  return text;
}

std::string slurm_block(const SlurmTopology& topology) {
  std::string text = "# For Slurm's TopologyPlugin=topology/block: a block is a leaf switch\n";
  for (const Switch& one : topology.switches) {
    if (!one.children.empty()) continue;
    text += fmt::format("BlockName={} Nodes={}\n", one.name, fmt::join(one.nodes, ","));
  }
  return text + fmt::format("BlockSizes={}\n", largest_leaf(topology));
}

std::string slurm_yaml(const SlurmTopology& topology) {
  std::string text = "---\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n";
  for (const Switch& one : topology.switches) {
    text += fmt::format("      - switch: {}\n        {}: {}\n", one.name,
                        one.children.empty() ? "nodes" : "children",
                        fmt::join(one.children.empty() ? one.nodes : one.children, ","));
  }
  text += fmt::format(
      "- topology: block\n  cluster_default: false\n  block:\n    block_sizes:\n      - {}\n"
      "    blocks:\n",
      largest_leaf(topology));
  for (const Switch& one : topology.switches) {
    if (!one.children.empty()) continue;
    text +=
        fmt::format("      - block: {}\n        nodes: {}\n", one.name, fmt::join(one.nodes, ","));
  }
  return text;
}

}  // namespace heddle::plan
