// SPDX-License-Identifier: BSD-3-Clause
// Trouble on demand: the world's side of chaos. What a change does to link states follows from
// links.hpp; traps leave at once.
#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "sim/links.hpp"
#include "sim/notices.hpp"
#include "sim/world.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {
namespace {

// As fast as a storm may be: a storm without pauses would end the world's time.
constexpr base::Duration kLeastStormInterval = std::chrono::microseconds(10);

void train_all_of(Devices& devices, NodeIndex node) {
  const Device& device = devices.nodes[node];
  for (PortIndex port = device.first_port; port <= device.first_port + device.port_count; ++port) {
    if (devices.lines[port].cable != kNone) train(devices, devices.lines[port].cable);
  }
}

void connect(Devices& devices, CableIndex index) {
  const Cable& cable = devices.cables[index];
  devices.lines[cable.a].peer = cable.b;
  devices.lines[cable.b].peer = cable.a;
  devices.lines[cable.a].cable = devices.lines[cable.b].cable = index;
}

// All cables of these nodes, which are in no port of theirs any more.
std::set<CableIndex> pull_out(Devices& devices, std::initializer_list<NodeIndex> nodes) {
  std::set<CableIndex> pulled;
  for (const NodeIndex node : nodes) {
    for (unsigned number = 1; number <= devices.nodes[node].port_count; ++number) {
      Line& line = devices.lines[devices.port_at(node, static_cast<std::uint8_t>(number))];
      if (line.cable == kNone) continue;
      if (pulled.insert(line.cable).second) take_down(devices, line.cable);
      line.cable = line.peer = kNone;
    }
  }
  return pulled;
}

void note_trouble(Cable& cable) {
  cable.troubled = cable.reorder > 0 || cable.duplicate > 0 || cable.delay > base::Duration::zero();
}

}  // namespace

std::optional<std::uint32_t> World::find_node(std::string_view name) const {
  const auto& nodes = impl_->devices.plan.nodes;
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (nodes[node].name == name) return node;
  }
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    if (nodes[node].description == name) return node;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> World::find_cable(std::uint32_t node, std::uint8_t port) const {
  const Devices& devices = impl_->devices;
  if (node >= devices.nodes.size() || port > devices.nodes[node].port_count) return std::nullopt;
  const CableIndex cable = devices.lines[devices.port_at(node, port)].cable;
  return cable == kNone ? std::nullopt : std::optional(cable);
}

void World::cut(std::uint32_t cable) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].cut = true;
  train(impl_->devices, cable);
  impl_->follow_up();
}

void World::restore(std::uint32_t cable) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].cut = false;
  train(impl_->devices, cable);
  impl_->follow_up();
}

void World::swap_cables(std::uint32_t first, std::uint32_t second) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(first < devices.cables.size() && second < devices.cables.size());
  take_down(devices, first);
  take_down(devices, second);
  std::swap(devices.cables[first].b, devices.cables[second].b);
  for (const CableIndex cable : {first, second}) connect(devices, cable);
  for (const CableIndex cable : {first, second}) train(devices, cable);
  impl_->follow_up();
}

void World::exchange(std::uint32_t first, std::uint32_t second) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(first < devices.nodes.size() && second < devices.nodes.size());
  HEDDLE_CHECK(devices.nodes[first].port_count == devices.nodes[second].port_count);
  const std::set<CableIndex> moved = pull_out(devices, {first, second});
  const auto moves_to = [&](PortIndex port) {
    const auto [node, number] = std::pair(devices.lines[port].node, devices.lines[port].number);
    if (node == first) return devices.port_at(second, number);
    return node == second ? devices.port_at(first, number) : port;
  };
  for (const CableIndex index : moved) {
    Cable& cable = devices.cables[index];
    cable.a = moves_to(cable.a);
    cable.b = moves_to(cable.b);
    connect(devices, index);
  }
  for (const CableIndex cable : moved) train(devices, cable);
  impl_->follow_up();
}

void World::degrade(std::uint32_t cable, Width width, Speed speed) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(cable < devices.cables.size());
  devices.cables[cable].width = width;
  devices.cables[cable].speed = speed;
  take_down(devices, cable);
  train(devices, cable);
  impl_->follow_up();
}

void World::flap(std::uint32_t cable, base::Duration down, base::Duration up, unsigned times) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->flap(cable, down, up, times);
  impl_->follow_up();
}

