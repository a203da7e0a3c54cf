// SPDX-License-Identifier: BSD-3-Clause
// Each kind of record against the topology it should tell of.
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "tests/sa/stage.hpp"

namespace heddle::sa {
namespace {

using fabric::PortIndex;
using mad::component;
using mad::Method;

class Records : public testing::Test {
 protected:
  Stage stage_{support::administered(support::xgft({3, 4}, {1, 2}))};
  const fabric::Topology& topology_ = stage_.view.topology();
};

TEST_F(Records, NodesAreFoundByEachOfTheirComponents) {
  const auto all = stage_.table<mad::NodeRecord>();
  ASSERT_EQ(all.records.size(), topology_.endports().size());
  std::set<mad::Lid> lids;
  for (const mad::NodeRecord& record : all.records) {
    lids.insert(record.lid);
    const PortIndex port = stage_.view.find(record.lid);
    EXPECT_EQ(record.node_info.port_guid, topology_.port(port).guid);
    constexpr auto guid = component<&mad::NodeRecord::node_info, &mad::NodeInfo::node_guid>();
    const auto same = stage_.get(guid, record);
    ASSERT_EQ(same.records.size(), 1u);
    EXPECT_EQ(same.records[0], record);
  }
  EXPECT_EQ(lids.size(), all.records.size());
  mad::NodeRecord wanted;
  wanted.node_info.node_type = mad::NodeType::Switch;
  constexpr auto type = component<&mad::NodeRecord::node_info, &mad::NodeInfo::node_type>();
  EXPECT_EQ(stage_.table(type, wanted).records.size(), topology_.switch_count());
}

TEST_F(Records, NodesAreFoundByTheirDescription) {
  mad::NodeRecord wanted;
  const std::string& name = topology_.node(topology_.node_of(stage_.host(3))).description;
  std::copy(name.begin(), name.end(), wanted.node_description.node_string.begin());
  constexpr auto description =
      component<&mad::NodeRecord::node_description, &mad::NodeDescription::node_string>();
  const auto reply = stage_.table(description, wanted);
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].lid, stage_.lid(stage_.host(3)));
}

TEST_F(Records, PortsOfASwitchShareItsLid) {
  const PortIndex port0 = topology_.port_of(fabric::SwitchIndex{1}, mad::PortNumber{0});
  mad::PortInfoRecord wanted;
  wanted.endport_lid = stage_.lid(port0);
  constexpr auto lid = component<&mad::PortInfoRecord::endport_lid>();
  constexpr auto number = component<&mad::PortInfoRecord::port_num>();
  const auto ports = stage_.table(lid, wanted);
  EXPECT_EQ(ports.records.size(), topology_.node(fabric::SwitchIndex{1}).port_count + 1u);
  wanted.port_num = mad::PortNumber{2};
  const auto one = stage_.get(lid | number, wanted);
  ASSERT_EQ(one.records.size(), 1u);
  EXPECT_EQ(one.records[0].port_num, mad::PortNumber{2});
}

TEST_F(Records, TheMKeyIsForTheTrusted) {
  mad::PortInfoRecord wanted;
  wanted.endport_lid = stage_.lid(stage_.host(1));
  wanted.port_info.m_key = mad::MKey{0x5ec7e7};
  constexpr auto lid = component<&mad::PortInfoRecord::endport_lid>();
  constexpr auto key = component<&mad::PortInfoRecord::port_info, &mad::PortInfo::m_key>();
  const auto hidden = stage_.table(lid, wanted);
  const auto shown = stage_.table(lid, wanted, kOurKey);
  ASSERT_FALSE(hidden.records.empty());
  EXPECT_EQ(hidden.records[0].port_info.m_key, mad::MKey{0});
  EXPECT_EQ(shown.records.at(0).port_info.m_key, mad::MKey{0x5ec7e7});
  EXPECT_EQ(stage_.table(key, wanted).status(), mad::kSAReqDenied);
  EXPECT_FALSE(stage_.table(key, wanted, kOurKey).records.empty());
}

