// SPDX-License-Identifier: BSD-3-Clause
// What a reload of the policy means for members of its groups, and how far multicast tables reach.
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "tests/simulation/ipoib_client.hpp"

namespace heddle::test {
namespace {

using std::chrono::seconds;

// Ports that were asked to register anew, as the manager sent it.
struct Asked {
  std::set<mad::Lid> lids;
  BoxOptions options() {
    BoxOptions options;
    options.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      const bool sets =
          smp && smp->method == mad::Method::Set && smp->attribute_id == mad::AttributeId::PortInfo;
      if (!sets) return;
      const auto info = mad::decode<mad::PortInfo>(smp->data);
      if (info.client_reregister) lids.insert(info.lid);
    };
    return options;
  }
};

sm::OptionsChanged with_q_key(std::uint32_t q_key) {
  auto policy = partitions::default_policy();
  for (auto& partition : policy.partitions) {
    for (auto& group : partition.groups) group.q_key = q_key;
  }
  sm::Options options;
  options.partitions = std::make_shared<const partitions::Policy>(std::move(policy));
  return {std::make_shared<const sm::Options>(std::move(options))};
}

TEST(GroupTerms, ThatAReloadChangesAreToldToTheMembersAndToNobodyElse) {
  Asked asked;
  Box box("star:5", asked.options());
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  ASSERT_EQ(clients[2].join(kIpv4Broadcast).status(), mad::kStatusOk);
  asked.lids.clear();
  box.input(with_q_key(0x1234));
  box.run_for(seconds(5));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(asked.lids,
            (std::set<mad::Lid>{clients[0].port_info().lid, clients[2].port_info().lid}));
  EXPECT_EQ(clients[0].join(kIpv4Broadcast).records.at(0).q_key, 0x1234u);
  // Once is enough.
  asked.lids.clear();
  box.input(sm::ResweepCommand{"to see that nobody is asked again"});
  box.run_for(seconds(5));
  EXPECT_TRUE(asked.lids.empty());
}

// Ports that cannot be asked keep what they have, which an operator should know.
TEST(GroupTerms, ThatNobodyCanTellAPortAreToldTheOperator) {
  BoxOptions options;
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    info.capability_mask &= ~mad::kIsClientReregistrationSupported;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(datagram.payload.data() + 64,
                                                               mad::kSmpDataBytes));
  };
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  ASSERT_EQ(clients[2].join(kIpv4Broadcast).status(), mad::kStatusOk);
  box.input(with_q_key(0x1234));
  box.run_for(seconds(5));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::MembersNotAsked>(), 1u);
}

TEST(GroupTerms, WhereNobodyMayBeAskedMembersKeepTheirsAndTheOperatorIsTold) {
  Asked asked;
  BoxOptions options = asked.options();
  options.sm.reregister = false;
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  ASSERT_EQ(clients[0].join(kIpv4Broadcast).status(), mad::kStatusOk);
  sm::Options changed = *with_q_key(0x1234).options;
  changed.reregister = false;
  box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(changed)});
  box.run_for(seconds(5));
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_TRUE(asked.lids.empty());
  EXPECT_EQ(box.count<sm::MembersNotAsked>(), 1u);
}

std::uint16_t multicast_top(Box& box) {
  return box.world().devices().switches.at(0).info.multicast_fdb_top;
}

// As many groups more, numbered from `first` on, by clients in turn: the LID of the last.
mad::Lid create_groups(Box& box, std::uint32_t first, std::uint32_t count) {
  auto clients = clients_of(box);
  const auto broadcast = clients[0].join(kIpv4Broadcast).records.at(0);
  mad::Lid last{};
  for (std::uint32_t n = first; n < first + count; ++n) {
    const mad::Gid mgid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{n}};
    const auto made = clients[n % clients.size()].create(mgid, broadcast);
    EXPECT_EQ(made.status(), mad::kStatusOk) << n;
    if (!made.records.empty()) last = made.records[0].mlid;
  }
  return last;
}

TEST(MulticastFDBTop, CoversTheGroupsThatThereAreAndGrowsWithThem) {
  Box box("star:5");
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(multicast_top(box), 0xC03F);
  const mad::Lid last = create_groups(box, 1, 300);
  EXPECT_GT(last.value, 0xC03F);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(multicast_top(box), last.value);
  const auto sets = box.world().counters().sets;
  box.input(sm::ResweepCommand{"to see that nothing is written"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.world().counters().sets, sets);
}

// The policy's groups are there from the end of the first sweep on, and leave little room.
TEST(MulticastFDBTop, GrowsForGroupsBesideThoseOfThePolicy) {
  partitions::Policy policy = partitions::default_policy();
  auto& groups = policy.partitions.at(0).groups;
  partitions::GroupSpec spec = groups.at(0);
  for (std::uint32_t n = 1; n <= 40; ++n) {
    spec.mgid = {mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{n}};
    groups.push_back(spec);
  }
  BoxOptions options;
  options.sm.partitions = std::make_shared<const partitions::Policy>(policy);
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(multicast_top(box), 0xC03F);
  const mad::Lid last = create_groups(box, 101, 30);
  ASSERT_GT(last.value, 0xC03F);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(multicast_top(box), last.value);
}

// Switches without one have no top that a group could outgrow: nobody sweeps for its sake.
TEST(MulticastFDBTop, IsNoReasonToSweepWhereNoSwitchHasOne) {
  BoxOptions options;
  options.on_way_in = [](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    info.capability_mask &= ~mad::kIsMulticastFDBTopSupported;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(datagram.payload.data() + 64,
                                                               mad::kSmpDataBytes));
  };
  Box box("star:5", options);
  ASSERT_TRUE(box.run_until_quiet());
  auto clients = clients_of(box);
  const auto broadcast = clients[0].join(kIpv4Broadcast).records.at(0);
  const auto sweeps = box.count<sm::SweepFinished>();
  mad::Lid last{};
  for (std::uint32_t n = 1; n <= 300; ++n) {
    const mad::Gid mgid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{n}};
    last = clients[n % clients.size()].create(mgid, broadcast).records.at(0).mlid;
  }
  EXPECT_GT(last.value, 0xC03F);
  EXPECT_EQ(box.count<sm::SweepFinished>(), sweeps);
}

}  // namespace
}  // namespace heddle::test
