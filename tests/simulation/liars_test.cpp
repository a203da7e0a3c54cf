// SPDX-License-Identifier: BSD-3-Clause
// Devices that say what cannot be, that refuse, or that belong to somebody else: told, left alone,
// and never in the way of the rest.
#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "fabric/difference.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(Liar, AHostWithoutPortsIsToldOnceAndLeftOut) {
  Box box("star:8");
  box.world().claim_ports(node(box, "host-0005"), std::uint8_t{0});
  ASSERT_TRUE(box.run_until_quiet());
  const auto told = box.count<sm::DeviceLies>();
  EXPECT_GE(told, 1u);
  EXPECT_EQ(trouble_elsewhere(box, {"host-0005"}), "");
  EXPECT_EQ(sets_during(box, [&] { box.run_for(minutes(5)); }), 0u);
  EXPECT_EQ(box.core().sweeps_finished(), 1u) << "the same lie is no news";
  EXPECT_EQ(box.count<sm::DeviceLies>(), told);
  box.world().claim_ports(node(box, "host-0005"), std::nullopt);
  box.run_for(seconds(11));
  EXPECT_EQ(trouble(box), "");
}

TEST(Liar, ASwitchWithFewerOrMorePortsThanItHasIsSurvived) {
  for (const unsigned ports : {0u, 1u, 5u, 254u, 255u}) {
    Box box("fat-tree:3,6");
    box.world().claim_ports(node(box, "spine-2"), static_cast<std::uint8_t>(ports));
    ASSERT_TRUE(box.run_until_quiet(minutes(5))) << ports;
    EXPECT_GE(box.count<sm::DeviceLies>() + box.count<sm::DeviceSilent>(), 1u) << ports;
    EXPECT_EQ(trouble_elsewhere(box, {"spine-2"}), "") << ports;
    box.world().claim_ports(node(box, "spine-2"), std::nullopt);
    box.input(sm::ResweepCommand{"the lie is over"});
    box.run_for(seconds(30));
    EXPECT_EQ(trouble(box), "") << ports;
  }
}

TEST(Liar, ALinearTopAboveTheCapacityIsToldAndTheSwitchUsedAllTheSame) {
  Box box("fat-tree:3,6");
  box.world().claim_linear_top(node(box, "leaf-3"), std::uint16_t{0xFFFF});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::DeviceLies>(), 1u);
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(sets_during(box, [&] { box.run_for(minutes(2)); }), 0u);
}

void share_guid(sim::Blueprint& blueprint, std::string_view first, std::string_view second) {
  planned(blueprint, second).guid = planned(blueprint, first).guid;
  planned(blueprint, second).system_image_guid = planned(blueprint, first).system_image_guid;
}

TEST(DuplicateGuids, OfTwoHostsOneIsLeftOut) {
  auto blueprint = fabric("star:8");
  share_guid(blueprint, "host-0003", "host-0006");
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
  EXPECT_EQ(trouble_elsewhere(box, {"host-0003", "host-0006"}), "");
  const int up = (state(box, "host-0003", 1) == mad::PortState::Active ? 1 : 0) +
                 (state(box, "host-0006", 1) == mad::PortState::Active ? 1 : 0);
  EXPECT_EQ(up, 1);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(minutes(1)); }), 0u);
}

// Of different systems, so that the second one is known to be another device when it is met.
TEST(DuplicateGuids, OfTwoSystemsOneIsLeftOut) {
  auto blueprint = fabric("star:8");
  share_guid(blueprint, "host-0003", "host-0006");
  planned(blueprint, "host-0006").system_image_guid = mad::Guid{0x5157E3};
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
  EXPECT_EQ(box.count<sm::LinkAppeared>(), 0u);
  EXPECT_EQ(trouble_elsewhere(box, {"host-0003", "host-0006"}), "");
  EXPECT_NE(state(box, "host-0003", 1) == mad::PortState::Active,
            state(box, "host-0006", 1) == mad::PortState::Active);
  EXPECT_EQ(sets_during(box, [&] { box.run_for(minutes(1)); }), 0u);
  EXPECT_EQ(full_sweeps(box), 1u) << said(box);
}

// The host was there first: until the whole fabric has been read nobody knows which one is where.
TEST(DuplicateGuids, OfAHostThatComesLaterChangeNothingBeforeAllWasRead) {
  auto blueprint = fabric("star:8");
  share_guid(blueprint, "host-0003", "host-0006");
  Box box(std::move(blueprint), {});
  const auto late = cable(box, "host-0006", 1);
  box.world().cut(late);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::DuplicateGuid>(), 0u);
  box.run_for(seconds(15));
  const auto sets = box.world().counters().sets;
  std::optional<std::uint64_t> written;
  box.set_listener([&](const sm::Event& event) {
    const auto* started = std::get_if<sm::SweepStarted>(&event.value);
    if (started != nullptr && started->full && !written) {
      written = box.world().counters().sets - sets;
    }
  });
  box.world().restore(late);
  box.run_for(seconds(20));
  ASSERT_TRUE(written) << "all was read";
  EXPECT_EQ(*written, 0u);
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
}

