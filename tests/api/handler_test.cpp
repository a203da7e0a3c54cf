// SPDX-License-Identifier: BSD-3-Clause
// What is answered, from a fabric that a subnet manager has really brought up.
#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/devices.hpp"
#include "tests/api/stage.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Handler, TellsTheFabricInNumbersThatAgreeWithItsTables) {
  const ApiStage stage("fat-tree:2,4");
  const json fabric = stage.get("/v1/fabric");
  const auto& topology = stage.state().fabric->topology;
  EXPECT_EQ(fabric["switches"], topology.switch_count());
  EXPECT_EQ(fabric["links"], topology.link_count());
  EXPECT_EQ(fabric["routing"]["deadlock_free"], true);
  EXPECT_EQ(stage.get("/v1/nodes")["nodes"].size(), topology.node_count());
  EXPECT_EQ(stage.get("/v1/nodes?type=switch")["nodes"].size(), topology.switch_count());
  EXPECT_EQ(stage.get("/v1/links")["links"].size(), topology.link_count());
  std::size_t ports = 0;
  for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
    const fabric::NodeIndex node{i};
    ports += topology.node(node).port_count + (topology.is_switch(node) ? 1u : 0u);
  }
  EXPECT_EQ(stage.get("/v1/ports")["ports"].size(), ports);
}

TEST(Handler, FindsANodeByNameAndByGuid) {
  const ApiStage stage("fat-tree:2,4");
  const json node = stage.get("/v1/nodes")["nodes"][0];
  const json by_guid = stage.get("/v1/nodes/" + node["guid"].get<std::string>());
  EXPECT_EQ(by_guid["name"], node["name"]);
  EXPECT_EQ(stage.get("/v1/nodes/" + node["name"].get<std::string>()), by_guid);
  EXPECT_EQ(stage.get("/v1/nodes/host-0002")["name"], "host-0002 HCA-1");
  const auto missing = stage.ask("/v1/nodes/host-0002%20HCA-2");
  EXPECT_EQ(missing.status, 404u);
  EXPECT_THAT(missing.body, HasSubstr("is it 'host-0002 HCA-1'?"));
}

// The judge walks the simulated switches' own tables.
TEST(Handler, APathIsTheOneThatPacketsTake) {
  ApiStage stage("fat-tree:2,4");
  const json path = stage.get("/v1/path?from=host-0001&to=host-0008");
  EXPECT_EQ(path["arrives"], true);
  ASSERT_FALSE(path["hops"].empty());
  EXPECT_EQ(path["hops"].front()["out"]["node"], "host-0001 HCA-1");
  EXPECT_EQ(path["hops"].back()["in"]["node"], "host-0008 HCA-1");
  for (std::size_t i = 1; i < path["hops"].size(); ++i) {
    EXPECT_EQ(path["hops"][i]["out"]["guid"], path["hops"][i - 1]["in"]["guid"]);
  }
  EXPECT_EQ(path["path_record"]["p_key"], "0xffff");
  const json back =
      stage.get("/v1/path?from=host-0008&to=" + std::to_string(path["from"]["lid"].get<int>()));
  EXPECT_EQ(back["hops"].back()["in"]["node"], "host-0001 HCA-1");
}

TEST(Handler, APathWithoutEndsOrToNobodyIsRefused) {
  const ApiStage stage("pair");
  EXPECT_EQ(stage.ask("/v1/path?from=host-0001").status, 400u);
  EXPECT_EQ(stage.ask("/v1/path?from=host-0001&to=nobody").status, 404u);
  EXPECT_EQ(stage.ask("/v1/path?from=host-0001&to=47000").status, 404u);
  EXPECT_EQ(stage.ask("/v1/path?from=host-0001&to=host-0002/9").status, 404u);
}

TEST(Handler, TellsPartitionsAndTheGroupsOfIpoib) {
  const ApiStage stage("star:3");
  const json partitions = stage.get("/v1/partitions")["partitions"];
  ASSERT_EQ(partitions.size(), 1u);
  EXPECT_EQ(partitions[0]["p_key"], "0x7fff");
  EXPECT_EQ(partitions[0]["full_members"], 4u) << "three hosts and the switch";
  const json groups = stage.get("/v1/groups")["groups"];
  ASSERT_FALSE(groups.empty());
  EXPECT_EQ(groups[0]["mgid"], "ff12:401b:ffff:0000:0000:0000:ffff:ffff");
}

