// SPDX-License-Identifier: BSD-3-Clause
#include "sa/prefix_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "tests/sa/stage.hpp"
#include "tests/support/registers.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::Gid;
using mad::GidPrefix;
using mad::Guid;
using mad::Method;
using mad::PathRecord;
using testing::HasSubstr;
using testing::StartsWith;

PrefixRoutes parsed_routes(std::string_view text) {
  const auto routes = parse_prefix_routes(text, "f");
  EXPECT_TRUE(routes) << (routes ? "" : routes.error().message);
  return routes ? *routes : PrefixRoutes{};
}

TEST(PrefixRoutesFile, IsReadAsOpenSmReadsIt) {
  const auto routes = parsed_routes(
      "# routes of the lab\n"
      "\n"
      "0xfec0000000000001 0x0002c90300000001  # with the 0x\n"
      "\tfec0000000000002\t2c90300000002\r\n"
      "FEC0000000000003 *\n"
      "* 0x5\n"
      "* *");
  const PrefixRoutes wanted{{GidPrefix{0xfec0000000000001}, Guid{0x0002c90300000001}},
                            {GidPrefix{0xfec0000000000002}, Guid{0x0002c90300000002}},
                            {GidPrefix{0xfec0000000000003}, std::nullopt},
                            {std::nullopt, Guid{5}},
                            {std::nullopt, std::nullopt}};
  EXPECT_EQ(routes, wanted);
  EXPECT_EQ(parsed_routes(to_text(routes)), routes);
  EXPECT_TRUE(parsed_routes("").empty());
}

TEST(PrefixRoutesFile, SaysWhatIsWrongAndWhere) {
  const auto trouble = [](std::string_view text) {
    const auto routes = parse_prefix_routes(text, "routes.conf");
    return routes ? std::string() : routes.error().message;
  };
  EXPECT_THAT(trouble("* *\n  0x1"), StartsWith("routes.conf:2:3: a prefix without"));
  EXPECT_THAT(trouble("* * 3"),
              StartsWith("routes.conf:1:5: expected the end of the line, not '3'"));
  EXPECT_THAT(trouble("fec0:: 1"), StartsWith("routes.conf:1:1: a GID prefix"));
  EXPECT_THAT(trouble("1 0x12345678901234567"), StartsWith("routes.conf:1:3: a port GUID"));
  EXPECT_THAT(trouble("ff12000000000000 *"), HasSubstr("multicast"));
  EXPECT_THAT(trouble(std::string("\x1b[2J \0*", 7)), Not(HasSubstr("\x1b")));
  EXPECT_LT(trouble(std::string(100'000, 'x') + " 1").size(), 200u);
  EXPECT_THAT(trouble(std::string(kMaxPrefixRouteLines, '\n')), HasSubstr("no more than"));
}

TEST(PrefixRoutesFile, SurvivesNoise) {
  base::Prng prng(5);
  constexpr std::string_view kSome = "0123456789abcdefx* \t\n#gz\r";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint64_t n = prng.below(60); n > 0; --n) text += kSome[prng.below(kSome.size())];
    const auto routes = parse_prefix_routes(text, "f");
    if (routes) {
      EXPECT_EQ(parsed_routes(to_text(*routes)), *routes);
    } else {
      EXPECT_THAT(routes.error().message, StartsWith("f:"));
    }
  }
}

// Two of six hosts are routers in truth.
class PrefixRouteTest : public testing::Test {
 protected:
  static Subnet subnet_with(std::string_view file) {
    Subnet subnet = support::administered(support::ring(3, 2));
    const auto& topology = *subnet.topology;
    for (const std::size_t host : {2u, 4u}) {
      const auto port = topology.endports()[topology.switch_count() + host];
      support::own_registers(subnet).nodes.change(topology.node_of(port).value).node_type =
          mad::NodeType::Router;
    }
    subnet.prefix_routes = std::make_shared<const PrefixRoutes>(parsed_routes(file));
    return subnet;
  }
  static std::string guid_of(std::size_t host) {
    const Stage stage(support::administered(support::ring(3, 2)));
    return base::hex(stage.view.topology().port(stage.host(host)).guid.value);
  }
  static Reply<PathRecord> path(Stage& stage, GidPrefix to, Method method = Method::Get) {
    PathRecord wanted;
    wanted.sgid = stage.view.gid(stage.host(0));
    wanted.dgid = {to, Guid{0x99}};
    const auto mask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
    return stage.ask(method, mask, wanted);
  }
};

constexpr GidPrefix kFar{0xfec0'0000'0000'0001}, kFarther{0xfec0'0000'0000'0002};

TEST_F(PrefixRouteTest, LeadsToTheRouterOfThePrefix) {
  Stage stage(subnet_with("fec0000000000001 " + guid_of(4) + "\n* " + guid_of(2)));
  const auto far = path(stage, kFar);
  ASSERT_EQ(far.records.size(), 1u);
  EXPECT_EQ(far.records[0].dlid, stage.lid(stage.host(4)));
  EXPECT_EQ(far.records[0].dgid, (Gid{kFar, Guid{0x99}}));
  EXPECT_EQ(far.records[0].hop_limit, 0xFF);
  EXPECT_EQ(path(stage, kFarther, Method::GetTable).records.at(0).dlid, stage.lid(stage.host(2)));
  // What is near needs no router.
  PathRecord near;
  near.sgid = stage.view.gid(stage.host(0));
  near.dgid = stage.view.gid(stage.host(5));
  const auto mask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
  EXPECT_EQ(stage.get(mask, near).records.at(0).hop_limit, 0);
  near.dgid.guid = Guid{0x99};
  EXPECT_EQ(stage.get(mask, near).status(), mad::kSAReqInvalidGid);
}

TEST_F(PrefixRouteTest, TakesTheFirstThatIsThere) {
  // Nobody has the first GUID, the second is a host's.
  Stage stage(subnet_with("* 77\n* " + guid_of(1) + "\n* *"));
  EXPECT_EQ(path(stage, kFar).records.at(0).dlid, stage.lid(stage.host(2)));
  Stage none(subnet_with("fec0000000000002 *"));
  EXPECT_EQ(path(none, kFar).status(), mad::kSAReqInvalidGid);
  Stage without(support::administered(support::ring(3, 2)));
  EXPECT_EQ(path(without, kFar).status(), mad::kSAReqInvalidGid);
}

TEST_F(PrefixRouteTest, IsNoWayIn) {
  Stage stage(subnet_with("* *"));
  PathRecord wanted;
  wanted.sgid = {kFar, Guid{0x99}};
  wanted.dgid = stage.view.gid(stage.host(0));
  const auto mask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>();
  EXPECT_EQ(stage.get(mask, wanted).status(), mad::kSAReqInvalidGid);
  // The LID, if there is one, must be the router's.
  wanted = {};
  wanted.sgid = stage.view.gid(stage.host(0));
  wanted.dgid = {kFar, Guid{0x99}};
  wanted.dlid = stage.lid(stage.host(5));
  const auto and_lid = mask | component<&PathRecord::dlid>();
  EXPECT_EQ(stage.get(and_lid, wanted).status(), mad::kSAReqInvalid);
  wanted.dlid = stage.lid(stage.host(2));
  EXPECT_EQ(stage.get(and_lid, wanted).records.size(), 1u);
}

}  // namespace
}  // namespace heddle::sa
