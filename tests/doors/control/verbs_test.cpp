// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/verbs.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "doors/control/channel.hpp"
#include "doors/control/script.hpp"
#include "doors/control/words.hpp"
#include "sim/devices.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::doors::control {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;

class VerbsTest : public testing::Test {
 protected:
  Outcome run(const std::string& line) { return run_line(context, line); }
  mad::PortState state(const std::string& node, std::uint8_t port) const {
    const sim::Devices& devices = host.world().devices();
    return devices.lines[devices.port_at(*host.world().find_node(node), port)].state;
  }
  void run_for(milliseconds time) {
    loop.restart();
    loop.run_for(time);
  }

  boost::asio::io_context loop;
  FabricHost host{loop, sim::World(sim::generate_fabric("fat-tree:2,4").value(), {})};
  bool ended = false;
  Context context{host, nullptr, [this] { ended = true; }};
};

TEST(Words, QuotesBracketsAndComments) {
  const Words words = split_words("link  \"leaf 1\"[3] # and so on");
  ASSERT_EQ(words.words.size(), 3u);
  EXPECT_EQ(words.words[1].text, "leaf 1");
  EXPECT_EQ(words.words[1].column, 7u);
  EXPECT_EQ(words.words[2].text, "3");
  EXPECT_TRUE(split_words("  # nothing").words.empty());
  EXPECT_EQ(split_words("a \"b").column, 3u);
  EXPECT_FALSE(split_words(std::string(kLongestLine + 1, 'a')).error.empty());
  EXPECT_EQ(split_words(join_words({"a b", "", "c"})).words.size(), 3u);
}

TEST_F(VerbsTest, ALinkGoesDownAndUp) {
  EXPECT_TRUE(run("link down leaf-1 1").ok());
  EXPECT_EQ(state("leaf-1", 1), mad::PortState::Down);
  EXPECT_TRUE(run("LINK UP \"leaf-1\"[1]").ok());
  EXPECT_NE(state("leaf-1", 1), mad::PortState::Down);
  EXPECT_TRUE(run("Unlink \"leaf-1\"").ok());
  for (std::uint8_t port = 1; port <= 4; ++port) {
    EXPECT_EQ(state("leaf-1", port), mad::PortState::Down) << int{port};
  }
  EXPECT_TRUE(run("ReLink \"leaf-1\"").ok());
  EXPECT_NE(state("leaf-1", 4), mad::PortState::Down);
}

TEST_F(VerbsTest, EveryVerbUnderstandsItsOwnExample) {
  const std::set<std::string> lines{
      "link flap leaf-1 1 1ms 1ms 2",
      "link degrade leaf-1 1 1x SDR",
      "link heal leaf-1 1",
      "swap leaf-1 1 leaf-2 1",
      "loss leaf-1 1 1%",
      "drop leaf-1 1 0.5",
      "delay leaf-1 1 5us",
      "reorder leaf-1 1 0.1",
      "duplicate leaf-1 1 0.1",
      "add node new 4 switch",
      "add cable new 1 new 2 4x EDR",
      "kill leaf-2",
      "power on leaf-2",
      "reboot leaf-2 5ms",
      "freeze leaf-2",
      "thaw leaf-2",
      "silence leaf-2",
      "busy leaf-2 on",
      "slow leaf-2 2ms",
      "corrupt leaf-2 0.01",
      "storm leaf-2 1ms 3",
      "inject leaf-1 1 SymbolErrorCounter 5",
      "dump leaf-1",
      "dump",
      "status",
      "clients",
      "wait 1ms",
      "help",
      "help link down",
      "error \"leaf-1\"[1] 20",
      "start",
      "verbose 2",
      "attached",
      "PerformanceSet \"leaf-1\"[1] PortCounters.SymbolErrorCounter=7"};
  EXPECT_TRUE(run("add node new 4 switch").ok());
  for (const std::string& line : lines) {
    if (line.starts_with("add node")) continue;
    const Outcome outcome = run(line);
    EXPECT_TRUE(outcome.ok()) << line << ": " << outcome.error;
    EXPECT_TRUE(outcome.json.empty() || !json::parse(outcome.json, nullptr, false).is_discarded());
  }
}

// Packets by the tables that stand: nothing works before somebody has brought the fabric up.
TEST_F(VerbsTest, PingFollowsTheTablesThereAndBack) {
  EXPECT_FALSE(run("ping host-0001 host-0002").ok());
  host.change(
      [](sim::World& world) { sim::TinyManager(world, *world.default_endpoint()).bring_up(); });
  EXPECT_TRUE(run("ping host-0001 host-0002").ok());
  EXPECT_FALSE(run("ping host-0001 host-0002 0xc000").ok());  // nobody joined
  EXPECT_THAT(run("ping host-0001 host-0002 0xc000 0x8123").error,
              HasSubstr("no member of the partition"));
  ASSERT_TRUE(run("link down host-0002 1").ok());
  EXPECT_THAT(run("ping host-0001 host-0002").error,
              HasSubstr("the link to leave by is not Active"));
}

