// SPDX-License-Identifier: BSD-3-Clause
// Partitions that programs change, in our words and in those of clients of UFM.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/partitions_json.hpp"
#include "sim/devices.hpp"
#include "tests/api/stage.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kAll = "/v1/partitions/managed";

class ManagedPartitions : public testing::Test {
 protected:
  ManagedPartitions() {
    stage_.state().book = std::make_shared<api::PartitionBook>(
        std::make_shared<const partitions::Managed>(),
        [this](const partitions::Managed& all) -> base::Result<> {
          if (!disk_) return base::error("the disk is full");
          kept_ = all;
          return {};
        });
  }
  void share_with_a_standby() {
    stage_.state().book = std::make_shared<api::PartitionBook>(
        std::make_shared<const partitions::Managed>(),
        [](const partitions::Managed&) { return base::Result<>(); }, /*is_told=*/true);
  }
  void be_told(std::uint64_t generation) {
    auto told = std::make_shared<partitions::Managed>();
    told->generation = generation;
    told->partitions[partitions::BaseKey{0x14}];
    stage_.state().book->take_over(told, {});
  }

  // The answer, and what the subnet manager is told to do is done.
  json ask(unsigned status, const std::string& target, const std::string& method = "GET",
           const std::string& body = {}) {
    const api::Response response = stage_.ask(target, method, body);
    EXPECT_EQ(response.status, status) << method << " " << target << ": " << text_of(response);
    if (response.command) {
      ++commands_;
      const auto& use = std::get<api::UsePartitions>(*response.command);
      auto options = std::make_shared<sm::Options>();
      options->partitions = partitions::with_managed(nullptr, *use.partitions);
      stage_.box().input(sm::OptionsChanged{options});
    }
    return json::parse(text_of(response));
  }
  void settle() {
    ASSERT_TRUE(stage_.box().run_until_quiet());
    stage_.catch_up();
  }

  ApiStage stage_{"star:3"};
  partitions::Managed kept_;
  bool disk_ = true;
  int commands_ = 0;
};

std::string change(const char* changes) {
  return std::string("{\"changes\": [") + changes + "]}";
}

TEST_F(ManagedPartitions, AreWrittenDownThenProgrammedThenDone) {
  const std::string guid = stage_.get("/v1/ports?node=host-0002")["ports"][0]["port_guid"];
  const json answer =
      ask(202, kAll, "POST",
          change(("{\"add_members\": {\"p_key\": \"0x8012\", \"name\": \"tenant\", \"members\": "
                  "[{\"guid\": \"" +
                  guid + "\", \"membership\": \"limited\"}]}}")
                     .c_str()));
  EXPECT_EQ(answer["generation"], 1);
  EXPECT_EQ(answer["programmed"], 0);
  EXPECT_EQ(kept_.generation, 1u) << "before anybody was told";
  EXPECT_EQ(ask(200, kAll)["done"], false);
  settle();
  const json all = ask(200, kAll);
  EXPECT_EQ(all["done"], true);
  EXPECT_EQ(all["programmed"], 1);
  EXPECT_EQ(all["partitions"][0]["name"], "tenant");
  EXPECT_EQ(all["partitions"][0]["members"][0]["guid"], guid);
  const json shown = stage_.get("/v1/partitions")["partitions"];
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[1]["p_key"], "0x0012");
  EXPECT_EQ(shown[1]["limited_members"], 1);
}

TEST_F(ManagedPartitions, TheSameTwiceIsNoChange) {
  const std::string body = R"({"name": "a", "members": ["0x10", {"guid": "0x20"}]})";
  ask(202, std::string(kAll) + "/0x12", "PUT", body);
  settle();
  const json again = ask(200, std::string(kAll) + "/0x8012", "PUT", body);
  EXPECT_EQ(again["generation"], 1);
  EXPECT_EQ(commands_, 1);
  EXPECT_EQ(ask(200, std::string(kAll) + "/0x12")["members"].size(), 2u);
  ask(202, std::string(kAll) + "/0x12", "DELETE");
  settle();
  EXPECT_EQ(ask(200, std::string(kAll) + "/0x12", "DELETE")["generation"], 2);
  EXPECT_EQ(commands_, 2);
  ask(404, std::string(kAll) + "/0x12");
}

