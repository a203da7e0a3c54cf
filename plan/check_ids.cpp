// SPDX-License-Identifier: BSD-3-Clause
// GUIDs, LIDs, and what there is of them.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "plan/check.hpp"

namespace heddle::plan {
namespace {

using End = Inventory::End;
using Node = Inventory::Node;

void find_duplicate_nodes(const Inventory& fabric, Findings& findings) {
  std::map<std::uint64_t, const Node*> by_guid;
  std::map<std::string, const Node*> by_name;
  for (const Node& node : fabric.nodes) {
    if (node.guid == mad::Guid{}) {
      findings.add({Severity::Error,
                    "guids",
                    "no-guid",
                    fmt::format("{} has no node GUID", node.name),
                    {node.name},
                    node.line});
      continue;
    }
    const auto [known, is_new] = by_guid.emplace(node.guid.value, &node);
    if (!is_new) {
      findings.add({Severity::Error,
                    "guids",
                    "duplicate-guid",
                    fmt::format("{} and {} have the same node GUID {}", known->second->name,
                                node.name, base::hex(node.guid.value)),
                    {known->second->name, node.name},
                    node.line});
    }
    if (!is_switch(node)) continue;  // adapters of one kind are often called the same
    const auto [namesake, is_first] = by_name.emplace(node.description, &node);
    if (is_first) continue;
    findings.add(
        {Severity::Info,
         "guids",
         "duplicate-name",
         fmt::format("{} and {} are both called \"{}\"", base::hex(namesake->second->guid.value),
                     base::hex(node.guid.value), node.description),
         {namesake->second->name, node.name},
         node.line});
  }
}

// Every GUID is that of one port: a switch's own is the node's.
void find_duplicate_ports(const Inventory& fabric, Findings& findings) {
  std::map<std::uint64_t, std::pair<std::uint32_t, unsigned>> by_guid;
  for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
    const Node& node = fabric.nodes[i];
    for (unsigned port = is_switch(node) ? 0 : 1; port < node.ports.size(); ++port) {
      const std::uint64_t guid = node.ports[port].guid.value;
      if (guid == 0) continue;
      const auto [known, is_new] = by_guid.emplace(guid, std::pair(i, port));
      if (!is_new) {
        const std::string first =
            fmt::format("{}:{}", fabric.nodes[known->second.first].name, known->second.second);
        const std::string second = fmt::format("{}:{}", node.name, port);
        findings.add(
            {Severity::Error,
             "guids",
             "duplicate-port-guid",
             fmt::format("{} and {} have the same port GUID {}", first, second, base::hex(guid)),
             {first, second},
             node.line});
      }
      if (is_switch(node)) break;  // its other ports have none
    }
  }
}

// Ports that own LIDs: port 0 of switches, and ports of others with a cable.
std::vector<End> endports(const Inventory& fabric, const Plugs& plugs) {
  std::vector<End> ports;
  for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
    const Node& node = fabric.nodes[i];
    if (is_switch(node)) {
      ports.push_back({i, 0});
      continue;
    }
    for (unsigned port = 1; port <= node.port_count; ++port) {
      const End end{i, static_cast<std::uint8_t>(port)};
      if (plugs.cable(end) != nullptr) ports.push_back(end);
    }
  }
  return ports;
}

class LidCheck {
 public:
  LidCheck(const Inventory& fabric, Findings& findings) : fabric_(fabric), findings_(findings) {}

  void check(End end) {
    const Node& node = fabric_.nodes[end.node];
    const Inventory::Port port = port_of(node, end.port);
    const unsigned count = 1u << port.lmc;
    if (port.lid == mad::kNoLid) {
      add("no-lid", fmt::format("{} has no LID", name_of(fabric_, end)), {end});
      return;
    }
    if (port.lid.value % count != 0) {
      add("unaligned-lid",
          fmt::format("{} has LID {} and LMC {}: the LID should be a multiple of {}",
                      name_of(fabric_, end), port.lid.value, port.lmc, count),
          {end});
    }
    if (port.lid.value + count - 1 > mad::kLastUnicastLid.value) {
      add("bad-lid",
          fmt::format("{} has LIDs up to {}, and the last one is {}", name_of(fabric_, end),
                      port.lid.value + count - 1, mad::kLastUnicastLid.value),
          {end});
    }
    for (unsigned lid = port.lid.value; lid < port.lid.value + count; ++lid) {
      const auto [owner, is_new] = owners_.emplace(lid, end);
      if (is_new || owner->second == end) continue;
      add("duplicate-lid",
          fmt::format("{} and {} both have LID {}", name_of(fabric_, owner->second),
                      name_of(fabric_, end), lid),
          {owner->second, end});
      break;
    }
  }