TEST(Status, IsWellWhenTheFabricIsUp) {
  const ApiStage stage("fat-tree:2,4");
  const json status = stage.get("/v1/status");
  EXPECT_EQ(status["well"], true) << status;
  EXPECT_EQ(status["sm"]["state"], "master");
  EXPECT_EQ(status["sm"]["priority"], 3);
  EXPECT_EQ(status["last_sweep"]["number"], 1);
  EXPECT_EQ(stage.ask("/readyz").status, 200u);
}

TEST(Status, MissesALinkBetweenSwitchesUntilItIsBackOrAccepted) {
  ApiStage stage("fat-tree:2,4");
  const auto& plan = stage.box().world().devices().plan;
  const auto spine = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [](const auto& node) { return node.name == "spine-1"; });
  const auto cable =
      stage.box().world().find_cable(static_cast<std::uint32_t>(spine - plan.nodes.begin()), 1);
  ASSERT_TRUE(cable);
  stage.box().world().cut(*cable);
  stage.box().run_for(60s);
  stage.catch_up();
  const json status = stage.get("/v1/status");
  EXPECT_EQ(status["well"], false);
  ASSERT_EQ(status["lost_links"].size(), 1u);
  EXPECT_EQ(status["lost_links"][0]["between_switches"], true);
  EXPECT_THAT(status["reasons"].dump(), HasSubstr("1 link between switches lost"));
  EXPECT_THAT(stage.get("/v1/events").dump(), HasSubstr("LinkDisappeared"));
  stage.state().losses.accept();
  EXPECT_EQ(stage.get("/v1/status")["well"], true);
}

TEST(Status, ComplainsOfTheOperatorsFilesAlsoOfWhoStandsBy) {
  ApiStage stage("fat-tree:2,4");
  stage.state().seat.files = {"partitions.conf:2:12: what is this?"};
  for (const mad::SMState role : {mad::SMState::Master, mad::SMState::Standby}) {
    stage.state().role = role;
    const json status = stage.get("/v1/status");
    EXPECT_EQ(status["well"], false);
    EXPECT_EQ(status["reasons"], json({"partitions.conf:2:12: what is this?"}));
  }
  EXPECT_THAT(stage.ask("/metrics").body, HasSubstr("heddle_refused_files 1"));
}

TEST(Handler, BeforeTheFirstSweepItIsNotReadyAndSaysSo) {
  api::State empty;
  const auto ask = [&](const char* target) {
    return api::handle({"GET", target, {}, {}, api::Role::Reader}, empty);
  };
  for (const char* target : {"/v1/fabric", "/v1/nodes", "/v1/nodes/x", "/v1/ports", "/v1/links",
                             "/v1/path?from=1&to=2", "/v1/partitions", "/v1/groups", "/readyz"}) {
    EXPECT_EQ(ask(target).status, 503u) << target;
  }
  EXPECT_EQ(ask("/healthz").status, 200u);
  EXPECT_EQ(json::parse(ask("/v1/status").body)["well"], false);
  EXPECT_EQ(ask("/metrics").status, 200u);
}

TEST(Handler, WhoMayNotIsToldSo) {
  const ApiStage stage("pair");
  EXPECT_EQ(stage.ask("/v1/nodes", "GET", "", api::Role::Nobody).status, 401u);
  EXPECT_EQ(stage.ask("/nowhere", "GET", "", api::Role::Nobody).status, 401u);
  EXPECT_EQ(stage.ask("/healthz", "GET", "", api::Role::Nobody).status, 200u);
  const auto refused = stage.ask("/v1/resweep", "POST", "", api::Role::Reader);
  EXPECT_EQ(refused.status, 403u);
  EXPECT_FALSE(refused.command);
}

