// SPDX-License-Identifier: BSD-3-Clause
// What goes missing: cables, switches, hosts, by the names that people use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::plan {

struct Loss {
  std::vector<fabric::PortIndex> cables;  // one end of each
  std::vector<fabric::NodeIndex> nodes;
};

// "leaf-1:7 - spine-2:3" (blanks may be missing), "leaf-1:7" for the cable in a port, "leaf-1" for
// a node (of a host also the first word of its description), a pattern with * and ? for all nodes
// whose names match, and a node GUID in hexadecimal
// ("0x...", 16 digits, or "S-..." as dumps call a switch) wherever a name may stand. An error says
// what names nothing, or more than one node where it is no pattern.
base::Result<Loss> parse_loss(const fabric::Topology& topology, std::string_view text);

// Each of `text`, together.
base::Result<Loss> parse_losses(const fabric::Topology& topology,
                                const std::vector<std::string>& texts);

// A port as people name it; an error as above. There need be nothing in it.
base::Result<fabric::PortIndex> parse_port(const fabric::Topology& topology, std::string_view text);

enum class Kind : std::uint8_t { Links, Switches, Hosts };  // Links: between two switches

// All there are of a kind, in an order that the seed deals: the first k are a random choice of k.
std::vector<Loss> shuffled(const fabric::Topology& topology, Kind kind, std::uint64_t seed);

// "leaf-1:7 - spine-2:3, leaf-9"
std::string describe(const fabric::Topology& topology, const Loss& loss);
std::string port_name(const fabric::Topology& topology, fabric::PortIndex port);

struct Left {
  fabric::Topology topology;
  fabric::LidMap lids;
};
// What is left, and who is left keeps the LIDs.
Left without(const fabric::Topology& topology, const fabric::LidMap& lids, const Loss& loss);

}  // namespace heddle::plan
