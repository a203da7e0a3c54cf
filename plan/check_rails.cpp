// SPDX-License-Identifier: BSD-3-Clause
// Rails: the adapters of one number, on all hosts of a unit, hang on one switch.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "plan/check.hpp"

namespace heddle::plan {
namespace {

// One port of a host as a person would call it: "gpu07" and "mlx5_3", "mlx5_3/2".
struct Rail {
  std::string host;
  std::string name;
  Inventory::End port;
  std::uint32_t leaf = 0;  // node
};

std::vector<Rail> find_rails(const Inventory& fabric, const Plugs& plugs) {
  std::vector<Rail> rails;
  for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
    const Inventory::Node& node = fabric.nodes[i];
    if (node.type != mad::NodeType::ChannelAdapter) continue;
    const std::size_t blank = node.description.find_first_of(" \t");
    if (blank == node.description.npos) continue;  // nothing tells its adapters apart
    for (unsigned port = 1; port <= node.port_count; ++port) {
      const Inventory::End end{i, static_cast<std::uint8_t>(port)};
      if (plugs.cable(end) == nullptr || !is_switch(fabric.nodes[plugs.peer(end).node])) continue;
      std::string name = node.description.substr(blank + 1);
      if (node.port_count > 1) name += fmt::format("/{}", port);
      rails.push_back(
          {node.description.substr(0, blank), std::move(name), end, plugs.peer(end).node});
    }
  }
  return rails;
}

template <class Key>
std::optional<Key> usual(const std::map<Key, std::size_t>& counts, std::size_t share_of_four) {
  std::size_t all = 0;
  for (const auto& [key, count] : counts) all += count;
  for (const auto& [key, count] : counts) {
    if (count * 4 > all * share_of_four) return key;
  }
  return std::nullopt;
}

void find_missing(const Inventory& fabric, const std::vector<Rail>& rails, Findings& findings) {
  std::map<std::string, std::vector<const Rail*>> hosts;
  std::map<std::string, std::size_t> names;
  for (const Rail& rail : rails) {
    hosts[rail.host].push_back(&rail);
    ++names[rail.name];
  }
  for (const auto& entry : names) {
    const auto& [name, count] = entry;
    if (count * 2 <= hosts.size() || count == hosts.size()) continue;  // not everyone's
    for (const auto& [host, own] : hosts) {
      const bool has = std::any_of(own.begin(), own.end(),
                                   [&](const Rail* rail) { return rail->name == entry.first; });
      if (has) continue;
      const auto& node = fabric.nodes[own.front()->port.node];
      findings.add({Severity::Warning,
                    "rails",
                    "missing-rail",
                    fmt::format("{} has no {}, and {} of {} hosts have one", host, name, count,
                                hosts.size()),
                    {node.name},
                    node.line});
    }
  }
}

}  // namespace

void check_rails(const Inventory& fabric, Findings& findings) {
  const Plugs plugs(fabric);
  const auto rails = find_rails(fabric, plugs);
  std::map<std::string, std::size_t> of_host;
  for (const Rail& rail : rails) ++of_host[rail.host];
  const auto several = std::count_if(of_host.begin(), of_host.end(),
                                     [](const auto& host) { return host.second > 1; });
  if (static_cast<std::size_t>(several) * 2 <= of_host.size()) return;

  std::map<std::uint32_t, std::map<std::string, std::size_t>> on_leaf;
  for (const Rail& rail : rails) ++on_leaf[rail.leaf][rail.name];
  std::size_t kept = 0;
  for (const auto& [leaf, names] : on_leaf) kept += usual(names, 3).has_value();
  if (kept * 2 <= on_leaf.size()) {
    findings.add({Severity::Info,
                  "rails",
                  "no-rails",
                  fmt::format("{} of {} hosts have several adapters, and switches mix them: not "
                              "cabled in rails",
                              several, of_host.size()),
                  {}});
    return;
  }
  findings.add({Severity::Info,
                "rails",
                "rails",
                fmt::format("{} hosts have several adapters, cabled in rails on {} switches",
                            several, on_leaf.size()),
                {}});
  for (const Rail& rail : rails) {
    const auto meant = usual(on_leaf[rail.leaf], 3);
    if (!meant || *meant == rail.name) continue;
    findings.add(
        {Severity::Warning,
         "rails",
         "wrong-rail",
         fmt::format("{} is {} of its host and hangs on {}, the switch of {}",
                     name_of(fabric, rail.port), rail.name, fabric.nodes[rail.leaf].name, *meant),
         {name_of(fabric, rail.port), name_of(fabric, plugs.peer(rail.port))},
         plugs.cable(rail.port)->line});
  }
  find_missing(fabric, rails, findings);
}

}  // namespace heddle::plan
