// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports as their manager reads and writes them (mad/virtualization.hpp).
#include <algorithm>

#include <fmt/format.h>

#include "mad/virtualization.hpp"
#include "sim/agent.hpp"
#include "sim/p_keys.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint8_t kVPortGuidCap = 1;

bool asks_to_set(const mad::Smp& smp) {
  return smp.method == mad::Method::Set;
}

VirtualPorts* of(const AgentContext& context) {
  return context.devices.ports[context.port].virtual_ports.get();
}

bool exists(const VirtualPorts& all, std::uint32_t index) {
  return index <= all.ports.size();
}

// To where the manager may lead a VPort: as far as its port is, a step at a time, or back to Init.
bool may_become(const Devices& devices, PortIndex port, mad::PortState now, mad::PortState wanted) {
  const mad::PortState link = devices.lines[port].state;
  switch (wanted) {
    case mad::PortState::NoChange:
      return true;
    case mad::PortState::Down:
      return now != mad::PortState::Down;
    case mad::PortState::Armed:
      return (now == mad::PortState::Init || now == mad::PortState::Armed) &&
             (link == mad::PortState::Armed || link == mad::PortState::Active);
    case mad::PortState::Active:
      return (now == mad::PortState::Armed || now == mad::PortState::Active) &&
             link == mad::PortState::Active;
    default:
      return false;
  }
}

mad::Status set_vport_info(const AgentContext& context, VirtualPort& vport,
                           const mad::VPortInfo& wanted) {
  const bool own = vport.lid_required;
  if (!may_become(context.devices, context.port, vport.state, wanted.vport_state)) {
    return mad::kStatusBadField;
  }
  if (own ? !mad::is_unicast(wanted.vport_lid) : wanted.lid_by_vport_index != 0) {
    return mad::kStatusBadField;
  }
  if (own) vport.lid = wanted.vport_lid;
  vport.p_key_violations = wanted.p_key_violations;
  vport.q_key_violations = wanted.q_key_violations;
  if (wanted.client_reregister) ++vport.reregistrations;
  if (wanted.vport_state == mad::PortState::Down) {
    vport.state = mad::PortState::Init;
  } else if (wanted.vport_state != mad::PortState::NoChange) {
    vport.state = wanted.vport_state;
  }
  return mad::kStatusOk;
}

// Index 0 shows what the port's own attributes hold, and is set by them alone.
mad::VPortInfo shown(const AgentContext& context, const VirtualPorts& all, std::uint16_t index) {
  mad::VPortInfo info;
  info.vport_state = virtual_state(context.devices, context.port, index);
  info.guid_cap = kVPortGuidCap;
  info.vport_guid = virtual_guid(context.devices, context.port, index);
  const mad::PortInfo& port = context.devices.ports[context.port].info;
  info.vport_lid = port.lid;
  if (index == 0) return info;
  const VirtualPort& vport = all.ports[index - 1u];
  info.lid_required = vport.lid_required;
  if (vport.lid_required) {
    info.vport_lid = vport.lid;
    info.lid_by_vport_index = index;
  }
  info.p_key_violations = vport.p_key_violations;
  info.q_key_violations = vport.q_key_violations;
  return info;
}

}  // namespace

