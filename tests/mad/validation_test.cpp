// SPDX-License-Identifier: BSD-3-Clause
#include "mad/validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/describe.hpp"

namespace heddle::mad {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NodeInfo sane_node() {
  NodeInfo info;
  info.base_version = 1;
  info.class_version = 1;
  info.node_type = NodeType::ChannelAdapter;
  info.num_ports = 2;
  info.node_guid = Guid{1};
  info.port_guid = Guid{2};
  info.system_image_guid = Guid{1};
  info.partition_cap = 128;
  info.local_port_num = PortNumber{2};
  return info;
}

PortInfo sane_port() {
  PortInfo info;
  info.lid = Lid{8};
  info.lmc = 3;
  info.master_sm_lid = Lid{1};
  info.port_state = PortState::Active;
  info.port_physical_state = PortPhysicalState::LinkUp;
  info.link_width_supported = 3;
  info.link_width_active = 2;
  info.link_speed_active = 4;
  info.vl_cap = 4;
  info.operational_vls = 4;
  info.mtu_cap = Mtu::Bytes4096;
  info.neighbor_mtu = Mtu::Bytes2048;
  return info;
}

template <class Change>
Complaints node_with(Change change) {
  NodeInfo info = sane_node();
  change(info);
  return validate(info);
}

template <class Change>
Complaints port_with(Change change, PortKind kind = PortKind::EndPort) {
  PortInfo info = sane_port();
  change(info);
  return validate(info, kind);
}

TEST(NodeInfoValidation, AcceptsASaneNode) {
  EXPECT_THAT(validate(sane_node()), IsEmpty());
}

TEST(NodeInfoValidation, NamesEachLie) {
  EXPECT_THAT(node_with([](auto& n) { n.num_ports = 0; }),
              ElementsAre("NumPorts is 0", "LocalPortNum 2 is above NumPorts 0"));
  EXPECT_THAT(node_with([](auto& n) { n.local_port_num = PortNumber{3}; }),
              ElementsAre("LocalPortNum 3 is above NumPorts 2"));
  EXPECT_THAT(node_with([](auto& n) { n.node_type = static_cast<NodeType>(4); }),
              ElementsAre("NodeType 4 does not exist"));
  EXPECT_THAT(node_with([](auto& n) { n.node_guid = Guid{}; }), ElementsAre("NodeGUID is zero"));
  EXPECT_THAT(node_with([](auto& n) { n.port_guid = Guid{}; }), ElementsAre("PortGUID is zero"));
  EXPECT_THAT(node_with([](auto& n) { n.num_ports = 255; }),
              ElementsAre("NumPorts 255 is above 254"));
  EXPECT_THAT(node_with([](auto& n) { n.partition_cap = 0; }), ElementsAre("PartitionCap is 0"));
  EXPECT_THAT(node_with([](auto& n) { n.local_port_num = PortNumber{0}; }),
              ElementsAre("LocalPortNum is 0, which only a switch has"));
  EXPECT_THAT(node_with([](auto& n) { n.base_version = 0; }),
              ElementsAre("BaseVersion 0 is not 1"));
}

TEST(PortInfoValidation, AcceptsAPortInEachStateOfItsLife) {
  EXPECT_THAT(validate(sane_port(), PortKind::EndPort), IsEmpty());
  EXPECT_THAT(port_with([](auto& p) {
                p.lid = Lid{};
                p.lmc = 0;
                p.master_sm_lid = Lid{};
                p.port_state = PortState::Init;
                p.operational_vls = 0;
                p.neighbor_mtu = static_cast<Mtu>(0);
              }),
              IsEmpty());
  EXPECT_THAT(port_with([](auto& p) {
                p.port_state = PortState::Down;
                p.port_physical_state = PortPhysicalState::Polling;
                p.link_width_active = 0;
                p.link_speed_active = 0;
              }),
              IsEmpty());
}

TEST(PortInfoValidation, NamesLidsThatCannotBe) {
  EXPECT_THAT(port_with([](auto& p) { p.lid = Lid{9}; }),
              ElementsAre("LID 9 is not a multiple of 8, as LMC 3 wants it"));
  EXPECT_THAT(port_with([](auto& p) { p.lid = Lid{0xC000}; }),
              ElementsAre("LID 0xc000 is not unicast"));
  EXPECT_THAT(port_with([](auto& p) { p.lid = kPermissiveLid; }),
              ElementsAre("LID 0xffff is not unicast"));
  EXPECT_THAT(port_with([](auto& p) { p.master_sm_lid = Lid{0xC001}; }),
              ElementsAre("MasterSMLID 0xc001 is not unicast"));
}

TEST(PortInfoValidation, IgnoresLidsWhereThePortHasNone) {
  EXPECT_THAT(port_with([](auto& p) { p.lid = Lid{0xC000}; }, PortKind::SwitchExternal), IsEmpty());
}

TEST(PortInfoValidation, IgnoresTheLinkWhereThePortHasNone) {
  EXPECT_THAT(port_with(
                  [](auto& p) {
                    p.link_width_active = 0;
                    p.port_state = static_cast<PortState>(9);
                  },
                  PortKind::SwitchPort0),
              IsEmpty());
}

TEST(PortInfoValidation, NamesStatesThatCannotBe) {
  EXPECT_THAT(port_with([](auto& p) { p.port_state = static_cast<PortState>(5); }),
              ElementsAre("PortState 5 does not exist"));
  EXPECT_THAT(port_with([](auto& p) { p.port_state = PortState::NoChange; }),
              ElementsAre("PortState is NoChange in an answer"));
  EXPECT_THAT(port_with([](auto& p) { p.port_physical_state = PortPhysicalState::Polling; }),
              ElementsAre("PortState is Active but PortPhysicalState is Polling"));
}

TEST(PortInfoValidation, NamesALinkThatIsUpAtNoKnownWidthOrSpeed) {
  EXPECT_THAT(port_with([](auto& p) { p.link_width_active = 3; }),
              ElementsAre("LinkWidthActive 0x03 is not one known width"));
  EXPECT_THAT(port_with([](auto& p) { p.link_width_active = 8; }),
              ElementsAre("LinkWidthActive 0x08 is not among LinkWidthSupported 0x03"));
  EXPECT_THAT(port_with([](auto& p) { p.link_speed_active = 0; }),
              ElementsAre("LinkSpeedActive 0x0 is not one known speed"));
  EXPECT_THAT(port_with([](auto& p) { p.link_speed_ext_active = 6; }),
              ElementsAre("LinkSpeedExtActive 0x6 is not one speed"));
  EXPECT_THAT(port_with([](auto& p) {
                p.link_speed_active = 0;
                p.link_speed_ext_active = 2;
              }),
              IsEmpty())
      << "a port at an extended speed may leave the old register empty";
}

TEST(PortInfoValidation, NamesLanesAndMtuBeyondTheirCapability) {
  EXPECT_THAT(port_with([](auto& p) { p.vl_cap = 0; }),
              ElementsAre("VLCap 0 is not one of 1..5", "OperationalVLs 4 does not fit VLCap 0"));
  EXPECT_THAT(port_with([](auto& p) { p.neighbor_mtu = Mtu::Bytes4096; }), IsEmpty());
  EXPECT_THAT(port_with([](auto& p) { p.mtu_cap = Mtu::Bytes1024; }),
              ElementsAre("NeighborMTU 4 does not fit MTUCap 3"));
}

TEST(SwitchInfoValidation, NamesTablesThatCannotBe) {
  SwitchInfo info;
  info.linear_fdb_cap = 48 * 1024;
  info.linear_fdb_top = 48 * 1024 - 1;
  info.multicast_fdb_cap = 1024;
  info.multicast_fdb_top = 0xC000 + 1023;
  EXPECT_THAT(validate(info), IsEmpty());
  ++info.linear_fdb_top;
  ++info.multicast_fdb_top;
  EXPECT_THAT(validate(info), ElementsAre("LinearFDBTop 49152 is not below LinearFDBCap 49152",
                                          "MulticastFDBTop 0xc400 is beyond MulticastFDBCap 1024"));
  EXPECT_THAT(validate(SwitchInfo{}), ElementsAre("LinearFDBCap and RandomFDBCap are both 0"));
  info = {};
  info.linear_fdb_cap = 50000;
  info.multicast_fdb_cap = 20000;
  EXPECT_THAT(validate(info), ElementsAre("LinearFDBCap 50000 is above 49152",
                                          "MulticastFDBCap 20000 is above 16383"));
}

TEST(SMInfoValidation, NamesAnSmWithoutGuidOrState) {
  EXPECT_THAT(validate(SMInfo{.guid = Guid{1}, .sm_state = SMState::Master}), IsEmpty());
  EXPECT_THAT(validate(SMInfo{.sm_state = static_cast<SMState>(4)}),
              ElementsAre("GUID is zero", "SMState 4 does not exist"));
}

TEST(ForwardingTableValidation, NamesPortsTheSwitchDoesNotHave) {
  LinearForwardingTable block;
  block.ports.fill(kNoPortNumber);
  block.ports[3] = PortNumber{36};
  EXPECT_THAT(validate(block, 36), IsEmpty());
  EXPECT_THAT(validate(block, 35), ElementsAre("entry 3 names port 36 of a switch with 35"));
}

TEST(NoticeValidation, NamesProducersAndTypesThatCannotBe) {
  Notice notice;
  notice.type = NoticeType::Empty;
  EXPECT_THAT(validate(notice), IsEmpty());
  notice.is_generic = true;
  notice.type = static_cast<NoticeType>(9);
  notice.producer_type = 5;
  notice.issuer_lid = kFirstMulticastLid;
  EXPECT_THAT(validate(notice),
              ElementsAre("Type 9 does not exist", "ProducerType 5 does not exist",
                          "IssuerLID 0xc000 is not unicast"));
}

TEST(Validation, SurvivesAnyBytes) {
  base::Prng prng(41);
  for (int i = 0; i < 2000; ++i) {
    validate(arbitrary<NodeInfo>(prng));
    validate(arbitrary<PortInfo>(prng), static_cast<PortKind>(i % 3));
    validate(arbitrary<SwitchInfo>(prng));
    validate(arbitrary<SMInfo>(prng));
    validate(arbitrary<Notice>(prng));
    validate(arbitrary<LinearForwardingTable>(prng), static_cast<std::uint8_t>(i));
  }
}

}  // namespace
}  // namespace heddle::mad
