// SPDX-License-Identifier: BSD-3-Clause
#include "mad/describe.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/attribute_catalogue.hpp"
#include "mad/describe_json.hpp"
#include "tests/mad/leaves.hpp"

namespace heddle::mad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

NodeInfo some_switch() {
  NodeInfo info;
  info.base_version = 1;
  info.class_version = 1;
  info.node_type = NodeType::Switch;
  info.num_ports = 36;
  info.node_guid = Guid{0x2c9};
  info.vendor_id = 0x2c9;
  return info;
}

TEST(Text, ShowsGuidsInHexAndEnumeratorsByNameAndNumber) {
  EXPECT_EQ(to_text(some_switch()),
            "BaseVersion: 1\n"
            "ClassVersion: 1\n"
            "NodeType: Switch (2)\n"
            "NumPorts: 36\n"
            "SystemImageGUID: 0x0000000000000000\n"
            "NodeGUID: 0x00000000000002c9\n"
            "PortGUID: 0x0000000000000000\n"
            "PartitionCap: 0\n"
            "DeviceID: 0x0000\n"
            "Revision: 0x00000000\n"
            "LocalPortNum: 0\n"
            "VendorID: 0x0002c9\n");
}

TEST(Text, OfAnEnumeratorWithoutNameIsItsNumber) {
  NodeInfo info;
  info.node_type = static_cast<NodeType>(9);
  EXPECT_THAT(to_text(info), HasSubstr("NodeType: (9)\n"));
}

TEST(Text, OfANodeDescriptionIsSafeToPrint) {
  NodeDescription description;
  const std::string_view hostile = "leaf\x1b[2J\n1";
  std::copy(hostile.begin(), hostile.end(), description.node_string.begin());
  EXPECT_EQ(to_text(description), "NodeString: leaf?[2J?1\n");
}

TEST(Text, IndentsAStructInsideAndNumbersTheElementsOfATable) {
  IssuedNotice notice;
  notice.issuer_gid.guid = Guid{1};
  EXPECT_THAT(to_text(notice, 2), HasSubstr("  IssuerGID:\n"
                                            "    GidPrefix: 0x0000000000000000\n"
                                            "    GUID: 0x0000000000000001\n"));
  VLArbitrationTable table;
  table.entries[1] = {VirtualLane{3}, 64};
  EXPECT_THAT(to_text(table), HasSubstr("Entry:\n  [0] VL: 0 Weight: 0\n  [1] VL: 3 Weight: 64\n"));
  SLtoVLMappingTable mapping;
  mapping.vl_by_sl[2] = VirtualLane{7};
  EXPECT_EQ(to_text(mapping), "SLtoVL: 0 0 7 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
}

TEST(Text, NamesEveryRowOfEverythingDescribed) {
  base::Prng prng(21);
  for_each_described([&]<class T>() {
    const std::string text = to_text(arbitrary<T>(prng));
    for_each_row<T>([&]<class R>(const R& r) {
      if constexpr (!R::is_reserved) {
        EXPECT_THAT(text, HasSubstr(std::string(r.name) + ":")) << Layout<T>::name;
      }
    });
  });
}

TEST(NonzeroFields, LeaveOutZerosAndCutLongTables) {
  EXPECT_EQ(nonzero_fields(NodeInfo{}), "");
  EXPECT_EQ(nonzero_fields(some_switch()),
            "BaseVersion=1 ClassVersion=1 NodeType=Switch NumPorts=36 "
            "NodeGUID=0x00000000000002c9 VendorID=0x0002c9");
  LinearForwardingTable block;
  for (std::size_t i = 2; i < 12; ++i) block.ports[i] = PortNumber{5};
  EXPECT_EQ(nonzero_fields(block), "Port[2]=5 Port[3]=5 Port[4]=5 Port[5]=5 +6");
}

TEST(Json, KeepsWideNumbersExactAndTheTablesOrder) {
  const auto json = to_json(some_switch());
  EXPECT_EQ(json["NodeGUID"], "0x00000000000002c9");
  EXPECT_EQ(json["NodeType"], "Switch");
  EXPECT_EQ(json["NumPorts"], 36);
  EXPECT_EQ(json.begin().key(), "BaseVersion");
  EXPECT_EQ(std::prev(json.end()).key(), "VendorID");
}

TEST(Json, NestsStructsAndArrays) {
  VLArbitrationTable table;
  table.entries[31].weight = 9;
  const auto json = to_json(table);
  ASSERT_EQ(json["Entry"].size(), 32u);
  EXPECT_EQ(json["Entry"][31]["Weight"], 9);
  PortInfo port;
  port.client_reregister = true;
  EXPECT_EQ(to_json(port)["ClientReregister"], true);
  EXPECT_EQ(to_json(IssuedNotice{})["IssuerGID"]["GUID"], "0x0000000000000000");
}

TEST(Json, OfAnEnumeratorWithoutNameIsANumber) {
  NodeInfo info;
  info.node_type = static_cast<NodeType>(77);
  EXPECT_EQ(to_json(info)["NodeType"], 77);
}

TEST(Json, OfEverythingDescribedIsReadBackByAParser) {
  base::Prng prng(22);
  for_each_described([&]<class T>() {
    const auto json = to_json(arbitrary<T>(prng));
    EXPECT_EQ(nlohmann::ordered_json::parse(json.dump()), json) << Layout<T>::name;
  });
}

TEST(Differences, NameTheFieldAndBothValues) {
  PortInfo before;
  PortInfo after;
  EXPECT_THAT(differences(before, after), IsEmpty());
  after.lid = Lid{12};
  after.port_state = PortState::Active;
  EXPECT_THAT(differences(before, after),
              ElementsAre(FieldDifference{"LID", "0", "12"},
                          FieldDifference{"PortState", "NoChange (0)", "Active (4)"}));
}

TEST(Differences, ReachIntoTablesAndStructs) {
  VLArbitrationTable before;
  VLArbitrationTable after;
  after.entries[3].weight = 7;
  EXPECT_THAT(differences(before, after),
              ElementsAre(FieldDifference{"Entry[3].Weight", "0", "7"}));
}

// However an attribute is changed by one bit on the wire, exactly the fields that differ are named.
TEST(Differences, AgreeWithTheNumbersForEverythingDescribed) {
  base::Prng prng(23);
  for_each_described([&]<class T>() {
    for (int i = 0; i < 20; ++i) {
      const T before = arbitrary<T>(prng);
      auto bytes = encode(before);
      bytes[prng.below(bytes.size())] ^= static_cast<std::byte>(1u << prng.below(8));
      const T after = decode<T>(bytes);
      EXPECT_EQ(differences(before, after).empty(), leaves_of(before) == leaves_of(after))
          << Layout<T>::name;
      EXPECT_LE(differences(before, after).size(), 1u);
    }
  });
}

TEST(Arbitrary, IsRepeatableAndReachesEveryRow) {
  for_each_described([]<class T>() {
    base::Prng one(24);
    base::Prng two(24);
    EXPECT_EQ(arbitrary<T>(one), arbitrary<T>(two));
    Leaves seen;
    for (int i = 0; i < 200; ++i) {
      for (const auto& [row, value] : leaves_of(arbitrary<T>(one))) seen[row] |= value;
    }
    for (const auto& [row, bits] : seen) EXPECT_NE(bits, 0u) << Layout<T>::name << ' ' << row;
  });
}

}  // namespace
}  // namespace heddle::mad
