// SPDX-License-Identifier: BSD-3-Clause
#include "sim/virtual_ports.hpp"

#include <algorithm>
#include <utility>

#include "mad/capability.hpp"
#include "mad/guid_info.hpp"
#include "sim/forwarding.hpp"
#include "sim/notices.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kLocallyAdministered = 0x0200'0000'0000'0000;
constexpr unsigned kIndexShift = 48;

VirtualPorts* virtual_ports(Devices& devices, PortIndex port) {
  return devices.ports[port].virtual_ports.get();
}

mad::Guid table_guid(const Devices& devices, PortIndex port, unsigned index) {
  if (index == 0) return devices.port_guid(port);
  const auto& tables = devices.ports[port].tables;
  if (!tables) return {};
  const auto block =
      tables->alias_guids.find(static_cast<std::uint8_t>(index / mad::kGuidsPerBlock));
  if (block == tables->alias_guids.end()) return {};
  return mad::decode<mad::GUIDInfo>(block->second).guids[index % mad::kGuidsPerBlock];
}

mad::PortState rest_state(const Devices& devices, PortIndex port) {
  const bool up = devices.ports[port].virtual_ports->enabled &&
                  devices.lines[port].state != mad::PortState::Down;
  return up ? mad::PortState::Init : mad::PortState::Down;
}

}  // namespace

void equip_with_virtual_ports(PortRegisters& registers, std::uint16_t cap, std::uint16_t count,
                              bool own_lids) {
  registers.info.capability_mask2 |= mad::kIsVirtualizationSupported;
  auto all = std::make_unique<VirtualPorts>();
  all->cap = static_cast<std::uint16_t>(cap + 1u);
  VirtualPort vport;
  vport.lid_required = own_lids;
  all->ports.assign(std::min(count, cap), vport);
  registers.virtual_ports = std::move(all);
}

bool set_virtual_ports(Devices& devices, PortIndex port, std::uint16_t count, bool own_lids) {
  const bool is_new = virtual_ports(devices, port) == nullptr;
  if (is_new) {
    equip_with_virtual_ports(devices.ports[port], kUsualVirtualPortCap, 0, own_lids);
  }
  VirtualPorts* const all = virtual_ports(devices, port);
  if (count >= all->cap) return false;
  const std::size_t before = all->ports.size();
  all->ports.resize(count);
  for (std::size_t i = before; i < all->ports.size(); ++i) {
    all->ports[i].lid_required = own_lids;
    all->ports[i].state = rest_state(devices, port);
  }
  all->state_change = all->state_change || all->enabled;
  // Its CapabilityMask2 is another one.
  if (is_new || all->enabled) raise_local_changes(devices, port, {});
  return true;
}

void virtual_ports_follow(Devices& devices, PortIndex port) {
  VirtualPorts* const all = virtual_ports(devices, port);
  if (all == nullptr) return;
  const mad::PortState state = rest_state(devices, port);
  for (VirtualPort& each : all->ports) {
    if (each.state != state) all->state_change = true;
    each.state = state;
  }
}

mad::PortState virtual_state(const Devices& devices, PortIndex port, std::uint16_t index) {
  if (index == 0) return devices.lines[port].state;
  return devices.ports[port].virtual_ports->ports[index - 1u].state;
}

mad::Guid virtual_guid(const Devices& devices, PortIndex port, std::uint16_t index) {
  const mad::Guid own = devices.port_guid(port);
  if (index == 0) return own;
  return mad::Guid{(own.value + (std::uint64_t{index} << kIndexShift)) | kLocallyAdministered};
}

bool owns_lid(const Devices& devices, PortIndex port, mad::Lid lid) {
  const PortRegisters& registers = devices.ports[port];
  if (owns_lid(registers.info, lid)) return true;
  if (!registers.virtual_ports || !registers.virtual_ports->enabled || lid == mad::kNoLid) {
    return false;
  }
  const auto& all = registers.virtual_ports->ports;
  return std::any_of(all.begin(), all.end(), [lid](const VirtualPort& each) {
    return each.lid_required && each.lid == lid;
  });
}

std::optional<mad::Gid> gid_at(const Devices& devices, PortIndex port, unsigned index) {
  const PortRegisters& registers = devices.ports[port];
  const unsigned table = registers.info.guid_cap;
  mad::Guid guid{};
  if (index < table) {
    guid = table_guid(devices, port, index);
  } else if (registers.virtual_ports && index - table < registers.virtual_ports->ports.size()) {
    const auto vport = static_cast<std::uint16_t>(index - table + 1);
    const bool active = virtual_state(devices, port, vport) == mad::PortState::Active;
    if (active) guid = virtual_guid(devices, port, vport);
  }
  if (guid == mad::Guid{}) return std::nullopt;
  return mad::Gid{registers.info.gid_prefix, guid};
}

std::optional<unsigned> gid_index_of(const Devices& devices, PortIndex port, const mad::Gid& gid) {
  const PortRegisters& registers = devices.ports[port];
  // The link-local prefix is every port's, beside the subnet's own.
  if (gid.prefix != registers.info.gid_prefix && gid.prefix != mad::kDefaultGidPrefix) {
    return std::nullopt;
  }
  const std::size_t all = registers.virtual_ports ? registers.virtual_ports->ports.size() : 0;
  for (unsigned index = 0; index < registers.info.guid_cap + all; ++index) {
    const auto own = gid_at(devices, port, index);
    if (own && own->guid == gid.guid) return index;
  }
  return std::nullopt;
}

}  // namespace heddle::sim
