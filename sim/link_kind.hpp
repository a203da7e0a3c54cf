// SPDX-License-Identifier: BSD-3-Clause
// Widths and speeds of cables: as people write them ("4xHDR") and as PortInfo's bits
// (IBA vol. 1, 14.2.5.6).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mad/port_info.hpp"
#include "sim/blueprint.hpp"

namespace heddle::sim {

inline constexpr std::string_view kSpeedNames = "SDR DDR QDR FDR10 FDR EDR HDR NDR XDR";
inline constexpr std::string_view kWidthNames = "1x 2x 4x 8x 12x";

std::optional<Speed> parse_speed(std::string_view text);  // upper case, as ibnetdiscover writes it
std::optional<Width> parse_width(std::string_view text);  // "4x" or "4"

// The LinkWidth bit of a width, of all widths that a cable of this width carries, and of those that
// a port of this width and speed supports: from HDR on ports can split, and know 2x.
std::uint8_t width_bit(Width width);
std::uint8_t widths_up_to(Width width);
std::uint8_t widths_supported(Width width, Speed speed);

// The widest of some LinkWidth bits; nothing without a bit that is known.
std::optional<Width> widest_of(std::uint8_t bits);

// One speed is bits in several registers: LinkSpeed up to 10 Gb/s per lane, LinkSpeedExt from 14 to
// 100, LinkSpeedExt2 for 200. FDR10 is a vendor's speed: where only the standard's registers are
// read it shows as QDR, and XDR as NDR to those who do not know LinkSpeedExt2.
struct SpeedBits {
  std::uint8_t speed = 0;
  std::uint8_t extended = 0;
  std::uint8_t extended2 = 0;
  std::uint8_t vendor = 0;
};
SpeedBits speed_bits(Speed speed);
SpeedBits speeds_up_to(Speed speed);
std::optional<Speed> fastest_of(SpeedBits bits);

// "4x", "HDR": as parse_width and parse_speed read them.
std::string_view name_of(Width width);
std::string_view name_of(Speed speed);

// Whether a link that runs as this PortInfo says corrects errors by RS-FEC: from 50 Gb/s per lane
// on there is no link without.
bool runs_rs_fec(const mad::PortInfo& info);

}  // namespace heddle::sim
