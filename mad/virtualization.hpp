// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports of a channel adapter's port (attributes 0xFFB0 to 0xFFB6, as devices of Mellanox
// and NVIDIA have them): each virtual function is a port with a GUID, a P_Key table and a state of
// its own behind the one link. A VPort's index counts from 0; 0 is the physical function's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

// Of a port. No AttributeModifier.
struct VirtualizationInfo {
  std::uint16_t vport_cap{};        // so many VPorts there may be
  std::uint16_t vport_index_top{};  // the highest index in use
  bool virtualization_enable{};
  bool vclient_reregister{};  // of all VPorts
  bool vport_state_change{};  // a VPort changed its state; cleared by writing 1
  std::uint8_t revision{};
  std::uint8_t capability{};
  friend bool operator==(const VirtualizationInfo&, const VirtualizationInfo&) = default;
};

template <>
struct Layout<VirtualizationInfo> {
  static constexpr std::string_view name = "VirtualizationInfo";
  static constexpr unsigned bits = 64;
  static constexpr auto rows = base::Pack{
      row<&VirtualizationInfo::vport_cap, 0, 16>("VPortCap"),
      row<&VirtualizationInfo::vport_index_top, 16, 16>("VPortIndexTop"),
      row<&VirtualizationInfo::virtualization_enable, 32, 1>("VirtualizationEnable"),
      row<&VirtualizationInfo::vclient_reregister, 33, 1>("VClientReregister"),
      row<&VirtualizationInfo::vport_state_change, 34, 1>("VPortStateChange"),
      reserved<35, 13>,
      row<&VirtualizationInfo::revision, 48, 8>("VirtualizationRevision"),
      row<&VirtualizationInfo::capability, 56, 8>("VirtualizationCapability", Show::Hex),
  };
};

struct VPortInfo {
  PortState vport_state{};
  bool client_reregister{};
  bool lid_required{};  // it wants a LID of its own; else it uses that of VPort lid_by_vport_index
  std::uint8_t guid_cap{};
  std::uint16_t capability_mask{};
  std::uint16_t p_key_violations{};
  std::uint16_t q_key_violations{};
  Lid vport_lid{};
  std::uint16_t lid_by_vport_index{};
  Guid vport_guid{};
  std::uint64_t vport_profile{};
  friend bool operator==(const VPortInfo&, const VPortInfo&) = default;
};

template <>
struct Layout<VPortInfo> {
  static constexpr std::string_view name = "VPortInfo";
  static constexpr unsigned bits = 224;
  static constexpr auto rows = base::Pack{
      row<&VPortInfo::vport_state, 0, 4>("VPortState"),
      row<&VPortInfo::client_reregister, 4, 1>("ClientReregister"),
      row<&VPortInfo::lid_required, 5, 1>("LIDRequired"),
      reserved<6, 2>,
      row<&VPortInfo::guid_cap, 8, 8>("GUIDCap"),
      row<&VPortInfo::capability_mask, 16, 16>("CapabilityMask", Show::Hex),
      row<&VPortInfo::p_key_violations, 32, 16>("P_KeyViolations"),
      row<&VPortInfo::q_key_violations, 48, 16>("Q_KeyViolations"),
      row<&VPortInfo::vport_lid, 64, 16>("VPortLID"),
      row<&VPortInfo::lid_by_vport_index, 80, 16>("LIDByVPortIndex"),
      row<&VPortInfo::vport_guid, 96, 64>("VPortGUID"),
      row<&VPortInfo::vport_profile, 160, 64>("VPortProfile", Show::Hex),
  };
};

struct VNodeInfo {
  std::uint16_t partition_cap{};
  PortNumber local_port_num{};
  std::uint8_t num_ports{};
  Guid vnode_guid{};
  friend bool operator==(const VNodeInfo&, const VNodeInfo&) = default;
};

template <>
struct Layout<VNodeInfo> {
  static constexpr std::string_view name = "VNodeInfo";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      row<&VNodeInfo::partition_cap, 0, 16>("PartitionCap"),
      row<&VNodeInfo::local_port_num, 16, 8>("LocalPortNum"),
      row<&VNodeInfo::num_ports, 24, 8>("NumPorts"),
      row<&VNodeInfo::vnode_guid, 32, 64>("VNodeGUID"),
  };
};

inline constexpr std::size_t kVPortsPerStateBlock = 128;

// VPorts that there are not are NoChange.
struct VPortState {
  std::array<PortState, kVPortsPerStateBlock> vport_states{};
  friend bool operator==(const VPortState&, const VPortState&) = default;
};

template <>
struct Layout<VPortState> {
  static constexpr std::string_view name = "VPortState";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&VPortState::vport_states, 0, 512>("VPortState")};
};

struct VNodeDescription {
  std::array<char, 64> node_string{};
  friend bool operator==(const VNodeDescription&, const VNodeDescription&) = default;
};

template <>
struct Layout<VNodeDescription> {
  static constexpr std::string_view name = "VNodeDescription";
  static constexpr unsigned bits = 512;
  static constexpr auto rows =
      base::Pack{row<&VNodeDescription::node_string, 0, 512>("VNodeString")};
};

inline constexpr std::size_t kVPortGuidsPerBlock = 8;

// Entry 0 of block 0 is the VPort's own GUID and cannot be set.
struct VPortGUIDInfo {
  std::array<Guid, kVPortGuidsPerBlock> guids{};
  friend bool operator==(const VPortGUIDInfo&, const VPortGUIDInfo&) = default;
};

template <>
struct Layout<VPortGUIDInfo> {
  static constexpr std::string_view name = "VPortGUIDInfo";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&VPortGUIDInfo::guids, 0, 512>("GUID")};
};

inline constexpr std::size_t kVPortPKeysPerBlock = 32;

struct VPortPKeyTable {
  std::array<PKey, kVPortPKeysPerBlock> p_keys{};
  friend bool operator==(const VPortPKeyTable&, const VPortPKeyTable&) = default;
};

template <>
struct Layout<VPortPKeyTable> {
  static constexpr std::string_view name = "VPortP_KeyTable";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&VPortPKeyTable::p_keys, 0, 512>("P_Key")};
};

// The AttributeModifier of VPortInfo, VNodeInfo and VNodeDescription is the index, that of
// VPortState the block; the other two have the index above the block.
constexpr std::uint32_t vport_block_modifier(std::uint16_t vport, std::uint16_t block) {
  return std::uint32_t{vport} << 16 | block;
}
constexpr std::uint16_t vport_of(std::uint32_t block_modifier) {
  return static_cast<std::uint16_t>(block_modifier >> 16);
}
constexpr std::uint16_t vport_block_of(std::uint32_t block_modifier) {
  return static_cast<std::uint16_t>(block_modifier);
}

}  // namespace heddle::mad
