// SPDX-License-Identifier: BSD-3-Clause
#include "sim/link_kind.hpp"

#include <array>
#include <utility>

#include "mad/mlnx_extended_port_info.hpp"

namespace heddle::sim {
namespace {

constexpr std::array<std::pair<std::string_view, Speed>, 9> kSpeeds{{
    {"SDR", Speed::SDR},
    {"DDR", Speed::DDR},
    {"QDR", Speed::QDR},
    {"FDR10", Speed::FDR10},
    {"FDR", Speed::FDR},
    {"EDR", Speed::EDR},
    {"HDR", Speed::HDR},
    {"NDR", Speed::NDR},
    {"XDR", Speed::XDR},
}};

constexpr std::array<std::pair<std::string_view, Width>, 5> kWidths{{
    {"1x", Width::X1},
    {"2x", Width::X2},
    {"4x", Width::X4},
    {"8x", Width::X8},
    {"12x", Width::X12},
}};

constexpr std::uint8_t kAllBasicSpeeds = 7;
constexpr std::uint8_t kOneAndFour = 3;

constexpr std::uint8_t bits_up_to(std::uint8_t bit) {
  return static_cast<std::uint8_t>(bit | (bit - 1));
}

}  // namespace

std::optional<Speed> parse_speed(std::string_view text) {
  for (const auto& [name, speed] : kSpeeds) {
    if (text == name) return speed;
  }
  return std::nullopt;
}

std::optional<Width> parse_width(std::string_view text) {
  for (const auto& [name, width] : kWidths) {
    if (text == name || text == name.substr(0, name.size() - 1)) return width;
  }
  return std::nullopt;
}

std::uint8_t width_bit(Width width) {
  switch (width) {
    case Width::X1:
      return 1;
    case Width::X4:
      return 2;
    case Width::X8:
      return 4;
    case Width::X12:
      return 8;
    case Width::X2:
      return 16;
  }
  return 2;
}

std::optional<Width> widest_of(std::uint8_t bits) {
  for (const Width width : {Width::X12, Width::X8, Width::X4, Width::X2, Width::X1}) {
    if ((bits & width_bit(width)) != 0) return width;
  }
  return std::nullopt;
}

std::uint8_t widths_up_to(Width width) {
  return static_cast<std::uint8_t>(kOneAndFour | width_bit(Width::X2) | width_bit(width));
}

std::uint8_t widths_supported(Width width, Speed speed) {
  if (speed >= Speed::HDR) return widths_up_to(width);
  return static_cast<std::uint8_t>(kOneAndFour | width_bit(width));
}

SpeedBits speed_bits(Speed speed) {
  switch (speed) {
    case Speed::SDR:
      return {1};
    case Speed::DDR:
      return {2};
    case Speed::QDR:
      return {4};
    case Speed::FDR10:
      return {4, 0, 0, mad::kFdr10};
    case Speed::FDR:
      return {4, 1};
    case Speed::EDR:
      return {4, 2};
    case Speed::HDR:
      return {4, 4};
    case Speed::NDR:
      return {4, 8};
    case Speed::XDR:
      return {4, 8, 1};
  }
  return {};
}

SpeedBits speeds_up_to(Speed speed) {
  const SpeedBits bits = speed_bits(speed);
  const std::uint8_t vendor = speed >= Speed::FDR10 ? mad::kFdr10 : std::uint8_t{0};
  if (bits.extended == 0) return {bits_up_to(bits.speed), 0, 0, vendor};
  return {kAllBasicSpeeds, bits_up_to(bits.extended), bits.extended2, vendor};
}

std::optional<Speed> fastest_of(SpeedBits bits) {
  constexpr std::array kExtended{Speed::XDR, Speed::NDR, Speed::HDR, Speed::EDR, Speed::FDR};
  for (std::size_t i = 0; i < kExtended.size(); ++i) {
    if ((bits.extended >> (kExtended.size() - 1 - i) & 1) != 0) return kExtended[i];
  }
  constexpr std::array kBasic{Speed::QDR, Speed::DDR, Speed::SDR};
  for (const Speed speed : kBasic) {
    if ((bits.speed & speed_bits(speed).speed) != 0) return speed;
  }
  return std::nullopt;
}

std::string_view name_of(Width width) {
  return kWidths[static_cast<std::size_t>(width)].first;
}

std::string_view name_of(Speed speed) {
  return kSpeeds[static_cast<std::size_t>(speed)].first;
}

bool runs_rs_fec(const mad::PortInfo& info) {
  constexpr unsigned kHdrAndAbove = 4 | 8;
  return (info.link_speed_ext_active & kHdrAndAbove) != 0 || info.link_speed_ext2_active != 0;
}

}  // namespace heddle::sim
