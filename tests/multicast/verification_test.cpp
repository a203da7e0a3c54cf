// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/verification.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "multicast/trees.hpp"
#include "tests/multicast/floods.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using fabric::SwitchIndex;
using mad::PortNumber;
using ::testing::HasSubstr;
using testing::stage_ports;
using testing::staged;

constexpr mad::Lid kVerifiedMlid{0xC000};

// A ring of four switches with a receiver on each; right, and ready to be damaged.
struct Ring {
  Ring() : topology(staged(support::ring(4, 2))), tables(4) {
    Trees trees(topology);
    const auto ports = stage_ports(*topology);
    for (std::size_t p = 0; p < ports.size(); p += 2)
      roles.push_back({kVerifiedMlid, ports[p], Role::Receiver});
    trees.apply(roles);
    tables = trees.tables();
  }
  TreeVerification verify() const { return multicast::verify(*topology, tables, roles); }
  void expect(TreeFault fault, const char* words) const {
    const auto proof = verify();
    EXPECT_FALSE(proof.proven());
    const auto found =
        std::find_if(proof.samples.begin(), proof.samples.end(),
                     [&](const TreeFaultSample& sample) { return sample.fault == fault; });
    ASSERT_NE(found, proof.samples.end());
    EXPECT_THAT(describe(*topology, *found), HasSubstr(words));
  }
  PortNumber unused_link_port() const {  // of the channel that the tree leaves out
    for (const fabric::Channel& channel : topology->channels()) {
      if (!tables.contains(channel.from, kVerifiedMlid, channel.out)) return channel.out;
    }
    return {};
  }
  std::shared_ptr<const fabric::Topology> topology;
  Tables tables;
  std::vector<RoleChange> roles;
};

TEST(Verification, RightTablesAreProven) {
  const Ring ring;
  const auto proof = ring.verify();
  EXPECT_TRUE(proof.proven());
  EXPECT_EQ(proof.mlids, 1u);
  EXPECT_EQ(proof.deliveries, 16u) << "from each of four switches to each of four receivers";
}

TEST(Verification, FindsACircle) {
  Ring ring;
  for (const fabric::Channel& channel : ring.topology->channels()) {
    ring.tables.set(channel.from, kVerifiedMlid, channel.out, true);
  }
  ring.expect(TreeFault::Cycle, "can come back");
}

TEST(Verification, FindsALinkThatIsMissingAtOneEndOrBoth) {
  Ring ring;
  const auto channels = ring.topology->channels();
  const auto used = std::find_if(channels.begin(), channels.end(), [&](const auto& channel) {
    return ring.tables.contains(channel.from, kVerifiedMlid, channel.out);
  });
  ring.tables.set(used->from, kVerifiedMlid, used->out, false);
  ring.expect(TreeFault::OneWay, "nothing comes back");
  ring.tables.set(used->to, kVerifiedMlid, used->in, false);
  ring.expect(TreeFault::NotReached, "is cut off from 0xc000");
}

TEST(Verification, FindsAReceiverWithoutItsBit) {
  Ring ring;
  const auto place = PortFinder(*ring.topology).find(ring.roles[2].port);
  ring.tables.set(place->at, kVerifiedMlid, place->out, false);
  ring.expect(TreeFault::NotReached, "cut off");
  EXPECT_EQ(ring.verify().faults, 1u);
  // One that only sends needs none.
  ring.roles[2].role = Role::Sender;
  EXPECT_TRUE(ring.verify().proven());
}

TEST(Verification, FindsStrangers) {
  Ring ring;
  const auto ports = stage_ports(*ring.topology);
  const auto place = PortFinder(*ring.topology).find(ports[1]);
  ring.tables.set(place->at, kVerifiedMlid, place->out, true);
  ring.expect(TreeFault::Stranger, "does not receive it");
  ring.tables.set(place->at, kVerifiedMlid, place->out, false);
  ring.tables.set(SwitchIndex{1}, kVerifiedMlid, PortNumber{0}, true);
  ring.expect(TreeFault::Stranger, "port 0");
}

TEST(Verification, TakesReceiversOfOneLidForStrangersToTheNext) {
  Ring ring;
  constexpr mad::Lid kNext{0xC001};
  const auto ports = stage_ports(*ring.topology);
  auto roles = ring.roles;
  for (RoleChange& role : roles) role.mlid = kNext;
  ring.roles.push_back({kVerifiedMlid, ports[1], Role::Receiver});
  ring.roles.insert(ring.roles.end(), roles.begin(), roles.end());
  Trees trees(ring.topology);
  trees.apply(ring.roles);
  ring.tables = trees.tables();
  EXPECT_TRUE(ring.verify().proven());
  const auto place = PortFinder(*ring.topology).find(ports[1]);
  ring.tables.set(place->at, kNext, place->out, true);
  ring.expect(TreeFault::Stranger, "forwards 0xc001 to somebody who does not receive it");
}

