// SPDX-License-Identifier: BSD-3-Clause
// What OpenSM's console is told, as its scripts take it apart. tests/app/opensm_console.py
// compares with OpenSM's own.
#include "api/opensm_console.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/api/stage.hpp"
#include "tests/support/registers.hpp"

namespace heddle::test {
namespace {

using api::answer_console;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::string said(const ApiStage& stage, std::string_view line) {
  const api::ConsoleAnswer answer = answer_console(line, stage.state());
  std::string text = answer.text;
  while (answer.pieces) {
    const auto piece = answer.pieces();
    if (!piece) break;
    text += *piece;
  }
  return text;
}

// "   12 active" as {"active", 12}.
std::map<std::string, int> counted(const std::string& text) {
  std::map<std::string, int> out;
  const std::regex row("\n   (\\d+) ([a-z][^\n]*)");
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    out[(*at)[2]] = std::stoi((*at)[1]);
  }
  return out;
}

TEST(OpensmConsole, CountsPortsAsTheFabricHasThem) {
  const ApiStage stage("fat-tree:2,4");
  const auto& topology = stage.state().fabric->topology;
  const auto hosts = static_cast<int>(topology.node_count() - topology.switch_count());
  const std::string adapters = said(stage, "portstatus ca");
  EXPECT_THAT(adapters, StartsWith("\"Channel Adapter\" port status:\n"));
  EXPECT_THAT(adapters, HasSubstr(std::to_string(hosts) + " port(s) scanned on " +
                                  std::to_string(hosts) + " nodes in "));
  EXPECT_EQ(counted(adapters)["active"], hosts);
  EXPECT_EQ(counted(adapters)["at 4X"], hosts);
  auto all = counted(said(stage, "portstatus"));
  auto switches = counted(said(stage, "portstatus switch"));
  EXPECT_EQ(all["active"], 2 * static_cast<int>(topology.link_count()));
  EXPECT_EQ(all["active"], switches["active"] + hosts);
  EXPECT_EQ(counted(said(stage, "portstatus router")).count("active"), 0u);
  EXPECT_THAT(said(stage, "portstatus spine"), HasSubstr("portstatus [ca|switch|router]"));
}

TEST(OpensmConsole, NamesPortsThatAreSlowerThanTheyMayBeOrOff) {
  ApiStage stage("star:3");
  auto changed = *stage.state().fabric;
  const auto& topology = changed.topology;
  const fabric::NodeIndex hub{0};
  fabric::Registers& registers = support::own_registers(changed);
  const auto info = [&](std::uint8_t port) -> mad::PortInfo& {
    return registers.ports.change(topology.port_of(hub, mad::PortNumber{port}).value);
  };
  EXPECT_THAT(said(stage, "portstatus"), Not(HasSubstr("Possible issues")));
  info(1).link_width_active = 1;
  info(2).port_physical_state = mad::PortPhysicalState::Disabled;
  info(2).port_state = mad::PortState::Down;
  info(3).link_speed_ext_active = 0;
  info(3).link_speed_ext2_active = 0;
  info(3).link_speed_active = 1;
  stage.state().fabric = std::make_shared<const sm::Snapshot>(std::move(changed));
  const std::string text = said(stage, "portstatus switch");
  const std::string guid =
      fmt::format("0x{:016x}", stage.state().fabric->topology.node(hub).guid.value);
  EXPECT_THAT(text, HasSubstr("Possible issues:\n   1 disabled\n      " + guid + " 2 ("));
  EXPECT_THAT(text, HasSubstr("   1 with reduced width\n      " + guid + " 1 ("));
  EXPECT_THAT(text, HasSubstr("   1 with reduced speed\n      " + guid + " 3 ("));
  EXPECT_EQ(counted(text)["at 1X"], 1);
  EXPECT_EQ(counted(text)["at 2.5 Gbps"], 1);
  EXPECT_EQ(counted(text)["active"], 2) << "what is off is not active";
}

TEST(OpensmConsole, StatusHasTheRowsThatScriptsCut) {
  ApiStage stage("star:3");
  stage.state().seat.told.sweep_interval = std::chrono::seconds(7);
  const std::string text = said(stage, "status");
  EXPECT_THAT(text, HasSubstr("   SM State             : Master     \n"));
  EXPECT_THAT(text, HasSubstr("   SM Priority          : 3\n"));
  EXPECT_THAT(text, HasSubstr("   SA State             : Ready\n"));
  EXPECT_THAT(text, HasSubstr("   Sweep interval (seconds)       : 7\n"));
  EXPECT_THAT(text, HasSubstr("   PerfMgr state/sweep state : Disabled/Sleeping\n"));
  const auto& fabric = *stage.state().fabric;
  EXPECT_THAT(text, HasSubstr(fmt::format("   {:#x} Master      3        SELF\n",
                                          fabric.topology.port(fabric.sm_port).guid.value)));
  EXPECT_THAT(
      text, HasSubstr(fmt::format("   Routing Engine       : {}\n", fabric.routes->routes.engine)));
  std::smatch sent;
  ASSERT_TRUE(std::regex_search(text, sent, std::regex("QP0 MADs sent +: (\\d+)\n")));
  std::uint64_t all = 0;
  for (const api::JournalSweep& sweep : stage.state().journal->sweeps()) {
    all += sweep.statistics.gets_sent + sweep.statistics.sets_sent;
  }
  EXPECT_GT(all, 0u);
  EXPECT_EQ(std::stoull(sent[1]), all);
  EXPECT_TRUE(answer_console("status loop", stage.state()).repeats);
  EXPECT_FALSE(answer_console("status", stage.state()).repeats);
}

TEST(OpensmConsole, FindsWhoHasALid) {
  const ApiStage stage("star:3");
  const auto& fabric = *stage.state().fabric;
  const fabric::PortIndex host = fabric.topology.endports().back();
  const auto& node = fabric.topology.node(fabric.topology.node_of(host));
  const std::string text = said(stage, fmt::format("querylid {}", fabric.lids.base(host).value));
  EXPECT_EQ(text, fmt::format("Query results for LID {}\n"
                              "   GUID                : 0x{:016x}\n"
                              "   Node Desc           : {}\n"
                              "   Node Type           : Channel Adapter\n"
                              "   Num Ports           : 1\n"
                              "   Port 1 health       : OK\n",
                              fabric.lids.base(host).value, fabric.topology.port(host).guid.value,
                              node.description));
  EXPECT_EQ(said(stage, "querylid 40000"), "Invalid lid 40000\n");
  EXPECT_EQ(said(stage, "querylid x"), "Invalid lid x\n");
  EXPECT_THAT(said(stage, "querylid"), StartsWith("no LID specified"));
}

// The judge counts in the tables themselves.
TEST(OpensmConsole, TellsHowManyPathsEachLinkCarries) {
  const ApiStage stage("fat-tree:2,4");
  const auto& fabric = *stage.state().fabric;
  const auto& tables = fabric.routes->routes.tables;
  const fabric::SwitchIndex leaf{0};
  std::string expected =
      fmt::format("Switch: 0x{:016x} ({})\n", fabric.topology.node(leaf).guid.value,
                  fabric.topology.node(leaf).description);
  for (const fabric::Channel& channel : fabric.topology.channels_from(leaf)) {
    int paths = 0;
    for (std::uint16_t lid = 1; lid <= fabric.lids.top().value; ++lid) {
      const auto owner = fabric.lids.owner(mad::Lid{lid});
      if (owner == fabric::kNoPort) continue;
      if (fabric.topology.is_switch(fabric.topology.node_of(owner))) continue;
      paths += tables.out_port(leaf, mad::Lid{lid}) == channel.out;
    }
    expected += fmt::format("Port {}: {}\n", channel.out.value, paths);
  }
  const std::string guid = fmt::format("{:#x}", fabric.topology.node(leaf).guid.value);
  EXPECT_EQ(said(stage, "switchbalance verbose " + guid), expected);
  EXPECT_EQ(said(stage, "switchbalance " + guid), "") << "it is balanced";
  const std::string all = said(stage, "switchbalance verbose");
  EXPECT_THAT(all, StartsWith(expected));
  EXPECT_GT(all.size(), expected.size());
  EXPECT_EQ(said(stage, "switchbalance 0x1"), "guid not found\n");
  EXPECT_EQ(said(stage, "lidbalance"), "");
  EXPECT_EQ(said(stage, "lidbalance 0x1"), "switchguid not found\n");
}

TEST(OpensmConsole, NamesWhatIsUnbalanced) {
  ApiStage stage("fat-tree:2,4");
  auto changed = *stage.state().fabric;
  auto routes = *changed.routes;
  const fabric::SwitchIndex leaf{0};
  const auto ways = changed.topology.channels_from(leaf);
  const mad::PortNumber used = ways[0].out, unused = ways[1].out;
  for (const fabric::PortIndex port : changed.topology.endports()) {
    const auto lid = changed.lids.base(port);
    const auto out = routes.routes.tables.out_port(leaf, lid);
    if (out == unused) routes.routes.tables.set(leaf, lid, used);
  }
  changed.routes = std::make_shared<const routing::Selected>(std::move(routes));
  changed.view = nullptr;  // which has tables of its own
  stage.state().fabric = std::make_shared<const sm::Snapshot>(std::move(changed));
  EXPECT_THAT(said(stage, "switchbalance"), StartsWith("Unbalanced Switch: 0x"));
  EXPECT_THAT(said(stage, "switchbalance"), HasSubstr(fmt::format("Port {}: 0\n", unused.value)));
}

// The judge counts in the tables themselves.
TEST(OpensmConsole, NamesHostsWhoseLidsLeaveASwitchUnevenly) {
  sm::Options options;
  options.lmc = 2;
  ApiStage stage("fat-tree:2,4", options);
  ASSERT_EQ(said(stage, "lidbalance"), "");
  auto changed = *stage.state().fabric;
  auto routes = *changed.routes;
  const fabric::SwitchIndex leaf{0};
  const auto ways = changed.topology.channels_from(leaf);
  ASSERT_EQ(ways.size(), 2u);
  // The last host is behind the other leaf: three of its LIDs go one way, one the other.
  const fabric::PortIndex host = changed.topology.endports().back();
  const fabric::LidMap::Range range = changed.lids.range(host);
  ASSERT_EQ(range.count(), 4u);
  for (unsigned i = 0; i < range.count(); ++i) {
    const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + i)};
    routes.routes.tables.set(leaf, lid, ways[i == 2 ? 1 : 0].out);
  }
  changed.routes = std::make_shared<const routing::Selected>(std::move(routes));
  changed.view = nullptr;  // which has tables of its own
  stage.state().fabric = std::make_shared<const sm::Snapshot>(std::move(changed));
  const auto& topology = stage.state().fabric->topology;
  const auto& at = topology.node(leaf);
  const auto& owner = topology.node(topology.node_of(host));
  const auto [low, high] = std::minmax(ways[0].out.value, ways[1].out.value);
  const std::string row = fmt::format(
      "Unbalanced Port Forwarding: Switch 0x{:016x} ({}): Dest 0x{:016x}({}) - Port {} - {}: "
      "Port {} - {}:\n",
      at.guid.value, at.description, topology.port(host).guid.value, owner.description, low,
      low == ways[0].out.value ? 3 : 1, high, high == ways[0].out.value ? 3 : 1);
  EXPECT_EQ(said(stage, "lidbalance"), row);
  EXPECT_EQ(said(stage, fmt::format("lidbalance {:#x}", at.guid.value)), row);
  const auto& other = topology.node(fabric::SwitchIndex{1});
  EXPECT_EQ(said(stage, fmt::format("lidbalance {:#x}", other.guid.value)), "");
}

