// SPDX-License-Identifier: BSD-3-Clause
#include "mad/link.hpp"

#include <gtest/gtest.h>

namespace heddle::mad {
namespace {

PortInfo port_at(const LinkSpeedEntry& speed) {
  PortInfo port;
  port.link_width_active = entry(LinkWidth::X4).bit;
  port.link_speed_active = entry(LinkSpeed::QDR).bit;  // what ports of newer speeds say there
  switch (speed.field) {
    case SpeedField::LinkSpeed:
      port.link_speed_active = speed.bit;
      break;
    case SpeedField::LinkSpeedExt:
      port.link_speed_ext_active = speed.bit;
      break;
    case SpeedField::LinkSpeedExt2:
      port.link_speed_ext2_active = speed.bit;
      break;
    case SpeedField::Vendor:
      break;
  }
  return port;
}

TEST(ActiveSpeed, IsFoundInWhicheverRegisterHoldsIt) {
  for (const LinkSpeedEntry& row : kLinkSpeeds) {
    MlnxExtendedPortInfo vendor;
    if (row.field == SpeedField::Vendor) vendor.link_speed_active = row.bit;
    EXPECT_EQ(active_speed(port_at(row), &vendor), row.speed) << row.name;
  }
}

TEST(ActiveSpeed, OfFdr10LooksLikeQdrWithoutTheVendorsAttribute) {
  EXPECT_EQ(active_speed(port_at(entry(LinkSpeed::FDR10))), LinkSpeed::QDR);
}

TEST(ActiveSpeed, IsUnknownWhenTheRegisterHoldsTwoBitsOrNone) {
  PortInfo port;
  EXPECT_FALSE(active_speed(port));
  EXPECT_FALSE(active_width(port));
  port.link_speed_active = 3;
  port.link_width_active = 3;
  EXPECT_FALSE(active_speed(port));
  EXPECT_FALSE(active_width(port));
  port.link_speed_ext_active = 3;
  EXPECT_FALSE(active_speed(port)) << "an extended speed must not fall back to the old register";
}

TEST(Rates, AreInOrderAndWrittenExactly) {
  for (std::size_t i = 1; i < kLinkSpeeds.size(); ++i) {
    EXPECT_LT(kLinkSpeeds[i - 1].lane_rate, kLinkSpeeds[i].lane_rate);
  }
  EXPECT_EQ(rate_text(link_rate(LinkWidth::X4, LinkSpeed::EDR)), "103.125 Gbps");
  EXPECT_EQ(rate_text(link_rate(LinkWidth::X1, LinkSpeed::FDR10)), "10.3125 Gbps");
  EXPECT_EQ(rate_text(link_rate(LinkWidth::X12, LinkSpeed::SDR)), "30.0 Gbps");
  EXPECT_EQ(link_text(LinkWidth::X2, LinkSpeed::NDR), "2x NDR");
}

TEST(Names, OfSpeedsAndWidthsAreReadBack) {
  for (const LinkSpeedEntry& row : kLinkSpeeds) EXPECT_EQ(parse_link_speed(row.name), row.speed);
  for (const LinkWidthEntry& row : kLinkWidths) EXPECT_EQ(parse_link_width(row.name), row.width);
  EXPECT_EQ(parse_link_speed("edr"), LinkSpeed::EDR);
  EXPECT_EQ(parse_link_width("12X"), LinkWidth::X12);
  EXPECT_FALSE(parse_link_speed("EDRX"));
  EXPECT_FALSE(parse_link_width("3x"));
}

TEST(BestCommon, IsTheFastestBothEndsSupport) {
  PortInfo old_port;
  old_port.link_width_supported = 1 | 2;
  old_port.link_speed_supported = 7;
  PortInfo new_port = old_port;
  new_port.link_width_supported = 1 | 2 | 16;
  new_port.link_speed_ext_supported = 15;
  EXPECT_EQ(best_common_width(old_port, new_port), LinkWidth::X4);
  EXPECT_EQ(best_common_speed(old_port, new_port), LinkSpeed::QDR);
  EXPECT_EQ(best_common_speed(new_port, new_port), LinkSpeed::NDR);
  EXPECT_FALSE(best_common_speed(old_port, PortInfo{}));
}

TEST(Mtu, CodesAndBytesAgree) {
  EXPECT_EQ(mtu_bytes(Mtu::Bytes256), 256u);
  EXPECT_EQ(mtu_bytes(Mtu::Bytes4096), 4096u);
  EXPECT_EQ(mtu_bytes(static_cast<Mtu>(0)), 0u);
  EXPECT_EQ(mtu_bytes(static_cast<Mtu>(6)), 0u);
  EXPECT_EQ(mtu_of_bytes(2047), Mtu::Bytes1024);
  EXPECT_EQ(mtu_of_bytes(2048), Mtu::Bytes2048);
  EXPECT_EQ(mtu_of_bytes(9000), Mtu::Bytes4096);
  EXPECT_FALSE(mtu_of_bytes(255));
}

TEST(DataLanes, OfUnknownCodesAreNone) {
  EXPECT_EQ(data_vl_count(0), 0u);
  EXPECT_EQ(data_vl_count(5), 15u);
  EXPECT_EQ(data_vl_count(6), 0u);
}

}  // namespace
}  // namespace heddle::mad
