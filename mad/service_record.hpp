// SPDX-License-Identifier: BSD-3-Clause
// ServiceRecord (IBA vol. 1, 15.2.5.14): what a port offers, by name and number.
#pragma once

#include <array>
#include <cstdint>

#include "mad/component_mask.hpp"
#include "mad/gid.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct ServiceRecord {
  std::uint64_t service_id{};
  Gid service_gid{};
  PKey service_p_key{};
  std::uint32_t service_lease{};  // seconds; all ones for ever
  std::array<std::uint8_t, 16> service_key{};
  std::array<char, 64> service_name{};  // UTF-8
  std::array<std::uint8_t, 16> service_data8{};
  std::array<std::uint16_t, 8> service_data16{};
  std::array<std::uint32_t, 4> service_data32{};
  std::array<std::uint64_t, 2> service_data64{};
  friend bool operator==(const ServiceRecord&, const ServiceRecord&) = default;
};

template <>
struct Layout<ServiceRecord> {
  static constexpr std::string_view name = "ServiceRecord";
  static constexpr unsigned bits = 1408;
  static constexpr auto rows = base::Pack{
      row<&ServiceRecord::service_id, 0, 64>("ServiceID", Show::Hex),
      row<&ServiceRecord::service_gid, 64, 128>("ServiceGID"),
      row<&ServiceRecord::service_p_key, 192, 16>("ServiceP_Key"),
      reserved<208, 16>,
      row<&ServiceRecord::service_lease, 224, 32>("ServiceLease"),
      row<&ServiceRecord::service_key, 256, 128>("ServiceKey", Show::Hex),
      row<&ServiceRecord::service_name, 384, 512>("ServiceName"),
      row<&ServiceRecord::service_data8, 896, 128>("ServiceData8", Show::Hex),
      row<&ServiceRecord::service_data16, 1024, 128>("ServiceData16", Show::Hex),
      row<&ServiceRecord::service_data32, 1152, 128>("ServiceData32", Show::Hex),
      row<&ServiceRecord::service_data64, 1280, 128>("ServiceData64", Show::Hex),
  };
};

// Each datum is a component of its own.
template <>
inline constexpr int kComponentBits<&ServiceRecord::service_data8> = 16;
template <>
inline constexpr int kComponentBits<&ServiceRecord::service_data16> = 8;
template <>
inline constexpr int kComponentBits<&ServiceRecord::service_data32> = 4;
template <>
inline constexpr int kComponentBits<&ServiceRecord::service_data64> = 2;

}  // namespace heddle::mad
