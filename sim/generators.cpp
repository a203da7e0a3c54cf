// SPDX-License-Identifier: BSD-3-Clause
#include "sim/generators.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

struct Generator {
  std::string_view name;
  std::string_view grammar;
  std::string_view meaning;
  std::string_view example;
  std::array<std::string_view, 4> options;  // its own, beside speed and width
  Generated (*make)(const Expression&);
};

constexpr std::array kGenerators{
    Generator{"pair", "pair", "two hosts and one cable, no switch", "pair", {}, generate_pair},
    Generator{"star",
              "star:HOSTS[,ports=N]",
              "one switch with so many hosts",
              "star:16",
              {"ports"},
              generate_star},
    Generator{
        "fat-tree",
        "fat-tree:D1,D2[,D3]",
        "full fat tree of two or three levels: D1 hosts per leaf, D2 leaves (or children) "
        "below a switch of level 2, D3 below one of level 3; each switch but the top ones has "
        "as many ports up as down. 18,36 is the whole tree of 36-port switches",
        "fat-tree:18,36",
        {},
        generate_fat_tree},
    Generator{"whole-tree",
              "whole-tree:PORTS[,LEVELS]",
              "the largest full tree of switches with so many ports, of 2 or 3 levels (3)",
              "whole-tree:40,3",
              {},
              generate_whole_tree},
    Generator{"xgft",
              "xgft:M1,M2,..;W1,W2,..",
              "extended generalised fat tree: a switch of level i has Mi children, a node of level "
              "i-1 has Wi parents",
              "xgft:18,18,36;1,18,18",
              {},
              generate_xgft},
    Generator{"ring",
              "ring:SWITCHES[,hosts=N]",
              "switches in a circle",
              "ring:5,hosts=2",
              {"hosts", "ports"},
              generate_ring},
    Generator{"torus",
              "torus:AxBx..[,hosts=N]",
              "grid whose rows close to rings",
              "torus:6x6x6,hosts=4",
              {"hosts", "ports"},
              generate_torus},
    Generator{"mesh",
              "mesh:AxBx..[,hosts=N]",
              "grid with open ends",
              "mesh:10x10,hosts=2",
              {"hosts", "ports"},
              generate_mesh},
    Generator{"hypercube",
              "hypercube:DIMENSIONS[,hosts=N]",
              "2^DIMENSIONS switches",
              "hypercube:10,hosts=4",
              {"hosts", "ports"},
              generate_hypercube},
    Generator{"hyperx",
              "hyperx:AxBx..[,hosts=N]",
              "grid in which each row is fully meshed",
              "hyperx:12x8,hosts=7",
              {"hosts", "ports"},
              generate_hyperx},
    Generator{"dragonfly",
              "dragonfly:A,P,H[,G]",
              "G groups (A*H+1 unless given) of A switches, each with P hosts and H global cables",
              "dragonfly:8,4,4,33",
              {},
              generate_dragonfly},
    Generator{"dragonfly-plus",
              "dragonfly-plus:LEAVES,SPINES,HOSTS,GLOBAL[,GROUPS]",
              "groups of two levels: each leaf has HOSTS hosts and a cable to each spine of its "
              "group, each spine GLOBAL cables to other groups",
              "dragonfly-plus:8,8,8,8,9",
              {},
              generate_dragonfly_plus},
    Generator{"slim-fly",
              "slim-fly:Q[,hosts=N]",
              "2*Q*Q switches, any two at most two cables apart; Q is an odd prime",
              "slim-fly:5",
              {"hosts"},
              generate_slim_fly},
    Generator{"rail",
              "rail:UNITS,SERVERS,RAILS,SPINES",
              "units of SERVERS servers with RAILS adapters each (gpu-01 mlx5_0); all adapters of "
              "one number in a unit share a leaf, and each leaf has a cable to each spine",
              "rail:4,32,8,32",
              {},
              generate_rail},
    Generator{"random",
              "random:switches=N,degree=D[,hosts=N][,seed=N]",
              "connected at random: no switch has more than D cables to others",
              "random:switches=125,degree=16,hosts=8,seed=1",
              {"switches", "degree", "hosts", "seed"},
              generate_random},
};

const Generator* find_generator(std::string_view name) {
  const auto found = std::find_if(kGenerators.begin(), kGenerators.end(),
                                  [&](const Generator& g) { return g.name == name; });
  return found == kGenerators.end() ? nullptr : &*found;
}

base::Error unknown_generator(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Generator& generator : kGenerators) names.push_back(generator.name);
  if (const auto near = base::closest(name, names)) {
    return base::error(fmt::format("no fabric is called '{}'; did you mean '{}'", name, *near));
  }
  return base::error(
      fmt::format("no fabric is called '{}'; there are {}", name, fmt::join(names, ", ")));
}