TEST(OpensmConsole, SaysWhichPortsOrdersKeepFromBeingUsed) {
  ApiStage stage("star:4");
  const auto& fabric = *stage.state().fabric;
  const fabric::NodeIndex hub{0};
  const auto order = [&](std::uint8_t port, sm::LinkOrder what, bool carried_out) {
    const mad::Guid node = fabric.topology.node(hub).guid;
    return sm::OrderOutcome{{node, mad::PortNumber{port}, what}, carried_out, {}};
  };
  api::LinkCare care;
  care.orders = {order(1, sm::LinkOrder::Disable, true), order(2, sm::LinkOrder::Disable, false),
                 order(3, sm::LinkOrder::Enable, true), order(4, sm::LinkOrder::RouteAround, true)};
  stage.state().care = std::make_shared<const api::LinkCare>(std::move(care));
  const auto lid = fabric.lids.base(fabric.topology.port_of(hub, mad::PortNumber{0}));
  const std::string text = said(stage, fmt::format("querylid {}", lid.value));
  EXPECT_THAT(text, HasSubstr("   Port 0 health       : OK\n   Port 1 health       : ERROR\n"
                              "   Port 2 health       : OK\n   Port 3 health       : OK\n"
                              "   Port 4 health       : ERROR\n"));
}

