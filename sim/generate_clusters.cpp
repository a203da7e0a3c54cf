// SPDX-License-Identifier: BSD-3-Clause
// Fabrics as they are built for many accelerators or for few hops: rails, dragonfly+, slim fly.
#include <algorithm>

#include <fmt/format.h>

#include "sim/generators.hpp"

namespace heddle::sim {
namespace {

// The numbers of a shape with so many places, none of them 0 and none too large to multiply.
base::Result<std::vector<std::uint64_t>> read_counts(const Expression& expression,
                                                     std::size_t least, std::size_t most,
                                                     std::string_view usage) {
  if (expression.shape.size() != 1 || expression.shape[0].size() < least ||
      expression.shape[0].size() > most) {
    return wrong(expression, usage);
  }
  for (const std::uint64_t number : expression.shape[0]) {
    if (number == 0 || number > kMaxNodes) {
      return wrong(expression, fmt::format("{} is not a count (1 to {})", number, kMaxNodes));
    }
  }
  return expression.shape[0];
}

bool is_prime(std::uint64_t number) {
  if (number < 2) return false;
  for (std::uint64_t i = 2; i * i <= number; ++i) {
    if (number % i == 0) return false;
  }
  return true;
}

// A number whose powers are all of 1..q-1, q being prime.
std::uint64_t primitive_root(std::uint64_t q) {
  for (std::uint64_t root = 2; root < q; ++root) {
    std::uint64_t power = root;
    std::uint64_t order = 1;
    while (power != 1) {
      power = power * root % q;
      ++order;
    }
    if (order == q - 1) return root;
  }
  return 1;
}

// The two sets of differences that make neighbours within a group (McKay, Miller and Siran), for
// q = 4w + 1 and q = 4w - 1.
struct GeneratorSets {
  std::vector<bool> first;  // by difference
  std::vector<bool> second;
};

GeneratorSets generator_sets(std::uint64_t q) {
  GeneratorSets sets{std::vector<bool>(q, false), std::vector<bool>(q, false)};
  const std::uint64_t root = primitive_root(q);
  const bool plus = q % 4 == 1;
  const std::uint64_t w = (q + 1) / 4;
  std::uint64_t power = 1;
  for (std::uint64_t exponent = 0; exponent + 1 < q; ++exponent) {
    const bool even = exponent % 2 == 0;
    if (plus) {
      (even ? sets.first : sets.second)[power] = true;
    } else {
      // The sets overlap in -1 and 1, the powers on both sides of the middle.
      const bool in_first = even ? exponent + 2 <= 2 * w : exponent + 1 >= 2 * w;
      const bool in_second = even ? exponent == 0 || exponent >= 2 * w : exponent + 1 <= 2 * w;
      if (in_first) sets.first[power] = true;
      if (in_second) sets.second[power] = true;
    }
    power = power * root % q;
  }
  return sets;
}

struct SlimFlyShape {
  std::uint64_t q = 0;
  std::uint64_t degree = 0;
  std::uint64_t hosts = 0;
};

base::Result<SlimFlyShape> read_slim_fly(const Expression& expression) {
  const auto counts = read_counts(expression, 1, 1, "slim-fly takes one number: slim-fly:5");
  if (!counts) return counts.error();
  SlimFlyShape shape;
  shape.q = counts->front();
  if (shape.q < 3 || shape.q > kMaxSwitchPorts || !is_prime(shape.q)) {
    return wrong(expression, fmt::format("{} is no odd prime up to {}", shape.q, kMaxSwitchPorts));
  }
  shape.degree = shape.q % 4 == 1 ? (3 * shape.q - 1) / 2 : (3 * shape.q + 1) / 2;
  shape.hosts = option(expression, "hosts", (shape.degree + 1) / 2);
  if (shape.hosts > kMaxSwitchPorts) {
    return check_switch_ports(expression, "a switch", shape.hosts).error();
  }
  const auto ports = check_switch_ports(expression, "a switch", shape.degree + shape.hosts);
  if (!ports) return ports.error();
  const std::uint64_t switches = 2 * shape.q * shape.q;
  const auto size = check_size(expression, switches * (1 + shape.hosts),
                               switches * (shape.degree / 2 + 1 + shape.hosts));
  if (!size) return size.error();
  return shape;
}

}  // namespace

Generated generate_rail(const Expression& expression) {
  const auto counts = read_counts(
      expression, 4, 4, "rail takes four numbers, UNITS,SERVERS,RAILS,SPINES: rail:4,32,8,32");
  if (!counts) return counts.error();
  const std::uint64_t units = (*counts)[0];
  const std::uint64_t servers = (*counts)[1];
  const std::uint64_t rails = (*counts)[2];
  const std::uint64_t spines = (*counts)[3];
  for (const auto& [what, ports] :
       {std::pair{"a leaf", servers + spines}, std::pair{"a spine", units * rails}}) {
    const auto fits = check_switch_ports(expression, what, ports);
    if (!fits) return fits.error();
  }
  // Both products are small now: units * rails and servers fit on a switch.
  const std::uint64_t leaves = units * rails;
  const auto size = check_size(expression, leaves * servers + leaves + spines,
                               leaves * servers + leaves * spines);
  if (!size) return size.error();
  Planner planner(expression.text, expression.cables);
  std::vector<std::uint32_t> leaf;
  for (std::uint64_t unit = 1; unit <= units; ++unit) {
    for (std::uint64_t rail = 1; rail <= rails; ++rail) {
      leaf.push_back(
          planner.add_switch(numbered("unit", unit, units) + numbered("-rail", rail, rails)));
    }
  }
  for (std::uint64_t server = 0; server < units * servers; ++server) {
    const std::string name = numbered("gpu", server + 1, units * servers);
    std::optional<std::uint32_t> first;
    for (std::uint64_t rail = 0; rail < rails; ++rail) {
      const std::uint32_t adapter =
          planner.add_adapter(fmt::format("{} mlx5_{}", name, rail), first);
      if (!first) first = adapter;
      planner.cable(leaf[server / servers * rails + rail], adapter);
    }
  }
  for (std::uint64_t spine = 1; spine <= spines; ++spine) {
    const std::uint32_t node = planner.add_switch(numbered("spine", spine, spines));
    for (const std::uint32_t below : leaf) planner.cable(below, node);
  }
  return std::move(planner).finish();
}

Generated generate_dragonfly_plus(const Expression& expression) {
  const auto counts = read_counts(expression, 4, 5,
                                  "dragonfly-plus takes four or five numbers, "
                                  "LEAVES,SPINES,HOSTS,GLOBAL[,GROUPS]: dragonfly-plus:8,8,8,8,9");
  if (!counts) return counts.error();
  const std::uint64_t leaves = (*counts)[0];
  const std::uint64_t spines = (*counts)[1];
  const std::uint64_t hosts = (*counts)[2];
  const std::uint64_t global = (*counts)[3];
  for (const auto& [what, ports] :
       {std::pair{"a leaf", hosts + spines}, std::pair{"a spine", leaves + global}}) {
    const auto fits = check_switch_ports(expression, what, ports);
    if (!fits) return fits.error();
  }
  const std::uint64_t most = spines * global + 1;
  const std::uint64_t groups = counts->size() == 5 ? (*counts)[4] : most;
  if (groups > most) {
    return wrong(expression, fmt::format("{} groups cannot be meshed with {} global cables each",
                                         groups, most - 1));
  }
  const auto size = check_size(expression, groups * (leaves + spines + leaves * hosts),
                               groups * (leaves * hosts + leaves * spines + spines * global));
  if (!size) return size.error();
  Planner planner(expression.text, expression.cables);
  planner.arrange({Arrangement::Kind::Groups, {leaves + spines}});
  std::vector<std::vector<std::uint32_t>> tops(groups);
  for (std::uint64_t g = 0; g < groups; ++g) {
    const std::string group = numbered("group", g + 1, groups);
    std::vector<std::uint32_t> bottoms;
    for (std::uint64_t i = 1; i <= leaves; ++i) {
      bottoms.push_back(planner.add_switch(group + numbered("-leaf", i, leaves)));
      planner.add_hosts(bottoms.back(), hosts);
    }
    for (std::uint64_t i = 1; i <= spines; ++i) {
      tops[g].push_back(planner.add_switch(group + numbered("-spine", i, spines)));
      for (const std::uint32_t bottom : bottoms) planner.cable(bottom, tops[g].back());
    }
  }
  mesh_groups(planner, tops, global);
  return std::move(planner).finish();
}

Generated generate_slim_fly(const Expression& expression) {
  const auto read = read_slim_fly(expression);
  if (!read) return read.error();
  const std::uint64_t q = read->q;
  Planner planner(expression.text, expression.cables);
  planner.arrange({Arrangement::Kind::Groups, {q}});
  // Two halves of q groups of q switches: half * q * q + group * q + place.
  std::vector<std::uint32_t> switches;
  for (std::uint64_t half = 1; half <= 2; ++half) {
    for (std::uint64_t group = 0; group < q; ++group) {
      for (std::uint64_t place = 0; place < q; ++place) {
        switches.push_back(planner.add_switch(fmt::format("switch-{}", half) +
                                              numbered("", group, q) + numbered("", place, q)));
        planner.add_hosts(switches.back(), read->hosts);
      }
    }
  }
  const GeneratorSets sets = generator_sets(q);
  for (std::uint64_t group = 0; group < 2 * q; ++group) {
    const std::vector<bool>& differences = group < q ? sets.first : sets.second;
    for (std::uint64_t low = 0; low < q; ++low) {
      for (std::uint64_t high = low + 1; high < q; ++high) {
        if (differences[high - low]) {
          planner.cable(switches[group * q + low], switches[group * q + high]);
        }
      }
    }
  }
  // (x, y) of the first half sees (m, c) of the second where y = mx + c.
  for (std::uint64_t x = 0; x < q; ++x) {
    for (std::uint64_t m = 0; m < q; ++m) {
      for (std::uint64_t c = 0; c < q; ++c) {
        planner.cable(switches[x * q + (m * x + c) % q], switches[q * q + m * q + c]);
      }
    }
  }
  return std::move(planner).finish();
}

}  // namespace heddle::sim
