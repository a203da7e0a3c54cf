// SPDX-License-Identifier: BSD-3-Clause
// Paths, judged by a walk of the test's own over tables and cables.
#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "tests/sa/stage.hpp"
#include "tests/support/registers.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;
using mad::component;
using mad::PathRecord;
using mad::Selector;

constexpr auto kSgid = component<&PathRecord::sgid>();
constexpr auto kDgid = component<&PathRecord::dgid>();
constexpr auto kSlid = component<&PathRecord::slid>();
constexpr auto kDlid = component<&PathRecord::dlid>();
constexpr auto kReversible = component<&PathRecord::reversible>();
constexpr auto kNumbPath = component<&PathRecord::numb_path>();
constexpr auto kMtu = component<&PathRecord::mtu>() | component<&PathRecord::mtu_selector>();
constexpr auto kRate = component<&PathRecord::rate>() | component<&PathRecord::rate_selector>();

// The ports that a packet leaves by, first to last; empty when it is lost.
std::vector<PortIndex> ports_left_by(const sa::Subnet& subnet, PortIndex from, mad::Lid to) {
  const fabric::Topology& topology = *subnet.topology;
  std::vector<PortIndex> left;
  PortIndex at = from;  // where the packet is about to leave
  for (int hop = 0; hop < 100; ++hop) {
    left.push_back(at);
    const PortIndex arrived = topology.peer(at);
    if (arrived == fabric::kNoPort) return {};
    if (subnet.lids->owner(to) == arrived) return left;
    const auto node = topology.node_of(arrived);
    if (!topology.is_switch(node)) return {};
    const auto out = subnet.tables->out_port({node.value}, to);
    if (out == mad::PortNumber{0}) return left;
    at = topology.port_of(node, out);
  }
  return {};
}

PathRecord between(Stage& stage, PortIndex from, PortIndex to) {
  PathRecord wanted;
  wanted.sgid = stage.view.gid(from);
  wanted.dgid = stage.view.gid(to);
  wanted.slid = stage.lid(from);
  wanted.dlid = stage.lid(to);
  return wanted;
}

TEST(Path, IsFoundByAnyMixOfGidsAndLids) {
  Stage stage(support::administered(support::xgft({3, 4}, {1, 2})));
  const PathRecord wanted = between(stage, stage.host(0), stage.host(9));
  for (const auto source : {kSgid, kSlid, kSgid | kSlid}) {
    for (const auto destination : {kDgid, kDlid, kDgid | kDlid}) {
      const auto reply = stage.get(source | destination, wanted);
      ASSERT_EQ(reply.records.size(), 1u);
      const PathRecord& path = reply.records[0];
      EXPECT_EQ(path.sgid, wanted.sgid);
      EXPECT_EQ(path.dgid, wanted.dgid);
      EXPECT_EQ(path.slid, wanted.slid);
      EXPECT_EQ(path.dlid, wanted.dlid);
      EXPECT_EQ(path.p_key, mad::PKey{0xFFFF});
      EXPECT_EQ(path.mtu, mad::Mtu::Bytes4096);
      EXPECT_EQ(path.rate, 16);  // 100 Gb/s
      EXPECT_EQ(path.packet_life_time, 18);
      EXPECT_TRUE(path.reversible);
    }
  }
}

TEST(Path, CarriesWhatItsWorstLinkCarries) {
  auto subnet = support::administered(support::xgft({3, 4}, {1, 2}));
  // One port out of a leaf towards its spine is slower and has a smaller MTU.
  const PortIndex slow = subnet.topology->port_of(subnet.topology->channels()[0].from,
                                                  subnet.topology->channels()[0].out);
  mad::PortInfo& info = support::own_registers(subnet).ports.change(slow.value);
  info.neighbor_mtu = mad::Mtu::Bytes1024;
  info.link_speed_ext_active = 0;
  info.link_speed_active = mad::entry(mad::LinkSpeed::QDR).bit;
  Stage stage(subnet);
  unsigned slowed = 0;
  for (const PortIndex from : stage.view.topology().endports()) {
    for (const PortIndex to : stage.view.topology().endports()) {
      if (from == to || stage.view.topology().is_switch(stage.view.topology().node_of(from)) ||
          stage.view.topology().is_switch(stage.view.topology().node_of(to))) {
        continue;
      }
      auto ports = ports_left_by(subnet, from, stage.lid(to));
      ASSERT_FALSE(ports.empty());
      for (const PortIndex back : ports_left_by(subnet, to, stage.lid(from))) {
        ports.push_back(back);
      }
      const bool over_it = std::find(ports.begin(), ports.end(), slow) != ports.end();
      const auto reply = stage.get(kSgid | kDgid, between(stage, from, to));
      ASSERT_EQ(reply.records.size(), 1u);
      EXPECT_EQ(reply.records[0].rate, over_it ? 7 : 16);
      EXPECT_EQ(reply.records[0].mtu, over_it ? mad::Mtu::Bytes1024 : mad::Mtu::Bytes4096);
      slowed += over_it;
    }
  }
  EXPECT_GT(slowed, 0u);
}