TEST(OpensmConsole, FindsPortsByWhatTheirNodesAreCalled) {
  const ApiStage stage("star:3");
  const auto& topology = stage.state().fabric->topology;
  std::string hosts;
  for (const auto port : topology.endports()) {
    if (topology.is_switch(topology.node_of(port))) continue;
    hosts += fmt::format("{:#x}\n", topology.port(port).guid.value);
  }
  EXPECT_EQ(said(stage, "dump_portguid ^host-000[1-3]"), hosts);
  EXPECT_EQ(said(stage, "dump_portguid nobody"), "");
  EXPECT_EQ(said(stage, "dump_portguid [ nobody"),
            "Cannot parse regular expression '['. Skipping\n");
  EXPECT_THAT(said(stage, "dump_portguid"), HasSubstr("No valid expression provided"));
  EXPECT_THAT(said(stage, "dump_portguid ((a{1,9999}){1,9999}){1,9999}"),
              HasSubstr("No valid expression provided"))
      << "which would take all memory";
  std::string nested = "a";
  for (int depth = 0; depth < 30; ++depth) nested = "(" + nested + ")+";
  for (const std::string& pattern : {"a" + std::string(40, '+'), nested}) {
    EXPECT_THAT(said(stage, "dump_portguid " + pattern), HasSubstr("No valid expression provided"));
  }
  EXPECT_EQ(said(stage, "dump_portguid ^ho+st-0+[1-3]"), hosts);
  EXPECT_THAT(said(stage, "dump_portguid file /etc/passwd .*"), HasSubstr("No file is written"));
}

