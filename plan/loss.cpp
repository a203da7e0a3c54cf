// SPDX-License-Identifier: BSD-3-Clause
#include "plan/loss.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "base/text.hpp"

namespace heddle::plan {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::Topology;

// '*' is anything, '?' one character. Linear: only the last star is ever tried again.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<NodeIndex> find_nodes(const Topology& topology, std::string_view name) {
  std::vector<NodeIndex> found;
  if (name.size() >= 16) {
    const bool has_kind = name[1] == '-';  // "S-0002c90300a1b2c3", as dumps call nodes
    const auto guid = base::parse_hex(has_kind ? name.substr(2) : name);
    const auto node = guid ? topology.find_node(mad::Guid{*guid}) : std::nullopt;
    if (node) return {*node};
  }
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    if (matches(name, topology.node(NodeIndex{n}).description)) found.push_back(NodeIndex{n});
  }
  if (!found.empty()) return found;
  // A host's description is its name and its adapter's.
  for (auto n = static_cast<std::uint32_t>(topology.switch_count()); n < topology.node_count();
       ++n) {
    const std::string_view description = topology.node(NodeIndex{n}).description;
    if (description.substr(0, description.find(' ')) == name) found.push_back(NodeIndex{n});
  }
  return found;
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("*?") != name.npos;
}

// Nothing if it is not "NODE:PORT" of one node.
std::optional<PortIndex> find_port(const Topology& topology, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const auto number = base::parse_number(base::trim(text.substr(colon + 1)), 254);
  const auto nodes =
      number ? find_nodes(topology, base::trim(text.substr(0, colon))) : std::vector<NodeIndex>();
  if (nodes.size() != 1 || *number == 0) return std::nullopt;
  if (*number > topology.node(nodes.front()).port_count) return std::nullopt;
  return topology.port_of(nodes.front(), mad::PortNumber{static_cast<std::uint8_t>(*number)});
}

std::string node_name(const Topology& topology, NodeIndex node) {
  const auto& about = topology.node(node);
  return about.description.empty() ? base::hex(about.guid.value) : about.description;
}

// "A:1-B:2", at any hyphen that makes sense of it: names have hyphens too.
std::optional<base::Result<Loss>> parse_pair(const Topology& topology, std::string_view text) {
  for (std::size_t at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {
    const auto a = find_port(topology, base::trim(text.substr(0, at)));
    const auto b = a ? find_port(topology, base::trim(text.substr(at + 1))) : std::nullopt;
    if (!a || !b) continue;
    if (topology.peer(*a) == *b) return Loss{{*a}, {}};
    return base::error(
        fmt::format("no cable joins {} and {}", port_name(topology, *a), port_name(topology, *b)));
  }
  return std::nullopt;
}

}  // namespace

std::string port_name(const Topology& topology, PortIndex port) {
  return fmt::format("{}:{}", node_name(topology, topology.node_of(port)),
                     topology.number_of(port).value);
}

base::Result<PortIndex> parse_port(const Topology& topology, std::string_view text) {
  const auto port = find_port(topology, base::trim(text));
  if (port) return *port;
  return base::error(fmt::format("'{}' is no port of the fabric, as leaf-1:7 would be", text));
}

base::Result<Loss> parse_loss(const Topology& topology, std::string_view text) {
  text = base::trim(text);
  const auto nodes = find_nodes(topology, text);
  if (nodes.size() == 1 || (is_pattern(text) && !nodes.empty())) return Loss{{}, nodes};
  if (nodes.size() > 1) {
    return base::error(
        fmt::format("{} nodes are called '{}': say which by GUID", nodes.size(), text));
  }
  if (const auto port = find_port(topology, text)) {
    if (topology.peer(*port) != fabric::kNoPort) return Loss{{*port}, {}};
    return base::error(fmt::format("there is no cable in {}", port_name(topology, *port)));
  }
  if (const auto pair = parse_pair(topology, text)) return *pair;
  return base::error(fmt::format("'{}' names no node, port or cable of the fabric", text));
}

base::Result<Loss> parse_losses(const Topology& topology, const std::vector<std::string>& texts) {
  Loss all;
  for (const std::string& text : texts) {
    const auto loss = parse_loss(topology, text);
    if (loss.has_error()) return loss;
    all.cables.insert(all.cables.end(), loss->cables.begin(), loss->cables.end());
    all.nodes.insert(all.nodes.end(), loss->nodes.begin(), loss->nodes.end());
  }
  return all;
}

std::vector<Loss> shuffled(const Topology& topology, Kind kind, std::uint64_t seed) {
  std::vector<Loss> all;
  if (kind == Kind::Links) {
    for (const fabric::Channel& channel : topology.channels()) {
      const PortIndex a = topology.port_of(channel.from, channel.out);
      if (a < topology.peer(a)) all.push_back({{a}, {}});
    }
  } else {
    for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
      const bool wanted = topology.is_switch(NodeIndex{n}) == (kind == Kind::Switches);
      if (wanted) all.push_back({{}, {NodeIndex{n}}});
    }
  }
  base::Prng(seed).shuffle(all);
  return all;
}

std::string describe(const Topology& topology, const Loss& loss) {
  std::string text;
  for (const PortIndex port : loss.cables) {
    text += fmt::format("{}{} - {}", text.empty() ? "" : ", ", port_name(topology, port),
                        port_name(topology, topology.peer(port)));
  }
  for (const NodeIndex node : loss.nodes) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", node_name(topology, node));
  }
  return text;
}

Left without(const Topology& topology, const fabric::LidMap& lids, const Loss& loss) {
  std::vector<bool> gone(topology.node_count()), pulled(topology.port_count());
  for (const NodeIndex node : loss.nodes) gone[node.value] = true;
  for (const PortIndex port : loss.cables) {
    pulled[port.value] = pulled[topology.peer(port).value] = true;
  }
  fabric::TopologyBuilder builder;
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    if (!gone[n]) builder.add_node(topology.node(NodeIndex{n}));
  }
  const auto end = [&](PortIndex port) {
    return fabric::TopologyBuilder::End{topology.node(topology.node_of(port)).guid,
                                        topology.number_of(port)};
  };
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex port{p}, peer = topology.peer(port);
    if (gone[topology.node_of(port).value]) continue;
    if (topology.port(port).guid != mad::Guid{}) {
      builder.set_port_guid(end(port), topology.port(port).guid);
    }
    if (peer == fabric::kNoPort || peer < port || pulled[p]) continue;
    if (gone[topology.node_of(peer).value]) continue;
    builder.add_link(end(port), end(peer), topology.port(port).slowness);
  }
  auto built = std::move(builder).build();
  HEDDLE_CHECK(!built.has_error());  // less of what was built before
  Left left{*std::move(built), {}};
  left.lids = fabric::LidMap(left.topology.port_count());
  for (const PortIndex port : left.topology.endports()) {
    const auto node = left.topology.node_of(port);
    const auto was = topology.find_node(left.topology.node(node).guid);
    const auto range = lids.range(topology.port_of(*was, left.topology.number_of(port)));
    if (range.base != mad::kNoLid) left.lids.assign(port, range);
  }
  return left;
}

}  // namespace heddle::plan