TEST_F(ManagedPartitions, AllOfATransactionOrNothing) {
  const json wrong =
      ask(400, kAll, "POST", change(R"({"set": {"p_key": "0x12"}}, {"set": {"p_key": "0"}})"));
  EXPECT_THAT(wrong["error"]["message"].get<std::string>(), HasSubstr("change 2"));
  EXPECT_EQ(ask(200, kAll)["generation"], 0);
  for (const char* nonsense :
       {"", "[]", "{}", "{\"changes\": 1}", "{\"changes\": [1]}", "{\"changes\": [{}]}",
        R"({"changes": [{"set": {"p_key": "0x12", "membres": []}}]})",
        R"({"changes": [{"set": {"p_key": "0x12", "mtu": 1500}}]})",
        R"({"changes": [{"set": {"p_key": "0x12", "members": [{"guid": "x"}]}}]})",
        R"({"changes": [{"remove": 3}]})", R"({"changes": [], "more": 1})"}) {
    ask(400, kAll, "POST", nonsense);
  }
  EXPECT_EQ(commands_, 0);
}

TEST_F(ManagedPartitions, WhoReadAnOlderGenerationIsTold) {
  ask(202, kAll, "POST", change(R"({"set": {"p_key": "0x12"}})"));
  ask(409, std::string(kAll) + "?if_generation=0", "POST", change(R"({"remove": "0x12"})"));
  ask(202, std::string(kAll) + "?if_generation=1", "POST", change(R"({"remove": "0x12"})"));
}

TEST_F(ManagedPartitions, WhatCannotBeWrittenDownIsNotDone) {
  disk_ = false;
  const json full = ask(507, kAll, "POST", change(R"({"set": {"p_key": "0x12"}})"));
  EXPECT_THAT(full.dump(), HasSubstr("the disk is full"));
  EXPECT_EQ(ask(200, kAll)["generation"], 0);
  EXPECT_EQ(commands_, 0);
}

TEST_F(ManagedPartitions, TheAnswerMayWaitForTheFabric) {
  const api::Response waits =
      stage_.ask(std::string(kAll) + "?wait=30s", "POST", change(R"({"set": {"p_key": "0x12"}})"));
  ASSERT_TRUE(waits.later);
  ASSERT_TRUE(waits.command);
  EXPECT_FALSE(waits.later().has_value());
  auto options = std::make_shared<sm::Options>();
  options->partitions = partitions::with_managed(nullptr, stage_.state().book->now());
  stage_.box().input(sm::OptionsChanged{options});
  settle();
  const auto answer = waits.later();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200u);
  EXPECT_EQ(json::parse(answer->body)["done"], true);
  EXPECT_EQ(stage_.ask(std::string(kAll) + "?wait=3600", "GET").status, 400u);
}

TEST_F(ManagedPartitions, WithoutLeaveNobodyChangesAny) {
  stage_.state().book = nullptr;
  ask(503, kAll);
  ask(503, kAll, "POST", change(R"({"remove": "0x12"})"));
  ask(503, "/ufmRest/resources/pkeys", "POST", R"({"pkey": "0x12", "guids": []})");
}

TEST_F(ManagedPartitions, OnlyAWriterMayChangeThem) {
  for (const char* target : {kAll, "/ufmRest/resources/pkeys"}) {
    EXPECT_EQ(stage_.ask(target, "POST", "{}", api::Role::Reader).status, 403u);
    EXPECT_EQ(stage_.ask(target, "GET", {}, api::Role::Nobody).status, 401u);
  }
}

TEST_F(ManagedPartitions, AsAFileTheyAreReadBackAsTheyWere) {
  partitions::ManagedPartition partition;
  partition.name = "tenant";
  partition.index0 = true;
  partition.sl = 3;
  partition.mtu = mad::Mtu::Bytes4096;
  partition.rate = 16;
  partition.members = {{mad::Guid{0x10}, partitions::Membership::Full},
                       {mad::Guid{0x20}, partitions::Membership::Limited}};
  const partitions::Managed all{41, {{partitions::BaseKey{0x12}, partition}}};
  const auto read = api::managed_of(api::json_of(all));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, all);
  EXPECT_TRUE(api::managed_of(json::parse("{\"generation\": 1}")).has_error());
}