TEST(OpensmConsole, AsksTheApiForWhatIsToBeDone) {
  const ApiStage stage("pair");
  const auto asked = [&](std::string_view line) {
    const auto answer = answer_console(line, stage.state());
    if (!answer.request) return std::string("nothing");
    EXPECT_EQ(answer.request->method, "POST");
    api::Request request = *answer.request;
    request.role = api::Role::Writer;
    EXPECT_EQ(api::handle(request, stage.state()).status, 202u) << line;
    request.role = api::Role::Reader;
    const api::Response refused = api::handle(request, stage.state());
    EXPECT_EQ(refused.status, 403u) << line;
    EXPECT_EQ(api::console_complaint(refused), "Refused: you may look, but not change anything\n");
    return request.target + " " + request.body;
  };
  EXPECT_EQ(asked("priority 7"), "/v1/priority {\"priority\":7}");
  EXPECT_EQ(asked("loglevel 0x7"), "/v1/log-level {\"level\":\"debug\"}");
  EXPECT_EQ(asked("loglevel 0x03"), "/v1/log-level {\"level\":\"info\"}");
  EXPECT_EQ(asked("loglevel 1"), "/v1/log-level {\"level\":\"error\"}");
  for (const char* line : {"resweep heavy", "resweep light", "reroute", "update_desc"}) {
    EXPECT_THAT(asked(line), StartsWith("/v1/resweep {\"reason\":")) << line;
  }
  for (const char* line : {"priority", "priority 16", "priority x", "loglevel", "loglevel 0x100",
                           "resweep", "resweep all", "sweep on", "sweep off", "logflush on",
                           "permodlog", "perfmgr sweep", "pm disable", "quit", "version"}) {
    EXPECT_EQ(asked(line), "nothing") << line;
  }
  EXPECT_EQ(answer_console("priority 7", stage.state()).text, "Setting sm-priority to 7\n");
  EXPECT_EQ(said(stage, "priority"), "Current sm-priority is 3\n");
  EXPECT_EQ(said(stage, "priority 99"), "Invalid sm-priority 99; must be between 0 and 15\n");
  EXPECT_EQ(said(stage, "loglevel"), "Current log level is 0x3\n");
  EXPECT_THAT(said(stage, "sweep off"), HasSubstr("not switched off"));
  EXPECT_EQ(said(stage, "sweep on"), "");
  EXPECT_TRUE(answer_console("quit", stage.state()).ends);
}

