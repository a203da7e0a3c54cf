// SPDX-License-Identifier: BSD-3-Clause
#include "mad/notice.hpp"

namespace heddle::mad {

NoticeDetails decode_details(const Notice& notice) {
  if (!notice.is_generic) return notice.data_details;
  const NoticeDetailBytes& bytes = notice.data_details;
  switch (static_cast<TrapNumber>(notice.trap_number)) {
    case TrapNumber::GidInService:
    case TrapNumber::GidOutOfService:
    case TrapNumber::MulticastGroupCreated:
    case TrapNumber::MulticastGroupDeleted:
      return decode<GidNotice>(bytes);
    case TrapNumber::LinkStateChange:
      return decode<LinkStateNotice>(bytes);
    case TrapNumber::LocalLinkIntegrity:
    case TrapNumber::ExcessiveBufferOverrun:
    case TrapNumber::FlowControlUpdateWatchdog:
      return decode<PortThresholdNotice>(bytes);
    case TrapNumber::LocalChanges:
      return decode<LocalChangesNotice>(bytes);
    case TrapNumber::SystemImageGuidChange:
      return decode<SystemImageGuidNotice>(bytes);
    case TrapNumber::BadMKey:
      return decode<BadMKeyNotice>(bytes);
    case TrapNumber::BadPKey:
    case TrapNumber::BadQKey:
      return decode<BadKeyNotice>(bytes);
    case TrapNumber::SwitchBadPKey:
      return decode<SwitchBadPKeyNotice>(bytes);
  }
  return bytes;
}

}  // namespace heddle::mad
