// SPDX-License-Identifier: BSD-3-Clause
// PortInfoExtended (IBA vol. 1, 14.2.5.19): forward error correction of the link. Ports that have
// it say so in PortInfo.CapabilityMask2. FEC modes are numbers (FECModeActive) or bits (the
// others).
#pragma once

#include <cstdint>

#include "mad/types.hpp"
#include "mad/wire.hpp"

namespace heddle::mad {

inline constexpr std::uint32_t kIsFECModeSupported = 1u << 0;
inline constexpr std::uint16_t kNoFEC = 0;
inline constexpr std::uint16_t kFireCodeFEC = 1;
inline constexpr std::uint16_t kRSFEC = 2;

struct PortInfoExtended {
  std::uint32_t capability_mask{};
  std::uint16_t fec_mode_active{};
  std::uint16_t fdr_fec_mode_supported{};
  std::uint16_t fdr_fec_mode_enabled{};
  std::uint16_t edr_fec_mode_supported{};
  std::uint16_t edr_fec_mode_enabled{};
  std::uint16_t hdr_fec_mode_supported{};
  std::uint16_t hdr_fec_mode_enabled{};
  friend bool operator==(const PortInfoExtended&, const PortInfoExtended&) = default;
};

template <>
struct Layout<PortInfoExtended> {
  static constexpr std::string_view name = "PortInfoExtended";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&PortInfoExtended::capability_mask, 0, 32>("CapabilityMask", Show::Hex),
      row<&PortInfoExtended::fec_mode_active, 32, 16>("FECModeActive"),
      row<&PortInfoExtended::fdr_fec_mode_supported, 48, 16>("FDRFECModeSupported", Show::Hex),
      row<&PortInfoExtended::fdr_fec_mode_enabled, 64, 16>("FDRFECModeEnabled", Show::Hex),
      row<&PortInfoExtended::edr_fec_mode_supported, 80, 16>("EDRFECModeSupported", Show::Hex),
      row<&PortInfoExtended::edr_fec_mode_enabled, 96, 16>("EDRFECModeEnabled", Show::Hex),
      row<&PortInfoExtended::hdr_fec_mode_supported, 112, 16>("HDRFECModeSupported", Show::Hex),
      row<&PortInfoExtended::hdr_fec_mode_enabled, 128, 16>("HDRFECModeEnabled", Show::Hex),
      reserved<144, 368>,
  };
};

}  // namespace heddle::mad
