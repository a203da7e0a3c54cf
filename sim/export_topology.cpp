// SPDX-License-Identifier: BSD-3-Clause
// ibdm's .topo, and the system definitions (.ibnl) that it needs, one in a file as ibdm reads them:
// every node is a system of one chip, named by its kind and its ports ("SW36", "CA2"; ibdm has no
// word for routers).
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/export.hpp"
#include "sim/link_kind.hpp"

namespace heddle::sim {
namespace {

std::string system_type(const PlannedNode& node) {
  const bool is_switch = node.type == mad::NodeType::Switch;
  return fmt::format("{}{}", is_switch ? "SW" : "CA", node.port_count);
}

// The format has one word for a name, '/' between a system and its chip, and '#' before a comment.
std::vector<std::string> system_names(const Blueprint& blueprint) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const PlannedNode& node : blueprint.nodes) {
    std::string name = node.name;
    for (char& c : name) {
      const bool plain = static_cast<unsigned char>(c) > 0x20 && c != '/' && c != '#' && c != '"';
      if (!plain) c = '_';
    }
    if (name.empty() || !used.insert(name).second) {
      name += fmt::format("_{:016x}", node.guid.value);
      used.insert(name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

// ibdm knows these alone, and leaves out a cable of which it is told anything else: what is faster
// goes without a word for its speed, and 2x without one for its width.
std::string arrow_of(const PlannedCable& cable) {
  std::string arrow;
  if (cable.width != Width::X2) arrow += fmt::format("-{}", name_of(cable.width));
  if (cable.speed == Speed::SDR) arrow += "-2.5G";
  if (cable.speed == Speed::DDR) arrow += "-5G";
  if (cable.speed == Speed::QDR) arrow += "-10G";
  return arrow + "->";
}

}  // namespace

std::string topology_text(const Blueprint& blueprint) {
  const std::vector<std::string> names = system_names(blueprint);
  const PortMap ports(blueprint);
  std::string text;
  for (std::uint32_t node = 0; node < blueprint.nodes.size(); ++node) {
    text += fmt::format("{} {}\n", system_type(blueprint.nodes[node]), names[node]);
    for (unsigned port = 1; port <= blueprint.nodes[node].port_count; ++port) {
      const PortMap::Plug& plug = ports.at(node, port);
      // Each cable once, from its a end.
      const bool here =
          plug.cable != nullptr && plug.cable->a.node == node && plug.cable->a.port == port;
      if (!here) continue;
      text += fmt::format("   P{} {} {} {} P{}\n", port, arrow_of(*plug.cable),
                          system_type(blueprint.nodes[plug.peer.node]), names[plug.peer.node],
                          plug.peer.port);
    }
    text += '\n';
  }
  return text;
}

std::vector<NamedText> system_definitions(const Blueprint& blueprint) {
  std::map<std::string, const PlannedNode*> types;
  for (const PlannedNode& node : blueprint.nodes) types.emplace(system_type(node), &node);
  std::vector<NamedText> files;
  for (const auto& [type, node] : types) {
    std::string text = fmt::format("TOPSYSTEM {}\n\nNODE {} {} {} U1\n", type, type.substr(0, 2),
                                   node->port_count, type);
    for (unsigned port = 1; port <= node->port_count; ++port) {
      text += fmt::format("   {} -> P{}\n", port, port);
    }
    files.push_back({type + ".ibnl", std::move(text)});
  }
  return files;
}

}  // namespace heddle::sim