// --- UFM -----------------------------------------------------------------------------------------

TEST_F(ManagedPartitions, IbKubernetesAddsListsAndRemovesGuids) {
  EXPECT_TRUE(ask(200, "/ufmRest/app/ufm_version").contains("ufm_release_version"));
  const std::string body =
      R"({"pkey": "0x0012", "index0": true, "ip_over_ib": true, "membership": "full", )"
      R"("guids": ["0200000000000001", "0200000000000002"]})";
  ask(200, "/ufmRest/resources/pkeys", "POST", body);
  ask(200, "/ufmRest/resources/pkeys", "POST", body);
  EXPECT_EQ(kept_.generation, 1u);
  const json all = ask(200, "/ufmRest/resources/pkeys/?guids_data=true");
  ASSERT_TRUE(all.contains("0x12")) << all;
  ASSERT_EQ(all["0x12"]["guids"].size(), 2u);
  EXPECT_EQ(all["0x12"]["guids"][0]["guid"], "0200000000000001");
  EXPECT_EQ(all["0x12"]["guids"][0]["membership"], "full");
  ask(200, "/ufmRest/actions/remove_guids_from_pkey", "POST",
      R"({"pkey": "0x0012", "guids": ["0200000000000001"]})");
  EXPECT_EQ(ask(200, "/ufmRest/resources/pkeys/0x12?guids_data=true")["guids"].size(), 1u);
  ask(404, "/ufmRest/resources/pkeys/0x13?guids_data=true");
  ask(400, "/ufmRest/resources/pkeys", "POST", R"({"pkey": "0x12", "guids": ["host"]})");
}

TEST_F(ManagedPartitions, APrologNamesHosts) {
  ask(200, "/ufmRestV3/resources/pkeys/hosts", "POST",
      R"({"pkey": "0x21", "hosts_names": "host-0001,host-0003", "membership": "limited"})");
  const auto& members = stage_.state().book->now().partitions.at(partitions::BaseKey{0x21}).members;
  EXPECT_EQ(members.size(), 2u);
  ask(404, "/ufmRest/resources/pkeys/hosts", "POST",
      R"({"pkey": "0x21", "hosts_names": "nobody"})");
  ask(200, "/ufmRest/resources/pkeys/0x21/hosts/host-0001,host-0003", "DELETE");
  EXPECT_TRUE(stage_.state().book->now().partitions.at(partitions::BaseKey{0x21}).members.empty());
}

TEST_F(ManagedPartitions, AnInventorySetsQualityAndReadsPorts) {
  ask(200, "/ufmRest/resources/pkeys/add", "POST", R"({"pkey": "0x31", "partition_name": "t"})");
  ask(200, "/ufmRest/resources/pkeys/qos_conf", "PUT",
      R"({"pkey": "0x31", "mtu_limit": 4, "service_level": 2, "rate_limit": 100})");
  const json shown = ask(200, "/ufmRest/resources/pkeys/0x31?qos_conf=true");
  EXPECT_EQ(shown["partition"], "t");
  EXPECT_EQ(shown["qos_conf"],
            json::parse(R"({"mtu_limit": 4, "service_level": 2, "rate_limit": 100.0})"));
  EXPECT_EQ(ask(200, "/ufmRest/resources/pkeys"), json::parse(R"(["0x31"])"));
  const json ports = ask(200, "/ufmRest/resources/ports?sys_type=Computer");
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0]["logical_state"], "Active");
  EXPECT_EQ(ports[0]["system_name"], "host-0001");
  EXPECT_TRUE(ask(200, "/ufmRest/resources/pkeys/last_updated").contains("last_updated"));
}