TEST(Verification, TakesMembersInAnyOrder) {
  Ring ring;
  std::reverse(ring.roles.begin(), ring.roles.end());
  EXPECT_EQ(ring.verify().deliveries, 16u);
  ring.roles.push_back(ring.roles.front());
  EXPECT_TRUE(ring.verify().proven());
}

TEST(Verification, FindsPortsWithoutALink) {
  Ring ring;
  ring.tables.set(SwitchIndex{0}, kVerifiedMlid, PortNumber{250}, true);
  ring.expect(TreeFault::NoLink, "port 250");
}

TEST(Verification, FindsWaysThatLeadNowhere) {
  Ring ring;
  // The one at an end of the tree is no member any more; its switch still gets everything.
  for (auto& role : ring.roles) {
    const auto place = PortFinder(*ring.topology).find(role.port);
    if (ring.tables.entry(place->at, kVerifiedMlid).size() != 2) continue;
    ring.tables.set(place->at, kVerifiedMlid, place->out, false);
    role.role = Role::None;
    break;
  }
  ring.expect(TreeFault::Idle, "where nobody is a member");
}

TEST(Verification, FindsEntriesThatNobodyAskedFor) {
  Ring ring;
  const auto place = PortFinder(*ring.topology).find(ring.roles[0].port);
  ring.tables.set(place->at, mad::Lid{0xC123}, place->out, true);
  ring.expect(TreeFault::ForeignEntry, "0xc123");
}

TEST(Verification, OfSomeLidsLooksAtNoOthers) {
  Ring ring;
  const auto place = PortFinder(*ring.topology).find(ring.roles[0].port);
  ring.tables.set(place->at, mad::Lid{0xC123}, place->out, true);
  Verifier verifier(*ring.topology);
  const auto verify_one = [&](mad::Lid mlid) {
    return verifier.verify(ring.tables, ring.roles, {&mlid, 1});
  };
  const auto fine = verify_one(kVerifiedMlid);
  EXPECT_TRUE(fine.proven());
  EXPECT_EQ(fine.mlids, 1u);
  EXPECT_EQ(fine.deliveries, 16u);
  EXPECT_EQ(verify_one(mad::Lid{0xC123}).faults, 1u);
  ring.tables.set(place->at, kVerifiedMlid, place->out, false);
  EXPECT_EQ(verify_one(kVerifiedMlid).faults, 1u);
}

TEST(Verification, FindsEntriesOfSwitchesWithoutATable) {
  Ring ring;
  const auto recipe = support::ring(4, 2);
  ring.topology = staged(recipe, testing::kUsualCap, [&](const fabric::Node& node) {
    return node.guid == recipe.nodes[0].guid;
  });
  ring.expect(TreeFault::NoTable, "has no entry");
}

TEST(Verification, DoesNotExpectTheImpossible) {
  const auto topology = staged(support::two_islands(support::ring(3, 1), support::star(2)));
  Trees trees(topology);
  std::vector<RoleChange> roles;
  for (const auto port : stage_ports(*topology))
    roles.push_back({kVerifiedMlid, port, Role::Receiver});
  roles.push_back({kVerifiedMlid, mad::Guid{0xDEAD}, Role::Receiver});
  trees.apply(roles);
  EXPECT_TRUE(verify(*topology, trees.tables(), roles).proven());
}

// Whatever bit is turned, packets and proof agree on whether all is well.
TEST(Verification, AgreesWithPacketsOnTablesWithATurnedBit) {
  const Ring ring;
  std::map<mad::Guid, Role> members;
  for (const auto& role : ring.roles) members[role.port] = role.role;
  base::Prng prng(8);
  unsigned harmful = 0;
  for (int i = 0; i < 400; ++i) {
    Tables tables = ring.tables;
    const SwitchIndex at{static_cast<std::uint32_t>(prng.below(4))};
    const PortNumber port{static_cast<std::uint8_t>(prng.below(5))};
    tables.set(at, kVerifiedMlid, port, !tables.contains(at, kVerifiedMlid, port));
    const bool served = testing::all_served(*ring.topology, tables, kVerifiedMlid, members);
    const bool proven = verify(*ring.topology, tables, ring.roles).proven();
    // A proof asks more than packets can show: no half of a link, wherever it is.
    EXPECT_TRUE(served || !proven);
    harmful += !proven;
  }
  EXPECT_EQ(harmful, 400u) << "every bit of a ring matters";
}

}  // namespace
}  // namespace heddle::multicast
