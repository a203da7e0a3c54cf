// SPDX-License-Identifier: BSD-3-Clause
// What each kind of trap has read, and that all of them reach whoever subscribed.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/inform_info.hpp"
#include "mad/node_record.hpp"
#include "mad/notice.hpp"
#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using mad::TrapNumber;
using testing::HasSubstr;

constexpr mad::Guid kOtherImage{0x99};

class TrapKinds : public testing::TestWithParam<TrapNumber> {
 protected:
  // Nobody looks around unless a trap asks for it.
  void bring_up(std::string_view expression) {
    BoxOptions options;
    options.sm.sweep_interval = {};
    bring_up(fabric(expression), std::move(options));
  }
  void bring_up(sim::Blueprint blueprint, BoxOptions options) {
    options.sm.sm_key = sa::kOurKey;
    options.on_way_out = [this](mad::Datagram& datagram) {
      const auto smp = mad::decode_smp(datagram.payload);
      repressed_ += smp && smp->method == mad::Method::TrapRepress;
    };
    box_ = std::make_unique<Box>(std::move(blueprint), std::move(options));
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
    box().run_for(15s);
    box().forget_events();
  }
  // `node` tells of that by its first port, from its own LID or another.
  void tell(std::string_view node, TrapNumber number, std::optional<mad::Lid> from = {}) {
    const bool on_switch = node.find("host") == std::string_view::npos;
    mad::Notice notice;
    notice.is_generic = true;
    notice.type =
        number < TrapNumber::BadMKey ? mad::NoticeType::Urgent : mad::NoticeType::Security;
    notice.trap_number = static_cast<std::uint16_t>(number);
    notice.issuer_lid = registers(box(), node, on_switch ? 0 : 1).lid;
    send(notice, from.value_or(notice.issuer_lid));
  }
  void send(const mad::Notice& notice, mad::Lid from) {
    mad::Smp smp;
    smp.management_class = mad::ManagementClass::SubnLidRouted;
    smp.method = mad::Method::Trap;
    smp.attribute_id = mad::AttributeId::Notice;
    mad::encode(notice, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
    box().input(sm::MadReceived{mad::make_datagram({from}, smp)});
  }
  template <class Act>
  std::uint64_t gets_during(Act act) {
    const auto before = box().world().counters().gets;
    act();
    return box().world().counters().gets - before;
  }
  std::uint64_t gets_after(std::string_view node, TrapNumber number) {
    return gets_during([&] {
      tell(node, number);
      box().run_for(1s);
    });
  }
  sim::EndpointId client() { return box().world().find_endpoint("host-0003").value(); }
  template <class T>
  std::vector<mad::Datagram> ask(const sa::Question& question, const T& wanted) {
    const auto info = box().world().look(client(), mad::AttributeId::PortInfo, 0).value();
    auto query = sa::make_query(question, wanted, mad::decode<mad::PortInfo>(info).master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    box().take_arrivals(client());
    box().world().send(client(), std::move(query), box().now());
    box().run_for(10ms);
    return box().take_arrivals(client());
  }
  // As NodeRecord has it.
  mad::Guid told_image(std::string_view name) {
    for (const auto& arrived : ask({mad::Method::GetTable, 0x11}, mad::NodeRecord{})) {
      for (const auto& record : sa::read_reply<mad::NodeRecord>(arrived).records) {
        const auto& devices = box().world().devices();
        if (record.node_info.node_guid == devices.nodes[node(box(), name)].info.node_guid) {
          return record.node_info.system_image_guid;
        }
      }
    }
    return {};
  }
  unsigned repressed() const { return repressed_; }
  Box& box() { return *box_; }

 private:
  std::unique_ptr<Box> box_;
  unsigned repressed_ = 0;
};

std::string number_of(const testing::TestParamInfo<TrapNumber>& tested) {
  return std::to_string(static_cast<unsigned>(tested.param));
}

// --- forwarded -----------------------------------------------------------------------------------

using EachTrap = TrapKinds;

TEST_P(EachTrap, IsRepressedAndReachesASubscriber) {
  bring_up("fat-tree:3,6");
  mad::InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.is_generic = info.subscribe = 1;
  info.type = 0xFFFF;
  info.trap_number = static_cast<std::uint16_t>(GetParam());
  info.producer_type = 0xFF'FFFF;
  const auto answers = ask({mad::Method::Set, 0x03, 0, 0, sa::kOurKey}, info);
  ASSERT_EQ(answers.size(), 1u);
  ASSERT_EQ(sa::read_reply<mad::InformInfo>(answers[0]).status(), mad::kStatusOk);
  tell("leaf-2", GetParam());
  box().run_for(20ms);
  EXPECT_EQ(repressed(), 1u);
  const auto reports = box().take_arrivals(client());
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_EQ(reports[0].payload[3], static_cast<std::byte>(mad::Method::Report));
  const std::span<const std::byte> bytes(reports[0].payload.data(), reports[0].payload.size());
  const auto issued = mad::decode<mad::IssuedNotice>(bytes.subspan<56>().first<80>());
  EXPECT_EQ(issued.notice.trap_number, static_cast<std::uint16_t>(GetParam()));
  EXPECT_EQ(issued.notice.issuer_lid, registers(box(), "leaf-2", 0).lid);
}

INSTANTIATE_TEST_SUITE_P(
    TrapKinds, EachTrap,
    testing::Values(TrapNumber::LocalLinkIntegrity, TrapNumber::ExcessiveBufferOverrun,
                    TrapNumber::FlowControlUpdateWatchdog, TrapNumber::LocalChanges,
                    TrapNumber::SystemImageGuidChange, TrapNumber::BadMKey, TrapNumber::BadPKey,
                    TrapNumber::BadQKey, TrapNumber::SwitchBadPKey),
    number_of);

// --- refused packets -----------------------------------------------------------------------------

using RefusedPackets = TrapKinds;

TEST_P(RefusedPackets, AreNothingToLookAt) {
  bring_up("fat-tree:3,6");
  for (const auto* from : {"leaf-2", "host-0005"}) {
    for (int n = 0; n < 5; ++n) EXPECT_EQ(gets_after(from, GetParam()), 0u) << from;
  }
  EXPECT_EQ(repressed(), 10u);
}

TEST_P(RefusedPackets, FromNowhereAreAReasonToLook) {
  bring_up("fat-tree:3,6");
  const auto gets = gets_during([&] {
    tell("leaf-2", GetParam(), mad::Lid{0x1234});
    box().run_for(1s);
  });
  EXPECT_GE(gets, 9u) << "each switch is asked";
}

INSTANTIATE_TEST_SUITE_P(TrapKinds, RefusedPackets,
                         testing::Values(TrapNumber::BadPKey, TrapNumber::BadQKey,
                                         TrapNumber::SwitchBadPKey),
                         number_of);

// A vendor's notice has a DeviceID where the number would be.
TEST_F(TrapKinds, OfAVendorAreAReasonToLook) {
  bring_up("fat-tree:3,6");
  mad::Notice notice;
  notice.trap_number = static_cast<std::uint16_t>(TrapNumber::BadPKey);
  notice.issuer_lid = registers(box(), "leaf-2", 0).lid;
  const auto gets = gets_during([&] {
    send(notice, notice.issuer_lid);
    box().run_for(1s);
  });
  EXPECT_GE(gets, 9u);
}

// --- errors at ports -----------------------------------------------------------------------------

using PortErrors = TrapKinds;

TEST_P(PortErrors, HaveTheirNodeLookedAtFromTimeToTime) {
  bring_up("fat-tree:3,6");
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(gets_after("leaf-2", GetParam()), 1u) << "SwitchInfo of one switch";
    for (int more = 0; more < 3; ++more) EXPECT_EQ(gets_after("leaf-2", GetParam()), 0u);
    EXPECT_EQ(gets_after("leaf-4", GetParam()), 1u) << "another one does not wait for it";
    box().run_for(1s);
  }
  EXPECT_EQ(box().count<sm::SweepStarted>(), 0u);
}

TEST_P(PortErrors, ShowALostLinkThatNobodyToldOf) {
  BoxOptions options;
  options.sm.sweep_interval = {};
  options.world.traps = false;
  bring_up(fabric("fat-tree:3,6"), options);
  box().world().cut(cable(box(), "leaf-2", 5));
  tell("leaf-2", GetParam());
  box().run_for(1s);
  EXPECT_EQ(trouble(box()), "");
  ASSERT_EQ(box().count<sm::SweepStarted>(), 1u);
  EXPECT_FALSE(box().last<sm::SweepStarted>()->full);
  EXPECT_THAT(box().last<sm::SweepStarted>()->reason, HasSubstr("told of errors at a port"));
}

INSTANTIATE_TEST_SUITE_P(TrapKinds, PortErrors,
                         testing::Values(TrapNumber::LocalLinkIntegrity,
                                         TrapNumber::ExcessiveBufferOverrun,
                                         TrapNumber::FlowControlUpdateWatchdog),
                         number_of);

// Five bad cables, each of which is told of every second.
TEST_F(TrapKinds, AStormOfErrorsCostsLittle) {
  bring_up("fat-tree:18,36");
  const auto gets = gets_during([&] {
    for (int second = 0; second < 60; ++second) {
      for (const auto* leaf : {"leaf-02", "leaf-05", "leaf-11", "leaf-23", "leaf-36"}) {
        ASSERT_TRUE(
            box().world().inject(node(box(), leaf), 1, "LocalLinkIntegrityErrors", 1).has_value());
        box().run_for(200ms);
      }
    }
  });
  EXPECT_GE(repressed(), 300u);
  EXPECT_GE(gets, 5u * 10);
  EXPECT_LE(gets, 5u * 12) << "one for each leaf in five seconds";
}

// --- SystemImageGUID -----------------------------------------------------------------------------

TEST_F(TrapKinds, AChangedSystemImageGuidIsReadWithoutAFullSweep) {
  bring_up("fat-tree:3,6");
  for (const auto* name : {"leaf-2", "host-0005"}) {
    EXPECT_NE(told_image(name), kOtherImage);
    const auto sets = box().world().counters().sets;
    const auto gets = gets_during([&] {
      box().world().set_system_image_guid(node(box(), name), kOtherImage);
      box().run_for(1s);
    });
    EXPECT_EQ(told_image(name), kOtherImage) << name;
    EXPECT_LE(gets, 40u) << "one device";
    EXPECT_EQ(box().world().counters().sets, sets);
  }
  const auto& topology = box().snapshot().topology;
  unsigned changed = 0;
  for (std::uint32_t n = 0; n < topology.node_count(); ++n) {
    changed += topology.node(fabric::NodeIndex{n}).system_image_guid == kOtherImage;
  }
  EXPECT_EQ(changed, 2u);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
  EXPECT_EQ(trouble(box()), "");
}

// Its trap was lost, and then a cable comes back.
TEST_F(TrapKinds, AChangedSystemImageGuidIsNoSecondDevice) {
  BoxOptions options;
  options.world.traps = false;
  bring_up(fabric("fat-tree:3,6"), options);
  for (const auto* changed : {"leaf-2", "spine-2"}) {
    const auto link = cable(box(), "leaf-2", 5);
    box().world().cut(link);
    box().run_for(15s);
    box().world().set_system_image_guid(node(box(), changed), kOtherImage);
    box().world().restore(link);
    box().run_for(15s);
    EXPECT_EQ(box().count<sm::LinkAppeared>(), box().count<sm::LinkDisappeared>());
    EXPECT_EQ(told_image(changed), kOtherImage);
    EXPECT_EQ(trouble(box()), "");
  }
  EXPECT_EQ(box().count<sm::LinkDisappeared>(), 2u);
  EXPECT_EQ(box().count<sm::DuplicateGuid>(), 0u);
  EXPECT_EQ(full_sweeps(box()), 0u) << said(box());
}

// The sweep that reads it hears one from this side and another from that.
TEST_F(TrapKinds, ASystemImageGuidThatChangesWhileAllIsReadIsNoSecondDevice) {
  for (auto after = 100us; after < 1500us; after += 100us) {
    BoxOptions options;
    options.world.traps = false;
    options.world.hop_delay = 10us;
    Box seen("fat-tree:3,6", options);
    seen.run_for(after);
    seen.world().set_system_image_guid(node(seen, "leaf-4"), kOtherImage);
    seen.world().set_system_image_guid(node(seen, "spine-2"), kOtherImage);
    ASSERT_TRUE(seen.run_until_quiet());
    EXPECT_EQ(seen.count<sm::DuplicateGuid>(), 0u) << after.count();
    EXPECT_EQ(trouble(seen), "") << after.count();
  }
}

// A device that keeps its own is the other one's twin.
TEST_F(TrapKinds, TwoSystemImageGuidsAtATimeAreTwoDevices) {
  auto blueprint = fabric("fat-tree:3,6");
  planned(blueprint, "leaf-5").guid = planned(blueprint, "leaf-3").guid;
  Box seen(std::move(blueprint), {});
  ASSERT_TRUE(seen.run_until_quiet());
  EXPECT_GE(seen.count<sm::DuplicateGuid>(), 1u);
  EXPECT_EQ(seen.count<sm::DeviceSilent>(), 0u);
  EXPECT_TRUE(seen.snapshot().routes);
  seen.run_for(15s);
  const auto topology = seen.snapshot().topology;
  EXPECT_EQ(topology.switch_count(), 8u) << "one of the two is left out";
}

}  // namespace
}  // namespace heddle::test
