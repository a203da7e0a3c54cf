// SPDX-License-Identifier: BSD-3-Clause
#include "sim/devices.hpp"

#include "base/check.hpp"
#include "mad/capability.hpp"
#include "sim/link_kind.hpp"
#include "sim/links.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint16_t kHostPartitionCap = 128;
constexpr std::uint16_t kSwitchPartitionCap = 32;
constexpr std::uint8_t kArbitrationEntries = 16;
constexpr std::uint8_t kHostGuidCap = 32;
constexpr std::uint8_t kPolling = 2;
constexpr std::uint8_t kResponseTime = 16;  // 4.096 us * 2^16: 268 ms

constexpr std::uint32_t kHostCapabilities =
    mad::kIsTrapSupported | mad::kIsAutomaticMigrationSupported | mad::kIsSLMappingSupported |
    mad::kIsSystemImageGUIDsupported | mad::kIsExtendedSpeedsSupported |
    mad::kIsCapabilityMask2Supported | mad::kIsCommunicationManagementSupported |
    mad::kIsClientReregistrationSupported | mad::kIsCapabilityMaskNoticeSupported |
    mad::kIsOtherLocalChangesNoticeSupported;
constexpr std::uint32_t kSwitchCapabilities =
    mad::kIsTrapSupported | mad::kIsSLMappingSupported | mad::kIsSystemImageGUIDsupported |
    mad::kIsExtendedSpeedsSupported | mad::kIsCapabilityMask2Supported |
    mad::kIsMulticastFDBTopSupported;
constexpr std::uint16_t kCapabilities2 =
    mad::kIsPortInfoExtendedSupported | mad::kIsLinkWidth2xSupported |
    mad::kIsLinkSpeedHDRSupported | mad::kIsLinkSpeedNDRSupported |
    mad::kIsExtendedSpeeds2Supported;

std::uint16_t partition_cap(const PlannedNode& planned) {
  if (planned.p_key_cap != 0) return planned.p_key_cap;
  return planned.type == mad::NodeType::Switch ? kSwitchPartitionCap : kHostPartitionCap;
}

mad::NodeInfo node_info(const PlannedNode& planned) {
  mad::NodeInfo info;
  info.base_version = mad::kBaseVersion;
  info.class_version = mad::kSmClassVersion;
  info.node_type = planned.type;
  info.num_ports = planned.port_count;
  info.system_image_guid = planned.system_image_guid;
  info.node_guid = planned.guid;
  info.partition_cap = partition_cap(planned);
  info.device_id = planned.device_id;
  info.vendor_id = planned.vendor_id;
  return info;
}

void support(PortRegisters& registers, Width width, Speed speed) {
  const SpeedBits speeds = speeds_up_to(speed);
  mad::PortInfo& info = registers.info;
  info.link_width_supported = widths_supported(width, speed);
  info.link_speed_supported = speeds.speed;
  info.link_speed_ext_supported = speeds.extended;
  info.link_speed_ext2_supported = speeds.extended2;
  registers.vendor.link_speed_supported = speeds.vendor;
}

// All that is supported, as after power-on.
void enable_all(PortRegisters& registers) {
  mad::PortInfo& info = registers.info;
  info.link_width_enabled = info.link_width_supported;
  info.link_speed_enabled = info.link_speed_supported;
  info.link_speed_ext_enabled = info.link_speed_ext_supported;
  info.link_speed_ext2_enabled = info.link_speed_ext2_supported;
  registers.vendor.link_speed_enabled = registers.vendor.link_speed_supported;
}

// What every port of any kind has.
PortRegisters common_registers(const PlannedNode& planned) {
  PortRegisters registers;
  mad::PortInfo& info = registers.info;
  info.vl_cap = planned.vl_cap;
  info.operational_vls = planned.vl_cap;
  info.mtu_cap = planned.mtu_cap;
  info.neighbor_mtu = planned.mtu_cap;
  info.vl_arbitration_high_cap = kArbitrationEntries;
  info.vl_arbitration_low_cap = kArbitrationEntries;
  info.link_down_default_state = kPolling;
  info.port_physical_state = mad::PortPhysicalState::Polling;
  info.resp_time_value = kResponseTime;
  info.link_width_active = width_bit(Width::X4);
  return registers;
}

// What the plan says of the port, of its cable, or of no cable.
void support_planned(const Devices& devices, PortIndex port, PortRegisters& registers) {
  const Line& line = devices.lines[port];
  const auto& planned = devices.plan.nodes[line.node].ports;
  Width width = Width::X4;
  Speed speed = Speed::HDR;
  if (line.cable != kNone) {
    width = devices.plan.cables[line.cable].width;
    speed = devices.plan.cables[line.cable].speed;
  }
  if (line.number < planned.size()) {
    width = planned[line.number].width.value_or(width);
    speed = planned[line.number].speed.value_or(speed);
  }
  support(registers, width, speed);
  // A narrow cable is a bad one between ports that could do more; a narrow port is what it is.
  const bool is_narrow = line.number < planned.size() && planned[line.number].width &&
                         (width == Width::X1 || width == Width::X2);
  if (is_narrow) {
    registers.info.link_width_supported =
        static_cast<std::uint8_t>(width_bit(Width::X1) | width_bit(width));
  }
  enable_all(registers);
}

// An end-point that an SM manages: a CA or router port, or port 0 of a switch.
void make_endpoint(mad::PortInfo& info, const PlannedNode& planned) {
  const bool is_switch = planned.type == mad::NodeType::Switch;
  info.gid_prefix = mad::kDefaultGidPrefix;
  info.capability_mask = is_switch ? kSwitchCapabilities : kHostCapabilities;
  info.capability_mask2 = kCapabilities2;
  if (is_switch) info.capability_mask2 |= mad::kIsSwitchPortStateTableSupported;
  info.guid_cap = is_switch ? std::uint8_t{1} : kHostGuidCap;
  if (planned.guid_cap != 0) info.guid_cap = planned.guid_cap;
}

