// SPDX-License-Identifier: BSD-3-Clause
// How slow a link is, from what its ends say.
#include <gtest/gtest.h>

#include "fabric/observation.hpp"
#include "mad/link.hpp"

namespace heddle::fabric {
namespace {

constexpr std::uint8_t k4x = 2, k1x = 1, kAllWidths = k4x | k1x;
constexpr std::uint8_t kEdr = 2, kFdr = 1, kBoth = kEdr | kFdr;

struct Said {
  std::uint8_t width_supported, width_active, speed_supported, speed_active;
};

// Of the link between two switches that say this.
unsigned slowness(Said one, Said other) {
  Observation observation;
  std::uint64_t guid = 0x10;
  for (const Said& said : {one, other}) {
    mad::NodeInfo info;
    info.node_guid = mad::Guid{guid++};
    info.node_type = mad::NodeType::Switch;
    info.num_ports = 1;
    const auto index = observation.add(info);
    ObservedNode& node = observation.change(index);
    node.switch_info.emplace().linear_fdb_cap = 64;
    node.ports[0].info.emplace();
    auto& port = node.ports[1].info.emplace();
    port.link_width_supported = said.width_supported;
    port.link_width_active = said.width_active;
    port.link_speed_supported = 7;
    port.link_speed_active = 4;
    port.link_speed_ext_supported = said.speed_supported;
    port.link_speed_ext_active = said.speed_active;
    node.ports[1].sighting = ObservedEnd{ObservedIndex{1 - index.value}, mad::PortNumber{1}};
  }
  const auto frozen = freeze(observation);
  EXPECT_EQ(frozen.topology->channels().size(), 2u);
  const unsigned there = frozen.topology->channels()[0].slowness;
  EXPECT_EQ(frozen.topology->channels()[1].slowness, there);
  return there;
}

TEST(LinkRate, ALinkAtWhatBothEndsCanDoIsNotSlow) {
  EXPECT_EQ(slowness({kAllWidths, k4x, kBoth, kEdr}, {kAllWidths, k4x, kBoth, kEdr}), 1u);
  EXPECT_EQ(slowness({kAllWidths, k4x, kFdr, kFdr}, {kAllWidths, k4x, kBoth, kFdr}), 1u);
}

TEST(LinkRate, WidthAndSpeedThatAreLostMakeItSlow) {
  EXPECT_EQ(slowness({kAllWidths, k1x, kBoth, kEdr}, {kAllWidths, k1x, kBoth, kEdr}), 4u);
  EXPECT_EQ(slowness({kAllWidths, k4x, kBoth, kFdr}, {kAllWidths, k4x, kBoth, kFdr}), 2u);
  EXPECT_EQ(slowness({kAllWidths, k1x, kBoth, kFdr}, {kAllWidths, k1x, kBoth, kFdr}), 8u);
}

TEST(LinkRate, NonsenseIsNotSlow) {
  EXPECT_EQ(slowness({kAllWidths, 0, kBoth, kEdr}, {kAllWidths, 0, kBoth, kEdr}), 1u);
  EXPECT_EQ(slowness({0, k1x, kBoth, kEdr}, {0, k1x, kBoth, kEdr}), 1u);
  EXPECT_EQ(slowness({kAllWidths, k1x, kBoth, 0xFF}, {kAllWidths, k1x, kBoth, 0xFF}), 1u);
}

}  // namespace
}  // namespace heddle::fabric
