// SPDX-License-Identifier: BSD-3-Clause
// Speeds of links, from the oldest to those of tomorrow: found where devices tell them, and left as
// devices chose them unless somebody wants others.
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mad/link.hpp"
#include "mad/mlnx_extended_port_info.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::minutes;

TEST(Speeds, FromSdrToXdrAreFoundInTheirRegisters) {
  for (const mad::LinkSpeedEntry& speed : mad::kLinkSpeeds) {
    Box box("star:3,speed=" + std::string(speed.name));
    ASSERT_TRUE(box.run_until_quiet()) << speed.name;
    const sm::Snapshot& snapshot = box.snapshot();
    EXPECT_TRUE(snapshot.problems.empty()) << speed.name;
    unsigned linked = 0;
    for (std::uint32_t p = 0; p < snapshot.topology.port_count(); ++p) {
      const fabric::PortIndex port{p};
      if (snapshot.topology.peer(port) == fabric::kNoPort) continue;
      ++linked;
      EXPECT_EQ(fabric::link_speed(*snapshot.registers, port), speed.speed) << speed.name;
      EXPECT_EQ(mad::active_width(snapshot.registers->ports[p]), mad::LinkWidth::X4) << speed.name;
    }
    EXPECT_EQ(linked, 6u);
  }
}

// The enabled fields of PortInfo of the star's switch at host-0001.
std::vector<unsigned> enabled(Box& box) {
  const mad::PortInfo& info = registers(box, "switch-1", 1);
  return {info.link_width_enabled, info.link_speed_enabled, info.link_speed_ext_enabled,
          info.link_speed_ext2_enabled};
}

