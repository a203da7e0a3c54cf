// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/topologies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/prng.hpp"

namespace heddle::support {
namespace {

fabric::TopologyBuilder::End next_port(fabric::Node& node) {
  HEDDLE_CHECK(node.port_count < fabric::kMaxPortCount);
  ++node.port_count;
  return {node.guid, mad::PortNumber{node.port_count}};
}

// Counts through all positions of a mixed-radix number.
bool next_tuple(std::vector<unsigned>& digits, const std::vector<unsigned>& bases) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (++digits[i] < bases[i]) return true;
    digits[i] = 0;
  }
  return false;
}

std::size_t place_of(const std::vector<unsigned>& digits, const std::vector<unsigned>& bases) {
  std::size_t place = 0;
  for (std::size_t i = digits.size(); i-- > 0;) place = place * bases[i] + digits[i];
  return place;
}

bool is_between_switches(const Recipe& recipe, const Recipe::Link& link) {
  const auto is_switch = [&](const fabric::TopologyBuilder::End& end) {
    for (const auto& node : recipe.nodes) {
      if (node.guid == end.node) return node.type == mad::NodeType::Switch;
    }
    return false;
  };
  return is_switch(link.a) && is_switch(link.b);
}

}  // namespace

std::size_t Recipe::add_switch(std::string name, mad::Guid system) {
  fabric::Node node;
  node.guid.value = 0x0001'0000 + nodes.size();
  node.system_image_guid = system == mad::Guid{} ? node.guid : system;
  node.type = mad::NodeType::Switch;
  node.description = std::move(name);
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

std::size_t Recipe::add_host(std::string name) {
  const std::size_t place = add_switch(std::move(name));
  nodes[place].type = mad::NodeType::ChannelAdapter;
  return place;
}

void Recipe::join(std::size_t a, std::size_t b) {
  const auto end = next_port(nodes[a]);
  links.push_back({end, next_port(nodes[b])});
}

void Recipe::add_hosts(std::size_t at, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t host = add_host(fmt::format("{}-host{}", nodes[at].description, i));
    join(at, host);
  }
}

Recipe xgft(const std::vector<unsigned>& children, const std::vector<unsigned>& parents) {
  // A node of level l has digits d1..dl below m.. replaced by w..: digits i <= l count to w_i,
  // digits i > l count to m_i. Neighbours one level up differ in one digit only.
  Recipe recipe;
  const std::size_t height = children.size();
  std::vector<std::vector<std::size_t>> level(height + 1);
  std::vector<std::vector<unsigned>> bases(height + 1, children);
  for (std::size_t l = 0; l <= height; ++l) {
    std::copy_n(parents.begin(), l, bases[l].begin());
    std::size_t count = 1;
    for (const unsigned base : bases[l]) count *= base;
    for (std::size_t i = 0; i < count; ++i) {
      level[l].push_back(l == 0 ? recipe.add_host(fmt::format("host{}", i))
                                : recipe.add_switch(fmt::format("level{}-{}", l, i)));
    }
  }
  for (std::size_t l = 0; l < height; ++l) {
    std::vector<unsigned> digits(height);
    do {
      auto above = digits;
      for (above[l] = 0; above[l] < parents[l]; ++above[l]) {
        recipe.join(level[l][place_of(digits, bases[l])],
                    level[l + 1][place_of(above, bases[l + 1])]);
      }
    } while (next_tuple(digits, bases[l]));
  }
  return recipe;
}

Recipe torus(const std::vector<unsigned>& sides, unsigned hosts_each) {
  Recipe recipe;
  std::size_t count = 1;
  for (const unsigned side : sides) count *= side;
  for (std::size_t i = 0; i < count; ++i) recipe.add_switch(fmt::format("switch{}", i));
  std::vector<unsigned> digits(sides.size());
  do {
    for (std::size_t axis = 0; axis < sides.size(); ++axis) {
      auto next = digits;
      next[axis] = (digits[axis] + 1) % sides[axis];
      // Two in a line are joined once, not around both ends.
      if (sides[axis] < 2 || (sides[axis] == 2 && digits[axis] == 1)) continue;
      recipe.join(place_of(digits, sides), place_of(next, sides));
    }
  } while (next_tuple(digits, sides));
  for (std::size_t i = 0; i < count; ++i) recipe.add_hosts(i, hosts_each);
  return recipe;
}

Recipe ring(unsigned switches, unsigned hosts_each) {
  return torus({switches}, hosts_each);
}

Recipe star(unsigned hosts) {
  Recipe recipe;
  recipe.add_hosts(recipe.add_switch("hub"), hosts);
  return recipe;
}

Recipe parallel_links(unsigned cables, unsigned hosts_each) {
  Recipe recipe;
  recipe.add_switch("left");
  recipe.add_switch("right");
  for (unsigned i = 0; i < cables; ++i) recipe.join(0, 1);
  for (std::size_t at : {0u, 1u}) recipe.add_hosts(at, hosts_each);
  return recipe;
}