TEST_F(Records, CapabilityMasksMayBeContained) {
  mad::PortInfoRecord wanted;
  wanted.port_info.capability_mask = mad::kIsTrapSupported;
  constexpr auto mask =
      component<&mad::PortInfoRecord::port_info, &mad::PortInfo::capability_mask>();
  EXPECT_TRUE(stage_.table(mask, wanted).records.empty());
  const auto contained =
      stage_.ask(Method::GetTable, mask, wanted, {}, mad::kCapabilityMaskContains);
  EXPECT_FALSE(contained.records.empty());
  wanted.port_info.capability_mask |= mad::kIsSM;
  EXPECT_TRUE(
      stage_.ask(Method::GetTable, mask, wanted, {}, mad::kCapabilityMaskContains).records.empty());
}

TEST_F(Records, LinksAreToldFromBothEnds) {
  const auto all = stage_.table<mad::LinkRecord>();
  EXPECT_EQ(all.records.size(), 2 * topology_.link_count());
  for (const mad::LinkRecord& record : all.records) {
    const mad::LinkRecord turned{record.to_lid, record.to_port, record.from_port, record.from_lid};
    EXPECT_EQ(stage_.get(0xF, turned).records.size(), 1u);
    mad::LinkRecord other = record;
    other.from_port = mad::PortNumber{200};
    EXPECT_EQ(stage_.get(0xF, other).status(), mad::kSANoRecords);
  }
}

TEST_F(Records, ForwardingTablesAreThoseOfTheSwitch) {
  const auto all = stage_.table<mad::LinearForwardingTableRecord>();
  const std::size_t blocks = stage_.view.lids().top().value / 64 + 1u;
  ASSERT_EQ(all.records.size(), topology_.switch_count() * blocks);
  for (const auto& record : all.records) {
    const auto node = topology_.node_of(stage_.view.find(record.lid));
    for (std::size_t i = 0; i < 64; ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(record.block_num * 64u + i)};
      const auto held = stage_.view.subnet().tables->out_port({node.value}, lid);
      ASSERT_EQ(record.table.ports[i], held);
    }
  }
  mad::LinearForwardingTableRecord beyond;
  beyond.block_num = 700;
  constexpr auto block = component<&mad::LinearForwardingTableRecord::block_num>();
  EXPECT_TRUE(stage_.table(block, beyond).records.empty());
}

TEST_F(Records, SwitchesAreOnePerSwitch) {
  EXPECT_EQ(stage_.table<mad::SwitchInfoRecord>().records.size(), topology_.switch_count());
  mad::SwitchInfoRecord wanted;
  wanted.lid = stage_.lid(stage_.host(0));
  constexpr auto lid = component<&mad::SwitchInfoRecord::lid>();
  EXPECT_EQ(stage_.get(lid, wanted).status(), mad::kSANoRecords);
}

TEST_F(Records, TheFirstGuidOfAPortIsItsOwn) {
  mad::GUIDInfoRecord wanted;
  wanted.lid = stage_.lid(stage_.host(2));
  constexpr auto lid = component<&mad::GUIDInfoRecord::lid>();
  const auto reply = stage_.table(lid, wanted);
  ASSERT_EQ(reply.records.size(), 2u);  // GUIDCap 16
  EXPECT_EQ(reply.records[0].guid_info.guids[0], topology_.port(stage_.host(2)).guid);
  EXPECT_EQ(reply.records[1].guid_info, mad::GUIDInfo{});
}

TEST(SMInfoRecords, KeepTheirKeyFromTheUntrusted) {
  auto subnet = support::administered(support::star(3));
  const PortIndex seat = subnet.topology->endports()[1];
  subnet.managers.push_back({seat, {mad::Guid{5}, kOurKey, 9, 3, mad::SMState::Master}});
  Stage stage(std::move(subnet));
  const auto reply = stage.table<mad::SMInfoRecord>();
  ASSERT_EQ(reply.records.size(), 1u);
  EXPECT_EQ(reply.records[0].lid, stage.lid(seat));
  EXPECT_EQ(reply.records[0].sm_info.guid, mad::Guid{5});
  EXPECT_EQ(reply.records[0].sm_info.sm_key, mad::SMKey{});
  const auto trusted = stage.table<mad::SMInfoRecord>(0, {}, kOurKey);
  EXPECT_EQ(trusted.records.at(0).sm_info.sm_key, kOurKey);
}

}  // namespace
}  // namespace heddle::sa
