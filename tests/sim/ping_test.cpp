// SPDX-License-Identifier: BSD-3-Clause
#include "sim/ping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/stage.hpp"

namespace heddle::sim {
namespace {

using ::testing::HasSubstr;

TEST(Ping, NeedsTheBroadcastAndBothWays) {
  Stage stage("star:3");
  const PortIndex a = stage.port("host-0001");
  const PortIndex b = stage.port("host-0002");
  EXPECT_TRUE(ping(stage.devices(), a, b).works());
  PingOptions with_group;
  with_group.group = kGroup;
  EXPECT_FALSE(ping(stage.devices(), a, b, with_group).works());
  stage.set_multicast("switch-1", {1, 2, 3});
  EXPECT_TRUE(ping(stage.devices(), a, b, with_group).works());
  // The answer's way is another one, and may be the one that is missing.
  stage.registers("switch-1").linear[stage.lid(a).value] = 255;
  const Ping broken = ping(stage.devices(), a, b, with_group);
  EXPECT_FALSE(broken.works());
  EXPECT_TRUE(broken.there.arrived());
  EXPECT_EQ(broken.back.end, WalkEnd::NoRoute);
  const std::string text = describe(stage.devices(), broken);
  EXPECT_THAT(text, HasSubstr("broadcast: 2 end ports over 3 links; the other heard it"));
  EXPECT_THAT(text, HasSubstr("no route"));
}

TEST(GroupReach, IsWholeWhenEveryMemberHearsEveryOther) {
  Stage stage("star:4");
  stage.set_multicast("switch-1", {1, 2, 4});
  const GroupReach reach = reach_of(stage.devices(), kGroup);
  EXPECT_EQ(reach.members.size(), 3u);
  EXPECT_EQ(reach.asked, 3u);
  EXPECT_EQ(reach.missed, 0u);
}

TEST(GroupReach, NamesWhomAQuestionDoesNotReach) {
  Stage stage("fat-tree:1,2");  // two leaves, one spine, a host on each leaf
  // Both leaves know their host and the way up, but the spine knows only one way down.
  const Devices& devices = stage.devices();
  const auto up = [&](const char* leaf) {
    return devices
        .lines[devices.lines[stage.port(leaf, 1)].number == 1 ? stage.port(leaf, 2)
                                                              : stage.port(leaf, 1)]
        .number;
  };
  stage.set_multicast("leaf-1", {1, up("leaf-1")});
  stage.set_multicast("leaf-2", {1, up("leaf-2")});
  stage.set_multicast("spine-1", {1});
  const GroupReach reach = reach_of(devices, kGroup);
  ASSERT_EQ(reach.members.size(), 2u);
  EXPECT_EQ(reach.missed, 1u);
  EXPECT_EQ(reach.misses[0].from, stage.port("host-0001"));
  EXPECT_EQ(reach.misses[0].to, stage.port("host-0002"));
}

}  // namespace
}  // namespace heddle::sim
