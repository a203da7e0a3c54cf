// SPDX-License-Identifier: BSD-3-Clause
// NodeInfo and NodeDescription (IBA vol. 1, 14.2.5.2 and 14.2.5.3).
#pragma once

#include <array>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct NodeInfo {
  std::uint8_t base_version{};
  std::uint8_t class_version{};
  NodeType node_type{};
  std::uint8_t num_ports{};  // physical ports, a switch's port 0 not counted
  Guid system_image_guid{};
  Guid node_guid{};
  Guid port_guid{};  // of the port the SMP came in by; a switch has one for all its ports
  std::uint16_t partition_cap{};
  std::uint16_t device_id{};
  std::uint32_t revision{};
  PortNumber local_port_num{};  // the port the SMP came in by
  std::uint32_t vendor_id{};    // 24 bits
  friend bool operator==(const NodeInfo&, const NodeInfo&) = default;
};

template <>
struct Layout<NodeInfo> {
  static constexpr std::string_view name = "NodeInfo";
  static constexpr unsigned bits = 320;
  static constexpr auto rows = base::Pack{
      row<&NodeInfo::base_version, 0, 8>("BaseVersion"),
      row<&NodeInfo::class_version, 8, 8>("ClassVersion"),
      row<&NodeInfo::node_type, 16, 8>("NodeType"),
      row<&NodeInfo::num_ports, 24, 8>("NumPorts"),
      row<&NodeInfo::system_image_guid, 32, 64>("SystemImageGUID"),
      row<&NodeInfo::node_guid, 96, 64>("NodeGUID"),
      row<&NodeInfo::port_guid, 160, 64>("PortGUID"),
      row<&NodeInfo::partition_cap, 224, 16>("PartitionCap"),
      row<&NodeInfo::device_id, 240, 16>("DeviceID", Show::Hex),
      row<&NodeInfo::revision, 256, 32>("Revision", Show::Hex),
      row<&NodeInfo::local_port_num, 288, 8>("LocalPortNum"),
      row<&NodeInfo::vendor_id, 296, 24>("VendorID", Show::Hex),
  };
};

// UTF-8 text, padded with NUL, not terminated when it fills the field.
struct NodeDescription {
  std::array<char, 64> node_string{};
  friend bool operator==(const NodeDescription&, const NodeDescription&) = default;
};

template <>
struct Layout<NodeDescription> {
  static constexpr std::string_view name = "NodeDescription";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{row<&NodeDescription::node_string, 0, 512>("NodeString")};
};

}  // namespace heddle::mad
