// SPDX-License-Identifier: BSD-3-Clause
// Notice (IBA vol. 1, 13.4.8.2 and 14.2.5.1): the payload of traps and reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "mad/gid.hpp"
#include "mad/notice_details.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

enum class NoticeType : std::uint8_t {
  Fatal = 0,
  Urgent = 1,
  Security = 2,
  SubnetManagement = 3,
  Informational = 4,
  Empty = 0x7F,
};

enum class TrapNumber : std::uint16_t {
  GidInService = 64,
  GidOutOfService = 65,
  MulticastGroupCreated = 66,
  MulticastGroupDeleted = 67,
  LinkStateChange = 128,
  LocalLinkIntegrity = 129,
  ExcessiveBufferOverrun = 130,
  FlowControlUpdateWatchdog = 131,
  LocalChanges = 144,
  SystemImageGuidChange = 145,
  BadMKey = 256,
  BadPKey = 257,
  BadQKey = 258,
  SwitchBadPKey = 259,
};

// ProducerType of a generic notice: NodeType's numbers, and 4 for the manager of a class.
inline constexpr std::uint32_t kProducerClassManager = 4;

using NoticeDetailBytes = std::array<std::byte, kNoticeDetailBytes>;

struct Notice {
  bool is_generic{};
  NoticeType type{};
  std::uint32_t producer_type{};  // 24 bits; VendorID unless generic
  std::uint16_t trap_number{};    // DeviceID unless generic
  Lid issuer_lid{};
  bool toggle{};
  std::uint16_t count{};
  NoticeDetailBytes data_details{};
  friend bool operator==(const Notice&, const Notice&) = default;
};

template <>
struct Layout<Notice> {
  static constexpr std::string_view name = "Notice";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&Notice::is_generic, 0, 1>("IsGeneric"),
      row<&Notice::type, 1, 7>("Type"),
      row<&Notice::producer_type, 8, 24>("ProducerType/VendorID"),
      row<&Notice::trap_number, 32, 16>("TrapNumber/DeviceID"),
      row<&Notice::issuer_lid, 48, 16>("IssuerLID"),
      row<&Notice::toggle, 64, 1>("NoticeToggle"),
      row<&Notice::count, 65, 15>("NoticeCount"),
      row<&Notice::data_details, 80, 432>("DataDetails"),
  };
};

// Outside SMPs the notice names its issuer by GID too (Report, and the traps of other classes).
struct IssuedNotice {
  Notice notice{};
  Gid issuer_gid{};
  friend bool operator==(const IssuedNotice&, const IssuedNotice&) = default;
};

template <>
struct Layout<IssuedNotice> {
  static constexpr std::string_view name = "IssuedNotice";
  static constexpr unsigned bits = 640;
  static constexpr auto rows = base::Pack{
      row<&IssuedNotice::notice, 0, 512>("Notice"),
      row<&IssuedNotice::issuer_gid, 512, 128>("IssuerGID"),
  };
};

// The bytes themselves stand for vendors' notices and for traps that are not listed here.
using NoticeDetails = std::variant<NoticeDetailBytes, GidNotice, LinkStateNotice,
                                   PortThresholdNotice, LocalChangesNotice, SystemImageGuidNotice,
                                   BadMKeyNotice, BadKeyNotice, SwitchBadPKeyNotice>;

NoticeDetails decode_details(const Notice& notice);

// A generic notice. That `details` are those of `trap` is the caller's affair.
template <Described Details>
Notice make_notice(TrapNumber trap, NoticeType type, NodeType producer, Lid issuer,
                   const Details& details) {
  static_assert(kBytes<Details> == kNoticeDetailBytes);
  Notice notice;
  notice.is_generic = true;
  notice.type = type;
  notice.producer_type = static_cast<std::uint32_t>(producer);
  notice.trap_number = static_cast<std::uint16_t>(trap);
  notice.issuer_lid = issuer;
  notice.data_details = encode(details);
  return notice;
}

}  // namespace heddle::mad