TEST(Speeds, AreEnabledAsIsWantedWhereTheyAreSupported) {
  const fabric::LinkWishes all{255, 15, 31, 7};
  const fabric::LinkWishes old{2, 3, 30, 6};
  const fabric::LinkWishes half{2 | 8, 0, 2 | 8};  // of a star of HDR, which has no NDR
  const fabric::LinkWishes other{16, 8, 8};        // which it supports none of
  BoxOptions options;
  Box box("star:3,speed=HDR", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto before = enabled(box);
  const auto wish = [&](const fabric::LinkWishes& wishes) {
    sm::Options changed = options.sm;
    changed.link_wishes = wishes;
    box.input(sm::OptionsChanged{std::make_shared<const sm::Options>(changed)});
    box.run_for(minutes(1));
    EXPECT_TRUE(box.snapshot().problems.empty());
    return enabled(box);
  };
  EXPECT_EQ(wish(old), (std::vector<unsigned>{2, 3, 0, 0}));
  const std::uint8_t host = registers(box, "host-0001", 1).link_speed_enabled;
  EXPECT_EQ(host, before[1]) << "one end is enough";
  EXPECT_EQ(wish(half), (std::vector<unsigned>{2, 3, 2, 0})) << "0 leaves what is there";
  EXPECT_EQ(wish(other), (std::vector<unsigned>{16, 3, 2, 0}));
  const auto& info = registers(box, "switch-1", 1);
  EXPECT_EQ(wish(all),
            (std::vector<unsigned>{info.link_width_supported, info.link_speed_supported,
                                   info.link_speed_ext_supported, info.link_speed_ext2_supported}));
}

TEST(Speeds, ThatTheOtherEndLacksAreNotEnabled) {
  BoxOptions options;
  options.sm.link_wishes.width_enabled = 16;  // 2x
  options.on_way_in = [](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != 3) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    info.link_width_supported = 1 | 2;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:3,speed=HDR", options);
  const auto before = registers(box, "switch-1", 3).link_width_enabled;
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(registers(box, "switch-1", 2).link_width_enabled, 16);
  EXPECT_EQ(registers(box, "switch-1", 3).link_width_enabled, before);
}

TEST(Speeds, ThresholdsOfErrorsAreThoseThatAreWantedAtBothEnds) {
  BoxOptions options;
  options.sm.link_wishes.local_phy_errors = 3;
  Box box("star:3", options);
  const auto overruns = registers(box, "switch-1", 1).overrun_errors;
  ASSERT_TRUE(box.run_until_quiet());
  for (const char* node : {"switch-1", "host-0001"}) {
    EXPECT_EQ(registers(box, node, 1).local_phy_errors, 3) << node;
    EXPECT_EQ(registers(box, node, 1).overrun_errors, overruns) << node;
  }
}

// A host that told of a smaller MTU than it has, and was raised with it when its switch was not.
TEST(Links, AnEndThatWasRaisedWithAnotherMtuAgreesWithTheOtherInTheEnd) {
  bool lies = true;
  BoxOptions options;
  const auto change_port_info = [&](mad::Datagram& datagram, auto change) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!lies || !smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    change(*smp, info);
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  options.on_way_in = [&](mad::Datagram& datagram) {
    change_port_info(datagram, [](const mad::Smp& smp, mad::PortInfo& info) {
      const bool of_host = smp.hop_count == 2 && smp.initial_path[2].value == 3;
      if (of_host) info.mtu_cap = mad::Mtu::Bytes256;
    });
  };
  options.on_way_out = [&](mad::Datagram& datagram) {
    change_port_info(datagram, [](const mad::Smp& smp, mad::PortInfo& info) {
      const bool of_switch = smp.method == mad::Method::Set && smp.hop_count == 1;
      const bool of_its_port = (smp.attribute_modifier & 0xFF) == 3;
      if (of_switch && of_its_port) info.port_state = mad::PortState::NoChange;
    });
  };
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(registers(box, "host-0003", 1).neighbor_mtu, mad::Mtu::Bytes256);
  ASSERT_EQ(state(box, "host-0003", 1), mad::PortState::Armed);
  lies = false;
  box.input(sm::ResweepCommand{"it tells the truth"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
}

// Both are Active, and somebody else wrote to one of them.
TEST(Links, TwoEndsThatStandAgreeOnTheMtuAgain) {
  Box box("star:3");
  ASSERT_TRUE(box.run_until_quiet());
  auto spoilt = registers(box, "host-0003", 1);
  const auto right = spoilt.neighbor_mtu;
  spoilt.neighbor_mtu = mad::Mtu::Bytes256;
  spoilt.port_state = mad::PortState::NoChange;
  spoilt.port_physical_state = mad::PortPhysicalState::NoChange;
  mad::Smp set;
  set.method = mad::Method::Set;
  set.management_class = mad::ManagementClass::SubnDirectedRoute;
  set.attribute_id = mad::AttributeId::PortInfo;
  set.attribute_modifier = 1;
  set.dr_slid = set.dr_dlid = mad::kPermissiveLid;
  set.hop_count = 2;
  set.initial_path[1] = mad::PortNumber{1};
  set.initial_path[2] = mad::PortNumber{3};
  mad::encode(spoilt, std::span<std::byte, mad::kSmpDataBytes>(set.data));
  mad::Address peer;
  peer.lid = mad::kPermissiveLid;
  box.world().send(*box.world().find_endpoint("host-0002"), mad::make_datagram(peer, set),
                   box.now());
  box.run_for(std::chrono::seconds(1));
  ASSERT_EQ(registers(box, "host-0003", 1).neighbor_mtu, mad::Mtu::Bytes256);
  ASSERT_EQ(state(box, "host-0003", 1), mad::PortState::Active);
  box.input(sm::ResweepCommand{"to see it"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(registers(box, "host-0003", 1).neighbor_mtu, right);
  EXPECT_EQ(state(box, "host-0003", 1), mad::PortState::Active);
}

// It keeps the MTU that it was raised with as long as it stands, and is not asked for another one.
// What it shows after it fell is no answer to that.
TEST(Links, AnEndThatFellWhileItWasWrittenToIsNotTakenForOneThatKeepsItsMtu) {
  bool tells_less = true, falls = false, is_set = false;
  const auto is_of_host = [](const mad::Smp& smp) {
    return smp.attribute_id == mad::AttributeId::PortInfo && smp.hop_count == 2 &&
           smp.initial_path[2].value == 3;
  };
  BoxOptions options;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (smp && is_of_host(*smp)) is_set = smp->method == mad::Method::Set;
  };
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || !is_of_host(*smp)) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    if (tells_less) info.mtu_cap = mad::Mtu::Bytes256;
    if (falls && is_set) info.port_state = mad::PortState::Init;
    if (falls && !is_set) ++info.subnet_timeout;  // so that it is written to
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_EQ(registers(box, "host-0003", 1).neighbor_mtu, mad::Mtu::Bytes256);
  ASSERT_EQ(state(box, "host-0003", 1), mad::PortState::Active);
  tells_less = false;
  falls = true;
  box.input(sm::ResweepCommand{"something is to be written"});
  box.run_for(minutes(1));
  falls = false;
  box.world().cut(cable(box, "host-0003", 1));
  box.run_for(minutes(1));
  box.world().restore(cable(box, "host-0003", 1));
  box.run_for(minutes(1));
  EXPECT_EQ(trouble(box), "");
  EXPECT_GT(registers(box, "host-0003", 1).neighbor_mtu, mad::Mtu::Bytes256);
}

// A port that does not do as it is told is told once, and again when it shows something else.
TEST(Speeds, OfAPortThatKeepsItsOwnThresholdAreNotWrittenForEver) {
  std::uint8_t shown = 9;
  BoxOptions options;
  options.sm.link_wishes.local_phy_errors = 3;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != 3) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    info.local_phy_errors = shown;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto sets_of_a_sweep = [&] {
    const auto before = box.world().counters().sets;
    box.input(sm::ResweepCommand{"to see what is written"});
    EXPECT_TRUE(box.run_until_quiet());
    return box.world().counters().sets - before;
  };
  EXPECT_EQ(sets_of_a_sweep(), 0u);
  shown = 8;
  EXPECT_GT(sets_of_a_sweep(), 0u);
  EXPECT_EQ(sets_of_a_sweep(), 0u);
}

// PortInfo is asked for with the bit of extended speeds, and without where that is refused.
TEST(Speeds, OfADeviceThatDoesNotKnowTheExtendedOnesAreAskedForWithoutThem) {
  unsigned refused = 0, without = 0;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::GetResp) return;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != 4) return;
    if ((smp->attribute_modifier & mad::kSmSupportExtendedSpeeds) == 0) {
      ++without;
      return;
    }
    ++refused;
    smp->status = mad::kStatusBadField;
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:8", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(refused, 1u);
  EXPECT_GE(without, 1u);
  EXPECT_EQ(state(box, "host-0004", 1), mad::PortState::Active);
}