 private:
  void add(std::string code, std::string text, const std::vector<End>& where) {
    Finding finding{Severity::Error, "lids", std::move(code), std::move(text), {}};
    for (const End end : where) finding.where.push_back(name_of(fabric_, end));
    finding.line = fabric_.nodes[where.back().node].line;
    findings_.add(std::move(finding));
  }

  const Inventory& fabric_;
  Findings& findings_;
  std::map<unsigned, End> owners_;
};

// What all of these can do together is what the least of them can.
template <class Value>
unsigned least(const Inventory& fabric, bool of_switches, Value value) {
  unsigned least = 0;
  for (const Node& node : fabric.nodes) {
    const unsigned own = value(node);
    if (of_switches != is_switch(node) || own == 0) continue;
    least = least == 0 ? own : std::min(least, own);
  }
  return least;
}

void budget_lids(const Inventory& fabric, std::uint8_t lmc, Findings& findings) {
  const Plugs plugs(fabric);
  std::size_t wanted = 0;
  for (const End end : endports(fabric, plugs)) {
    wanted += is_switch(fabric.nodes[end.node]) ? 1u : 1u << lmc;
  }
  const unsigned tables =
      least(fabric, true, [](const Node& node) { return unsigned{node.linear_fdb_cap}; });
  const unsigned usable =
      std::min<unsigned>(mad::kLastUnicastLid.value, tables == 0 ? 0xFFFF : tables - 1);
  const bool fits = wanted <= usable;
  findings.add(
      {fits ? Severity::Info : Severity::Error,
       "budgets",
       fits ? "lids" : "too-many-lids",
       fmt::format("{} LIDs are needed with LMC {}, and there are {}{}", wanted, lmc, usable,
                   usable < mad::kLastUnicastLid.value
                       ? ": no more fit in the smallest forwarding table"
                       : ""),
       {}});
}

}  // namespace

void check_guids(const Inventory& fabric, Findings& findings) {
  find_duplicate_nodes(fabric, findings);
  find_duplicate_ports(fabric, findings);
}

void check_lids(const Inventory& fabric, Findings& findings) {
  const Plugs plugs(fabric);
  const auto ports = endports(fabric, plugs);
  const bool is_up = std::any_of(ports.begin(), ports.end(), [&](End end) {
    return port_of(fabric.nodes[end.node], end.port).lid != mad::kNoLid;
  });
  if (!is_up) {
    findings.add({Severity::Info,
                  "lids",
                  "none",
                  "no port holds a LID yet: a subnet manager will give them out",
                  {}});
    return;
  }
  LidCheck check(fabric, findings);
  for (const End end : ports) check.check(end);
}

void check_budgets(const Inventory& fabric, std::uint8_t lmc, Findings& findings) {
  budget_lids(fabric, lmc, findings);
  const auto tell = [&](std::string code, std::string text) {
    findings.add({Severity::Info, "budgets", std::move(code), std::move(text), {}});
  };
  if (const unsigned groups =
          least(fabric, true, [](const Node& node) { return unsigned{node.multicast_fdb_cap}; })) {
    tell("mlids", fmt::format("{} multicast LIDs fit in every switch", groups));
  }
  const unsigned vls = least(fabric, true, [](const Node& node) { return node.data_vls; });
  if (vls == 1) {
    findings.add({Severity::Warning,
                  "budgets",
                  "few-vls",
                  "a switch has one data VL: no engine that needs several can be used",
                  {}});
  } else if (vls != 0) {
    tell("vls", fmt::format("{} data VLs are on every switch", vls));
  }
  const unsigned keys =
      least(fabric, false, [](const Node& node) { return unsigned{node.p_key_cap}; });
  if (keys != 0) tell("p-keys", fmt::format("{} P_Keys fit in every host port", keys));
}

}  // namespace heddle::plan