mad::Status on_virtualization_info(const AgentContext& context, mad::Smp& smp) {
  VirtualPorts* const all = of(context);
  if (all == nullptr) return mad::kStatusBadMethodAttribute;
  if (asks_to_set(smp)) {
    const auto wanted = mad::decode<mad::VirtualizationInfo>(smp.data);
    const bool changed = all->enabled != wanted.virtualization_enable;
    all->enabled = wanted.virtualization_enable;
    if (changed) virtual_ports_follow(context.devices, context.port);
    // What the manager itself caused it need not be told.
    if (wanted.vport_state_change || changed) all->state_change = false;
    if (wanted.vclient_reregister) {
      for (VirtualPort& vport : all->ports) ++vport.reregistrations;
    }
  }
  mad::VirtualizationInfo info;
  info.vport_cap = all->cap;
  info.vport_index_top = static_cast<std::uint16_t>(all->ports.size());
  info.virtualization_enable = all->enabled;
  info.vport_state_change = all->state_change;
  smp.data = {};
  mad::encode(info, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_vport_info(const AgentContext& context, mad::Smp& smp) {
  VirtualPorts* const all = of(context);
  if (all == nullptr) return mad::kStatusBadMethodAttribute;
  if (!exists(*all, smp.attribute_modifier)) return mad::kStatusBadField;
  const auto index = static_cast<std::uint16_t>(smp.attribute_modifier);
  mad::Status status = mad::kStatusOk;
  if (asks_to_set(smp)) {
    status = index == 0 || !all->enabled ? mad::kStatusBadField
                                         : set_vport_info(context, all->ports[index - 1u],
                                                          mad::decode<mad::VPortInfo>(smp.data));
  }
  smp.data = {};
  mad::encode(shown(context, *all, index), std::span(smp.data));
  return status;
}

mad::Status on_vnode_info(const AgentContext& context, mad::Smp& smp) {
  const VirtualPorts* const all = of(context);
  if (all == nullptr || asks_to_set(smp)) return mad::kStatusBadMethodAttribute;
  if (!exists(*all, smp.attribute_modifier)) return mad::kStatusBadField;
  const auto index = static_cast<std::uint16_t>(smp.attribute_modifier);
  const mad::NodeInfo& node = context.devices.nodes[context.node()].info;
  mad::VNodeInfo info;
  info.partition_cap = static_cast<std::uint16_t>(p_key_capacity(context.devices, context.port));
  info.local_port_num = mad::PortNumber{1};
  info.num_ports = 1;
  info.vnode_guid =
      index == 0 ? node.node_guid : virtual_guid(context.devices, context.port, index);
  smp.data = {};
  mad::encode(info, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_vport_state(const AgentContext& context, mad::Smp& smp) {
  const VirtualPorts* const all = of(context);
  if (all == nullptr || asks_to_set(smp)) return mad::kStatusBadMethodAttribute;
  const std::uint64_t first = std::uint64_t{smp.attribute_modifier} * mad::kVPortsPerStateBlock;
  if (first > all->ports.size()) return mad::kStatusBadField;
  mad::VPortState states;
  for (std::size_t i = 0; i < mad::kVPortsPerStateBlock && first + i <= all->ports.size(); ++i) {
    states.vport_states[i] =
        virtual_state(context.devices, context.port, static_cast<std::uint16_t>(first + i));
  }
  mad::encode(states, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_vnode_description(const AgentContext& context, mad::Smp& smp) {
  const VirtualPorts* const all = of(context);
  if (all == nullptr || asks_to_set(smp)) return mad::kStatusBadMethodAttribute;
  if (!exists(*all, smp.attribute_modifier)) return mad::kStatusBadField;
  const std::string& node = context.devices.plan.nodes[context.node()].description;
  const std::string text =
      smp.attribute_modifier == 0 ? node : fmt::format("{} vf-{}", node, smp.attribute_modifier);
  mad::VNodeDescription description;
  text.copy(description.node_string.data(), description.node_string.size());
  mad::encode(description, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_vport_guid_info(const AgentContext& context, mad::Smp& smp) {
  const VirtualPorts* const all = of(context);
  if (all == nullptr) return mad::kStatusBadMethodAttribute;
  const std::uint16_t index = mad::vport_of(smp.attribute_modifier);
  // The one entry there is cannot be set.
  if (!exists(*all, index) || mad::vport_block_of(smp.attribute_modifier) != 0) {
    return mad::kStatusBadField;
  }
  mad::VPortGUIDInfo guids;
  guids.guids[0] = virtual_guid(context.devices, context.port, index);
  mad::encode(guids, std::span(smp.data));
  return mad::kStatusOk;
}

mad::Status on_vport_p_key_table(const AgentContext& context, mad::Smp& smp) {
  VirtualPorts* const all = of(context);
  if (all == nullptr) return mad::kStatusBadMethodAttribute;
  const std::uint16_t index = mad::vport_of(smp.attribute_modifier);
  const std::uint16_t block = mad::vport_block_of(smp.attribute_modifier);
  if (index == 0) {
    smp.attribute_modifier = block;
    const mad::Status status = on_p_key_table(context, smp);
    smp.attribute_modifier = mad::vport_block_modifier(index, block);
    return status;
  }
  const std::size_t first = std::size_t{block} * mad::kVPortPKeysPerBlock;
  const std::size_t capacity = p_key_capacity(context.devices, context.port);
  if (!exists(*all, index) || first >= capacity) return mad::kStatusBadField;
  constexpr std::size_t kPKeyBytes = 2;
  auto& held = all->ports[index - 1u].p_keys;
  if (asks_to_set(smp)) {
    const std::size_t length = std::min((capacity - first) * kPKeyBytes, smp.data.size());
    std::fill(smp.data.begin() + static_cast<std::ptrdiff_t>(length), smp.data.end(), std::byte{0});
    held[block] = smp.data;
  }
  const auto found = held.find(block);
  smp.data = found == held.end() ? mad::SmpData{} : found->second;
  const bool untouched = found == held.end() && block == 0;
  if (untouched) smp.data[0] = smp.data[1] = std::byte{0xFF};
  return mad::kStatusOk;
}

}  // namespace heddle::sim