// A port may hide its own otherwise, and what a Set is answered with is what is known of it then.
TEST(Speeds, AreSetWithTheBitOfTheExtendedOnesByOrdersToo) {
  unsigned with = 0, without = 0;
  BoxOptions options;
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    if (smp->method != mad::Method::Set) return;
    ++((smp->attribute_modifier & mad::kSmSupportExtendedSpeeds) != 0 ? with : without);
  };
  Box box("star:4", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto at = box.world().devices().plan.nodes[node(box, "switch-1")].guid;
  with = 0;
  for (const auto order : {sm::LinkOrder::Disable, sm::LinkOrder::Enable}) {
    box.input(sm::OrdersChanged{{{at, mad::PortNumber{3}, order, true}}});
    ASSERT_TRUE(box.run_until_quiet());
    box.run_for(std::chrono::seconds(1));
    ASSERT_TRUE(box.run_until_quiet());
  }
  EXPECT_GE(with, 2u);
  EXPECT_EQ(without, 0u);
}

// A speed of tomorrow: the ports run as they were made, are told, and nobody writes speeds to them.
TEST(Speeds, ThatAreNotKnownAreLeftToTheDevicesAndTold) {
  constexpr std::uint8_t kOfTomorrow = 2;  // 400 Gb/s a lane, one day
  using Enabled = std::set<std::pair<std::uint8_t, std::uint8_t>>;
  Enabled held, written;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->attribute_id != mad::AttributeId::PortInfo) return;
    auto info = mad::decode<mad::PortInfo>(smp->data);
    held.insert({info.link_speed_enabled, info.link_speed_ext_enabled});
    if (info.port_state == mad::PortState::Down) return;
    info.link_speed_ext2_active = kOfTomorrow;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  options.on_way_out = [&](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    const auto info = mad::decode<mad::PortInfo>(smp->data);
    written.insert({info.link_speed_enabled, info.link_speed_ext_enabled});
  };
  Box box("star:3", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  const auto& problems = box.snapshot().problems;
  EXPECT_EQ(problems.size(), 6u) << "both ends of three links";
  for (const std::string& problem : problems) {
    EXPECT_NE(problem.find("runs at a width or speed that is not known"), std::string::npos)
        << problem;
  }
  for (const auto& speeds : written) EXPECT_EQ(held.count(speeds), 1u) << "not as it was read";
  EXPECT_EQ(sets_during(box, [&] { box.run_for(minutes(5)); }), 0u);
}

}  // namespace
}  // namespace heddle::test