TEST(Handler, CommandsCarryWhatTheyWereAskedFor) {
  const ApiStage stage("pair");
  const auto resweep = stage.ask("/v1/resweep", "POST", R"({"reason": "new cable"})");
  EXPECT_EQ(resweep.status, 202u);
  ASSERT_TRUE(resweep.command);
  EXPECT_EQ(std::get<api::Resweep>(*resweep.command).reason, "new cable");
  const auto rank = stage.ask("/v1/priority", "POST", R"({"priority": 15})");
  ASSERT_TRUE(rank.command.has_value());
  EXPECT_EQ(std::get<api::SetPriority>(*rank.command).priority, 15u);
  for (const char* body : {"", "{}", "[]", R"({"priority": 16})", R"({"priority": -1})",
                           R"({"priority": "3"})", R"({"priority": 1e300})"}) {
    EXPECT_EQ(stage.ask("/v1/priority", "POST", body).status, 400u) << body;
  }
  const auto level = stage.ask("/v1/log-level", "POST", R"({"level": "debug"})");
  ASSERT_TRUE(level.command);
  EXPECT_EQ(std::get<api::SetLogLevel>(*level.command).level, "debug");
  for (const char* body : {"", "{", "[]", R"({"level": 3})", R"({"level": "loud"})"}) {
    const auto wrong = stage.ask("/v1/log-level", "POST", body);
    EXPECT_EQ(wrong.status, 400u) << body;
    EXPECT_FALSE(wrong.command);
  }
}

TEST(Handler, AMasterHandsOverToTheHighestWhoStandsBy) {
  ApiStage stage("fat-tree:2,4");
  stage.state().role = mad::SMState::Master;
  EXPECT_EQ(stage.ask("/v1/hand-over", "POST").status, 409u) << "to whom?";
  auto fabric = std::make_shared<sm::Snapshot>(*stage.state().fabric);
  fabric->other_managers = {{mad::Guid{1}, 4, mad::SMState::Standby},
                            {mad::Guid{2}, 6, mad::SMState::Standby},
                            {mad::Guid{3}, 9, mad::SMState::NotActive},
                            {mad::Guid{4}, 12, mad::SMState::Standby, fabric::kNoPort, false}};
  stage.state().fabric = fabric;
  const auto accepted = stage.ask("/v1/hand-over", "POST");
  EXPECT_EQ(accepted.status, 202u);
  const auto& command = std::get<api::SetPriority>(*accepted.command);
  EXPECT_EQ(command.priority, 5u) << "the one of priority 12 would not take part";
  EXPECT_TRUE(command.gives_up_office) << "however sticky";
  EXPECT_EQ(stage.ask("/v1/hand-over", "POST", {}, api::Role::Reader).status, 403u);
  fabric = std::make_shared<sm::Snapshot>(*fabric);
  fabric->other_managers = {{mad::Guid{1}, 0, mad::SMState::Standby}};
  stage.state().fabric = fabric;
  EXPECT_EQ(stage.ask("/v1/hand-over", "POST").status, 409u) << "nobody ranks below 0";
  stage.state().role = mad::SMState::Standby;
  EXPECT_EQ(stage.ask("/v1/hand-over", "POST").status, 409u);
}

// As packets would go: each entry leads a step nearer, until the port that owns the LID.
TEST(Handler, RoutesOfASwitchAreItsTable) {
  const ApiStage stage("fat-tree:2,4");
  const json routes = stage.get("/v1/routes?switch=leaf-1")["routes"];
  const json path = stage.get("/v1/path?from=host-0001&to=host-0008");
  ASSERT_EQ(path["hops"][1]["out"]["node"], "leaf-1");
  std::size_t own = 0, met = 0;
  for (const json& row : routes) {
    own += row["port"] == 0;
    if (row["lid"] != path["lid"]) continue;
    ++met;
    EXPECT_EQ(row["owner"]["node"], path["to"]["node"]);
    EXPECT_EQ(row["port"], path["hops"][1]["out"]["port"]);
    EXPECT_EQ(row["to"], path["hops"][1]["in"]);
  }
  EXPECT_EQ(own, 1u) << "the switch itself";
  EXPECT_EQ(met, 1u);
  EXPECT_EQ(routes.size(), stage.get("/v1/fabric")["lids"].get<std::size_t>());
  EXPECT_EQ(stage.ask("/v1/routes").status, 400u);
  EXPECT_EQ(stage.ask("/v1/routes?switch=host-0001").status, 404u);
}

