// SPDX-License-Identifier: BSD-3-Clause
// ClassPortInfo (IBA vol. 1, 13.4.8.1): what a management class can do, where its requests are to
// be redirected to, and where it wants its traps. 72 bytes: not an attribute of SMPs.
#pragma once

#include <cstdint>

#include "mad/gid.hpp"
#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

struct ClassPortInfo {
  std::uint8_t base_version{};
  std::uint8_t class_version{};
  std::uint16_t capability_mask{};
  std::uint32_t capability_mask2{};  // 27 bits
  std::uint8_t resp_time_value{};    // 4.096 us * 2^value
  Gid redirect_gid{};                // zero: no redirection
  std::uint8_t redirect_tc{};
  ServiceLevel redirect_sl{};
  std::uint32_t redirect_fl{};  // 20 bits
  Lid redirect_lid{};
  PKey redirect_p_key{};
  std::uint32_t redirect_qp{};  // 24 bits
  std::uint32_t redirect_q_key{};
  Gid trap_gid{};  // zero: traps are not wanted
  std::uint8_t trap_tc{};
  ServiceLevel trap_sl{};
  std::uint32_t trap_fl{};  // 20 bits
  Lid trap_lid{};
  PKey trap_p_key{};
  std::uint8_t trap_hl{};
  std::uint32_t trap_qp{};  // 24 bits
  std::uint32_t trap_q_key{};
  friend bool operator==(const ClassPortInfo&, const ClassPortInfo&) = default;
};

template <>
struct Layout<ClassPortInfo> {
  static constexpr std::string_view name = "ClassPortInfo";
  static constexpr unsigned bits = 576;
  static constexpr auto rows = base::Pack{
      row<&ClassPortInfo::base_version, 0, 8>("BaseVersion"),
      row<&ClassPortInfo::class_version, 8, 8>("ClassVersion"),
      row<&ClassPortInfo::capability_mask, 16, 16>("CapabilityMask", Show::Hex),
      row<&ClassPortInfo::capability_mask2, 32, 27>("CapabilityMask2", Show::Hex),
      row<&ClassPortInfo::resp_time_value, 59, 5>("RespTimeValue"),
      row<&ClassPortInfo::redirect_gid, 64, 128>("RedirectGID"),
      row<&ClassPortInfo::redirect_tc, 192, 8>("RedirectTC"),
      row<&ClassPortInfo::redirect_sl, 200, 4>("RedirectSL"),
      row<&ClassPortInfo::redirect_fl, 204, 20>("RedirectFL", Show::Hex),
      row<&ClassPortInfo::redirect_lid, 224, 16>("RedirectLID"),
      row<&ClassPortInfo::redirect_p_key, 240, 16>("RedirectP_Key"),
      reserved<256, 8>,
      row<&ClassPortInfo::redirect_qp, 264, 24>("RedirectQP", Show::Hex),
      row<&ClassPortInfo::redirect_q_key, 288, 32>("RedirectQ_Key", Show::Hex),
      row<&ClassPortInfo::trap_gid, 320, 128>("TrapGID"),
      row<&ClassPortInfo::trap_tc, 448, 8>("TrapTC"),
      row<&ClassPortInfo::trap_sl, 456, 4>("TrapSL"),
      row<&ClassPortInfo::trap_fl, 460, 20>("TrapFL", Show::Hex),
      row<&ClassPortInfo::trap_lid, 480, 16>("TrapLID"),
      row<&ClassPortInfo::trap_p_key, 496, 16>("TrapP_Key"),
      row<&ClassPortInfo::trap_hl, 512, 8>("TrapHL"),
      row<&ClassPortInfo::trap_qp, 520, 24>("TrapQP", Show::Hex),
      row<&ClassPortInfo::trap_q_key, 544, 32>("TrapQ_Key", Show::Hex),
  };
};

}  // namespace heddle::mad
