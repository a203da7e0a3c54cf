// SPDX-License-Identifier: BSD-3-Clause
#include "mad/class_port_info.hpp"

#include "sa/handlers.hpp"

namespace heddle::sa {

// 4.096 us * 2^18: a second. Answers take microseconds, but wait while routes are computed.
constexpr std::uint8_t kRespTimeValue = 18;

// Bit 1 of CapabilityMask2: a policy answers for ServiceID and QosClass.
constexpr std::uint32_t kSAIsQoSSupported = 1u << 1;

mad::Status find_class_port_info(const View& view, const Query&, Records& records) {
  mad::ClassPortInfo info;
  info.base_version = mad::kBaseVersion;
  info.class_version = mad::kSAClassVersion;
  info.capability_mask = mad::kSAIsSubnetOptionalRecordsSupported | mad::kSAIsUDMulticastSupported |
                         mad::kSAIsMultiPathRecordSupported |
                         mad::kSAIsPortInfoCapabilityMaskMatchSupported;
  info.capability_mask2 = mad::kSAIsMCastTopSupported | mad::kSAIsAliasGUIDsSupported |
                          mad::kSAIsFullPortInfoRecordSupported |
                          mad::kSAIsExtendedSpeedsSupported |
                          mad::kSAIsCapabilityMask2MatchSupported |
                          mad::kSAIsSendOnlyFullMemberSupported | mad::kSAIsLinkWidth2xSupported |
                          mad::kSAIsLinkSpeedHDRSupported | mad::kSAIsLinkSpeedNDRSupported;
  if (!view.subnet().multicast) {
    info.capability_mask &= static_cast<std::uint16_t>(~mad::kSAIsUDMulticastSupported);
    info.capability_mask2 &= ~(mad::kSAIsMCastTopSupported | mad::kSAIsSendOnlyFullMemberSupported);
  }
  if (view.rulebook() != nullptr) info.capability_mask2 |= kSAIsQoSSupported;
  info.resp_time_value = kRespTimeValue;
  records.add(info);
  return mad::kStatusOk;
}

}  // namespace heddle::sa