mad::SwitchInfo switch_info(const PlannedNode& planned) {
  mad::SwitchInfo info;
  info.linear_fdb_cap = planned.linear_fdb_cap;
  info.multicast_fdb_cap = planned.multicast_fdb_cap;
  info.partition_enforcement_cap = partition_cap(planned);
  info.optimized_sl_to_vl = planned.optimized_sl_to_vl ? 1 : 0;
  info.inbound_enforcement_cap = true;
  info.outbound_enforcement_cap = true;
  info.enhanced_port0 = planned.enhanced_port0;
  info.life_time_value = 0;
  return info;
}

void plug(Devices& devices, const PlannedCable& planned) {
  const auto index = static_cast<CableIndex>(devices.cables.size());
  const PortIndex a = devices.port_at(planned.a.node, planned.a.port);
  const PortIndex b = devices.port_at(planned.b.node, planned.b.port);
  HEDDLE_CHECK(planned.a.port <= devices.nodes[planned.a.node].port_count);
  HEDDLE_CHECK(planned.b.port <= devices.nodes[planned.b.node].port_count);
  HEDDLE_CHECK(a != b && devices.lines[a].peer == kNone && devices.lines[b].peer == kNone);
  Cable cable;
  cable.a = a;
  cable.b = b;
  cable.width = planned.width;
  cable.speed = planned.speed;
  devices.cables.push_back(cable);
  for (const auto& [here, there] : {std::pair{a, b}, std::pair{b, a}}) {
    devices.lines[here].peer = there;
    devices.lines[here].cable = index;
    support_planned(devices, here, devices.ports[here]);
  }
}

}  // namespace

Devices::Devices(Blueprint blueprint) {
  plan.title = std::move(blueprint.title);
  plan.warnings = std::move(blueprint.warnings);
  for (PlannedNode& planned : blueprint.nodes) add_node(std::move(planned));
  for (const PlannedCable& cable : blueprint.cables) add_cable(cable);
  for (CableIndex cable = 0; cable < cables.size(); ++cable) train(*this, cable);
  // Coming up for the first time is no change that anybody waits to hear of.
  changed_switches.clear();
}

NodeIndex Devices::add_node(PlannedNode planned) {
  Device device;
  device.type = planned.type;
  device.port_count = planned.port_count;
  device.first_port = static_cast<PortIndex>(lines.size());
  device.info = node_info(planned);
  if (planned.type == mad::NodeType::Switch) {
    device.switch_index = static_cast<std::uint32_t>(switches.size());
    switches.emplace_back();
  }
  const auto node = static_cast<NodeIndex>(nodes.size());
  nodes.push_back(device);
  for (unsigned number = 0; number <= planned.port_count; ++number) {
    lines.push_back({kNone, kNone, node, static_cast<std::uint8_t>(number), {}});
    lines.back().state = mad::PortState::Down;
  }
  ports.resize(lines.size());
  traffic.resize(lines.size());
  plan.nodes.push_back(std::move(planned));
  reset(node);
  const auto& planned_ports = plan.nodes[node].ports;
  for (std::size_t number = 0; number < planned_ports.size(); ++number) {
    mad::PortInfo& info = ports[device.first_port + number].info;
    info.lid = planned_ports[number].lid;
    info.lmc = planned_ports[number].lmc;
  }
  return node;
}

CableIndex Devices::add_cable(const PlannedCable& planned) {
  plan.cables.push_back(planned);
  plug(*this, planned);
  return static_cast<CableIndex>(cables.size() - 1);
}

mad::Guid Devices::port_guid(PortIndex port) const {
  const NodeIndex node = lines[port].node;
  const PlannedNode& planned = plan.nodes[node];
  const std::uint8_t number = is_switch(node) ? std::uint8_t{0} : lines[port].number;
  if (number < planned.ports.size() && planned.ports[number].guid != mad::Guid{}) {
    return planned.ports[number].guid;
  }
  return mad::Guid{planned.guid.value + number};
}

PortTables& Devices::tables(PortIndex port) {
  auto& tables = ports[port].tables;
  if (!tables) tables = std::make_unique<PortTables>();
  return *tables;
}

void Devices::reset(NodeIndex node) {
  const Device& device = nodes[node];
  const PlannedNode& planned = plan.nodes[node];
  nodes[node].led = false;
  if (is_switch(node)) {
    SwitchRegisters& registers = switch_at(node);
    registers = {};
    registers.info = switch_info(planned);
  }
  for (unsigned number = 0; number <= device.port_count; ++number) {
    const PortIndex port = device.first_port + number;
    PortRegisters fresh = common_registers(planned);
    support_planned(*this, port, fresh);
    if (!is_switch(node) || number == 0) make_endpoint(fresh.info, planned);
    if (is_switch(node) && number == 0) {
      fresh.info.port_physical_state = mad::PortPhysicalState::LinkUp;
      lines[port].state = mad::PortState::Active;
    }
    if (planned.virtual_port_cap != 0 && !is_switch(node) && number != 0) {
      equip_with_virtual_ports(fresh, planned.virtual_port_cap, planned.virtual_ports,
                               planned.virtual_port_lids);
    }
    ports[port] = std::move(fresh);
    traffic[port] = {};
    congestion.erase(port);
    samplers.erase(port);
  }
}

}  // namespace heddle::sim
