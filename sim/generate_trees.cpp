// SPDX-License-Identifier: BSD-3-Clause
// Fabrics without circles of switches: pair, star and the fat trees.
#include <numeric>

#include <fmt/format.h>

#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

struct TreeShape {
  std::vector<std::uint64_t> children;  // M1..Mh
  std::vector<std::uint64_t> parents;   // W1..Wh
  std::size_t height() const { return children.size(); }

  // Nodes of level 0 (hosts) to h: the product of the children above and the parents below.
  std::uint64_t nodes_at(std::size_t level) const {
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < level; ++i) count *= parents[i];
    for (std::size_t i = level; i < height(); ++i) count *= children[i];
    return count;
  }
};

std::string level_name(std::size_t level, std::size_t height) {
  if (level == 1) return "leaf";
  if (level == height) return height == 2 ? "spine" : "core";
  return height == 3 ? "spine" : fmt::format("level{}", level);
}

base::Result<> check_tree(const Expression& expression, const TreeShape& shape) {
  constexpr std::size_t kMaxLevels = 6;
  if (shape.height() == 0 || shape.height() > kMaxLevels) {
    return wrong(expression, fmt::format("needs 1 to {} levels", kMaxLevels));
  }
  for (std::size_t i = 0; i < shape.height(); ++i) {
    const std::uint64_t m = shape.children[i];
    const std::uint64_t w = shape.parents[i];
    if (m == 0 || w == 0) return wrong(expression, "0 is not a number of children or parents");
    if (m > kMaxSwitchPorts || w > kMaxSwitchPorts) {
      return wrong(expression, fmt::format("{} is more ports than a switch has ({})",
                                           std::max(m, w), kMaxSwitchPorts));
    }
    const std::uint64_t up = i + 1 < shape.height() ? shape.parents[i + 1] : 0;
    const auto ports =
        check_switch_ports(expression, fmt::format("a switch of level {}", i + 1), m + up);
    if (!ports) return ports;
  }
  // At most six factors below 255 each: the product stays far inside 64 bits.
  std::uint64_t nodes = 0;
  std::uint64_t cables = 0;
  for (std::size_t level = 0; level <= shape.height(); ++level) {
    nodes += shape.nodes_at(level);
    if (level > 0) cables += shape.nodes_at(level) * shape.children[level - 1];
  }
  return check_size(expression, nodes, cables);
}

// A node of level l is a word of h digits: the first l count up to W, the rest up to M. Two nodes
// of levels l-1 and l are cabled when their words agree everywhere but in digit l. Counting the
// digits below l fastest keeps a leaf's hosts, and a pod's leaves, together.
struct Levels {
  const TreeShape& shape;

  std::uint64_t low_span(std::size_t level) const {
    std::uint64_t span = 1;
    for (std::size_t i = 0; i + 1 < level; ++i) span *= shape.parents[i];
    return span;
  }
  // The child number `digit` of node `index` of `level`, and the parent side by symmetry.
  std::uint64_t child(std::size_t level, std::uint64_t index, std::uint64_t digit) const {
    const std::uint64_t low = low_span(level);
    const std::uint64_t below = index % low;
    const std::uint64_t above = index / (low * shape.parents[level - 1]);
    return below + low * (digit + shape.children[level - 1] * above);
  }
};

std::vector<std::uint32_t> add_level(Planner& planner, const TreeShape& shape, std::size_t level) {
  std::vector<std::uint32_t> nodes;
  const std::uint64_t count = shape.nodes_at(level);
  for (std::uint64_t i = 0; i < count; ++i) {
    nodes.push_back(
        level == 0 ? planner.add_host(fmt::format("host-{:04}", i + 1),
                                      static_cast<std::uint8_t>(shape.parents[0]))
                   : planner.add_switch(numbered(level_name(level, shape.height()), i + 1, count)));
  }
  return nodes;
}

Generated grow(const Expression& expression, const TreeShape& shape) {
  const auto sane = check_tree(expression, shape);
  if (!sane) return sane.error();
  Planner planner(expression.text, expression.cables);
  std::vector<std::uint32_t> below = add_level(planner, shape, 0);
  const Levels levels{shape};
  for (std::size_t level = 1; level <= shape.height(); ++level) {
    const std::vector<std::uint32_t> nodes = add_level(planner, shape, level);
    for (std::uint64_t i = 0; i < nodes.size(); ++i) {
      for (std::uint64_t digit = 0; digit < shape.children[level - 1]; ++digit) {
        planner.cable(nodes[i], below[levels.child(level, i, digit)]);
      }
    }
    below = nodes;
  }
  return std::move(planner).finish();
}

}  // namespace

Generated generate_pair(const Expression& expression) {
  if (!expression.shape.front().empty()) return wrong(expression, "pair takes no numbers");
  Planner planner(expression.text, expression.cables);
  const std::uint32_t first = planner.add_host("host-0001");
  planner.cable(first, planner.add_host("host-0002"));
  return std::move(planner).finish();
}

Generated generate_star(const Expression& expression) {
  const auto& shape = expression.shape;
  if (shape.size() != 1 || shape[0].size() != 1 || shape[0][0] == 0) {
    return wrong(expression, "star takes one number, the hosts: star:16");
  }
  if (shape[0][0] > kMaxSwitchPorts) {
    return check_switch_ports(expression, "the switch", shape[0][0]).error();
  }
  const auto host_ports = read_host_ports(expression);
  if (!host_ports) return host_ports.error();
  const auto ports = check_switch_ports(expression, "the switch", shape[0][0] * *host_ports);
  if (!ports) return ports.error();
  Planner planner(expression.text, expression.cables);
  planner.set_host_ports(*host_ports);
  planner.add_hosts(planner.add_switch("switch-1"), shape[0][0]);
  return std::move(planner).finish();
}

Generated generate_fat_tree(const Expression& expression) {
  if (expression.shape.size() != 1 || expression.shape[0].size() < 2 ||
      expression.shape[0].size() > 3) {
    return wrong(expression, "fat-tree takes two or three numbers: fat-tree:18,36");
  }
  TreeShape shape{expression.shape[0], {1}};
  for (std::size_t i = 0; i + 1 < shape.height(); ++i) shape.parents.push_back(shape.children[i]);
  return grow(expression, shape);
}

Generated generate_whole_tree(const Expression& expression) {
  const auto& shape = expression.shape;
  if (shape.size() != 1 || shape[0].empty() || shape[0].size() > 2) {
    return wrong(expression,
                 "whole-tree takes the ports of its switches, and 2 or 3 levels: "
                 "whole-tree:40,3");
  }
  const std::uint64_t ports = shape[0][0];
  const std::uint64_t levels = shape[0].size() == 2 ? shape[0][1] : 3;
  if (ports < 2 || ports % 2 != 0) return wrong(expression, "the ports are halved: an even number");
  if (levels < 2 || levels > 3) return wrong(expression, "has 2 or 3 levels");
  TreeShape tree{std::vector<std::uint64_t>(levels, ports / 2), {1}};
  tree.children.back() = ports;
  for (std::size_t i = 0; i + 1 < levels; ++i) tree.parents.push_back(ports / 2);
  return grow(expression, tree);
}

Generated generate_xgft(const Expression& expression) {
  if (expression.shape.size() != 2 || expression.shape[0].size() != expression.shape[1].size()) {
    return wrong(expression,
                 "xgft takes as many numbers before the semicolon as behind it: "
                 "xgft:18,18,36;1,18,18");
  }
  return grow(expression, TreeShape{expression.shape[0], expression.shape[1]});
}

}  // namespace heddle::sim