// Rather than with another one than was asked for.
TEST_F(ManagedPartitions, AnMtuThatGroupsDoNotHaveIsRefused) {
  ask(200, "/ufmRest/resources/pkeys/add", "POST", R"({"pkey": "0x31"})");
  for (const char* limit : {"1", "2048", "\"4\"", "null"}) {
    ask(400, "/ufmRest/resources/pkeys/qos_conf", "PUT",
        fmt::format(R"({{"pkey": "0x31", "mtu_limit": {}}})", limit));
  }
  const json shown = ask(200, "/ufmRest/resources/pkeys/0x31?qos_conf=true");
  EXPECT_EQ(shown["qos_conf"]["mtu_limit"], 2);
}

// A standby would only be told otherwise by the master.
TEST_F(ManagedPartitions, AreTheMastersToChange) {
  share_with_a_standby();
  ask(200, "/ufmRest/resources/pkeys", "POST", R"({"pkey": "0x12", "guids": []})");
  for (const auto role :
       {mad::SMState::Standby, mad::SMState::Discovering, mad::SMState::NotActive}) {
    stage_.state().role = role;
    ask(503, "/ufmRest/resources/pkeys", "POST", R"({"pkey": "0x13", "guids": []})");
    ask(503, "/v1/partitions/managed/0x13", "PUT", "{}");
  }
  be_told(9);
  EXPECT_EQ(ask(200, "/ufmRest/resources/pkeys"), json::parse(R"(["0x14"])"));
  EXPECT_EQ(ask(200, kAll)["generation"], 9);
}

// A greater number of another master's partitions does not mean that they hold the change.
TEST_F(ManagedPartitions, WhoWaitsHearsThatAnotherManagerBecameMaster) {
  share_with_a_standby();
  auto response = stage_.ask("/v1/partitions/managed/0x13?wait=60", "PUT", "{}");
  ASSERT_TRUE(response.later);
  EXPECT_FALSE(response.later());
  const auto& use = std::get<api::UsePartitions>(*response.command);
  EXPECT_EQ(use.partitions, stage_.state().book->shared());
  EXPECT_EQ(use.before->generation, 0u);
  be_told(9);
  const auto answer = response.later();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 409u);
}

// They count all the same: the master has them.
TEST_F(ManagedPartitions, ThatAreToldAndCannotBeKeptSayWhy) {
  api::PartitionBook book(
      std::make_shared<const partitions::Managed>(),
      [](const partitions::Managed&) -> base::Result<> { return base::error("no room"); },
      /*is_told=*/true);
  auto told = std::make_shared<partitions::Managed>();
  told->generation = 9;
  const auto kept = book.take_over(told, {});
  ASSERT_TRUE(kept.has_error());
  EXPECT_EQ(kept.error().message, "no room");
  EXPECT_EQ(book.now().generation, 9u);
}

TEST_F(ManagedPartitions, APrologMayWaitForItsJob) {
  const json job = ask(200, "/ufmRestV3/resources/pkeys/hosts", "POST",
                       R"({"pkey": "0x21", "hosts_names": "host-0001"})");
  EXPECT_EQ(job["Status"], "Running");
  const std::string target = "/ufmRestV3/jobs/" + job["ID"].get<std::string>();
  EXPECT_EQ(ask(200, target)["Status"], "Running");
  ask(404, "/ufmRestV3/jobs/partitions-99");
  ask(404, "/ufmRestV3/jobs/7");
}

// --- ports that clients declare unhealthy --------------------------------------------------------

class UnhealthyPorts : public testing::Test {
 protected:
  json ask(unsigned status, const std::string& target, const std::string& method = "GET",
           const std::string& body = {}) {
    response_ = stage_.ask(target, method, body);
    EXPECT_EQ(response_.status, status) << target << " " << text_of(response_);
    return json::parse(text_of(response_), nullptr, false);
  }
  std::string switch_guid(std::string_view name) {
    const auto& topology = stage_.state().fabric->topology;
    for (std::uint32_t i = 0; i < topology.node_count(); ++i) {
      const auto& node = topology.node(fabric::NodeIndex{i});
      if (node.description == name) return fmt::format("{:016x}", node.guid.value);
    }
    return {};
  }
  // What the order would lead to.
  void outcome(sm::LinkOrder order, bool carried_out, std::string refusal = {}) {
    auto care = std::make_shared<api::LinkCare>();
    const auto& wanted = std::get<api::CareForLink>(*response_.command);
    for (const auto& [node, port] : wanted.ends) {
      care->orders.push_back({{node, port, order}, carried_out, refusal});
    }
    stage_.state().care = care;
  }

