// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies and random fabrics.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/prng.hpp"
#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

struct DragonflyShape {
  std::uint64_t routers = 0;  // a: switches per group
  std::uint64_t hosts = 0;    // p: per switch
  std::uint64_t global = 0;   // h: cables to other groups per switch
  std::uint64_t groups = 0;   // g
};

base::Result<DragonflyShape> read_dragonfly(const Expression& expression) {
  const bool one_group = expression.shape.size() == 1;
  const auto numbers = expression.shape[0];
  if (!one_group || numbers.size() < 3 || numbers.size() > 4) {
    return wrong(expression, "dragonfly takes three or four numbers: dragonfly:8,4,4,33");
  }
  for (const std::uint64_t number : numbers) {
    if (number > kMaxNodes) return wrong(expression, fmt::format("{} is too large", number));
  }
  DragonflyShape shape{numbers[0], numbers[1], numbers[2], 0};
  const std::uint64_t most = shape.routers * shape.global + 1;
  shape.groups = numbers.size() == 4 ? numbers[3] : most;
  if (shape.routers == 0 || shape.groups == 0) return wrong(expression, "0 switches or groups");
  if (shape.groups > most) {
    return wrong(expression, fmt::format("{} groups cannot be meshed with {} global cables each",
                                         shape.groups, most - 1));
  }
  const auto ports =
      check_switch_ports(expression, "a switch", shape.routers - 1 + shape.hosts + shape.global);
  if (!ports) return ports.error();
  const std::uint64_t switches = shape.routers * shape.groups;
  const auto size =
      check_size(expression, switches * (1 + shape.hosts),
                 switches * ((shape.routers - 1) / 2 + 1 + shape.hosts + shape.global));
  if (!size) return size.error();
  return shape;
}

// Each switch once to each other of its group.
void mesh_group(Planner& planner, const std::vector<std::uint32_t>& group) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = i + 1; j < group.size(); ++j) planner.cable(group[i], group[j]);
  }
}

struct RandomShape {
  std::uint64_t switches = 0;
  std::uint64_t degree = 0;
  std::uint64_t hosts = 0;
  std::uint64_t seed = 0;
};

base::Result<RandomShape> read_random(const Expression& expression) {
  if (expression.shape.size() != 1 || !expression.shape[0].empty()) {
    return wrong(expression, "random takes named numbers only: random:switches=125,degree=16");
  }
  const RandomShape shape{option(expression, "switches", 0), option(expression, "degree", 0),
                          option(expression, "hosts", 1), option(expression, "seed", 1)};
  if (shape.switches < 1 || shape.switches > kMaxNodes) {
    return wrong(expression, fmt::format("needs switches=1 to {}", kMaxNodes));
  }
  const std::uint64_t least = shape.switches > 2 ? 2 : shape.switches - 1;
  if (shape.degree < least) {
    return wrong(expression, fmt::format("needs degree={} or more to be connected", least));
  }
  if (shape.degree > kMaxSwitchPorts || shape.hosts > kMaxSwitchPorts) {
    return check_switch_ports(expression, "a switch", std::max(shape.degree, shape.hosts)).error();
  }
  const auto ports = check_switch_ports(expression, "a switch", shape.degree + shape.hosts);
  if (!ports) return ports.error();
  const auto size = check_size(expression, shape.switches * (1 + shape.hosts),
                               shape.switches * (shape.degree / 2 + 1 + shape.hosts));
  if (!size) return size.error();
  return shape;
}

// A tree first, so that it is connected; then whatever free ports find one another.
class RandomWiring {
 public:
  explicit RandomWiring(const RandomShape& shape)
      : shape_(shape), prng_(shape.seed), free_(shape.switches, shape.degree) {
    grow_tree();
    constexpr unsigned kRounds = 20;
    for (unsigned round = 0; round < kRounds; ++round) pair_free_ports();
  }
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const std::vector<Pair>& cables() const { return cables_; }

 private:
  bool connect(std::uint64_t a, std::uint64_t b) {
    if (a == b || !known_.emplace(std::min(a, b), std::max(a, b)).second) return false;
    cables_.emplace_back(a, b);
    --free_[a];
    --free_[b];
    return true;
  }

  void grow_tree() {
    std::vector<std::uint64_t> open;  // in the tree, with ports to spare
    for (std::uint64_t next = 0; next < shape_.switches; ++next) {
      if (!open.empty()) {
        const std::size_t at = static_cast<std::size_t>(prng_.below(open.size()));
        const std::uint64_t parent = open[at];
        connect(next, parent);
        if (free_[parent] == 0) {
          open[at] = open.back();
          open.pop_back();
        }
      }
      if (free_[next] > 0) open.push_back(next);
    }
  }

  void pair_free_ports() {
    std::vector<std::uint64_t> stubs;
    for (std::uint64_t node = 0; node < shape_.switches; ++node) {
      stubs.insert(stubs.end(), free_[node], node);
    }
    prng_.shuffle(stubs);
    for (std::size_t i = 0; i + 1 < stubs.size(); i += 2) connect(stubs[i], stubs[i + 1]);
  }

  RandomShape shape_;
  base::Prng prng_;
  std::vector<std::uint64_t> free_;
  std::set<Pair> known_;
  std::vector<Pair> cables_;
};

}  // namespace

// Seen from a group the others stand in a row; they take its global ports one after another.
void mesh_groups(Planner& planner, const std::vector<std::vector<std::uint32_t>>& groups,
                 std::uint64_t global) {
  const std::uint64_t count = groups.size();
  const std::uint64_t trunks = count > 1 ? groups.front().size() * global / (count - 1) : 0;
  const auto end = [&](std::uint64_t from, std::uint64_t to, std::uint64_t trunk) {
    const std::uint64_t slot = trunk * (count - 1) + (to < from ? to : to - 1);
    return groups[from][slot / global];
  };
  for (std::uint64_t trunk = 0; trunk < trunks; ++trunk) {
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::uint64_t j = i + 1; j < count; ++j) {
        planner.cable(end(i, j, trunk), end(j, i, trunk));
      }
    }
  }
}

Generated generate_dragonfly(const Expression& expression) {
  const auto read = read_dragonfly(expression);
  if (!read) return read.error();
  const DragonflyShape& shape = *read;
  Planner planner(expression.text, expression.cables);
  planner.arrange({Arrangement::Kind::Groups, {shape.routers}});
  std::vector<std::vector<std::uint32_t>> groups(shape.groups);
  for (std::uint64_t g = 0; g < shape.groups; ++g) {
    for (std::uint64_t a = 0; a < shape.routers; ++a) {
      const std::string group = numbered("group", g + 1, shape.groups);
      groups[g].push_back(planner.add_switch(group + numbered("-switch", a + 1, shape.routers)));
      planner.add_hosts(groups[g].back(), shape.hosts);
    }
    mesh_group(planner, groups[g]);
  }
  mesh_groups(planner, groups, shape.global);
  return std::move(planner).finish();
}

Generated generate_random(const Expression& expression) {
  const auto read = read_random(expression);
  if (!read) return read.error();
  Planner planner(expression.text, expression.cables);
  std::vector<std::uint32_t> switches;
  for (std::uint64_t i = 0; i < read->switches; ++i) {
    switches.push_back(planner.add_switch(numbered("switch", i + 1, read->switches)));
    planner.add_hosts(switches.back(), read->hosts);
  }
  const RandomWiring wiring(*read);
  for (const auto& [a, b] : wiring.cables()) planner.cable(switches[a], switches[b]);
  return std::move(planner).finish();
}

}  // namespace heddle::sim
