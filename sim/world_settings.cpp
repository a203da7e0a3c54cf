// SPDX-License-Identifier: BSD-3-Clause
// Values that somebody outside gives to devices: what an operator's console, firmware tools and the
// hypervisor do on real ones.
#include <string>

#include <fmt/format.h>

#include "sim/congestion_log.hpp"
#include "sim/notices.hpp"
#include "sim/virtual_ports.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint8_t kMostLmc = 7;

base::Result<PortIndex> port_named(const Devices& devices, std::uint32_t node, std::uint8_t port) {
  if (node >= devices.nodes.size()) return base::error(fmt::format("no node {}", node));
  if (port > devices.nodes[node].port_count) {
    return base::error(fmt::format("{} has no port {}", devices.plan.nodes[node].name, port));
  }
  return devices.port_at(node, port);
}

base::Result<Counter> counter_named(std::string_view name) {
  const auto which = find_counter(name);
  if (!which) return base::error(fmt::format("no counter is named \"{}\"", name));
  if (is_computed(*which)) return base::error(fmt::format("{} follows from other counters", name));
  return *which;
}

}  // namespace

base::Result<> World::inject(std::uint32_t node, std::uint8_t port, std::string_view counter,
                             std::uint64_t amount) {
  Devices& devices = impl_->devices;
  const auto at = port_named(devices, node, port);
  if (!at) return at.error();
  const auto which = counter_named(counter);
  if (!which) return which.error();
  count(devices, *at, *which, amount);
  raise_threshold_notice(devices, *at, *which);
  impl_->follow_up();
  return {};
}

base::Result<> World::set_counter(std::uint32_t node, std::uint8_t port, std::string_view counter,
                                  std::uint64_t value) {
  Devices& devices = impl_->devices;
  const auto at = port_named(devices, node, port);
  if (!at) return at.error();
  const auto which = counter_named(counter);
  if (!which) return which.error();
  for (const Register each : {Register::Narrow, Register::Wide}) {
    write_into(devices, *at, *which, each, value);
  }
  return {};
}

base::Result<> World::mark(std::uint32_t node, std::uint8_t port, const Flow& flow,
                           std::uint64_t packets) {
  const auto at = port_named(impl_->devices, node, port);
  if (!at) return at.error();
  return mark_packets(impl_->devices, *at, flow, packets, impl_->now);
}

base::Result<> World::set_port_guid(std::uint32_t node, std::uint8_t port, mad::Guid guid) {
  Devices& devices = impl_->devices;
  const auto at = port_named(devices, node, port);
  if (!at) return at.error();
  PlannedNode& planned = devices.plan.nodes[node];
  // A switch has one GUID for all its ports, and an adapter none for port 0.
  if (devices.is_switch(node) != (port == 0)) {
    return base::error("GUIDs are those of port 0 of a switch and of the other ports of others");
  }
  if (planned.ports.size() <= port) planned.ports.resize(std::size_t{port} + 1);
  planned.ports[port].guid = guid;
  raise_local_changes(devices, *at, {});
  impl_->follow_up();
  return {};
}

base::Result<> World::set_base_lid(std::uint32_t node, std::uint8_t port, mad::Lid lid,
                                   std::uint8_t lmc) {
  Devices& devices = impl_->devices;
  const auto at = port_named(devices, node, port);
  if (!at) return at.error();
  const bool usable = lid == mad::kNoLid || mad::is_unicast(lid);
  if (!usable || lmc > kMostLmc || (lid.value & ((1u << lmc) - 1)) != 0) {
    return base::error(fmt::format("LID {} with LMC {} cannot be", lid.value, lmc));
  }
  const PortIndex own = devices.management_port(*at);
  devices.ports[own].info.lid = lid;
  devices.ports[own].info.lmc = lmc;
  return {};
}

base::Result<> World::set_virtual_ports(std::uint32_t node, std::uint8_t port, std::uint16_t count,
                                        bool own_lids) {
  Devices& devices = impl_->devices;
  const auto at = port_named(devices, node, port);
  if (!at) return at.error();
  const bool adapter = devices.nodes[node].type == mad::NodeType::ChannelAdapter && port != 0;
  if (!adapter || !sim::set_virtual_ports(devices, *at, count, own_lids)) {
    const std::string& name = devices.plan.nodes[node].name;
    if (!adapter) return base::error(fmt::format("{} is no adapter with a port {}", name, port));
    const unsigned most = devices.ports[*at].virtual_ports->cap - 1u;
    return base::error(fmt::format("{} can have {} virtual ports at a port", name, most));
  }
  impl_->follow_up();
  return {};
}

}  // namespace heddle::sim