TEST_F(VerbsTest, TrafficMovesCountersAndBuffersTellWhetherItFlows) {
  EXPECT_THAT(run("traffic ring").error, HasSubstr("fewer than two hosts"));
  host.change(
      [](sim::World& world) { sim::TinyManager(world, *world.default_endpoint()).bring_up(); });
  const Outcome driven = run("traffic ring 10");
  ASSERT_TRUE(driven.ok()) << driven.error;
  const auto told = json::parse(driven.json);
  EXPECT_EQ(told["arrived"], 10 * told["flows"].get<int>());
  EXPECT_EQ(told["lost"], 0);
  const Outcome blocked = run("buffers all-to-all 4");
  ASSERT_TRUE(blocked.ok()) << blocked.error;
  EXPECT_EQ(json::parse(blocked.json)["deadlocked"], false);
  EXPECT_THAT(run("traffic rign").error, HasSubstr("all-to-all shift ring permutation"));
}

TEST_F(VerbsTest, AMarkIsOfAFlowThatPassesThere) {
  EXPECT_THAT(run("mark leaf-1 1 host-0002 host-0001").error, HasSubstr("do not arrive"));
  host.change(
      [](sim::World& world) { sim::TinyManager(world, *world.default_endpoint()).bring_up(); });
  EXPECT_TRUE(run("mark leaf-1 1 host-0002 host-0001 20 3").ok());
  EXPECT_THAT(run("mark leaf-1 2 host-0002 host-0001").error, HasSubstr("leaf-1: in 2, out 1"));
  EXPECT_THAT(run("mark leaf-1 1 host-0002 host-0001 1 16").error, HasSubstr("service level"));
  const sim::Devices& devices = host.world().devices();
  EXPECT_EQ(sim::count_of(devices, *host.world().find_endpoint("host-0001"),
                          sim::element(sim::Counter::PortSLRcvFECN, 3)),
            20u);
}

TEST_F(VerbsTest, WhatIsWrongIsNamedWithItsColumnAndNothingIsDone) {
  struct Case {
    const char* line;
    std::size_t column;
    const char* error;
  };
  for (const Case& wrong :
       {Case{"lnik down leaf-1 1", 1, "do you mean 'link'"},
        Case{"link down leef-1 1", 11, "do you mean 'leaf-1'"},
        Case{"link down leaf-1 99", 18, "from 1 to 4, not '99'"},
        Case{"link down leaf-1 x", 18, "not 'x'"},
        Case{"link down leaf-1", 0, "the port is missing"},
        Case{"link down leaf-1 1 2", 20, "one word too many"},
        Case{"loss leaf-1 1 1.5", 15, "from 0 to 1"}, Case{"loss leaf-1 1 -1", 15, "from 0 to 1"},
        Case{"delay leaf-1 1 soon", 16, "is no time"},
        Case{"delay leaf-1 1 99999h", 16, "at most a day"},
        Case{"busy leaf-1 perhaps", 13, "on or off"},
        Case{"link degrade leaf-1 1 5x SDR", 23, "a width is"},
        Case{"swap leaf-1 1 leaf-1 1", 22, "one cable"},
        Case{"inject leaf-1 1 NoSuchCounter 1", 0, "NoSuchCounter"},
        Case{"wait", 0, "the time is missing"}, Case{"guid \"leaf-1\"[1] 5", 0, ""}}) {
    const Outcome outcome = run(wrong.line);
    EXPECT_FALSE(outcome.ok()) << wrong.line;
    EXPECT_THAT(outcome.error, HasSubstr(wrong.error)) << wrong.line;
    if (wrong.column != 0) {
      EXPECT_EQ(outcome.column, wrong.column) << wrong.line;
    }
  }
  EXPECT_NE(state("leaf-1", 1), mad::PortState::Down);
}

TEST_F(VerbsTest, CheckingALineDoesNothing) {
  EXPECT_TRUE(check_line(context, "link down leaf-1 1").ok());
  EXPECT_NE(state("leaf-1", 1), mad::PortState::Down);
  EXPECT_TRUE(check_line(context, "quit").ok());
  EXPECT_FALSE(ended);
  EXPECT_TRUE(run("quit").ok());
  EXPECT_TRUE(ended);
}

TEST_F(VerbsTest, AScriptKeepsItsTimes) {
  Script script = parse_script(
      "# a morning\n"
      "at 20ms link down leaf-1 1\n"
      "after 60ms link up leaf-1 1\n"
      "link down leaf-1 2\n",
      "day", context);
  ASSERT_TRUE(script.problems.empty());
  std::string said;
  ScriptRunner runner(context, std::move(script), [&](const auto& line) { said += line; });
  run_for(milliseconds(5));
  EXPECT_NE(state("leaf-1", 1), mad::PortState::Down);
  run_for(milliseconds(40));
  EXPECT_EQ(state("leaf-1", 1), mad::PortState::Down);
  run_for(milliseconds(150));
  EXPECT_NE(state("leaf-1", 1), mad::PortState::Down);
  EXPECT_EQ(state("leaf-1", 2), mad::PortState::Down);
  EXPECT_EQ(said, "");
}