TEST(DuplicateGuids, OfTwoSwitchesTakeNobodyElseDown) {
  auto blueprint = fabric("fat-tree:3,6");
  share_guid(blueprint, "leaf-3", "leaf-5");
  Box box(std::move(blueprint), {});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_GE(box.count<sm::DuplicateGuid>(), 1u);
  EXPECT_EQ(trouble_elsewhere(box, {"leaf-3", "leaf-5", "host-0007", "host-0008", "host-0009",
                                    "host-0013", "host-0014", "host-0015"}),
            "");
  EXPECT_EQ(state(box, "host-0016", 1), mad::PortState::Active);
}

// Makes one field of every matching Set such that the device itself refuses it.
template <class Attribute, class Spoil>
std::function<void(mad::Datagram&)> spoiling(mad::AttributeId attribute, std::uint8_t last_hop,
                                             Spoil spoil) {
  return [=](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::Set || smp->attribute_id != attribute) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != last_hop) return;
    auto value = mad::decode<Attribute>(smp->data);
    spoil(value);
    mad::encode(value, std::span<std::byte, mad::kSmpDataBytes>(smp->data));
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
}

TEST(Refusal, OfAHostIsToldAndTheOthersComeUp) {
  BoxOptions options;
  options.on_way_out = spoiling<mad::PortInfo>(
      mad::AttributeId::PortInfo, 4, [](mad::PortInfo& info) { info.lid = mad::Lid{0xFFFF}; });
  Box box("star:8", options);
  ASSERT_TRUE(box.run_until_quiet());
  const auto told = box.count<sm::SetRefused>();
  EXPECT_GE(told, 1u);
  EXPECT_EQ(box.last<sm::SetRefused>()->node.description, "host-0004 HCA-1");
  EXPECT_EQ(trouble_elsewhere(box, {"host-0004"}), "");
  box.run_for(minutes(5));
  EXPECT_EQ(trouble_elsewhere(box, {"host-0004"}), "");
  EXPECT_EQ(box.core().sweeps_finished(), 2u) << "asked twice, and then let be";
  EXPECT_EQ(box.count<sm::SetRefused>(), told);
}

TEST(Refusal, OfASwitchsTableTopIsToldAndTheOthersComeUp) {
  BoxOptions options;
  options.on_way_out = spoiling<mad::SwitchInfo>(
      mad::AttributeId::SwitchInfo, 5, [](mad::SwitchInfo& info) { info.linear_fdb_top = 0xFFFF; });
  Box box("fat-tree:3,6", options);
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(box.count<sm::SetRefused>(), 1u);
  EXPECT_EQ(box.last<sm::SetRefused>()->attribute, mad::AttributeId::SwitchInfo);
  EXPECT_EQ(box.snapshot().inactive_ports, 0u) << "links do not wait for a table";
}

// The owner of a host gives its port a key: by its own hand, over no link at all.
void protect(Box& box, std::string_view name, std::uint8_t protect_bits) {
  mad::PortInfo info = fabric::unchanged(registers(box, name, 1));
  info.lid = mad::Lid{7777};
  info.master_sm_lid = mad::Lid{7777};
  info.m_key = mad::MKey{0x5EC2E7};
  info.m_key_protect_bits = protect_bits;
  mad::Smp smp;
  smp.method = mad::Method::Set;
  smp.attribute_id = mad::AttributeId::PortInfo;
  smp.attribute_modifier = 1;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
  const auto endpoint = box.world().find_endpoint(name);
  box.world().send(*endpoint, mad::make_datagram({}, smp), box.now());
  box.world().advance(box.now());
  ASSERT_EQ(registers(box, name, 1).m_key, mad::MKey{0x5EC2E7});
}

class LockedStranger : public testing::TestWithParam<int> {};

TEST_P(LockedStranger, WhoseKeyWeLackIsLeftAloneAndTheOthersComeUp) {
  Box box("star:8");
  protect(box, "host-0006", static_cast<std::uint8_t>(GetParam()));
  ASSERT_TRUE(box.run_until_quiet(minutes(2)));
  // At 1 the port answers, and hides its key; above that it answers nothing.
  const auto told = [&] {
    return GetParam() == 1 ? box.count<sm::PortLocked>() : box.count<sm::DeviceSilent>();
  };
  EXPECT_EQ(trouble_elsewhere(box, {"host-0006"}), "");
  EXPECT_EQ(told(), 1u);
  EXPECT_EQ(registers(box, "host-0006", 1).lid.value, 7777);
  box.run_for(minutes(2));
  EXPECT_EQ(trouble_elsewhere(box, {"host-0006"}), "");
  EXPECT_EQ(told(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ProtectBits, LockedStranger, testing::Range(1, 4));

TEST(Stranger, WhoShowsItsKeyIsManagedWithIt) {
  Box box("star:8");
  protect(box, "host-0006", 0);
  ASSERT_TRUE(box.run_until_quiet(minutes(2)));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::PortLocked>(), 0u);
}

}  // namespace
}  // namespace heddle::test
