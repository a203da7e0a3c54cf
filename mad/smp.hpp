// SPDX-License-Identifier: BSD-3-Clause
// Subnet management packets (IBA vol. 1, 14.2.1): 256 bytes on QP0, LID-routed or directed-route.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::size_t kMadBytes = 256;
inline constexpr std::size_t kSmpDataBytes = 64;
inline constexpr std::size_t kMaxHops = 63;  // the hop count field holds 0..63 (14.2.2.1)
inline constexpr std::uint8_t kBaseVersion = 1;
inline constexpr std::uint8_t kSmClassVersion = 1;

using SmpData = std::array<std::byte, kSmpDataBytes>;
using MadBytes = std::array<std::byte, kMadBytes>;

// Port numbers to leave by, hop after hop: entry 0 is unused, entries 1..hop count count.
using PortPath = std::array<PortNumber, 64>;

// Both kinds share one layout: in a LID-routed SMP the directed-route fields are reserved and zero.
struct Smp {
  std::uint8_t base_version = kBaseVersion;
  ManagementClass management_class = ManagementClass::SubnDirectedRoute;
  std::uint8_t class_version = kSmClassVersion;
  Method method = Method::Get;
  bool direction = false;  // D: the SMP is on its way back. Directed route only
  Status status{};
  std::uint8_t hop_pointer{};
  std::uint8_t hop_count{};
  TransactionId transaction_id{};
  AttributeId attribute_id{};
  std::uint32_t attribute_modifier{};
  MKey m_key{};
  Lid dr_slid{};  // permissive when the route is directed from its first hop on
  Lid dr_dlid{};
  SmpData data{};
  PortPath initial_path{};
  PortPath return_path{};

  friend bool operator==(const Smp&, const Smp&) = default;
};

template <>
struct Layout<Smp> {
  static constexpr std::string_view name = "SMP";
  static constexpr unsigned bits = 2048;
  static constexpr auto rows = base::Pack{
      row<&Smp::base_version, 0, 8>("BaseVersion"),
      row<&Smp::management_class, 8, 8>("MgmtClass"),
      row<&Smp::class_version, 16, 8>("ClassVersion"),
      row<&Smp::method, 24, 8>("Method"),
      row<&Smp::direction, 32, 1>("D"),
      row<&Smp::status, 33, 15>("Status"),
      row<&Smp::hop_pointer, 48, 8>("HopPointer"),
      row<&Smp::hop_count, 56, 8>("HopCount"),
      row<&Smp::transaction_id, 64, 64>("TransactionID"),
      row<&Smp::attribute_id, 128, 16>("AttributeID"),
      reserved<144, 16>,
      row<&Smp::attribute_modifier, 160, 32>("AttributeModifier"),
      row<&Smp::m_key, 192, 64>("M_Key"),
      row<&Smp::dr_slid, 256, 16>("DrSLID"),
      row<&Smp::dr_dlid, 272, 16>("DrDLID"),
      reserved<288, 224>,
      row<&Smp::data, 512, 512>("SMPData"),
      row<&Smp::initial_path, 1024, 512>("InitialPath"),
      row<&Smp::return_path, 1536, 512>("ReturnPath"),
  };
};

// An SMP from bytes off the wire; nothing when it is too short or of another class or version.
std::optional<Smp> decode_smp(std::span<const std::byte> bytes);

MadBytes encode_smp(const Smp& smp);

}  // namespace heddle::mad
