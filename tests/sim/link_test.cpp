// SPDX-License-Identifier: BSD-3-Clause
// What links come up with, and what ports say that they could do.
#include "mad/link.hpp"

#include <gtest/gtest.h>

#include "mad/mlnx_extended_port_info.hpp"
#include "mad/port_info_extended.hpp"
#include "mad/sl_to_vl_mapping_table.hpp"
#include "tests/sim/probe.hpp"

namespace heddle::sim {
namespace {

using mad::AttributeId;
using mad::LinkSpeed;
using mad::LinkWidth;

struct Pair {
  explicit Pair(Blueprint blueprint)
      : world(std::move(blueprint), {}), probe(world, *world.find_endpoint("host-0001")) {}

  std::optional<LinkSpeed> speed() {
    const auto vendor = this->vendor();
    return mad::active_speed(probe.port_info({1}, 2), vendor ? &*vendor : nullptr);
  }
  std::optional<mad::MlnxExtendedPortInfo> vendor() {
    const auto answer = probe.get(AttributeId::MlnxExtendedPortInfo, {1}, 2);
    if (!answer || answer->status != mad::kStatusOk) return std::nullopt;
    return mad::decode<mad::MlnxExtendedPortInfo>(answer->data);
  }
  template <class Change>
  void change_and_train(Change change) {
    EXPECT_EQ(probe.change_port({1}, 2, change), mad::kStatusOk);
    EXPECT_EQ(probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  }

  World world;
  Probe probe;
};

Blueprint star(std::string_view kind) {
  return generate_fabric("star:2," + std::string(kind)).value();
}

// As mad/'s table of speeds reads the registers of the device, not as the device means them.
TEST(Link, ComesUpAtTheSpeedAndWidthOfItsCable) {
  for (const mad::LinkSpeedEntry& speed : mad::kLinkSpeeds) {
    for (const mad::LinkWidthEntry& width : mad::kLinkWidths) {
      Pair pair(star("speed=" + std::string(speed.name) + ",width=" + std::string(width.name)));
      EXPECT_EQ(pair.speed(), speed.speed) << speed.name;
      EXPECT_EQ(mad::active_width(pair.probe.port_info({1}, 2)), width.width) << width.name;
      EXPECT_EQ(pair.probe.port_info({1}, 2).port_state, mad::PortState::Init);
    }
  }
}

TEST(Link, Fdr10LooksLikeQdrWithoutTheVendorsAttribute) {
  Pair pair(star("speed=FDR10"));
  EXPECT_EQ(mad::active_speed(pair.probe.port_info({1}, 2)), LinkSpeed::QDR);
  EXPECT_EQ(pair.vendor()->link_speed_supported, mad::kFdr10);
  EXPECT_EQ(pair.vendor()->link_speed_active, mad::kFdr10);
}

TEST(Link, Fdr10CanBeTurnedOffByTheVendorsAttribute) {
  Pair pair(star("speed=FDR10"));
  mad::SmpData data{};
  mad::encode(mad::MlnxExtendedPortInfo{}, std::span(data));
  // Without StateChangeEnable the write means nothing.
  EXPECT_EQ(pair.probe.set(AttributeId::MlnxExtendedPortInfo, {1}, 2, data)->status,
            mad::kStatusOk);
  EXPECT_EQ(pair.vendor()->link_speed_enabled, mad::kFdr10);
  mad::encode(mad::MlnxExtendedPortInfo{mad::kFdr10, 0, 0, 0}, std::span(data));
  EXPECT_EQ(pair.probe.set(AttributeId::MlnxExtendedPortInfo, {1}, 2, data)->status,
            mad::kStatusOk);
  EXPECT_EQ(pair.speed(), LinkSpeed::FDR10);
  ASSERT_EQ(pair.probe.set_state({1}, 2, mad::PortState::Down), mad::kStatusOk);
  EXPECT_EQ(pair.speed(), LinkSpeed::QDR);
  mad::encode(mad::MlnxExtendedPortInfo{mad::kFdr10, 0, 2, 0}, std::span(data));
  EXPECT_EQ(pair.probe.set(AttributeId::MlnxExtendedPortInfo, {1}, 2, data)->status,
            mad::kStatusBadField);
}

TEST(Link, OtherVendorsDoNotKnowTheAttribute) {
  Blueprint blueprint = star("speed=QDR");
  for (const std::uint32_t vendor : {mad::kMellanoxVendorId, 0x000248u}) {
    blueprint.nodes[0].vendor_id = vendor;
    ASSERT_TRUE(Pair(blueprint).vendor());
    EXPECT_EQ(Pair(blueprint).vendor()->link_speed_active, 0);
  }
  blueprint.nodes[0].vendor_id = 0x1234;
  EXPECT_FALSE(Pair(blueprint).vendor());
}

TEST(Link, XdrFallsBackThroughItsRegisters) {
  Pair pair(star("speed=XDR"));
  pair.change_and_train([](mad::PortInfo& info) { info.link_speed_ext2_enabled = 6; });
  EXPECT_EQ(pair.speed(), LinkSpeed::NDR);
  pair.change_and_train([](mad::PortInfo& info) { info.link_speed_ext_enabled = 2; });
  EXPECT_EQ(pair.speed(), LinkSpeed::EDR);
  pair.change_and_train([](mad::PortInfo& info) {
    info.link_speed_ext2_enabled = 7;
    info.link_speed_ext_enabled = 31;
  });
  EXPECT_EQ(pair.speed(), LinkSpeed::XDR);
}

TEST(Link, RunsNoFasterThanTheSlowerPort) {
  Blueprint blueprint = star("speed=NDR");
  blueprint.nodes[2].ports.resize(2);
  blueprint.nodes[2].ports[1].speed = Speed::EDR;
  blueprint.nodes[2].ports[1].width = Width::X1;
  Pair pair(blueprint);
  EXPECT_EQ(pair.speed(), LinkSpeed::EDR);
  EXPECT_EQ(mad::active_width(pair.probe.port_info({1}, 2)), LinkWidth::X1);
  EXPECT_EQ(pair.probe.port_info({1}, 2).link_speed_ext_supported, 15);
  EXPECT_EQ(pair.probe.port_info({1, 2}).link_speed_ext_supported, 3);
}

// From HDR on a port of four lanes can split: either end may ask for half of them.
TEST(Link, OfHdrRunsAtTwoLanesWhenOneEndWantsNoMore) {
  constexpr std::uint8_t kOneAndTwo = 1 | 16;
  Pair pair(star("speed=HDR"));
  EXPECT_EQ(pair.probe.port_info({1}, 2).link_width_supported, 1 | 2 | 16);
  pair.change_and_train([](mad::PortInfo& info) { info.link_width_enabled = kOneAndTwo; });
  EXPECT_EQ(mad::active_width(pair.probe.port_info({1}, 2)), LinkWidth::X2);
  EXPECT_EQ(mad::active_width(pair.probe.port_info({1, 2})), LinkWidth::X2);
  Pair older(star("speed=EDR"));
  EXPECT_EQ(older.probe.port_info({1}, 2).link_width_supported, 1 | 2);
  EXPECT_EQ(older.probe.change_port(
                {1}, 2, [](mad::PortInfo& info) { info.link_width_enabled = kOneAndTwo; }),
            mad::kStatusBadField);
}

TEST(Link, TellsItsErrorCorrection) {
  for (const auto& [speed, mode] : {std::pair{"HDR", mad::kRSFEC}, std::pair{"EDR", mad::kNoFEC}}) {
    Pair pair(star("speed=" + std::string(speed)));
    const auto answer = pair.probe.get(AttributeId::PortInfoExtended, {1}, 2);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, mad::kStatusOk);
    EXPECT_EQ(mad::decode<mad::PortInfoExtended>(answer->data).fec_mode_active, mode);
  }
}

// --- what the plan says
// ---------------------------------------------------------------------------

TEST(Capabilities, AreThoseOfThePlanAndHeldTo) {
  Blueprint blueprint = star("speed=HDR");
  blueprint.nodes[2].mtu_cap = mad::Mtu::Bytes2048;
  blueprint.nodes[2].vl_cap = 2;
  blueprint.nodes[2].p_key_cap = 40;
  blueprint.nodes[2].guid_cap = 10;
  Pair pair(blueprint);
  const mad::PortInfo info = pair.probe.port_info({1, 2});
  EXPECT_EQ(info.mtu_cap, mad::Mtu::Bytes2048);
  EXPECT_EQ(info.vl_cap, 2);
  EXPECT_EQ(info.guid_cap, 10);
  EXPECT_EQ(pair.probe.change_port(
                {1, 2}, 1, [](mad::PortInfo& port) { port.neighbor_mtu = mad::Mtu::Bytes4096; }),
            mad::kStatusBadField);
  EXPECT_EQ(
      pair.probe.change_port({1, 2}, 1, [](mad::PortInfo& port) { port.operational_vls = 3; }),
      mad::kStatusBadField);
  EXPECT_EQ(pair.probe.get(AttributeId::PKeyTable, {1, 2}, 1)->status, mad::kStatusOk);
  EXPECT_EQ(pair.probe.get(AttributeId::PKeyTable, {1, 2}, 2)->status, mad::kStatusBadField);
  EXPECT_EQ(pair.probe.get(AttributeId::GUIDInfo, {1, 2}, 1)->status, mad::kStatusOk);
  EXPECT_EQ(pair.probe.get(AttributeId::GUIDInfo, {1, 2}, 2)->status, mad::kStatusBadField);
}

TEST(Capabilities, OptimizedProgrammingWritesManyPairsAtOnce) {
  Blueprint blueprint = generate_fabric("star:4").value();
  blueprint.nodes[0].optimized_sl_to_vl = true;
  Pair pair(blueprint);
  EXPECT_EQ(pair.probe.switch_info({1}).optimized_sl_to_vl, 1);
  const auto filled = [](std::uint8_t value) {
    mad::SmpData data{};
    for (std::size_t i = 0; i < 8; ++i) data[i] = std::byte{value};
    return data;
  };
  const auto held = [&](std::uint8_t in, std::uint8_t out) {
    return pair.probe
        .get(AttributeId::SLtoVLMappingTable, {1},
             mad::sl_to_vl_modifier(mad::PortNumber{in}, mad::PortNumber{out}))
        ->data;
  };
  const auto set = [&](std::uint32_t modifier, std::uint8_t value) {
    return pair.probe.set(AttributeId::SLtoVLMappingTable, {1}, modifier, filled(value))->status;
  };
  EXPECT_EQ(set(mad::kSLtoVLAllOutPorts | mad::kSLtoVLAllInPorts, 0x11), mad::kStatusOk);
  EXPECT_EQ(held(0, 4), filled(0x11));
  EXPECT_EQ(held(3, 1), filled(0x11));
  EXPECT_EQ(set(mad::kSLtoVLAllInPorts | 2, 0x22), mad::kStatusOk);
  EXPECT_EQ(held(4, 2), filled(0x22));
  EXPECT_EQ(held(4, 3), filled(0x11));
  EXPECT_EQ(set(mad::kSLtoVLAllInPorts | 5, 0x33), mad::kStatusBadField);
}

TEST(Capabilities, WithoutOptimizedProgrammingItsBitsAreRefused) {
  Pair pair(star("speed=HDR"));
  EXPECT_EQ(
      pair.probe
          .set(AttributeId::SLtoVLMappingTable, {1}, mad::kSLtoVLAllInPorts | 1, mad::SmpData{})
          ->status,
      mad::kStatusBadField);
}

}  // namespace
}  // namespace heddle::sim