  ApiStage stage_{"fat-tree:2,4"};
  api::Response response_;
};

constexpr const char* kUnhealthy = "/ufmRestV2/app/unhealthy_ports";

TEST_F(UnhealthyPorts, AreLedAroundAndComeBack) {
  const std::string port = switch_guid("spine-1") + "_1";
  ask(200, kUnhealthy, "PUT",
      fmt::format(R"({{"ports": ["{}"], "ports_policy": "UNHEALTHY", "action": "isolate"}})",
                  port));
  const auto& care = std::get<api::CareForLink>(*response_.command);
  EXPECT_EQ(care.what, api::CareForLink::What::RouteAround);
  ASSERT_EQ(care.ends.size(), 1u);
  EXPECT_FALSE(care.may_isolate_host);
  outcome(sm::LinkOrder::RouteAround, true);
  const json rows = ask(200, kUnhealthy);
  ASSERT_EQ(rows.size(), 2u) << "from both ends";
  EXPECT_EQ(rows[0]["Name"], port);
  EXPECT_EQ(rows[1]["PeerGUID"], switch_guid("spine-1"));
  EXPECT_EQ(rows[1]["PeerPortDname"], "1");
  EXPECT_EQ(ask(200, "/ufmRestV2/resources/isolated_ports")["isolated_ports"], json::array({port}));
  ask(200, kUnhealthy, "PUT",
      fmt::format(R"({{"ports": ["{}"], "ports_policy": "HEALTHY"}})", port));
  EXPECT_EQ(std::get<api::CareForLink>(*response_.command).what, api::CareForLink::What::Restore);
}

TEST_F(UnhealthyPorts, AHostsPortIsThatOfItsSwitchAndForceIsPassedOn) {
  const json ports = ask(200, "/ufmRest/resources/ports?sys_type=Computer");
  ask(200, std::string(kUnhealthy) + "?force_set=true", "PUT",
      fmt::format(R"({{"ports": [{}], "ports_policy": "UNHEALTHY", "action": "no_discover"}})",
                  ports[0]["name"].dump()));
  const auto& care = std::get<api::CareForLink>(*response_.command);
  EXPECT_EQ(care.what, api::CareForLink::What::Disable);
  EXPECT_TRUE(care.may_isolate_host);
  const auto& topology = stage_.state().fabric->topology;
  EXPECT_TRUE(topology.is_switch(*topology.find_node(care.ends.at(0).node)));
}

TEST_F(UnhealthyPorts, AWholeDeviceIsAJob) {
  const std::string guid = switch_guid("spine-2");
  const std::string body =
      fmt::format(R"({{"action": "mark_device_unhealthy", "object_ids": ["{}"]}})", guid);
  const json job = ask(202, "/ufmRest/actions", "POST", body);
  EXPECT_EQ(std::get<api::CareForLink>(*response_.command).ends.size(), 4u);
  const std::string target = response_.location;
  EXPECT_EQ(target, "/ufmRest/jobs/" + job["ID"].get<std::string>());
  EXPECT_EQ(ask(200, target)["Status"], "Running") << "nothing is heard of it yet";
  ask(202, "/ufmRest/actions", "POST", body);
  outcome(sm::LinkOrder::RouteAround, false);
  EXPECT_EQ(ask(200, target)["Status"], "Running");
  ask(202, "/ufmRest/actions", "POST", body);
  outcome(sm::LinkOrder::RouteAround, true);
  EXPECT_EQ(ask(200, target)["Status"], "Completed");
  ask(202, "/ufmRest/actions", "POST", body);
  outcome(sm::LinkOrder::RouteAround, false, "it is the last way");
  EXPECT_EQ(ask(200, target)["Status"], "Completed With Errors");
}