Recipe random_regular(unsigned switches, unsigned degree, unsigned hosts_each, std::uint64_t seed) {
  base::Prng prng(seed);
  Recipe recipe;
  for (unsigned i = 0; i < switches; ++i) recipe.add_switch(fmt::format("switch{}", i));
  // Rings through all switches in different orders: regular, and connected by any one of them.
  std::vector<std::size_t> order(switches);
  for (unsigned i = 0; i < switches; ++i) order[i] = i;
  for (unsigned links = 0; links < degree; links += 2) {
    prng.shuffle(order);
    for (unsigned i = 0; i < switches; ++i) recipe.join(order[i], order[(i + 1) % switches]);
  }
  for (unsigned i = 0; i < switches; ++i) recipe.add_hosts(i, hosts_each);
  return recipe;
}

Recipe random_mess(std::uint64_t seed) {
  base::Prng prng(seed);
  Recipe recipe;
  const auto switches = static_cast<unsigned>(1 + prng.below(24));
  for (unsigned i = 0; i < switches; ++i) {
    // Some share a chassis, so that a system may hold several switches.
    recipe.add_switch(fmt::format("switch{}", i), mad::Guid{prng.below(2) * (1 + i / 3)});
  }
  for (auto left = prng.below(3 * switches + 1); left > 0; --left) {
    recipe.join(prng.below(switches), prng.below(switches));
  }
  for (auto left = prng.below(2 * switches + 2); left > 0; --left) {
    const std::size_t host = recipe.add_host("host");
    recipe.join(host, prng.below(switches));
    if (prng.chance(0.3)) recipe.join(host, prng.chance(0.2) ? host : prng.below(switches));
  }
  return recipe;
}

Recipe two_islands(Recipe a, const Recipe& b) {
  constexpr std::uint64_t kElsewhere = 0x1'0000'0000;
  for (auto node : b.nodes) {
    node.guid.value += kElsewhere;
    node.system_image_guid.value += kElsewhere;
    a.nodes.push_back(std::move(node));
  }
  for (auto link : b.links) {
    link.a.node.value += kElsewhere;
    link.b.node.value += kElsewhere;
    a.links.push_back(link);
  }
  return a;
}

Recipe degraded(Recipe recipe, unsigned lost, std::uint64_t seed) {
  base::Prng prng(seed);
  auto& links = recipe.links;
  const auto hosts_end = std::stable_partition(links.begin(), links.end(), [&](const auto& link) {
    return !is_between_switches(recipe, link);
  });
  std::vector<Recipe::Link> between(hosts_end, links.end());
  links.erase(hosts_end, links.end());
  prng.shuffle(between);
  between.resize(between.size() - std::min<std::size_t>(lost, between.size()));
  links.insert(links.end(), between.begin(), between.end());
  return recipe;
}

Recipe shuffled(Recipe recipe, std::uint64_t seed) {
  base::Prng prng(seed);
  prng.shuffle(recipe.nodes);
  prng.shuffle(recipe.links);
  for (auto& link : recipe.links) {
    if (prng.chance(0.5)) std::swap(link.a, link.b);
  }
  return recipe;
}

Recipe relabelled(Recipe recipe, std::uint64_t seed) {
  base::Prng prng(seed);
  std::vector<std::uint64_t> guids;
  for (const auto& node : recipe.nodes) guids.push_back(node.guid.value);
  prng.shuffle(guids);
  std::map<std::uint64_t, std::uint64_t> new_guid;
  std::map<std::uint64_t, std::vector<std::uint8_t>> new_port;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    auto& node = recipe.nodes[i];
    auto& ports = new_port[node.guid.value];
    for (unsigned port = 1; port <= node.port_count; ++port) {
      ports.push_back(static_cast<std::uint8_t>(port));
    }
    prng.shuffle(ports);
    new_guid[node.guid.value] = guids[i];
    node.guid.value = guids[i];
    node.system_image_guid = node.guid;
  }
  for (auto& link : recipe.links) {
    for (auto* end : {&link.a, &link.b}) {
      end->port.value = new_port[end->node.value][end->port.value - 1u];
      end->node.value = new_guid[end->node.value];
    }
  }
  return recipe;
}

fabric::Topology build(const Recipe& recipe) {
  fabric::TopologyBuilder builder;
  for (auto node : recipe.nodes) {
    node.port_count = std::max(node.port_count, std::uint8_t{1});  // nothing was joined to it
    builder.add_node(std::move(node));
  }
  for (const auto& link : recipe.links) builder.add_link(link.a, link.b);
  auto topology = std::move(builder).build();
  HEDDLE_CHECK(topology.has_value());
  return *std::move(topology);
}

fabric::LidMap number_lids(const fabric::Topology& topology, std::uint8_t lmc) {
  fabric::LidMap lids(topology.port_count());
  std::uint32_t next = 1u << lmc;
  const auto give = [&](fabric::PortIndex port, std::uint8_t own_lmc) {
    const bool fits = lids.assign(port, {mad::Lid{static_cast<std::uint16_t>(next)}, own_lmc});
    HEDDLE_CHECK(fits);
    next += 1u << own_lmc;
  };
  for (const auto port : topology.endports()) {
    if (!topology.is_switch(topology.node_of(port))) give(port, lmc);
  }
  for (const auto port : topology.endports()) {
    if (topology.is_switch(topology.node_of(port))) give(port, 0);
  }
  return lids;
}

}  // namespace heddle::support
