// SPDX-License-Identifier: BSD-3-Clause
#include "api/losses.hpp"

#include <chrono>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::api {
namespace {

using fabric::TopologyBuilder;
using End = TopologyBuilder::End;
using Links = std::vector<std::pair<End, End>>;

constexpr WallTime kNoon{std::chrono::hours(12)};

End end(std::uint64_t guid, std::uint8_t port) {
  return {mad::Guid{guid}, mad::PortNumber{port}};
}

// Two switches (1, 2) and a host (9), with these cables.
std::shared_ptr<const fabric::Topology> fabric_of(const Links& links, bool with_host = true) {
  TopologyBuilder builder;
  const auto add = [&](std::uint64_t guid, mad::NodeType type, const char* name) {
    fabric::Node node;
    node.guid = mad::Guid{guid};
    node.type = type;
    node.port_count = 4;
    node.description = name;
    builder.add_node(node);
  };
  add(1, mad::NodeType::Switch, "one");
  add(2, mad::NodeType::Switch, "two");
  if (with_host) add(9, mad::NodeType::ChannelAdapter, "host");
  for (const auto& [a, b] : links) builder.add_link(a, b);
  return std::make_shared<const fabric::Topology>(*std::move(builder).build());
}

const Links kAll{{end(1, 1), end(2, 1)}, {end(1, 2), end(2, 2)}, {end(1, 3), end(9, 1)}};

TEST(Losses, TheFirstFabricMissesNothing) {
  Losses losses;
  losses.renew(fabric_of({kAll[0]}), kNoon);
  losses.renew(fabric_of(kAll), kNoon);
  EXPECT_TRUE(losses.links().empty());
}

TEST(Losses, AnEndedLinkIsMissedUntilItIsBack) {
  Losses losses;
  losses.renew(fabric_of(kAll), WallTime{});
  losses.renew(fabric_of({kAll[0], kAll[2]}), kNoon);
  ASSERT_EQ(losses.links().size(), 1u);
  const LostLink& lost = losses.links().front();
  EXPECT_EQ(lost.a.name, "one");
  EXPECT_EQ(lost.a.port.value, 2);
  EXPECT_EQ(lost.b.name, "two");
  EXPECT_TRUE(lost.between_switches);
  EXPECT_EQ(lost.since, kNoon);
  losses.renew(fabric_of({kAll[0], kAll[2]}), kNoon + std::chrono::hours(1));
  ASSERT_EQ(losses.links().size(), 1u);
  EXPECT_EQ(losses.links().front().since, kNoon) << "it is the same loss";
  losses.renew(fabric_of(kAll), kNoon);
  EXPECT_TRUE(losses.links().empty());
}

TEST(Losses, AHostThatIsGoneTakesItsLinkWithIt) {
  Losses losses;
  losses.renew(fabric_of(kAll), kNoon);
  losses.renew(fabric_of({kAll[0], kAll[1]}, /*with_host=*/false), kNoon);
  ASSERT_EQ(losses.links().size(), 1u);
  EXPECT_FALSE(losses.links().front().between_switches);
  EXPECT_EQ(losses.links().front().b.name, "host");
  EXPECT_EQ(losses.between_switches(), 0u);
}

TEST(Losses, ACableThatWasPluggedElsewhereIsNotMissed) {
  Losses losses;
  losses.renew(fabric_of({kAll[0]}), kNoon);
  losses.renew(fabric_of({{end(1, 1), end(2, 4)}}), kNoon);
  EXPECT_TRUE(losses.links().empty());
}

TEST(Losses, WhatIsAcceptedIsForgotten) {
  Losses losses;
  losses.renew(fabric_of(kAll), kNoon);
  losses.renew(fabric_of({}), kNoon);
  EXPECT_EQ(losses.links().size(), 3u);
  EXPECT_EQ(losses.between_switches(), 2u);
  losses.accept();
  losses.renew(fabric_of({}), kNoon);
  EXPECT_TRUE(losses.links().empty());
}

}  // namespace
}  // namespace heddle::api