TEST(Handler, HostileTargetsAreRefused) {
  const ApiStage stage("pair");
  for (const std::string& target :
       {std::string(), std::string("*"), std::string("http://x/"), std::string("/%"),
        std::string("/%4"), std::string("/%zz"), std::string("/%0x"), std::string("/v1/nodes?=1"),
        "/" + std::string(4000, 'a')}) {
    EXPECT_EQ(stage.ask(target).status, 400u) << target;
  }
  EXPECT_EQ(stage.ask("/v1/nodes?colour=red").status, 400u);
  EXPECT_EQ(stage.ask("/v1/nodes/..%2f..%2fetc").status, 404u);
  EXPECT_EQ(stage.ask("/v2/nodes").status, 404u);
  const auto wrong = stage.ask("/v1/nodes", "DELETE");
  EXPECT_EQ(wrong.status, 405u);
  EXPECT_EQ(wrong.allow, "GET");
}

TEST(Events, AreNumberedAndCanBeReadOnFromAnyOfThem) {
  const ApiStage stage("pair");
  const json all = stage.get("/v1/events");
  ASSERT_GE(all["events"].size(), 2u);
  EXPECT_EQ(all["events"][0]["number"], 1);
  const json rest = stage.get("/v1/events?after=1");
  EXPECT_EQ(rest["events"].size(), all["events"].size() - 1);
  EXPECT_EQ(stage.get("/v1/events?limit=1")["events"].size(), 1u);
  EXPECT_EQ(stage.ask("/v1/events?after=x").status, 400u);
}

TEST(Events, AreAllHeardByWhoAsksForThoseBehindTheLast) {
  const ApiStage stage("pair");
  const json all = stage.get("/v1/events");
  EXPECT_EQ(all["last"], all["events"].back()["number"]);
  json heard = json::array();
  for (json last = 0; last != all["last"];) {
    const json some = stage.get("/v1/events?limit=2&after=" + last.dump());
    ASSERT_FALSE(some["events"].empty());
    ASSERT_EQ(some["last"], some["events"].back()["number"]);
    heard.insert(heard.end(), some["events"].begin(), some["events"].end());
    last = some["last"];
  }
  EXPECT_EQ(heard, all["events"]);
  const json none = stage.get("/v1/events?after=" + all["last"].dump());
  EXPECT_THAT(none["events"], IsEmpty());
  EXPECT_EQ(none["last"], all["last"]);
}

// Clients have taken "next" for what to ask for behind.
TEST(Events, AreNotLostToWhoAsksForThoseBehindTheNext) {
  ApiStage stage("pair");
  const std::string next = stage.get("/v1/events")["next"].dump();
  EXPECT_THAT(stage.get("/v1/events?after=" + next)["events"], IsEmpty());
  const auto stream = stage.ask("/v1/events/stream?after=" + next);
  EXPECT_THAT(text_of(stream), IsEmpty());
  stage.box().input(sm::ResweepCommand{"the test"});
  stage.box().run_until_quiet();
  stage.catch_up();
  EXPECT_THAT(text_of(stream), StartsWith("id: " + next + "\n"));
}

TEST(Events, AreAllToldToWhoHeardThoseOfARunBefore) {
  const ApiStage stage("pair");
  const json all = stage.get("/v1/events");
  const std::string later = std::to_string(all["next"].get<std::uint64_t>() + 1);
  EXPECT_EQ(stage.get("/v1/events?after=" + later), all);
  EXPECT_THAT(text_of(stage.ask("/v1/events/stream?after=" + later)), StartsWith("id: 1\n"));
  const api::Request resumed{"GET", "/v1/events/stream", {}, later, api::Role::Reader};
  EXPECT_THAT(text_of(api::handle(resumed, stage.state())), StartsWith("id: 1\n"));
}

