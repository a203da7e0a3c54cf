// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ports.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::transport {
namespace {

using ::testing::HasSubstr;

ObservedPort infiniband(std::string device, std::uint8_t port, std::uint64_t guid,
                        mad::PortState state = mad::PortState::Active) {
  ObservedPort observed;
  observed.id = {std::move(device), port};
  observed.port_guid = mad::Guid{guid};
  observed.kind = DeviceKind::ChannelAdapter;
  observed.vendor_id = 0x2c9;
  observed.link_layer = LinkLayer::InfiniBand;
  observed.state = state;
  observed.physical_state = state == mad::PortState::Down ? mad::PortPhysicalState::Polling
                                                          : mad::PortPhysicalState::LinkUp;
  observed.rate = "100 Gb/s";
  observed.has_umad = true;
  return observed;
}

// The devices that a host may have besides, each with what its kind sets it apart by.
ObservedPort roce() {
  auto port = infiniband("mlx5_7", 1, 0x70);
  port.link_layer = LinkLayer::Ethernet;
  return port;
}
ObservedPort soft_roce(const char* name, std::uint32_t vendor) {
  auto port = infiniband(name, 1, 0x71);
  port.link_layer = LinkLayer::Ethernet;
  port.vendor_id = vendor;
  return port;
}
ObservedPort iwarp(const char* name, std::uint32_t vendor) {
  auto port = infiniband(name, 1, 0x72);
  port.kind = DeviceKind::Rnic;
  port.iwarp = true;
  port.link_layer = LinkLayer::Ethernet;
  port.vendor_id = vendor;
  port.has_umad = false;
  return port;
}
ObservedPort switch_board() {
  auto port = infiniband("is5_0", 0, 0x73);
  port.kind = DeviceKind::Switch;
  return port;
}
ObservedPort without_umad() {
  auto port = infiniband("mlx5_8", 1, 0x74);
  port.has_umad = false;
  return port;
}

std::vector<LocalPort> classified(const std::vector<ObservedPort>& observed) {
  std::vector<LocalPort> ports;
  for (const auto& port : observed) ports.push_back(classify(port));
  return ports;
}

std::string reason(const ObservedPort& port) {
  const LocalPort judged = classify(port);
  EXPECT_EQ(judged.candidate, judged.reason.empty());
  return judged.reason;
}

PortChoice choose(const std::vector<ObservedPort>& observed, const PortWish& wish = {}) {
  const auto choice = choose_port(classified(observed), wish);
  EXPECT_TRUE(choice) << choice.error().message;
  return choice ? *choice : PortChoice{};
}
std::string refusal(const std::vector<ObservedPort>& observed, const PortWish& wish = {}) {
  const auto choice = choose_port(classified(observed), wish);
  EXPECT_FALSE(choice);
  return choice ? "" : choice.error().message;
}

TEST(PortClass, AnInfiniBandPortWithUmadIsACandidateWhateverItsState) {
  for (const auto state : {mad::PortState::Down, mad::PortState::Init, mad::PortState::Active}) {
    EXPECT_EQ(reason(infiniband("mlx5_0", 1, 1, state)), "");
  }
}

TEST(PortClass, ASimulatedDeviceThatOnlyLibibumadKnowsIsACandidate) {
  auto port = infiniband("ibsim0", 1, 1, mad::PortState::Init);
  port.vendor_id = 0;
  EXPECT_EQ(reason(port), "");
}

TEST(PortClass, EveryOtherKindIsNamedAndSkipped) {
  EXPECT_THAT(reason(roce()), HasSubstr("RoCE: Ethernet link layer, has no subnet manager"));
  EXPECT_THAT(reason(soft_roce("rxe0", 0)), HasSubstr("Soft-RoCE (rxe)"));
  EXPECT_THAT(reason(soft_roce("renamed", 0xffffff)), HasSubstr("Soft-RoCE (rxe)"));
  EXPECT_THAT(reason(iwarp("cxgb4_0", 0x1425)), ::testing::StartsWith("iWARP"));
  EXPECT_THAT(reason(iwarp("siw0", 0)), HasSubstr("Soft-iWARP (siw)"));
  EXPECT_THAT(reason(iwarp("renamed", 0x626d74)), HasSubstr("Soft-iWARP (siw)"));
  EXPECT_THAT(reason(switch_board()), HasSubstr("switch management board"));
  EXPECT_THAT(reason(without_umad()), HasSubstr("modprobe ib_umad"));
  EXPECT_THAT(reason(infiniband("hfi1_0", 1, 1)), HasSubstr("Omni-Path"));
  ObservedPort unknown;
  unknown.id = {"efa_0", 1};
  EXPECT_THAT(reason(unknown), HasSubstr("not an InfiniBand device"));
}

TEST(PortClass, WhatWasSeenIsKept) {
  const auto seen = infiniband("mlx5_0", 2, 0x2c9, mad::PortState::Armed);
  const LocalPort judged = classify(seen);
  EXPECT_EQ(judged.id, seen.id);
  EXPECT_EQ(judged.port_guid, seen.port_guid);
  EXPECT_EQ(judged.link_layer, seen.link_layer);
  EXPECT_EQ(judged.state, seen.state);
  EXPECT_EQ(judged.physical_state, seen.physical_state);
  EXPECT_EQ(judged.rate, seen.rate);
}

TEST(PortChoice, WithoutAWishTheFirstPortWithALinkIsTaken) {
  const auto choice = choose({roce(), infiniband("mlx5_0", 1, 1, mad::PortState::Down),
                              infiniband("mlx5_1", 1, 2, mad::PortState::Init),
                              infiniband("mlx5_2", 1, 3, mad::PortState::Active)});
  EXPECT_EQ(choice.id, (PortId{"mlx5_1", 1}));
  EXPECT_EQ(choice.port_guid.value, 2u);
  EXPECT_FALSE(choice.waits_for_link);
}

TEST(PortChoice, WithoutALinkAnywhereTheFirstCandidateIsTakenAndWaitsForIts) {
  const auto choice = choose({roce(), infiniband("mlx5_0", 1, 1, mad::PortState::Down),
                              infiniband("mlx5_0", 2, 2, mad::PortState::Down)});
  EXPECT_EQ(choice.id, (PortId{"mlx5_0", 1}));
  EXPECT_TRUE(choice.waits_for_link);
  EXPECT_THAT(choice.remark, HasSubstr("link is down: check the cable"));
  EXPECT_THAT(choice.remark, HasSubstr("DOWN, Polling"));
}

TEST(PortChoice, AWishIsFulfilledByNameAndByGuidEvenWhenItsLinkIsDown) {
  const std::vector<ObservedPort> host{infiniband("mlx5_0", 1, 0x11),
                                       infiniband("mlx5_0", 2, 0x12, mad::PortState::Down)};
  for (const PortWish& wish : {PortWish{PortId{"mlx5_0", 2}}, PortWish{mad::Guid{0x12}}}) {
    const auto choice = choose(host, wish);
    EXPECT_EQ(choice.id, (PortId{"mlx5_0", 2}));
    EXPECT_TRUE(choice.waits_for_link);
  }
}

TEST(PortChoice, AWishForAPortThatIsNotThereSaysWhatIs) {
  const std::vector<ObservedPort> host{infiniband("mlx5_0", 1, 0x11), roce()};
  for (const PortWish& wish : {PortWish{PortId{"mlx5_0", 2}}, PortWish{mad::Guid{0x99}}}) {
    const auto message = refusal(host, wish);
    EXPECT_THAT(message, HasSubstr("mlx5_0:1, mlx5_7:1 (RoCE"));
  }
  EXPECT_THAT(refusal(host, mad::Guid{0x99}), HasSubstr("0x0000000000000099"));
}

TEST(PortChoice, AWishForAPortThatIsNoCandidateSaysWhy) {
  const auto message = refusal({infiniband("mlx5_0", 1, 1), roce()}, PortId{"mlx5_7", 1});
  EXPECT_THAT(message, HasSubstr("mlx5_7:1 cannot be used: RoCE: Ethernet link layer"));
}

TEST(PortChoice, AHostWithoutAnyPortIsToldToLoadTheDrivers) {
  for (const PortWish& wish : {PortWish{}, PortWish{PortId{"mlx5_0", 1}}}) {
    EXPECT_THAT(refusal({}, wish), HasSubstr("modprobe"));
  }
}

TEST(PortChoice, AHostWithOnlyOtherPortsHearsTheReasonOfEach) {
  const auto message =
      refusal({roce(), soft_roce("rxe0", 0), iwarp("siw0", 0), switch_board(), without_umad()});
  for (const char* part : {"mlx5_7:1 (RoCE", "rxe0:1 (Soft-RoCE", "siw0:1 (Soft-iWARP",
                           "is5_0:0 (switch", "mlx5_8:1 (no umad"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST(PortWishText, TheThreeFormsAreRead) {
  const auto read = [](const char* text) { return parse_port_wish(text).value(); };
  EXPECT_TRUE(read("") == PortWish{});
  EXPECT_TRUE(read("mlx5_0:1") == (PortWish{PortId{"mlx5_0", 1}}));
  EXPECT_TRUE(read(" ibp65s0:2\n") == (PortWish{PortId{"ibp65s0", 2}}));
  EXPECT_TRUE(read("0x0002c903000e0b72") == PortWish{mad::Guid{0x0002c903000e0b72}});
}

TEST(PortWishText, AnythingElseIsRefusedWithTheRightForms) {
  for (const char* bad :
       {"mlx5_0", "mlx5_0:", ":1", "mlx5_0:x", "mlx5_0:-1", "mlx5_0:255", "mlx5_0:1:2", "0x", "0x0",
        "0x11112222333344445", "0xg", "12345", "../sys:1", "a b:1", "\x1b[2J"}) {
    const auto wish = parse_port_wish(bad);
    ASSERT_FALSE(wish) << bad;
    EXPECT_THAT(wish.error().message, HasSubstr("mlx5_0:1")) << bad;
    EXPECT_EQ(wish.error().message.find('\x1b'), std::string::npos);
  }
  EXPECT_FALSE(parse_port_wish(std::string(1000, 'a') + ":1"));
}

TEST(PortList, ThisHostCanBeAskedWhateverItHas) {
  const auto ports = list_ports();
  EXPECT_TRUE(std::is_sorted(ports.begin(), ports.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
  const auto choice = choose_port(ports, {});
  EXPECT_NE(choice.has_value(), choice.has_error());
}

}  // namespace
}  // namespace heddle::transport