TEST(OpensmConsole, KnowsEachVerbThatItNamesAndNoOther) {
  const ApiStage stage("pair");
  std::istringstream list(said(stage, "help"));
  std::string line;
  std::getline(list, line);
  EXPECT_EQ(line, "Supported commands and syntax:");
  int verbs = 0;
  while (std::getline(list, line)) {
    if (line.starts_with(' ')) continue;
    const std::string verb = line.substr(0, line.find_first_of(" ("));
    EXPECT_THAT(said(stage, "help " + verb), StartsWith(verb)) << verb;
    EXPECT_THAT(said(stage, verb), Not(HasSubstr("Command not found"))) << verb;
    ++verbs;
  }
  EXPECT_EQ(verbs, 19) << "as many as OpenSM has";
  EXPECT_THAT(said(stage, "portstat"), StartsWith("portstat : Command not found\n\nSupported"));
  EXPECT_EQ(said(stage, "  \r"), "");
  EXPECT_EQ(said(stage, " version\r"), "Heddle 0.0.0, in the place of OpenSM\n");
  EXPECT_THAT(said(stage, "\x1b[2J"), Not(HasSubstr("\x1b")));
}

TEST(OpensmConsole, ABrowserThatWasLedHereIsShownOut) {
  const ApiStage stage("pair");
  EXPECT_TRUE(answer_console("POST / HTTP/1.1\r", stage.state()).ends);
}

TEST(OpensmConsole, BeforeTheFirstSweepItSaysSo) {
  const api::State state;
  for (const char* verb : {"portstatus", "querylid 1", "switchbalance", "dump_portguid ."}) {
    EXPECT_THAT(answer_console(verb, state).text, StartsWith("The first sweep is not finished"));
  }
  EXPECT_THAT(answer_console("status", state).text,
              HasSubstr("SM State             : Discovering"));
  EXPECT_THAT(answer_console("status", state).text, HasSubstr("SA State             : Init"));
  EXPECT_EQ(answer_console("pm pc", state).text, "");
}

TEST(OpensmConsole, TellsWhatPortsHaveCounted) {
  ApiStage stage("pair");
  const auto& fabric = *stage.state().fabric;
  const auto& node = fabric.topology.node(fabric::NodeIndex{0});
  perf::Readings readings;
  perf::PortReading port;
  port.number = mad::PortNumber{1};
  port.known = ~0u;
  port.totals[perf::index(perf::Counter::ReceivePackets)] = 1234;
  readings.nodes.push_back({node.guid, false, 0, 2});
  readings.ports = {port, port};
  readings.ports[1].number = mad::PortNumber{2};
  readings.ports[1].totals[perf::index(perf::Counter::SymbolError)] = 5;
  stage.state().take(std::make_shared<const perf::Readings>(readings), stage.state().now);
  const std::string title =
      fmt::format("\"{}\" {:#x} active TRUE port ", node.description, node.guid.value);
  const std::string both = said(stage, "perfmgr print_counters");
  EXPECT_THAT(both, StartsWith(title + "1\n"));
  EXPECT_THAT(both, HasSubstr(title + "2\n"));
  EXPECT_THAT(both, HasSubstr("     rcv_pkts             : 1234\n"));
  EXPECT_THAT(said(stage, fmt::format("pm pc {}:1", node.description)), Not(HasSubstr("port 2")));
  EXPECT_THAT(said(stage, fmt::format("pm pc {:#x}:2", node.guid.value)), Not(HasSubstr("port 1")));
  EXPECT_EQ(said(stage, "pm pc nobody"), "Node nobody not found...\n");
  const std::string errors = said(stage, "pm pe");
  EXPECT_THAT(errors, StartsWith(title + "2\n"));
  EXPECT_THAT(errors, HasSubstr("     symbol_err_cnt       : 5\n"));
  EXPECT_THAT(errors, Not(HasSubstr("xmit_discards"))) << "there are none";
  EXPECT_THAT(said(stage, "pm sweep"), HasSubstr("[performance] interval"));
  EXPECT_EQ(said(stage, "pm what"), "\"what\" option not found\n");
}

}  // namespace
}  // namespace heddle::test
