// SPDX-License-Identifier: BSD-3-Clause
#include "sm/known_memberships.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "fabric/assembly.hpp"
#include "partitions/language.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;
using fabric::Topology;
using partitions::Memberships;

std::shared_ptr<const partitions::Policy> policy(const char* text) {
  return std::make_shared<const partitions::Policy>(
      partitions::parse(text, "p", {.allow_both_pkeys = true, .qos = true}).value().policy);
}

// Two switches, two cables between them, two hosts on each. Port GUIDs are 0x1000 and on.
struct Stage {
  Stage() {
    const Topology made = support::build(support::parallel_links(2, 2));
    std::uint64_t guid = 0x1000;
    for (const PortIndex port : made.endports()) guids[port] = mad::Guid{guid++};
    self = made.endports().back();
    wire(made);
  }
  // The nodes of that one, and its cables but for the one at `without`.
  void wire(const Topology& from, PortIndex without = fabric::kNoPort) {
    auto assembly = fabric::Assembly::of_the_nodes_of(from);
    for (const auto& [port, guid] : guids) assembly.set_guid(port, guid);
    for (std::uint32_t p = 0; p < from.port_count(); ++p) {
      const PortIndex port{p}, peer = from.peer(port);
      const bool is_lost = port == without || peer == without;
      if (peer != fabric::kNoPort && !is_lost) assembly.join(port, peer, 1);
    }
    topology = std::make_shared<const Topology>(std::move(assembly).finish());
  }
  std::shared_ptr<const Memberships> ask() { return known.of(rules, topology, self, guests); }

  std::map<PortIndex, mad::Guid> guids;
  std::shared_ptr<const Topology> topology;
  PortIndex self{};
  std::vector<partitions::Guest> guests;
  std::shared_ptr<const partitions::Policy> rules =
      policy("Default=0x7fff: ALL=limited, SELF=full; A=0x0001: 0x1003=full, 0x77=full;");
  KnownMemberships known;
};

void expect_as_made_anew(const Stage& stage, const Memberships& given) {
  const Memberships anew(*stage.rules, *stage.topology, stage.self, stage.guests);
  for (std::uint32_t p = 0; p < stage.topology->port_count() + stage.guests.size(); ++p) {
    EXPECT_TRUE(std::ranges::equal(given.of({p}), anew.of({p}))) << p;
    EXPECT_TRUE(std::ranges::equal(given.through({p}), anew.through({p}))) << p;
  }
}

TEST(KnownMemberships, StandWhenACableBetweenSwitchesGoes) {
  Stage stage;
  const auto before = stage.ask();
  const auto whole = stage.topology;
  const fabric::Channel cable = whole->channels().front();
  stage.wire(*whole, whole->port_of(cable.from, cable.out));
  ASSERT_EQ(stage.topology->link_count(), whole->link_count() - 1);
  EXPECT_EQ(stage.ask(), before);
  expect_as_made_anew(stage, *before);
}

TEST(KnownMemberships, AreMadeAnewWhenAnythingElseChanges) {
  const std::map<const char*, void (*)(Stage&)> changes{
      {"a host without a cable",
       [](Stage& stage) {
         const auto whole = stage.topology;
         stage.wire(*whole, whole->endports().back());
       }},
      {"another port GUID",
       [](Stage& stage) {
         stage.guids[stage.topology->endports()[2]] = mad::Guid{0x77};
         stage.wire(Topology(*stage.topology));
       }},
      {"another manager", [](Stage& stage) { stage.self = stage.topology->endports()[2]; }},
      {"a guest",
       [](Stage& stage) {
         stage.guests.push_back({mad::Guid{0x77}, stage.self});
       }},
      {"other rules", [](Stage& stage) { stage.rules = policy("B=0x0002: ALL=full;"); }},
      {"no rules",
       [](Stage& stage) {
         stage.rules = std::make_shared<const partitions::Policy>(partitions::default_policy());
       }},
      {"other nodes",
       [](Stage& stage) { stage.wire(support::build(support::parallel_links(2, 3))); }},
  };
  for (const auto& [what, change] : changes) {
    SCOPED_TRACE(what);
    Stage stage;
    const auto before = stage.ask();
    change(stage);
    const auto after = stage.ask();
    EXPECT_NE(after, before);
    expect_as_made_anew(stage, *after);
    EXPECT_EQ(stage.ask(), after);
  }
}

}  // namespace
}  // namespace heddle::sm
