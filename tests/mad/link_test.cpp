// SPDX-License-Identifier: BSD-3-Clause
#include "mad/link.hpp"

#include <array>
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include "mad/sa_rate.hpp"

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

// What the specification and the vendors' tools say, written down apart from the tables that are
// computed with: lane rates in units of 1/64 Gb/s would hide a mistake in both.
struct SpeedGolden {
  LinkSpeed speed;
  const char* name;
  SpeedField field;
  unsigned bit;
  double lane_gigabits;             // the signal
  std::array<unsigned, 5> sa_code;  // 1x 2x 4x 8x 12x: codes of PathRecord.Rate (15.2.5.16)
};
// 12x XDR has no code: it is told as the fastest there is.
constexpr SpeedGolden kSpeedGoldens[] = {
    {LinkSpeed::SDR, "SDR", SpeedField::LinkSpeed, 1, 2.5, {2, 5, 3, 6, 4}},
    {LinkSpeed::DDR, "DDR", SpeedField::LinkSpeed, 2, 5, {5, 3, 6, 7, 8}},
    {LinkSpeed::QDR, "QDR", SpeedField::LinkSpeed, 4, 10, {3, 6, 7, 9, 10}},
    {LinkSpeed::FDR10, "FDR10", SpeedField::Vendor, 1, 10.3125, {3, 6, 7, 9, 10}},
    {LinkSpeed::FDR, "FDR", SpeedField::LinkSpeedExt, 1, 14.0625, {11, 19, 12, 13, 14}},
    {LinkSpeed::EDR, "EDR", SpeedField::LinkSpeedExt, 2, 25.78125, {15, 20, 16, 17, 18}},
    {LinkSpeed::HDR, "HDR", SpeedField::LinkSpeedExt, 4, 53.125, {20, 16, 17, 21, 22}},
    {LinkSpeed::NDR, "NDR", SpeedField::LinkSpeedExt, 8, 106.25, {16, 17, 21, 23, 24}},
    {LinkSpeed::XDR, "XDR", SpeedField::LinkSpeedExt2, 1, 212.5, {17, 21, 23, 25, 25}},
};
struct WidthGolden {
  LinkWidth width;
  const char* name;
  unsigned bit, lanes;
};
constexpr WidthGolden kWidthGoldens[] = {{LinkWidth::X1, "1x", 1, 1},
                                         {LinkWidth::X2, "2x", 16, 2},
                                         {LinkWidth::X4, "4x", 2, 4},
                                         {LinkWidth::X8, "8x", 4, 8},
                                         {LinkWidth::X12, "12x", 8, 12}};

TEST(Goldens, OfSpeedsWidthsAndRates) {
  ASSERT_EQ(std::size(kSpeedGoldens), kLinkSpeeds.size());
  ASSERT_EQ(std::size(kWidthGoldens), kLinkWidths.size());
  for (const SpeedGolden& golden : kSpeedGoldens) {
    const LinkSpeedEntry& row = entry(golden.speed);
    EXPECT_EQ(row.name, golden.name);
    EXPECT_EQ(row.field, golden.field) << golden.name;
    EXPECT_EQ(unsigned{row.bit}, golden.bit) << golden.name;
    for (std::size_t w = 0; w < std::size(kWidthGoldens); ++w) {
      const WidthGolden& width = kWidthGoldens[w];
      EXPECT_EQ(unsigned{entry(width.width).bit}, width.bit) << width.name;
      EXPECT_EQ(entry(width.width).name, width.name);
      EXPECT_EQ(link_rate(width.width, golden.speed), golden.lane_gigabits * width.lanes * 64)
          << golden.name;
      EXPECT_EQ(unsigned{kSARates[rate_rank(width.width, golden.speed)].code}, golden.sa_code[w])
          << width.name << ' ' << golden.name;
    }
  }
}

TEST(Goldens, OfMtus) {
  constexpr std::pair<unsigned, unsigned> kMtus[] = {
      {1, 256}, {2, 512}, {3, 1024}, {4, 2048}, {5, 4096}};
  for (const auto& [code, bytes] : kMtus) {
    EXPECT_EQ(mtu_bytes(static_cast<Mtu>(code)), bytes);
  }
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
}

TEST(DataLanes, OfUnknownCodesAreNone) {
  EXPECT_EQ(data_vl_count(0), 0u);
  EXPECT_EQ(data_vl_count(5), 15u);
  EXPECT_EQ(data_vl_count(6), 0u);
}

}  // namespace
}  // namespace heddle::mad