TEST(Events, TheStreamGoesOnWhereItsReaderStopped) {
  ApiStage stage("pair");
  const auto stream = stage.ask("/v1/events/stream?after=0");
  EXPECT_EQ(stream.type, "text/event-stream");
  const std::string first = text_of(stream);
  EXPECT_THAT(first, HasSubstr("id: 1\nevent: "));
  EXPECT_THAT(text_of(stream), IsEmpty()) << "there is none now";
  const auto last = stage.state().journal->next() - 1;
  stage.box().input(sm::ResweepCommand{"the test"});
  stage.box().run_until_quiet();
  stage.catch_up();
  EXPECT_THAT(text_of(stream), HasSubstr("the test"));
  api::Request resumed{"GET", "/v1/events/stream", {}, std::to_string(last), api::Role::Reader};
  const std::string rest = text_of(api::handle(resumed, stage.state()));
  EXPECT_THAT(rest, HasSubstr("the test"));
  EXPECT_THAT(rest, Not(HasSubstr("id: 1\n")));
}

// The ring forgets; whoever is too slow for it is told how much was missed.
TEST(Events, ASlowReaderIsToldWhatItMissed) {
  api::State state;
  state.take(sm::Event{sm::LocalPortDown{"first"}}, {});
  const api::Response stream =
      api::handle({"GET", "/v1/events/stream?after=0", {}, {}, api::Role::Reader}, state);
  EXPECT_THAT(text_of(stream), HasSubstr("first"));
  for (std::size_t i = 0; i < api::kEventsKept + 10; ++i) {
    state.take(sm::Event{sm::LocalPortDown{"more"}}, {});
  }
  EXPECT_THAT(text_of(stream), HasSubstr("event: Missed\ndata: {\"events\": 10}"));
  EXPECT_EQ(state.journal->events().size(), api::kEventsKept);
}

TEST(Metrics, NameWhatIsThereAndAgreeWithIt) {
  const ApiStage stage("fat-tree:2,4");
  const std::string text = stage.ask("/metrics").body;
  EXPECT_THAT(text, HasSubstr("heddle_sm_state{state=\"master\"} 1"));
  EXPECT_THAT(text, HasSubstr("heddle_well 1"));
  EXPECT_THAT(text, HasSubstr("heddle_links " +
                              std::to_string(stage.state().fabric->topology.link_count())));
  EXPECT_THAT(text, HasSubstr("heddle_sweeps_total 1"));
}

// A family that is opened twice makes a scrape invalid.
TEST(Metrics, EachFamilyIsDeclaredOnce) {
  const ApiStage stage("fat-tree:2,4");
  std::istringstream lines(stage.ask("/metrics").body);
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# TYPE ")) continue;
    EXPECT_TRUE(seen.insert(line).second) << line;
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(Handler, TellsOfVirtualPortsAndTakesThemAsEndsOfPaths) {
  const ApiStage stage("star:4,vports=2,vport-lids=1");
  const auto of = [&](const std::string& host) {
    return stage.get("/v1/virtual-ports?node=" + host)["virtual_ports"];
  };
  EXPECT_EQ(stage.get("/v1/virtual-ports")["virtual_ports"].size(), 8u);
  const auto guests = of("host-0003");
  ASSERT_EQ(guests.size(), 2u);
  EXPECT_EQ(guests[1]["node"], "host-0003 HCA-1");
  EXPECT_EQ(guests[1]["index"], 2);
  EXPECT_EQ(guests[1]["own_lid"], true);
  EXPECT_EQ(guests[1]["p_keys"], json::array({"0xffff"}));
  const std::string to = guests[1]["port_guid"];
  const auto path = stage.get("/v1/path?from=host-0002&to=" + to);
  EXPECT_EQ(path["arrives"], true);
  EXPECT_EQ(path["lid"], guests[1]["lid"]);
  EXPECT_EQ(path["to"]["node"], "host-0003 HCA-1");
  const std::string said = text_of(stage.ask("/v1/explain/port?port=" + to));
  EXPECT_NE(said.find("Virtual port 2"), std::string::npos) << said;
  EXPECT_NE(said.find(to), std::string::npos) << said;
  EXPECT_EQ(ApiStage("star:3").get("/v1/virtual-ports")["virtual_ports"].size(), 0u);
  EXPECT_EQ(stage.ask("/v1/virtual-ports?node=nobody").status, 404u);
}

}  // namespace
}  // namespace heddle::test
