// SPDX-License-Identifier: BSD-3-Clause
// Who is who: devices that come back as something else, ports with another GUID than before, and
// ports that share one.
#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "mad/smp.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr mad::Guid kNewGuid{0x0002'C903'0000'0BAD};

class Identity : public testing::Test {
 protected:
  void bring_up(bool traps) {
    BoxOptions options;
    options.world.traps = traps;
    options.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      const bool sets =
          smp && smp->method == mad::Method::Set && smp->attribute_id == mad::AttributeId::PortInfo;
      if (!sets) return;
      const auto info = mad::decode<mad::PortInfo>(smp->data);
      if (info.client_reregister) asked_anew_.insert(info.lid);
    };
    box_.emplace("fat-tree:3,6", options);
    ASSERT_TRUE(box_->run_until_quiet());
  }
  Box& box() { return *box_; }
  mad::Guid guid_of(std::string_view name) {
    const sim::Devices& devices = box().world().devices();
    return devices.port_guid(devices.first_endpoint(node(box(), name)));
  }
  // New firmware, and the restart that it needs.
  void give(std::string_view name, mad::Guid guid) {
    const auto which = node(box(), name);
    const bool is_switch = box().world().devices().nodes[which].type == mad::NodeType::Switch;
    ASSERT_TRUE(box().world().set_port_guid(which, is_switch ? 0 : 1, guid));
    box().world().reboot(which, 100ms);
  }
  void come_back_with(std::string_view name, std::uint8_t ports) {
    box().world().claim_ports(node(box(), name), ports);
    box().world().reboot(node(box(), name), 100ms);
  }
  // Ports whose clients were asked to register anew since this was asked last.
  std::set<mad::Lid> asked_anew() { return std::exchange(asked_anew_, {}); }
  bool knows(mad::Guid port_guid) {
    const auto& topology = box().snapshot().topology;
    const auto ports = topology.endports();
    return std::any_of(ports.begin(), ports.end(), [&](fabric::PortIndex port) {
      return topology.port(port).guid == port_guid;
    });
  }

 private:
  std::set<mad::Lid> asked_anew_;
  std::optional<Box> box_;
};

class IdentityWithOrWithoutTraps : public Identity, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { bring_up(GetParam()); }
};