// Its link and the host itself are out of the topology while no route uses the link.
TEST_F(UnhealthyPorts, AHostThatIsOutOfTheFabricByOrderComesBack) {
  const std::string host = switch_guid("host-0003 HCA-1");
  const auto action = [&](const char* what, const std::string& guid) {
    return ask(202, "/ufmRest/actions", "POST",
               fmt::format(R"({{"action": "{}", "object_ids": ["{}"]}})", what, guid));
  };
  const auto care = [&] { return std::get<api::CareForLink>(*response_.command); };
  const auto names = [&](const api::CareForLink::End& end) {
    return fmt::format("{:016x}_{}", end.node.value, end.port.value);
  };
  action("mark_device_unhealthy", host);
  const std::string job = response_.location;
  const auto ends = care().ends;
  ASSERT_EQ(ends.size(), 1u);
  outcome(sm::LinkOrder::RouteAround, false, "it would be cut off");
  EXPECT_EQ(ask(200, job)["Status"], "Completed With Errors") << "the order stands at the switch";
  action("mark_device_unhealthy", host);
  outcome(sm::LinkOrder::RouteAround, true);
  auto& world = stage_.box().world();
  world.power_off(world.find_node("host-0003 HCA-1").value());
  stage_.box().run_for(std::chrono::seconds(30));
  stage_.catch_up();
  ASSERT_EQ(switch_guid("host-0003 HCA-1"), "") << "which makes this test";
  for (const std::string& device : {host, std::string(names(ends[0]), 0, 16)}) {
    action("mark_device_healthy", device);
    EXPECT_EQ(care().what, api::CareForLink::What::Restore);
    std::vector<std::string> restored;
    for (const auto& end : care().ends) restored.push_back(names(end));
    EXPECT_THAT(restored, testing::Contains(names(ends[0]))) << device;
    const std::string healing = response_.location;
    EXPECT_EQ(ask(200, healing)["Status"], "Running") << device;
  }
  ask(200, kUnhealthy, "PUT",
      fmt::format(R"({{"ports": ["{}"], "ports_policy": "HEALTHY"}})", names(ends[0])));
  EXPECT_EQ(names(care().ends.at(0)), names(ends[0]));
  action("mark_device_healthy", host);
  const std::string healing = response_.location;
  stage_.state().care = std::make_shared<api::LinkCare>();
  EXPECT_EQ(ask(200, healing)["Status"], "Completed");
  ask(404, "/ufmRest/actions", "POST",
      fmt::format(R"({{"action": "mark_device_healthy", "object_ids": ["{}"]}})", host));
}

TEST_F(UnhealthyPorts, WhatIsNotUnderstoodIsRefused) {
  for (const char* body :
       {"{}", R"({"ports": ["x_1"]})", R"({"ports": "x_1", "ports_policy": "HEALTHY"})",
        R"({"ports": [], "ports_policy": "HEALTHY"})",
        R"({"ports": ["x_1"], "ports_policy": "SICK"})",
        R"({"ports": ["x_1"], "ports_policy": "UNHEALTHY", "action": "explode"})"}) {
    ask(400, kUnhealthy, "PUT", body);
  }
  ask(404, kUnhealthy, "PUT", R"({"ports": ["x_1"], "ports_policy": "HEALTHY"})");
  ask(404, kUnhealthy, "PUT", R"({"devices": ["7"], "ports_policy": "UNHEALTHY"})");
  std::string many = "\"7\"";
  for (int i = 0; i < 64; ++i) many += ", \"7\"";
  ask(400, kUnhealthy, "PUT",
      fmt::format(R"({{"devices": [{}], "ports_policy": "HEALTHY"}})", many));
  ask(400, "/ufmRest/actions", "POST", R"({"action": "reboot", "object_ids": []})");
  ask(400, "/ufmRest/actions", "POST", "no json");
  ask(400, "/ufmRest/actions", "POST", R"({"action": "mark_device_healthy", "object_ids": []})");
  stage_.state().role = mad::SMState::Standby;
  ask(503, kUnhealthy, "PUT", R"({"ports": ["x_1"], "ports_policy": "HEALTHY"})");
}

