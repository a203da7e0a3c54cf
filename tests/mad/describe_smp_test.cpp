// SPDX-License-Identifier: BSD-3-Clause
#include "mad/describe_smp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/attribute_catalogue.hpp"
#include "mad/describe.hpp"

namespace heddle::mad {
namespace {

using testing::HasSubstr;
using testing::Not;

Smp directed_get() {
  Smp smp;
  smp.attribute_id = AttributeId::NodeInfo;
  smp.hop_count = 2;
  smp.initial_path[1] = PortNumber{1};
  smp.initial_path[2] = PortNumber{17};
  smp.dr_slid = smp.dr_dlid = kPermissiveLid;
  return smp;
}

TEST(DescribeSmp, OfARequestShowsMethodAttributeModifierAndRoute) {
  EXPECT_EQ(describe_smp(directed_get()), "Get NodeInfo 0x00000000 route 0,1,17");
}

TEST(DescribeSmp, OfAnAnswerShowsTheAttribute) {
  Smp smp = directed_get();
  smp.method = Method::GetResp;
  NodeInfo info;
  info.node_type = NodeType::Switch;
  info.num_ports = 36;
  smp.data = encode<NodeInfo, kSmpDataBytes>(info);
  EXPECT_EQ(describe_smp(smp),
            "GetResp NodeInfo 0x00000000 route 0,1,17 | NodeType=Switch NumPorts=36");
}

TEST(DescribeSmp, ShowsAStatusThatIsNotFine) {
  Smp smp = directed_get();
  smp.method = Method::GetResp;
  smp.status = kStatusBadField;
  EXPECT_THAT(describe_smp(smp), HasSubstr(" status 0x001c"));
}

TEST(DescribeSmp, OfATrapTakesTheNoticeApart) {
  Smp smp;
  smp.management_class = ManagementClass::SubnLidRouted;
  smp.method = Method::Trap;
  smp.attribute_id = AttributeId::Notice;
  smp.data =
      encode<Notice, kSmpDataBytes>(make_notice(TrapNumber::LinkStateChange, NoticeType::Urgent,
                                                NodeType::Switch, Lid{4}, LinkStateNotice{Lid{4}}));
  EXPECT_EQ(describe_smp(smp),
            "Trap Notice 0x00000000 LID-routed | trap 128 LinkStateChange from LID 4 LIDADDR=4");
}

TEST(DescribeSmp, OfUnknownNumbersShowsTheNumbers) {
  Smp smp = directed_get();
  smp.attribute_id = static_cast<AttributeId>(0xFF12);
  smp.method = static_cast<Method>(0x42);
  EXPECT_THAT(describe_smp(smp), HasSubstr("0x42 0xff12 "));
}

TEST(DescribeSmp, StaysOneLineWhateverTheBytes) {
  base::Prng prng(31);
  for (int i = 0; i < 3000; ++i) {
    Smp smp = arbitrary<Smp>(prng);
    for_each_smp_attribute([&]<class T>(const SmpAttribute<T>& attribute) {
      smp.attribute_id = attribute.id;
      const std::string line = describe_smp(smp);
      EXPECT_THAT(line, Not(HasSubstr("\n")));
      EXPECT_LT(line.size(), 2500u);
    });
  }
}

TEST(RouteText, DoesNotReadBehindThePathWhenTheHopCountLies) {
  Smp smp;
  smp.hop_count = 255;
  const std::string route = route_text(smp);
  EXPECT_EQ(static_cast<std::size_t>(std::count(route.begin(), route.end(), ',')), kMaxHops);
}

}  // namespace
}  // namespace heddle::mad
