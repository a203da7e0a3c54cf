// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/host_plan.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::doors {
namespace {

struct Place {
  std::uint32_t node = 0;
  std::optional<std::uint8_t> port;
};

// A node's own name may hold colons, so the whole word is tried first.
std::optional<Place> find_place(const sim::World& world, const std::string& word) {
  if (const auto node = world.find_node(word)) return Place{*node, std::nullopt};
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = base::parse_number(std::string_view(word).substr(colon + 1), 254);
  const auto node = world.find_node(std::string_view(word).substr(0, colon));
  if (!port || !node) return std::nullopt;
  return Place{*node, static_cast<std::uint8_t>(*port)};
}

std::vector<HostPort> ports_of(const sim::Devices& devices, const Place& place) {
  if (devices.is_switch(place.node)) {
    if (place.port.value_or(0) != 0) return {};
    return {{devices.port_at(place.node, 0), 0}};
  }
  std::vector<HostPort> ports;
  for (unsigned number = 1; number <= devices.nodes[place.node].port_count; ++number) {
    const auto port = static_cast<std::uint8_t>(number);
    if (place.port && *place.port != port) continue;
    ports.push_back({devices.port_at(place.node, port), port});
  }
  return ports;
}

}  // namespace

std::vector<HostPort> HostPlan::ports() const {
  std::vector<HostPort> all;
  for (const HostDevice& device : devices) {
    all.insert(all.end(), device.ports.begin(), device.ports.end());
  }
  return all;
}

base::Result<HostPlan> plan_host(const sim::World& world, std::span<const std::string> at) {
  std::vector<Place> places;
  for (const std::string& word : at) {
    const auto place = find_place(world, word);
    if (!place || ports_of(world.devices(), *place).empty()) {
      return base::error(
          fmt::format("the fabric has no node or port '{}'; --at takes the name of "
                      "a node, with a colon and a number for one of its ports",
                      base::printable(word)));
    }
    places.push_back(*place);
  }
  if (places.empty()) {
    const auto first = world.default_endpoint();
    if (!first) return base::error("the fabric has no host with a cable; say where with --at");
    places.push_back({world.devices().lines[*first].node, std::nullopt});
  }
  HostPlan plan;
  for (const Place& place : places) {
    const bool twice = std::any_of(plan.devices.begin(), plan.devices.end(),
                                   [&](const HostDevice& d) { return d.node == place.node; });
    if (twice) return base::error("--at names the same node twice");
    plan.devices.push_back({fmt::format("mlx5_{}", plan.devices.size()), place.node,
                            ports_of(world.devices(), place)});
  }
  if (plan.ports().size() > kMaxHostPorts) {
    return base::error(fmt::format("a host has at most {} ports", kMaxHostPorts));
  }
  return plan;
}

}  // namespace heddle::doors