// An inventory takes 0 and 1 for open, and must see no key.
TEST_F(ManagedPartitions, KeysAreToldAsSetOrNotAndNeverShown) {
  EXPECT_EQ(ask(200, "/ufmRest/app/smconf")["m_key"], "0x0");
  EXPECT_EQ(ask(200, "/ufmRest/app/smconf")["sm_key"], "0x1");
  stage_.state().seat.guards = {true, true, true};
  const json closed = ask(200, "/ufmRest/app/smconf");
  EXPECT_EQ(closed["m_key"], "0x2");
  EXPECT_EQ(closed["sm_key"], "0x2");
  EXPECT_EQ(closed["m_key_per_port"], true);
}

// --- why -----------------------------------------------------------------------------------------

TEST(Explain, APathNamesItsStepsLevelKeyAndSlowestLink) {
  const ApiStage stage("fat-tree:2,4");
  const std::string text = stage.get("/v1/explain/path?from=host-0001&to=host-0008").dump();
  EXPECT_THAT(text, HasSubstr("arrive at host-0008"));
  EXPECT_THAT(text, HasSubstr("2 of its ports lead there in as few hops"));
  EXPECT_THAT(text, HasSubstr("the port that it is for hangs there"));
  EXPECT_THAT(text, HasSubstr("nothing asks for another one"));
  EXPECT_THAT(text, HasSubstr("0xffff (Default): the two may talk through no other"));
  EXPECT_THAT(text, HasSubstr("no link on the way is slower"));
}

// As /v1/path does: with LMC a port has several LIDs, and a path to each.
TEST(Explain, APathToOneOfSeveralLidsIsThatLidsOwn) {
  sm::Options options;
  options.lmc = 1;
  const ApiStage stage("fat-tree:2,4", options);
  const json path = stage.get("/v1/path?from=host-0001&to=host-0008");
  const unsigned base = path["to"]["lid"].get<unsigned>();
  const std::string second = std::to_string(base + 1);
  EXPECT_EQ(stage.get("/v1/path?from=host-0001&to=" + second)["lid"], base + 1);
  EXPECT_THAT(stage.get("/v1/explain/path?from=host-0001&to=" + second).dump(),
              HasSubstr("to LID " + second + " arrive at host-0008"));
}

TEST(Explain, APathWithoutEndsOrToNobodyIsRefused) {
  const ApiStage stage("pair");
  EXPECT_EQ(stage.ask("/v1/explain/path?from=host-0001").status, 400u);
  EXPECT_EQ(stage.ask("/v1/explain/path?from=host-0001&to=nobody").status, 404u);
  EXPECT_EQ(stage.ask("/v1/explain/port?port=host-0001/9").status, 404u);
}

TEST(Explain, APortThatLostItsLinkSaysWhatWasThere) {
  ApiStage stage("fat-tree:2,4");
  EXPECT_THAT(stage.get("/v1/explain/port?port=spine-1/1").dump(), HasSubstr("as it should be"));
  const auto& plan = stage.box().world().devices().plan;
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].name != "spine-1") continue;
    stage.box().world().cut(*stage.box().world().find_cable(i, 1));
  }
  stage.box().run_for(std::chrono::seconds(60));
  stage.catch_up();
  const std::string text = stage.get("/v1/explain/port?port=spine-1/1").dump();
  EXPECT_THAT(text, HasSubstr("it looks for somebody at the other end"));
  EXPECT_THAT(text, HasSubstr("which is lost since"));
  EXPECT_THAT(text, HasSubstr("LinkDisappeared"));
}

TEST(Explain, RefusalsAreThoseThatSpeakOfIt) {
  ApiStage stage("pair");
  EXPECT_TRUE(stage.get("/v1/explain/refusals")["answers"].empty());
  stage.state().take(sm::Event{sm::JoinRefused{"host-0007 cannot join: rate"}}, {});
  stage.state().take(sm::Event{sm::JoinRefused{"host-0009 cannot join: MTU"}}, {});
  EXPECT_EQ(stage.get("/v1/explain/refusals")["answers"].size(), 2u);
  const json one = stage.get("/v1/explain/refusals?about=host-0007")["answers"];
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(one[0]["answer"].get<std::string>(), HasSubstr("rate"));
}

}  // namespace
}  // namespace heddle::test
