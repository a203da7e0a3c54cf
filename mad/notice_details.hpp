// SPDX-License-Identifier: BSD-3-Clause
// What the 54 bytes of a generic notice's DataDetails mean, trap by trap (IBA vol. 1, 14.2.5.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mad/gid.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kNoticeDetailBytes = 54;

// Traps 64 and 65 (a port came into or went out of service) and 66 and 67 (a multicast group was
// created or deleted).
struct GidNotice {
  Gid gid{};
  friend bool operator==(const GidNotice&, const GidNotice&) = default;
};

template <>
struct Layout<GidNotice> {
  static constexpr std::string_view name = "DataDetails64to67";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 48>,
      row<&GidNotice::gid, 48, 128>("GIDADDR"),
      reserved<176, 256>,
  };
};

// Trap 128: a port of this switch changed its state. Which one is not said.
struct LinkStateNotice {
  Lid lid{};
  friend bool operator==(const LinkStateNotice&, const LinkStateNotice&) = default;
};

template <>
struct Layout<LinkStateNotice> {
  static constexpr std::string_view name = "DataDetails128";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      row<&LinkStateNotice::lid, 0, 16>("LIDADDR"),
      reserved<16, 416>,
  };
};

// Traps 129 (local link integrity), 130 (excessive buffer overrun), 131 (flow control watchdog).
struct PortThresholdNotice {
  Lid lid{};
  PortNumber port{};
  friend bool operator==(const PortThresholdNotice&, const PortThresholdNotice&) = default;
};

template <>
struct Layout<PortThresholdNotice> {
  static constexpr std::string_view name = "DataDetails129to131";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 16>,
      row<&PortThresholdNotice::lid, 16, 16>("LIDADDR"),
      row<&PortThresholdNotice::port, 32, 8>("PORTNO"),
      reserved<40, 392>,
  };
};

// Trap 144: the capabilities of a port changed, or what the flags name did.
struct LocalChangesNotice {
  Lid lid{};
  bool other_local_changes{};  // the flags below are valid
  std::uint32_t capability_mask{};
  bool capability_mask2_changed{};
  bool hierarchy_info_changed{};
  bool sm_priority_changed{};
  bool link_speed_enabled_changed{};
  bool link_width_enabled_changed{};
  bool node_description_changed{};
  std::uint16_t capability_mask2{};
  friend bool operator==(const LocalChangesNotice&, const LocalChangesNotice&) = default;
};

template <>
struct Layout<LocalChangesNotice> {
  static constexpr std::string_view name = "DataDetails144";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 16>,
      row<&LocalChangesNotice::lid, 16, 16>("LIDADDR"),
      reserved<32, 15>,
      row<&LocalChangesNotice::other_local_changes, 47, 1>("OtherLocalChanges"),
      row<&LocalChangesNotice::capability_mask, 48, 32>("CAPABILITYMASK", Show::Hex),
      reserved<80, 10>,
      row<&LocalChangesNotice::capability_mask2_changed, 90, 1>("CapabilityMask2Change"),
      row<&LocalChangesNotice::hierarchy_info_changed, 91, 1>("HierarchyInfoChange"),
      row<&LocalChangesNotice::sm_priority_changed, 92, 1>("SMPriorityChange"),
      row<&LocalChangesNotice::link_speed_enabled_changed, 93, 1>("LinkSpeedEnabledChange"),
      row<&LocalChangesNotice::link_width_enabled_changed, 94, 1>("LinkWidthEnabledChange"),
      row<&LocalChangesNotice::node_description_changed, 95, 1>("NodeDescriptionChange"),
      row<&LocalChangesNotice::capability_mask2, 96, 16>("CAPABILITYMASK2", Show::Hex),
      reserved<112, 320>,
  };
};

// Trap 145: the SystemImageGUID of a node changed.
struct SystemImageGuidNotice {
  Lid lid{};
  Guid system_image_guid{};
  friend bool operator==(const SystemImageGuidNotice&, const SystemImageGuidNotice&) = default;
};

template <>
struct Layout<SystemImageGuidNotice> {
  static constexpr std::string_view name = "DataDetails145";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 16>,    row<&SystemImageGuidNotice::lid, 16, 16>("LIDADDR"),
      reserved<32, 16>,   row<&SystemImageGuidNotice::system_image_guid, 48, 64>("SystemImageGUID"),
      reserved<112, 320>,
  };
};

// Trap 256: somebody sent an SMP with a wrong M_Key. The path is the one back to the sender.
struct BadMKeyNotice {
  Lid lid{};
  Lid dr_slid{};
  Method method{};
  AttributeId attribute_id{};
  std::uint32_t attribute_modifier{};
  MKey m_key{};
  bool dr_notice{};  // the SMP was a directed-route one
  bool dr_path_truncated{};
  std::uint8_t dr_hop_count{};
  std::array<PortNumber, 30> return_path{};
  friend bool operator==(const BadMKeyNotice&, const BadMKeyNotice&) = default;
};

