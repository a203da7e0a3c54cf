// SPDX-License-Identifier: BSD-3-Clause
// Numbers of subnet administration: attributes and status codes (IBA vol. 1, 15.2.3 and 15.2.5).
#pragma once

#include <cstddef>
#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class SAAttributeId : std::uint16_t {
  ClassPortInfo = 0x0001,
  Notice = 0x0002,
  InformInfo = 0x0003,
  NodeRecord = 0x0011,
  PortInfoRecord = 0x0012,
  SLtoVLMappingTableRecord = 0x0013,
  SwitchInfoRecord = 0x0014,
  LinearForwardingTableRecord = 0x0015,
  RandomForwardingTableRecord = 0x0016,
  MulticastForwardingTableRecord = 0x0017,
  SMInfoRecord = 0x0018,
  LinkRecord = 0x0020,
  GUIDInfoRecord = 0x0030,
  ServiceRecord = 0x0031,
  PKeyTableRecord = 0x0033,
  PathRecord = 0x0035,
  VLArbitrationTableRecord = 0x0036,
  MCMemberRecord = 0x0038,
  TraceRecord = 0x0039,
  MultiPathRecord = 0x003A,
  ServiceAssociationRecord = 0x003B,
  InformInfoRecord = 0x00F3,
};

// What only this class says, in the upper byte of the status.
inline constexpr Status kSANoResources{0x0100};
inline constexpr Status kSAReqInvalid{0x0200};
inline constexpr Status kSANoRecords{0x0300};
inline constexpr Status kSATooManyRecords{0x0400};
inline constexpr Status kSAReqInvalidGid{0x0500};
inline constexpr Status kSAReqInsufficientComponents{0x0600};
inline constexpr Status kSAReqDenied{0x0700};

inline constexpr std::uint8_t kSAClassVersion = 2;
inline constexpr std::size_t kSAHeaderBytes = 56;
inline constexpr std::size_t kSADataBytes = 200;

// ClassPortInfo.CapabilityMask and CapabilityMask2 of this class (15.2.4).
inline constexpr std::uint16_t kSAIsPortInfoCapabilityMaskMatchSupported = 1u << 13;
inline constexpr std::uint16_t kSAIsSubnetOptionalRecordsSupported = 1u << 8;
inline constexpr std::uint16_t kSAIsUDMulticastSupported = 1u << 9;
inline constexpr std::uint16_t kSAIsMultiPathRecordSupported = 1u << 10;
inline constexpr std::uint32_t kSAIsMCastTopSupported = 1u << 3;
inline constexpr std::uint32_t kSAIsAliasGUIDsSupported = 1u << 5;
inline constexpr std::uint32_t kSAIsFullPortInfoRecordSupported = 1u << 6;
inline constexpr std::uint32_t kSAIsExtendedSpeedsSupported = 1u << 7;
inline constexpr std::uint32_t kSAIsCapabilityMask2MatchSupported = 1u << 10;
inline constexpr std::uint32_t kSAIsSendOnlyFullMemberSupported = 1u << 12;
inline constexpr std::uint32_t kSAIsLinkWidth2xSupported = 1u << 13;
inline constexpr std::uint32_t kSAIsLinkSpeedHDRSupported = 1u << 15;
inline constexpr std::uint32_t kSAIsLinkSpeedNDRSupported = 1u << 17;

// Records of a table follow each other at multiples of eight bytes (AttributeOffset).
template <Described T>
inline constexpr std::size_t kRecordBytes = (kBytes<T> + 7) / 8 * 8;

}  // namespace heddle::mad