TEST(Path, LeadsToSwitchesAndFromThem) {
  Stage stage(support::administered(support::ring(4, 1)));
  const PortIndex port0 = stage.view.topology().port_of(fabric::SwitchIndex{2}, mad::PortNumber{0});
  EXPECT_EQ(stage.get(kSgid | kDgid, between(stage, stage.host(0), port0)).records.size(), 1u);
  EXPECT_EQ(stage.get(kSgid | kDgid, between(stage, port0, stage.host(0))).records.size(), 1u);
}

TEST(Path, ToOneselfLivesForNoTime) {
  Stage stage(support::administered(support::star(2)));
  const auto reply = stage.get(kSgid | kDgid, between(stage, stage.host(1), stage.host(1)));
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].packet_life_time, 0);
  EXPECT_EQ(reply.records[0].slid, reply.records[0].dlid);
}

TEST(Path, EndsThatDoNotExistOrDoNotAgreeAreRefused) {
  Stage stage(support::administered(support::star(3)));
  PathRecord wanted = between(stage, stage.host(0), stage.host(1));
  wanted.dlid = stage.lid(stage.host(2));
  EXPECT_EQ(stage.get(kSgid | kDgid | kDlid, wanted).status(), mad::kSAReqInvalid);
  wanted.dgid.guid = mad::Guid{0x77};
  EXPECT_EQ(stage.get(kSgid | kDgid, wanted).status(), mad::kSAReqInvalidGid);
  wanted.dlid = mad::Lid{4000};
  EXPECT_EQ(stage.get(kSgid | kDlid, wanted).status(), mad::kSANoRecords);
  wanted.dgid.prefix = mad::GidPrefix{0xff12'401b'ffff'0000};
  EXPECT_EQ(stage.get(kSgid | kDgid, wanted).status(), mad::kSANoRecords);
}

TEST(Path, WithoutEndsMeansAllPairs) {
  Stage stage(support::administered(support::star(5)));
  const std::size_t ends = stage.view.topology().endports().size();
  EXPECT_EQ(stage.table<PathRecord>().records.size(), ends * ends);
  const PathRecord wanted = between(stage, stage.host(0), stage.host(1));
  EXPECT_EQ(stage.table(kSgid, wanted).records.size(), ends);
  EXPECT_EQ(stage.get(kSgid, wanted).status(), mad::kSATooManyRecords);
}

TEST(Path, IsRefusedWhereTooManyPairsAreMeant) {
  Stage stage(support::administered(support::xgft({18, 60}, {1, 18})));
  EXPECT_EQ(stage.table<PathRecord>().status(), mad::kSANoResources);
}

TEST(Path, IsRefusedWhereTooManyPairsOfLidsAreMeantThoughNoneServes) {
  Stage stage(support::administered(support::star(8), 7));
  PathRecord wanted;
  wanted.rate_selector = Selector::GreaterThan;
  wanted.rate = 25;
  EXPECT_EQ(stage.table(kRate, wanted).status(), mad::kSANoResources);
  wanted.slid = stage.lid(stage.host(1));
  const auto one_source = stage.table(kRate | kSlid, wanted);
  EXPECT_EQ(one_source.status(), mad::kStatusOk);
  EXPECT_TRUE(one_source.records.empty());
}

TEST(Path, LostInTheTablesIsNone) {
  auto subnet = support::administered(support::ring(4, 1));
  auto tables = *subnet.tables;
  const mad::Lid goal = subnet.lids->base(subnet.topology->endports()[4 + 2]);
  for (std::uint32_t s = 0; s < 4; ++s) {  // round in a circle
    tables.set({s}, goal, subnet.topology->channels_from({s})[0].out);
  }
  subnet.tables = std::make_shared<const fabric::ForwardingTables>(tables);
  Stage stage(subnet);
  PathRecord wanted = between(stage, stage.host(0), stage.host(2));
  EXPECT_EQ(stage.get(kSgid | kDgid, wanted).status(), mad::kSANoRecords);
  // The other way stands, but nothing would come back by it.
  std::swap(wanted.sgid, wanted.dgid);
  EXPECT_EQ(stage.get(kSgid | kDgid, wanted).records.at(0).reversible, false);
  wanted.reversible = true;
  EXPECT_EQ(stage.get(kSgid | kDgid | kReversible, wanted).status(), mad::kSANoRecords);
}

TEST(PathLimits, ArePassedDownToWhatWasAskedFor) {
  Stage stage(support::administered(support::star(2)));
  PathRecord wanted = between(stage, stage.host(0), stage.host(1));
  const auto ask = [&](Selector selector, mad::Mtu mtu) {
    wanted.mtu_selector = selector;
    wanted.mtu = mtu;
    return stage.get(kSgid | kDgid | kMtu, wanted);
  };
  EXPECT_EQ(ask(Selector::GreaterThan, mad::Mtu::Bytes4096).status(), mad::kSANoRecords);
  EXPECT_EQ(ask(Selector::GreaterThan, mad::Mtu::Bytes1024).records.at(0).mtu, mad::Mtu::Bytes4096);
  EXPECT_EQ(ask(Selector::LessThan, mad::Mtu::Bytes1024).records.at(0).mtu, mad::Mtu::Bytes512);
  EXPECT_EQ(ask(Selector::LessThan, mad::Mtu::Bytes256).status(), mad::kSANoRecords);
  EXPECT_EQ(ask(Selector::Exactly, mad::Mtu::Bytes2048).records.at(0).mtu, mad::Mtu::Bytes2048);
  EXPECT_EQ(ask(Selector::Best, mad::Mtu::Bytes256).records.at(0).mtu, mad::Mtu::Bytes4096);
  EXPECT_EQ(ask(Selector::Exactly, static_cast<mad::Mtu>(9)).status(), mad::kSAReqInvalid);
}

TEST(PathLimits, RatesAreOrderedByWhatTheyCarry) {
  Stage stage(support::administered(support::star(2)));
  PathRecord wanted = between(stage, stage.host(0), stage.host(1));
  const auto ask = [&](Selector selector, std::uint8_t rate) {
    wanted.rate_selector = selector;
    wanted.rate = rate;
    return stage.get(kSgid | kDgid | kRate, wanted);
  };
  EXPECT_EQ(ask(Selector::GreaterThan, 9).records.at(0).rate, 16);        // above 80
  EXPECT_EQ(ask(Selector::GreaterThan, 10).status(), mad::kSANoRecords);  // above 120
  EXPECT_EQ(ask(Selector::LessThan, 16).records.at(0).rate, 9);           // below 100: 80
  EXPECT_EQ(ask(Selector::Exactly, 7).records.at(0).rate, 7);             // 40
  EXPECT_EQ(ask(Selector::LessThan, 2).status(), mad::kSANoRecords);
  EXPECT_EQ(ask(Selector::Exactly, 1).status(), mad::kSAReqInvalid);
}

TEST(PathLimits, RatesComeInCodesThatTheClientKnows) {
  auto subnet = support::administered(support::star(2));
  support::change_ports(subnet, [](mad::PortInfo& info) {
    if (info.link_width_active == 0) return;
    info.link_speed_ext_active = mad::entry(mad::LinkSpeed::NDR).bit;
  });
  const auto rate_told = [&](std::uint32_t mask, std::uint16_t mask2) {
    support::change_ports(subnet, [&](mad::PortInfo& info) {
      info.capability_mask = mask;
      info.capability_mask2 = mask2;
    });
    Stage stage(subnet);
    return stage.get(kSgid | kDgid, between(stage, stage.host(0), stage.host(1)))
        .records.at(0)
        .rate;
  };
  const auto extended = mad::kIsExtendedSpeedsSupported;
  EXPECT_EQ(rate_told(extended | mad::kIsCapabilityMask2Supported,
                      mad::kIsLinkSpeedHDRSupported | mad::kIsLinkSpeedNDRSupported),
            21);                          // 400
  EXPECT_EQ(rate_told(extended, 0), 18);  // 300
  EXPECT_EQ(rate_told(0, 0), 10);         // 120
}

TEST(PathLimits, RatesComeInCodesUpToTheHighestThatMayBeTold) {
  auto subnet = support::administered(support::star(2));
  support::change_ports(subnet, [](mad::PortInfo& info) {
    info.capability_mask = mad::kIsExtendedSpeedsSupported | mad::kIsCapabilityMask2Supported;
    info.capability_mask2 = mad::kIsLinkSpeedHDRSupported | mad::kIsLinkSpeedNDRSupported;
    if (info.link_width_active != 0) {
      info.link_speed_ext_active = mad::entry(mad::LinkSpeed::NDR).bit;
    }
  });
  const auto ask = [&](std::uint8_t highest, std::optional<mad::Selector> selector = {},
                       std::uint8_t rate = 0) {
    subnet.highest_rate_code = highest;
    Stage stage(subnet);
    PathRecord wanted = between(stage, stage.host(0), stage.host(1));
    wanted.rate_selector = selector.value_or(mad::Selector::Exactly);
    wanted.rate = rate;
    const auto mask = kSgid | kDgid | (selector ? kRate : std::uint64_t{0});
    const auto reply = stage.get(mask, wanted);
    return reply.records.empty() ? 0 : int{reply.records[0].rate};
  };
  EXPECT_EQ(ask(63), 21);  // 400
  EXPECT_EQ(ask(21), 21);
  EXPECT_EQ(ask(20), 18);                                 // 300
  EXPECT_EQ(ask(9), 9);                                   // 80
  EXPECT_EQ(ask(2), 2);                                   // 2.5
  EXPECT_EQ(ask(18, mad::Selector::GreaterThan, 18), 0);  // above 300
  EXPECT_EQ(ask(18, mad::Selector::LessThan, 12), 7);     // below 56, and 50 may not be told: 40
  EXPECT_EQ(ask(18, mad::Selector::Exactly, 20), 20);     // who names a code knows it
  EXPECT_EQ(ask(18, mad::Selector::Exactly, 21), 21);     // also one above all that is told
}

TEST(PathsWithLmc, PairEqualPathBitsFirst) {
  Stage stage(support::administered(support::xgft({3, 4}, {1, 2}), 1));
  PathRecord wanted = between(stage, stage.host(0), stage.host(5));
  const auto all = stage.table(kSgid | kDgid, wanted);
  ASSERT_EQ(all.records.size(), 4u);
  std::set<std::pair<mad::Lid, mad::Lid>> pairs;
  for (const PathRecord& path : all.records) pairs.emplace(path.slid, path.dlid);
  EXPECT_EQ(pairs.size(), 4u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(all.records[i].slid.value % 2, all.records[i].dlid.value % 2);
    EXPECT_EQ(all.records[i].preference, 0);
    EXPECT_NE(all.records[i + 2].preference, 0);
  }
  wanted.numb_path = 3;
  EXPECT_EQ(stage.table(kSgid | kDgid | kNumbPath, wanted).records.size(), 3u);
  EXPECT_EQ(stage.get(kSgid | kDgid, wanted).records.size(), 1u);
  wanted.dlid = mad::Lid{static_cast<std::uint16_t>(stage.lid(stage.host(5)).value + 1)};
  const auto one = stage.table(kSlid | kDlid, wanted);
  ASSERT_EQ(one.records.size(), 1u);
  EXPECT_EQ(one.records[0].dlid, wanted.dlid);
}

TEST(PathKeys, AreThoseOfTheDefaultPartition) {
  Stage stage(support::administered(support::star(2)));
  PathRecord wanted = between(stage, stage.host(0), stage.host(1));
  constexpr auto key = component<&PathRecord::p_key>();
  wanted.p_key = mad::PKey{0x7FFF};
  EXPECT_EQ(stage.get(kSgid | kDgid | key, wanted).records.size(), 1u);
  wanted.p_key = mad::PKey{0x8001};
  EXPECT_EQ(stage.get(kSgid | kDgid | key, wanted).status(), mad::kSANoRecords);
}

}  // namespace
}  // namespace heddle::sa