template <>
struct Layout<BadMKeyNotice> {
  static constexpr std::string_view name = "DataDetails256";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 16>,
      row<&BadMKeyNotice::lid, 16, 16>("LIDADDR"),
      row<&BadMKeyNotice::dr_slid, 32, 16>("DRSLID"),
      row<&BadMKeyNotice::method, 48, 8>("METHOD"),
      reserved<56, 8>,
      row<&BadMKeyNotice::attribute_id, 64, 16>("ATTRIBUTEID"),
      row<&BadMKeyNotice::attribute_modifier, 80, 32>("ATTRIBUTEMODIFIER", Show::Hex),
      row<&BadMKeyNotice::m_key, 112, 64>("M_KEY"),
      reserved<176, 8>,
      row<&BadMKeyNotice::dr_notice, 184, 1>("DRNotice"),
      row<&BadMKeyNotice::dr_path_truncated, 185, 1>("DRPathTruncated"),
      row<&BadMKeyNotice::dr_hop_count, 186, 6>("DRHopCount"),
      row<&BadMKeyNotice::return_path, 192, 240>("DRNoticeReturnPath"),
  };
};

// Traps 257 (bad P_Key) and 258 (bad Q_Key): a packet from LIDADDR1 to LIDADDR2 was refused.
struct BadKeyNotice {
  Lid lid1{};
  Lid lid2{};
  std::uint32_t key{};
  ServiceLevel sl{};
  std::uint32_t qp1{};
  std::uint32_t qp2{};
  Gid gid1{};
  Gid gid2{};
  friend bool operator==(const BadKeyNotice&, const BadKeyNotice&) = default;
};

template <>
struct Layout<BadKeyNotice> {
  static constexpr std::string_view name = "DataDetails257to258";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      reserved<0, 16>,
      row<&BadKeyNotice::lid1, 16, 16>("LIDADDR1"),
      row<&BadKeyNotice::lid2, 32, 16>("LIDADDR2"),
      row<&BadKeyNotice::key, 48, 32>("KEY", Show::Hex),
      row<&BadKeyNotice::sl, 80, 4>("SL"),
      reserved<84, 4>,
      row<&BadKeyNotice::qp1, 88, 24>("QP1", Show::Hex),
      reserved<112, 8>,
      row<&BadKeyNotice::qp2, 120, 24>("QP2", Show::Hex),
      row<&BadKeyNotice::gid1, 144, 128>("GIDADDR1"),
      row<&BadKeyNotice::gid2, 272, 128>("GIDADDR2"),
      reserved<400, 32>,
  };
};

// Trap 259: a switch refused a packet for its P_Key. `data_valid` says which fields are filled.
struct SwitchBadPKeyNotice {
  std::uint16_t data_valid{};
  Lid lid1{};
  Lid lid2{};
  PKey p_key{};
  ServiceLevel sl{};
  std::uint32_t qp1{};
  std::uint32_t qp2{};
  Gid gid1{};
  Gid gid2{};
  Lid sw_lid{};
  PortNumber port{};
  friend bool operator==(const SwitchBadPKeyNotice&, const SwitchBadPKeyNotice&) = default;
};

template <>
struct Layout<SwitchBadPKeyNotice> {
  static constexpr std::string_view name = "DataDetails259";
  static constexpr unsigned bits = 432;
  static constexpr auto rows = base::Pack{
      row<&SwitchBadPKeyNotice::data_valid, 0, 16>("DataValid", Show::Hex),
      row<&SwitchBadPKeyNotice::lid1, 16, 16>("LIDADDR1"),
      row<&SwitchBadPKeyNotice::lid2, 32, 16>("LIDADDR2"),
      row<&SwitchBadPKeyNotice::p_key, 48, 16>("PKEY"),
      row<&SwitchBadPKeyNotice::sl, 64, 4>("SL"),
      reserved<68, 4>,
      row<&SwitchBadPKeyNotice::qp1, 72, 24>("QP1", Show::Hex),
      reserved<96, 8>,
      row<&SwitchBadPKeyNotice::qp2, 104, 24>("QP2", Show::Hex),
      row<&SwitchBadPKeyNotice::gid1, 128, 128>("GIDADDR1"),
      row<&SwitchBadPKeyNotice::gid2, 256, 128>("GIDADDR2"),
      row<&SwitchBadPKeyNotice::sw_lid, 384, 16>("SWLIDADDR"),
      row<&SwitchBadPKeyNotice::port, 400, 8>("PORTNO"),
      reserved<408, 24>,
  };
};

}  // namespace heddle::mad
