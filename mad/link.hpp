// SPDX-License-Identifier: BSD-3-Clause
// Link widths and speeds, each known in one table: everything that asks how fast a link is, or may
// be, asks here (IBA vol. 1, 14.2.5.6; vol. 2 for the lane rates).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mad/mlnx_extended_port_info.hpp"
#include "mad/port_info.hpp"

namespace heddle::mad {

// From slow to fast.
enum class LinkSpeed : std::uint8_t { SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR };

// From narrow to wide.
enum class LinkWidth : std::uint8_t { X1, X2, X4, X8, X12 };

// Which fields of which attribute hold a speed's bit.
enum class SpeedField : std::uint8_t {
  LinkSpeed,      // PortInfo.LinkSpeed{Supported,Enabled,Active}
  LinkSpeedExt,   // PortInfo.LinkSpeedExt*
  LinkSpeedExt2,  // PortInfo.LinkSpeedExt*2
  Vendor,         // MlnxExtendedPortInfo.LinkSpeed*
};

// The unit of rates: 1/64 Gb/s, in which every lane rate is a whole number.
using Rate64 = std::uint32_t;

struct LinkSpeedEntry {
  LinkSpeed speed;
  std::string_view name;
  SpeedField field;
  std::uint8_t bit;
  Rate64 lane_rate;  // signalling rate of one lane
};

struct LinkWidthEntry {
  LinkWidth width;
  std::string_view name;  // "4x"
  std::uint8_t bit;       // in PortInfo.LinkWidth{Supported,Enabled,Active}
  std::uint8_t lanes;
};

// In the order of the enumerations, which index them.
inline constexpr std::array<LinkSpeedEntry, 9> kLinkSpeeds{{
    {LinkSpeed::SDR, "SDR", SpeedField::LinkSpeed, 1, 160},
    {LinkSpeed::DDR, "DDR", SpeedField::LinkSpeed, 2, 320},
    {LinkSpeed::QDR, "QDR", SpeedField::LinkSpeed, 4, 640},
    {LinkSpeed::FDR10, "FDR10", SpeedField::Vendor, kFdr10, 660},
    {LinkSpeed::FDR, "FDR", SpeedField::LinkSpeedExt, 1, 900},
    {LinkSpeed::EDR, "EDR", SpeedField::LinkSpeedExt, 2, 1650},
    {LinkSpeed::HDR, "HDR", SpeedField::LinkSpeedExt, 4, 3400},
    {LinkSpeed::NDR, "NDR", SpeedField::LinkSpeedExt, 8, 6800},
    {LinkSpeed::XDR, "XDR", SpeedField::LinkSpeedExt2, 1, 13600},
}};

inline constexpr std::array<LinkWidthEntry, 5> kLinkWidths{{
    {LinkWidth::X1, "1x", 1, 1},
    {LinkWidth::X2, "2x", 16, 2},
    {LinkWidth::X4, "4x", 2, 4},
    {LinkWidth::X8, "8x", 4, 8},
    {LinkWidth::X12, "12x", 8, 12},
}};

constexpr const LinkSpeedEntry& entry(LinkSpeed speed) {
  return kLinkSpeeds[static_cast<std::size_t>(speed)];
}
constexpr const LinkWidthEntry& entry(LinkWidth width) {
  return kLinkWidths[static_cast<std::size_t>(width)];
}
constexpr Rate64 link_rate(LinkWidth width, LinkSpeed speed) {
  return entry(speed).lane_rate * entry(width).lanes;
}

// What a link runs at now. Nothing when the field does not hold exactly one known bit, as on a port
// that is down. FDR10 can only be told with the vendor's attribute; without it, it looks like QDR.
std::optional<LinkWidth> active_width(const PortInfo& port);
std::optional<LinkSpeed> active_speed(const PortInfo& port,
                                      const MlnxExtendedPortInfo* vendor = nullptr);

// The width or speed a single bit stands for.
std::optional<LinkWidth> width_of_bit(std::uint8_t bit);
std::optional<LinkSpeed> speed_of_bit(SpeedField field, std::uint8_t bit);

// The fastest and widest that both ends say they support; what a link should come up with.
// PortInfo cannot tell FDR10, so it is never the answer.
std::optional<LinkWidth> best_common_width(const PortInfo& a, const PortInfo& b);
std::optional<LinkSpeed> best_common_speed(const PortInfo& a, const PortInfo& b);

// "4x EDR".
std::string link_text(LinkWidth width, LinkSpeed speed);
// "25.78125 Gbps", as operators know it from their tools.
std::string rate_text(Rate64 rate);

// Payload bytes of an MTU code; 0 for a code that has none.
constexpr unsigned mtu_bytes(Mtu mtu) {
  return mtu >= Mtu::Bytes256 && mtu <= Mtu::Bytes4096 ? 128u << static_cast<unsigned>(mtu) : 0;
}

// Data lanes of a VLCap or OperationalVLs code (1..5 for 1, 2, 4, 8, 15); 0 for other codes.
constexpr unsigned data_vl_count(std::uint8_t code) {
  return code >= 1 && code <= 4 ? 1u << (code - 1) : code == 5 ? 15 : 0;
}

}  // namespace heddle::mad