void World::Impl::flap(CableIndex cable, base::Duration down, base::Duration up, unsigned times) {
  if (times == 0) return;
  devices.cables[cable].cut = true;
  train(devices, cable);
  agenda.add(now + down, [=, this] {
    devices.cables[cable].cut = false;
    train(devices, cable);
    agenda.add(now + up, [=, this] { flap(cable, down, up, times - 1); });
  });
}

void World::set_loss(std::uint32_t cable, double chance) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].loss = chance;
}

void World::set_delay(std::uint32_t cable, base::Duration delay) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].delay = std::max(delay, base::Duration::zero());
  note_trouble(impl_->devices.cables[cable]);
}

void World::set_reorder(std::uint32_t cable, double chance) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].reorder = chance;
  note_trouble(impl_->devices.cables[cable]);
}

void World::set_duplicate(std::uint32_t cable, double chance) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].duplicate = chance;
  note_trouble(impl_->devices.cables[cable]);
}

void World::power_off(std::uint32_t node) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].powered = false;
  train_all_of(impl_->devices, node);
  impl_->follow_up();
}

void World::power_on(std::uint32_t node) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->power_on(node);
  impl_->follow_up();
}

void World::Impl::power_on(NodeIndex node) {
  if (devices.nodes[node].powered) return;
  devices.reset(node);
  devices.nodes[node].powered = true;
  train_all_of(devices, node);
}

void World::reboot(std::uint32_t node, base::Duration outage) {
  power_off(node);
  Impl* const impl = impl_.get();
  impl->agenda.add(impl->now + outage, [impl, node] { impl->power_on(node); });
}

void World::silence(std::uint32_t node, bool silent) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.silent = silent;
}

void World::make_busy(std::uint32_t node, bool busy) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.busy = busy;
}

void World::set_damage(std::uint32_t node, double chance) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.damage = chance;
}

void World::set_agent_delay(std::uint32_t node, base::Duration delay) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  Device& device = impl_->devices.nodes[node];
  device.answers_after = device.queue_ends;
  device.misbehaviour.delay = std::max(delay, base::Duration::zero());
}

void World::storm(std::uint32_t node, base::Duration interval, unsigned count) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->storm(node, std::max(interval, kLeastStormInterval), count);
}

void World::Impl::storm(NodeIndex node, base::Duration interval, unsigned count) {
  if (count == 0) return;
  const PortIndex port = devices.first_endpoint(node);
  if (devices.is_switch(node)) {
    devices.changed_switches.push_back(node);
  } else {
    devices.notices.emplace_back(port, local_changes_notice(devices, port, {}));
  }
  follow_up();
  if (count == 1) return;
  agenda.add(now + interval, [=, this] { storm(node, interval, count - 1); });
}

void World::set_description(std::uint32_t node, std::string description) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(node < devices.nodes.size());
  devices.plan.nodes[node].description = std::move(description);
  LocalChange change;
  change.node_description = true;
  raise_local_changes(devices, devices.first_endpoint(node), change);
  impl_->follow_up();
}

void World::set_system_image_guid(std::uint32_t node, mad::Guid guid) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].info.system_image_guid = guid;
  raise_system_image_guid_changed(impl_->devices, node);
  impl_->follow_up();
}

base::Result<std::uint32_t> World::add_node(PlannedNode node) {
  if (find_node(node.name)) {
    return base::error(fmt::format("there is a node \"{}\" already", node.name));
  }
  return impl_->devices.add_node(std::move(node));
}

base::Result<std::uint32_t> World::add_cable(const PlannedCable& cable) {
  Devices& devices = impl_->devices;
  for (const PlannedEnd& end : {cable.a, cable.b}) {
    if (end.node >= devices.nodes.size()) return base::error(fmt::format("no node {}", end.node));
    const std::string& name = devices.plan.nodes[end.node].name;
    if (end.port == 0 || end.port > devices.nodes[end.node].port_count) {
      return base::error(fmt::format("{} has no port {} for a cable", name, end.port));
    }
    if (devices.lines[devices.port_at(end.node, end.port)].peer != kNone) {
      return base::error(fmt::format("{} port {} has a cable already", name, end.port));
    }
  }
  if (cable.a == cable.b) return base::error("a cable needs two ports");
  const CableIndex index = devices.add_cable(cable);
  train(devices, index);
  impl_->follow_up();
  return index;
}

void World::claim_ports(std::uint32_t node, std::optional<std::uint8_t> ports) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.claims_ports = ports;
}

void World::claim_linear_top(std::uint32_t node, std::optional<std::uint16_t> top) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.claims_linear_top = top;
}

}  // namespace heddle::sim