TEST_P(IdentityWithOrWithoutTraps, AHostWithAnotherNumberOfPortsIsNoTwinOfItself) {
  come_back_with("host-0005", 2);
  box().run_for(30s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(box().count<sm::DuplicateGuid>(), 0u) << "there is only one of it";
}

// Everything is read for the first of them; the other one has to wait, and is not forgotten. Where
// a trap tells that it goes, it is new when it is back.
TEST_P(IdentityWithOrWithoutTraps, SoItIsWithTheNextOneAMinuteLater) {
  come_back_with("host-0005", 2);
  box().run_for(25s);
  come_back_with("host-0008", 2);
  box().run_for(25s);
  EXPECT_EQ(trouble_elsewhere(box(), {"host-0008"}), "");
  EXPECT_EQ(trouble(box()).empty(), GetParam());
  box().run_for(60s);
  EXPECT_EQ(trouble(box()), "");
}

TEST_P(IdentityWithOrWithoutTraps, ASwitchIsNeitherWhoeverSeesItFirst) {
  // A port more than it has: of that one it cannot tell.
  come_back_with("spine-2", 7);
  box().run_for(60s);
  EXPECT_EQ(trouble(box()), "");
}

TEST_P(IdentityWithOrWithoutTraps, AHostsNewPortGuidIsTakenUp) {
  const mad::Guid before = guid_of("host-0005");
  give("host-0005", kNewGuid);
  box().run_for(30s);
  EXPECT_TRUE(knows(kNewGuid));
  EXPECT_FALSE(knows(before));
  EXPECT_EQ(trouble(box()), "");
}

TEST_P(IdentityWithOrWithoutTraps, ASwitchesNewPortGuidIsTakenUp) {
  const mad::Guid before = guid_of("leaf-2");
  give("leaf-2", kNewGuid);
  box().run_for(30s);
  EXPECT_TRUE(knows(kNewGuid));
  EXPECT_FALSE(knows(before));
  EXPECT_EQ(trouble(box()), "");
}

INSTANTIATE_TEST_SUITE_P(Traps, IdentityWithOrWithoutTraps, testing::Bool());

// Nothing tells of it but the device itself, when it is asked who it is.
TEST_F(Identity, APortGuidThatChangesWithoutARestartIsSeen) {
  bring_up(false);
  asked_anew();
  ASSERT_TRUE(box().world().set_port_guid(node(box(), "host-0005"), 1, kNewGuid));
  box().run_for(60s);
  EXPECT_TRUE(knows(kNewGuid));
  EXPECT_EQ(asked_anew(), std::set{registers(box(), "host-0005", 1).lid})
      << "nothing is registered of that GUID";
  EXPECT_EQ(trouble(box()), "");
}

TEST_F(Identity, TwoPortsWithOneGuidKeepTheirLids) {
  bring_up(true);
  give("host-0005", guid_of("host-0008"));
  box().run_for(30s);
  EXPECT_THAT(box().snapshot().problems, Contains(HasSubstr("two ports have the port GUID")));
  const auto first = registers(box(), "host-0005", 1).lid;
  const auto second = registers(box(), "host-0008", 1).lid;
  EXPECT_NE(first, second);
  for (int sweep = 0; sweep < 3; ++sweep) {
    box().input(sm::ResweepCommand{"once more"});
    ASSERT_TRUE(box().run_until_quiet());
    EXPECT_EQ(registers(box(), "host-0005", 1).lid, first);
    EXPECT_EQ(registers(box(), "host-0008", 1).lid, second);
  }
  EXPECT_EQ(trouble(box()), "");
}

// The first answer of a leaf switch is not what it had sent.
BoxOptions hears(mad::NodeType type, std::uint8_t ports) {
  BoxOptions options;
  options.on_way_in = [type, ports, heard = false](mad::Datagram& datagram) mutable {
    auto smp = mad::decode_smp(datagram.payload);
    if (heard || !smp || smp->method != mad::Method::GetResp || smp->hop_count != 3) return;
    if (smp->attribute_id != mad::AttributeId::NodeInfo) return;
    auto info = mad::decode<mad::NodeInfo>(smp->data);
    if (info.node_type != mad::NodeType::Switch) return;
    heard = true;
    info.node_type = type;
    info.num_ports = ports;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  return options;
}

TEST(WrongWord, OfASwitchIsTakenBack) {
  for (const auto& wrong : {hears(mad::NodeType::Router, 6), hears(mad::NodeType::Switch, 4),
                            hears(mad::NodeType::Switch, 7)}) {
    Box box("fat-tree:3,6", wrong);
    box.run_for(20s);
    EXPECT_EQ(trouble(box), "");
    EXPECT_EQ(box.count<sm::DuplicateGuid>(), 0U) << "there is only one of it";
    EXPECT_EQ(full_sweeps(box), 2U) << said(box);
  }
}

// Each says again what it said.
TEST(WrongWord, IsNotThatOfATwinOfAnotherKind) {
  auto blueprint = fabric("fat-tree:3,6");
  planned(blueprint, "leaf-5").guid = planned(blueprint, "host-0004").guid;
  Box box(std::move(blueprint), {});
  box.run_for(2min);
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1U);
  EXPECT_EQ(full_sweeps(box), 1U) << said(box);
}

TEST(WrongWord, IsNotOneOfATwinOfAnotherKindAboutWhoIsSilent) {
  auto blueprint = fabric("fat-tree:3,6");
  const mad::Guid guid = planned(blueprint, "leaf-5").guid = planned(blueprint, "host-0004").guid;
  Box box(std::move(blueprint), {});
  const auto host = node(box, "host-0004"), twin = node(box, "leaf-5");
  box.world().set_system_image_guid(twin, mad::Guid{0xBAD});
  box.world().power_off(twin);
  ASSERT_TRUE(box.run_until_quiet());
  const auto system = [&] {
    const auto& topology = box.snapshot().topology;
    return topology.node(topology.find_node(guid).value()).system_image_guid;
  };
  const mad::Guid before = system();
  box.forget_events();
  box.world().silence(host, true);
  box.world().power_on(twin);
  // A full sweep, which would take whoever answers, comes later.
  for (int i = 0; i < 100 && box.count<sm::SweepFinished>() == 0; ++i) box.run_for(100ms);
  ASSERT_GE(box.count<sm::DuplicateGuid>(), 1U) << said(box);
  EXPECT_EQ(system(), before);
}

}  // namespace
}  // namespace heddle::test