TEST_F(VerbsTest, AScriptOfADayTakesAMomentOfVirtualTime) {
  ASSERT_TRUE(run("time virtual").ok());
  Script script =
      parse_script("at 12h link down leaf-1 1\nafter 12h link down leaf-1 2\n", "day", context);
  ScriptRunner runner(context, std::move(script), [](const auto&) {});
  run_for(milliseconds(200));
  EXPECT_EQ(state("leaf-1", 2), mad::PortState::Down);
  EXPECT_GE(host.world_now(), base::Instant(std::chrono::hours(24)));
  EXPECT_FALSE(run("time yesterday").ok());
}

TEST_F(VerbsTest, ValuesFromOutsideReplaceWhatWasThere) {
  ASSERT_TRUE(run("inject leaf-1 1 SymbolErrorCounter 5").ok());
  ASSERT_TRUE(run("PerformanceSet \"leaf-1\"[1] PortCounters.SymbolErrorCounter=77").ok());
  const auto node = *host.world().find_node("leaf-1");
  const auto port = host.world().devices().port_at(node, 1);
  for (const auto which : {sim::Register::Narrow, sim::Register::Wide}) {
    EXPECT_EQ(
        sim::shown_in(host.world().devices(), port, sim::Counter::SymbolErrorCounter, which, 64),
        77u);
  }
  ASSERT_TRUE(run("Guid \"leaf-1\"[0] 0xabc").ok());
  EXPECT_EQ(host.world().port_guid(host.world().devices().port_at(node, 0)), mad::Guid{0xabc});
  EXPECT_FALSE(run("Guid \"leaf-1\"[1] 0xabc").ok()) << "a switch has one";
  EXPECT_FALSE(run("Guid \"leaf-1\"[0] nonsense").ok());
  ASSERT_TRUE(run("Baselid \"leaf-1\"[0] 16 2").ok());
  EXPECT_EQ(host.world().devices().ports[host.world().devices().port_at(node, 0)].info.lid,
            mad::Lid{16});
  EXPECT_FALSE(run("Baselid \"leaf-1\"[0] 17 2").ok()) << "not a multiple of 4";
}

TEST_F(VerbsTest, VirtualPortsComeAndGo) {
  const auto host_name = [&] {
    for (const auto& node : host.world().devices().plan.nodes) {
      if (node.type == mad::NodeType::ChannelAdapter) return node.name;
    }
    return std::string();
  }();
  ASSERT_TRUE(run("vports " + host_name + " 1 4 own").ok());
  const auto node = *host.world().find_node(host_name);
  const auto& all = host.world().devices().ports[host.world().devices().port_at(node, 1)];
  ASSERT_TRUE(all.virtual_ports);
  EXPECT_EQ(all.virtual_ports->ports.size(), 4u);
  EXPECT_TRUE(all.virtual_ports->ports[0].lid_required);
  EXPECT_FALSE(run("vports " + host_name + " 1 4 borrowed").ok());
  EXPECT_FALSE(run("vports " + host_name + " 1 900").ok());
  EXPECT_FALSE(run("vports leaf-1 1 2").ok());
}

TEST_F(VerbsTest, EveryGoesOnAndOn) {
  Script script = parse_script("every 5ms status\n", "s", context);
  int times = 0;
  ScriptRunner runner(context, std::move(script), [&](const auto&) { ++times; });
  run_for(milliseconds(60));
  EXPECT_GT(times, 3);
}

TEST_F(VerbsTest, AScriptsMistakesNameFileLineAndColumn) {
  const Script script = parse_script(
      "at soon link down leaf-1 1\n"
      "after 1s link down leaf-9 1\n"
      "every 1us status\n"
      "at 1s\n"
      "\n"
      "  dance\n"
      "status\n",
      "day.script", context);
  EXPECT_THAT(script.problems,
              testing::ElementsAre(testing::StartsWith("day.script:1:4: 'soon' is no time"),
                                   testing::StartsWith("day.script:2:20: there is no node"),
                                   testing::StartsWith("day.script:3:7: this is too often"),
                                   testing::StartsWith("day.script:4:4: a verb is missing"),
                                   testing::StartsWith("day.script:6:3: there is no verb")));
  EXPECT_EQ(script.steps.size(), 1u) << "what is right stays";
}

TEST(Channel, RequestsComeAsALineOrAsAVerb) {
  EXPECT_EQ(decode_request(R"({"line":"link down a 1"})").value(), "link down a 1");
  EXPECT_EQ(decode_request(R"({"verb":"link down","arguments":["leaf 1",3]})").value(),
            "link down \"leaf 1\" 3");
  for (const char* bad : {"", "{", "[]", "7", "{}", R"({"line":7})", R"({"verb":7})",
                          R"({"verb":"a","arguments":7})", R"({"verb":"a","arguments":[[]]})"}) {
    EXPECT_TRUE(decode_request(bad).has_error()) << bad;
  }
  Outcome outcome;
  outcome.error = "no\xff";
  outcome.column = 4;
  const json answer = json::parse(encode_answer(outcome));
  EXPECT_EQ(answer["ok"], false);
  EXPECT_EQ(answer["column"], 4);
}

}  // namespace
}  // namespace heddle::doors::control