base::Result<> read_option(Expression& expression, const Generator& generator,
                           std::string_view name, std::string_view value) {
  if (name == "speed") {
    const auto speed = parse_speed(value);
    if (!speed) return wrong(expression, fmt::format("'{}' is no speed ({})", value, kSpeedNames));
    expression.cables.speed = *speed;
    return {};
  }
  if (name == "width") {
    const auto width = parse_width(value);
    if (!width) return wrong(expression, fmt::format("'{}' is no width ({})", value, kWidthNames));
    expression.cables.width = *width;
    return {};
  }
  const bool common = std::find(kCapabilityOptions.begin(), kCapabilityOptions.end(), name) !=
                      kCapabilityOptions.end();
  const auto known = std::find(generator.options.begin(), generator.options.end(), name);
  if (!common && (name.empty() || known == generator.options.end())) {
    return wrong(expression, fmt::format("'{}' is not an option of {}: {}", name, generator.name,
                                         generator.grammar));
  }
  const auto number = base::parse_number(value);
  if (!number) return wrong(expression, fmt::format("'{}={}' needs a number", name, value));
  if (!expression.options.emplace(name, *number).second) {
    return wrong(expression, fmt::format("'{}' is given twice", name));
  }
  return {};
}

// "6x6x6" or "18": numbers onto the last group of the shape.
base::Result<> read_numbers(Expression& expression, std::string_view piece) {
  for (const std::string_view word : base::split(piece, 'x')) {
    const auto number = base::parse_number(base::trim(word));
    if (!number) return wrong(expression, fmt::format("'{}' is not a number", piece));
    expression.shape.back().push_back(*number);
  }
  return {};
}

base::Result<> read_shape_and_options(Expression& expression, const Generator& generator,
                                      std::string_view text) {
  expression.shape.emplace_back();
  if (base::trim(text).empty()) return {};
  for (const std::string_view group : base::split(text, ';')) {
    if (!expression.shape.back().empty()) expression.shape.emplace_back();
    for (const std::string_view raw : base::split(group, ',')) {
      const std::string_view piece = base::trim(raw);
      const std::size_t equals = piece.find('=');
      const auto read = equals == std::string_view::npos
                            ? read_numbers(expression, piece)
                            : read_option(expression, generator, piece.substr(0, equals),
                                          piece.substr(equals + 1));
      if (!read) return read.error();
    }
  }
  return {};
}

}  // namespace

std::uint64_t option(const Expression& expression, const std::string& name, std::uint64_t value) {
  const auto found = expression.options.find(name);
  return found == expression.options.end() ? value : found->second;
}

base::Error wrong(const Expression& expression, std::string_view what) {
  return base::error(fmt::format("fabric '{}': {}", expression.text, what));
}

base::Result<> check_size(const Expression& expression, std::uint64_t nodes, std::uint64_t cables) {
  if (nodes > kMaxNodes) {
    return wrong(expression, fmt::format("has {} nodes; at most {} are allowed", nodes, kMaxNodes));
  }
  if (cables > kMaxCables) {
    return wrong(expression,
                 fmt::format("has {} cables; at most {} are allowed", cables, kMaxCables));
  }
  return {};
}

base::Result<std::uint8_t> read_host_ports(const Expression& expression) {
  constexpr std::uint64_t kMostHostPorts = 8;
  const std::uint64_t ports = option(expression, "ports", 1);
  if (ports < 1 || ports > kMostHostPorts) {
    return wrong(expression, fmt::format("a host has 1 to {} ports", kMostHostPorts));
  }
  return static_cast<std::uint8_t>(ports);
}

base::Result<> check_switch_ports(const Expression& expression, std::string_view what,
                                  std::uint64_t ports) {
  if (ports <= kMaxSwitchPorts) return {};
  return wrong(expression, fmt::format("{} would need {} ports; a switch has at most {}", what,
                                       ports, kMaxSwitchPorts));
}

Generated generate_fabric(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = base::trim(text.substr(0, std::min(colon, text.find(','))));
  const Generator* generator = find_generator(name);
  if (generator == nullptr) return unknown_generator(name);
  Expression expression;
  expression.text = std::string(text);
  expression.kind = std::string(name);
  const std::string_view rest =
      name.size() >= text.size() ? std::string_view{} : text.substr(name.size() + 1);
  const auto read = read_shape_and_options(expression, *generator, rest);
  if (!read) return read.error();
  auto made = generator->make(expression);
  if (made.has_error()) return made;
  const auto given = apply_capabilities(expression, *made);
  if (given.has_error()) return given.error();
  return made;
}

bool is_generator_expression(std::string_view fabric) {
  const std::string_view head = fabric.substr(0, fabric.find_first_of(":,"));
  return find_generator(base::trim(head)) != nullptr;
}

std::string generator_help() {
  std::string help =
      "A fabric is the path of a file (ibnetdiscover's output, an ibsim net file, a .lst of\n"
      "ibdiagnet or OpenSM, an ibdm .topo), or one of:\n";
  for (const Generator& generator : kGenerators) {
    help += fmt::format("  {}\n      {}\n      for example {}\n", generator.grammar,
                        generator.meaning, generator.example);
  }
  help += fmt::format(
      "Every one takes ,speed=S and ,width=W for its cables (S: {}; W: {}).\n"
      "hosts=N hangs N hosts on each switch, ports=N gives them N ports each, all on\n"
      "the same switch. vports=N gives each port of a host N virtual ports, vport-lids=1 lets\n"
      "them want LIDs of their own. mtu=, vls= (lanes), lft=, mft=, pkeys= (entries of tables) "
      "and\n"
      "optimized-sl2vl=1 say what all devices can do. At most {} nodes and {} cables.\n",
      kSpeedNames, kWidthNames, kMaxNodes, kMaxCables);
  return help;
}

}  // namespace heddle::sim
