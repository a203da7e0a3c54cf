// SPDX-License-Identifier: BSD-3-Clause
#include "mad/link.hpp"

#include <fmt/format.h>

namespace heddle::mad {

namespace {

constexpr bool is_indexed_by_enumeration() {
  for (std::size_t i = 0; i < kLinkSpeeds.size(); ++i) {
    if (static_cast<std::size_t>(kLinkSpeeds[i].speed) != i) return false;
  }
  for (std::size_t i = 0; i < kLinkWidths.size(); ++i) {
    if (static_cast<std::size_t>(kLinkWidths[i].width) != i) return false;
  }
  return true;
}
static_assert(is_indexed_by_enumeration());

std::uint8_t supported_bits(const PortInfo& port, SpeedField field) {
  switch (field) {
    case SpeedField::LinkSpeed:
      return port.link_speed_supported;
    case SpeedField::LinkSpeedExt:
      return port.link_speed_ext_supported;
    case SpeedField::LinkSpeedExt2:
      return port.link_speed_ext2_supported;
    case SpeedField::Vendor:
      break;
  }
  return 0;
}

}  // namespace

std::optional<LinkWidth> width_of_bit(std::uint8_t bit) {
  for (const LinkWidthEntry& row : kLinkWidths) {
    if (row.bit == bit) return row.width;
  }
  return std::nullopt;
}

std::optional<LinkSpeed> speed_of_bit(SpeedField field, std::uint8_t bit) {
  for (const LinkSpeedEntry& row : kLinkSpeeds) {
    if (row.field == field && row.bit == bit) return row.speed;
  }
  return std::nullopt;
}

std::optional<LinkWidth> active_width(const PortInfo& port) {
  return width_of_bit(port.link_width_active);
}

std::optional<LinkSpeed> active_speed(const PortInfo& port, const MlnxExtendedPortInfo* vendor) {
  if (port.link_speed_ext2_active != 0) {
    return speed_of_bit(SpeedField::LinkSpeedExt2, port.link_speed_ext2_active);
  }
  if (port.link_speed_ext_active != 0) {
    return speed_of_bit(SpeedField::LinkSpeedExt, port.link_speed_ext_active);
  }
  if (vendor != nullptr && vendor->link_speed_active != 0) {
    return speed_of_bit(SpeedField::Vendor, vendor->link_speed_active);
  }
  return speed_of_bit(SpeedField::LinkSpeed, port.link_speed_active);
}

std::optional<LinkWidth> best_common_width(const PortInfo& a, const PortInfo& b) {
  const unsigned common = a.link_width_supported & b.link_width_supported;
  for (auto row = kLinkWidths.rbegin(); row != kLinkWidths.rend(); ++row) {
    if ((common & row->bit) != 0) return row->width;
  }
  return std::nullopt;
}

std::optional<LinkSpeed> best_common_speed(const PortInfo& a, const PortInfo& b) {
  for (auto row = kLinkSpeeds.rbegin(); row != kLinkSpeeds.rend(); ++row) {
    if ((supported_bits(a, row->field) & supported_bits(b, row->field) & row->bit) != 0) {
      return row->speed;
    }
  }
  return std::nullopt;
}

std::string link_text(LinkWidth width, LinkSpeed speed) {
  return fmt::format("{} {}", entry(width).name, entry(speed).name);
}

std::string rate_text(Rate64 rate) {
  // A 64th has six decimals at most, so the fraction is exact; zeros at its end are dropped.
  std::string fraction = fmt::format("{:06}", rate % 64 * 1'000'000 / 64);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (fraction.empty()) fraction = "0";
  return fmt::format("{}.{} Gbps", rate / 64, fraction);
}

}  // namespace heddle::mad
