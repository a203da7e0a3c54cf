// SPDX-License-Identifier: BSD-3-Clause
// Small and large fabrics as fabric::Topology, for tests and benchmarks of routing. Every fabric is
// a recipe of nodes and links that can be damaged or shuffled before it is built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::support {

struct Recipe {
  struct Link {
    fabric::TopologyBuilder::End a;
    fabric::TopologyBuilder::End b;
  };
  std::vector<fabric::Node> nodes;
  std::vector<Link> links;

  // Both return the node's place in `nodes`. Ports are used in the order of the calls of join().
  std::size_t add_switch(std::string name, mad::Guid system = {});
  std::size_t add_host(std::string name);
  // A cable between the next free ports of two nodes, or of one.
  void join(std::size_t a, std::size_t b);
  // So many hosts on a switch.
  void add_hosts(std::size_t at, unsigned count);
};

// Extended generalized fat tree: children[i] and parents[i] are m and w of level i + 1, as in
// XGFT(h; m1..mh; w1..wh). Hosts are level 0.
Recipe xgft(const std::vector<unsigned>& children, const std::vector<unsigned>& parents);
Recipe ring(unsigned switches, unsigned hosts_each);
Recipe torus(const std::vector<unsigned>& sides, unsigned hosts_each);
// One switch and its hosts.
Recipe star(unsigned hosts);
// Switches with `degree` links each to others chosen by seed; connected.
Recipe random_regular(unsigned switches, unsigned degree, unsigned hosts_each, std::uint64_t seed);
// Two switches joined by several cables.
Recipe parallel_links(unsigned cables, unsigned hosts_each);
// Anything: several links, islands, hosts with one or two ports, cables from a node to itself.
Recipe random_mess(std::uint64_t seed);

// Both fabrics side by side, not joined.
Recipe two_islands(Recipe a, const Recipe& b);
// Without `lost` of the links between switches, chosen by seed. May fall into islands.
Recipe degraded(Recipe recipe, unsigned lost, std::uint64_t seed);
// The same fabric told in another order.
Recipe shuffled(Recipe recipe, std::uint64_t seed);
// The same fabric with its node GUIDs dealt anew and the switches' ports cabled in another order.
Recipe relabelled(Recipe recipe, std::uint64_t seed);

// The recipe must be right; a wrong one stops the program.
fabric::Topology build(const Recipe& recipe);

// LIDs without gaps, channel adapters and routers first, then switches (always LMC 0), each in the
// order of their indices.
fabric::LidMap number_lids(const fabric::Topology& topology, std::uint8_t lmc = 0);

}  // namespace heddle::support
