// SPDX-License-Identifier: BSD-3-Clause
// The numbers of InfiniBand, each with a type of its own. All in host order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/strong.hpp"

namespace heddle::mad {

// Local identifier (IBA vol. 1, 4.1.3). 0 is reserved, 1..0xBFFF unicast, 0xC000..0xFFFE multicast.
using Lid = base::Strong<struct LidTag, std::uint16_t>;
inline constexpr Lid kNoLid{0};
inline constexpr Lid kLastUnicastLid{0xBFFF};
inline constexpr Lid kFirstMulticastLid{0xC000};
inline constexpr Lid kPermissiveLid{0xFFFF};
constexpr bool is_unicast(Lid lid) {
  return lid != kNoLid && lid <= kLastUnicastLid;
}

// LID mask control, 0..7: a port owns 2^LMC consecutive LIDs (IBA vol. 1, 4.1.3).
inline constexpr std::uint8_t kMaxLmc = 7;

using Guid = base::Strong<struct GuidTag, std::uint64_t>;            // EUI-64; 0 is none
using GidPrefix = base::Strong<struct GidPrefixTag, std::uint64_t>;  // upper half of a GID
inline constexpr GidPrefix kDefaultGidPrefix{0xfe80'0000'0000'0000};

using PortNumber = base::Strong<struct PortNumberTag, std::uint8_t>;  // 0 is a switch's own port
inline constexpr PortNumber kNoPortNumber{0xFF};                      // LFT: no route

using MKey = base::Strong<struct MKeyTag, std::uint64_t>;
using SMKey = base::Strong<struct SMKeyTag, std::uint64_t>;
using PKey = base::Strong<struct PKeyTag, std::uint16_t>;                 // bit 15: full member
using ServiceLevel = base::Strong<struct ServiceLevelTag, std::uint8_t>;  // 0..15
using VirtualLane = base::Strong<struct VirtualLaneTag, std::uint8_t>;  // 0..14 data, 15 management

// Only the low 32 bits are the sender's: the kernel overwrites the rest (ib_umad).
using TransactionId = base::Strong<struct TransactionIdTag, std::uint64_t>;

enum class NodeType : std::uint8_t { ChannelAdapter = 1, Switch = 2, Router = 3 };

// PortInfo.PortState (IBA vol. 1, 14.2.5.6).
enum class PortState : std::uint8_t { NoChange = 0, Down = 1, Init = 2, Armed = 3, Active = 4 };

// PortInfo.PortPhysicalState.
enum class PortPhysicalState : std::uint8_t {
  NoChange = 0,
  Sleep = 1,
  Polling = 2,
  Disabled = 3,
  PortConfigurationTraining = 4,
  LinkUp = 5,
  LinkErrorRecovery = 6,
  PhyTest = 7,
};

enum class Mtu : std::uint8_t {
  Bytes256 = 1,
  Bytes512 = 2,
  Bytes1024 = 3,
  Bytes2048 = 4,
  Bytes4096 = 5
};

// MAD management classes (IBA vol. 1, 13.4.4).
enum class ManagementClass : std::uint8_t {
  SubnLidRouted = 0x01,
  SubnAdm = 0x03,
  Perf = 0x04,
  DeviceManagement = 0x06,
  CommunicationManagement = 0x07,
  VendorMellanox = 0x0A,
  CongestionControl = 0x21,
  SubnDirectedRoute = 0x81,
};

// Methods, the response bit included (IBA vol. 1, 13.4.5 and 15.2.2).
enum class Method : std::uint8_t {
  Get = 0x01,
  Set = 0x02,
  Send = 0x03,
  Trap = 0x05,
  Report = 0x06,
  TrapRepress = 0x07,
  GetTable = 0x12,
  GetTraceTable = 0x13,
  GetMulti = 0x14,
  Delete = 0x15,
  GetResp = 0x81,
  ReportResp = 0x86,
  GetTableResp = 0x92,
  GetMultiResp = 0x94,
  DeleteResp = 0x95,
};
inline constexpr std::uint8_t kResponseBit = 0x80;

// TrapRepress answers a Trap and is sent without the response bit, yet awaits no answer itself.
constexpr bool is_response(Method method) {
  return (static_cast<std::uint8_t>(method) & kResponseBit) != 0 || method == Method::TrapRepress;
}
constexpr bool awaits_response(Method method) {
  return !is_response(method) && method != Method::Trap && method != Method::Send;
}

// Attributes of the subnet management classes (IBA vol. 1, 14.2.5).
enum class AttributeId : std::uint16_t {
  ClassPortInfo = 0x0001,
  Notice = 0x0002,
  InformInfo = 0x0003,
  NodeDescription = 0x0010,
  NodeInfo = 0x0011,
  SwitchInfo = 0x0012,
  GUIDInfo = 0x0014,
  PortInfo = 0x0015,
  PKeyTable = 0x0016,
  SLtoVLMappingTable = 0x0017,
  VLArbitrationTable = 0x0018,
  LinearForwardingTable = 0x0019,
  RandomForwardingTable = 0x001A,
  MulticastForwardingTable = 0x001B,
  SMInfo = 0x0020,
  VendorDiag = 0x0030,
  LedInfo = 0x0031,
  PortInfoExtended = 0x0033,
  SwitchPortStateTable = 0x0034,
  MlnxExtendedPortInfo = 0xFF90,
  VirtualizationInfo = 0xFFB0,
  VPortInfo = 0xFFB1,
  VNodeInfo = 0xFFB2,
  VPortState = 0xFFB3,
  VNodeDescription = 0xFFB4,
  VPortGUIDInfo = 0xFFB5,
  VPortPKeyTable = 0xFFB6,
};

// The common status bits of a MAD (IBA vol. 1, 13.4.7); bit 15 of a directed-route SMP is its D bit
// and not part of this.
using Status = base::Strong<struct StatusTag, std::uint16_t>;
inline constexpr Status kStatusOk{0x0000};
inline constexpr Status kStatusBusy{0x0001};
inline constexpr Status kStatusRedirect{0x0002};
inline constexpr Status kStatusBadVersion{0x0004};
inline constexpr Status kStatusBadMethod{0x0008};
inline constexpr Status kStatusBadMethodAttribute{0x000C};
inline constexpr Status kStatusBadField{0x001C};

// SMInfo.SMState (IBA vol. 1, 14.2.5.13).
enum class SMState : std::uint8_t { NotActive = 0, Discovering = 1, Standby = 2, Master = 3 };

}  // namespace heddle::mad
