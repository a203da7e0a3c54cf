// SPDX-License-Identifier: BSD-3-Clause
// Trouble on demand: the world's side of chaos. What a change does to link states follows from
// links.hpp; traps leave at once.
#include <utility>

#include "base/check.hpp"
#include "sim/links.hpp"
#include "sim/world.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {
namespace {

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
  impl_->send_traps();
}

void World::restore(std::uint32_t cable) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].cut = false;
  train(impl_->devices, cable);
  impl_->send_traps();
}

void World::swap_cables(std::uint32_t first, std::uint32_t second) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(first < devices.cables.size() && second < devices.cables.size());
  take_down(devices, first);
  take_down(devices, second);
  std::swap(devices.cables[first].b, devices.cables[second].b);
  for (const CableIndex cable : {first, second}) connect(devices, cable);
  for (const CableIndex cable : {first, second}) train(devices, cable);
  impl_->send_traps();
}

void World::set_loss(std::uint32_t cable, double chance) {
  HEDDLE_CHECK(cable < impl_->devices.cables.size());
  impl_->devices.cables[cable].loss = chance;
}

void World::power_off(std::uint32_t node) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].powered = false;
  train_all_of(impl_->devices, node);
  impl_->send_traps();
}

void World::power_on(std::uint32_t node) {
  Devices& devices = impl_->devices;
  HEDDLE_CHECK(node < devices.nodes.size());
  if (devices.nodes[node].powered) return;
  devices.reset(node);
  devices.nodes[node].powered = true;
  train_all_of(devices, node);
  impl_->send_traps();
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

void World::claim_ports(std::uint32_t node, std::optional<std::uint8_t> ports) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.claims_ports = ports;
}

void World::claim_linear_top(std::uint32_t node, std::optional<std::uint16_t> top) {
  HEDDLE_CHECK(node < impl_->devices.nodes.size());
  impl_->devices.nodes[node].misbehaviour.claims_linear_top = top;
}

}  // namespace heddle::sim
