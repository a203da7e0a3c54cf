// SPDX-License-Identifier: BSD-3-Clause
// Bits of PortInfo.CapabilityMask and CapabilityMask2 (IBA vol. 1, 14.2.5.6). Counted from the
// least significant bit, as the specification does here.
#pragma once

#include <cstdint>

namespace heddle::mad {

inline constexpr std::uint32_t kIsSM = 1u << 1;
inline constexpr std::uint32_t kIsNoticeSupported = 1u << 2;
inline constexpr std::uint32_t kIsTrapSupported = 1u << 3;
inline constexpr std::uint32_t kIsAutomaticMigrationSupported = 1u << 5;
inline constexpr std::uint32_t kIsSLMappingSupported = 1u << 6;
inline constexpr std::uint32_t kIsLedInfoSupported = 1u << 9;
inline constexpr std::uint32_t kIsSMdisabled = 1u << 10;
inline constexpr std::uint32_t kIsSystemImageGUIDsupported = 1u << 11;
inline constexpr std::uint32_t kIsExtendedSpeedsSupported = 1u << 14;
inline constexpr std::uint32_t kIsCapabilityMask2Supported = 1u << 15;
inline constexpr std::uint32_t kIsCommunicationManagementSupported = 1u << 16;
inline constexpr std::uint32_t kIsReinitSupported = 1u << 18;
inline constexpr std::uint32_t kIsDeviceManagementSupported = 1u << 19;
inline constexpr std::uint32_t kIsVendorClassSupported = 1u << 20;
inline constexpr std::uint32_t kIsCapabilityMaskNoticeSupported = 1u << 22;
inline constexpr std::uint32_t kIsClientReregistrationSupported = 1u << 25;
inline constexpr std::uint32_t kIsOtherLocalChangesNoticeSupported = 1u << 26;
inline constexpr std::uint32_t kIsMulticastFDBTopSupported = 1u << 30;

inline constexpr std::uint16_t kIsSetNodeDescriptionSupported = 1u << 0;
inline constexpr std::uint16_t kIsPortInfoExtendedSupported = 1u << 1;
inline constexpr std::uint16_t kIsVirtualizationSupported = 1u << 2;
inline constexpr std::uint16_t kIsSwitchPortStateTableSupported = 1u << 3;
inline constexpr std::uint16_t kIsLinkWidth2xSupported = 1u << 4;
inline constexpr std::uint16_t kIsLinkSpeedHDRSupported = 1u << 5;
inline constexpr std::uint16_t kIsLinkSpeedNDRSupported = 1u << 10;
inline constexpr std::uint16_t kIsExtendedSpeeds2Supported = 1u << 11;

}  // namespace heddle::mad
