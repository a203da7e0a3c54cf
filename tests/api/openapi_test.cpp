// SPDX-License-Identifier: BSD-3-Clause
// docs/openapi.json against what is really answered.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/stage.hpp"

namespace heddle::test {
namespace {

using nlohmann::json;

json description() {
  std::ifstream file(HEDDLE_OPENAPI);
  return json::parse(file);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

TEST(OpenApi, HasTheRoutesAndTheirParametersAndNoOthers) {
  const json whole = description();
  std::multiset<std::string> described, real;
  for (const auto& [path, methods] : whole["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string text = method + " " + path;
      std::set<std::string> names;
      for (const json& parameter : operation.value("parameters", json::array())) {
        if (parameter["in"] == "query") names.insert(parameter["name"]);
      }
      for (const std::string& name : names) text += " " + name;
      described.insert(text);
    }
  }
  for (const api::Route& route : api::routes()) {
    if (route.path.starts_with("/ufmRest")) continue;  // of another's making: docs/ufm.md
    std::string text = lower(route.method) + " " + std::string(route.path);
    const std::set<std::string> names(route.query.begin(), route.query.end());
    for (const std::string& name : names) text += " " + name;
    real.insert(text);
  }
  EXPECT_EQ(described, real);
}

TEST(OpenApi, IsServedAsItIs) {
  EXPECT_EQ(ApiStage("star:2").get("/v1/openapi.json"), description());
}

// A judge for the part of JSON Schema that the description uses.
class Judge {
 public:
  explicit Judge(const json& whole)
      : schemas_(whole["components"]["schemas"]), paths_(whole["paths"]) {}

  // The same of what a GET of this path is answered.
  std::string fault_in(const std::string& path, const json& answer) const {
    const json& described = paths_[path]["get"]["responses"]["200"];
    return fault(described["content"]["application/json"]["schema"], answer);
  }

  // Empty when the value is as described; else where it is not.
  std::string fault(const json& schema, const json& value, const std::string& at = "") const {
    if (schema.contains("$ref")) {
      const std::string name = schema["$ref"];
      return fault(schemas_[name.substr(name.rfind('/') + 1)], value, at);
    }
    if (schema.contains("oneOf")) {
      std::string last;
      for (const json& choice : schema["oneOf"]) {
        last = fault(choice, value, at);
        if (last.empty()) return {};
      }
      return last;
    }
    if (!has_type(schema.value("type", json()), value)) return at + " is " + value.dump();
    if (schema.contains("enum") && !value.is_null() &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      return at + " is " + value.dump();
    }
    for (const json& item : value.is_array() ? value : json::array()) {
      const std::string inner = fault(schema["items"], item, at + "[]");
      if (!inner.empty()) return inner;
    }
    return value.is_object() ? fault_of_object(schema, value, at) : std::string();
  }

 private:
  std::string fault_of_object(const json& schema, const json& value, const std::string& at) const {
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get<std::string>())) return at + " has no " + name.dump();
    }
    for (const auto& [name, member] : value.items()) {
      const bool named = schema.contains("properties") && schema["properties"].contains(name);
      if (!named && !schema.contains("additionalProperties")) return at + " has a " + name;
      const json& inner = named ? schema["properties"][name] : schema["additionalProperties"];
      const std::string wrong = fault(inner, member, at + "/" + name);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  static bool has_type(const json& type, const json& value) {
    if (type.is_array()) {
      return std::any_of(type.begin(), type.end(),
                         [&](const json& each) { return has_type(each, value); });
    }
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    return type == "array" ? value.is_array() : value.is_object();
  }

  json schemas_, paths_;
};

TEST(OpenApi, DescribesWhatIsAnswered) {
  const json whole = description();
  const Judge judge(whole);
  ApiStage stage("fat-tree:2,4");
  auto readings = std::make_shared<perf::Readings>();
  const fabric::Node& node = stage.state().fabric->topology.node(fabric::NodeIndex{0});
  readings->nodes.push_back({node.guid, true, 0, 1});
  perf::PortReading& port = readings->ports.emplace_back();
  port.number = mad::PortNumber{1};
  port.known = 0xFFFF;
  stage.state().readings = readings;
  auto care = std::make_shared<api::LinkCare>();
  perf::Finding& finding = care->findings.emplace_back();
  finding.link = {{node.guid, port.number}, {mad::Guid{1}, port.number}};
  finding.conditions = 1;
  finding.counters = 1;
  care->orders.push_back({{node.guid, port.number}, false, "for a reason"});
  stage.state().care = care;
  auto report = std::make_shared<congestion::Report>();
  congestion::AgentReport& agent = report->agents.emplace_back();
  agent.node = node.guid;
  agent.outcome = congestion::Outcome::Locked;
  agent.levels = 3;
  agent.ports.set(7);
  agent.flows.push_back({mad::Lid{1}, mad::Lid{4000}, mad::ServiceLevel{2}, 5});
  stage.state().congestion = report;
  sm::AdministrationLoad load{std::chrono::seconds(1), 3, 1, {}};
  load.top.push_back({{node.guid, node.description}, mad::Lid{1}, 3, 1});
  stage.state().take(sm::Event{load}, {});
  partitions::Managed managed{7, {{partitions::BaseKey{1}, {}}}};
  managed.partitions.begin()->second.members[mad::Guid{1}] = partitions::Membership::Full;
  stage.state().book = std::make_shared<api::PartitionBook>(
      std::make_shared<const partitions::Managed>(managed),
      [](const partitions::Managed&) { return base::Result<>(); });
  auto fabric = std::make_shared<sm::Snapshot>(*stage.state().fabric);
  fabric->other_managers = {{mad::Guid{1}, 4, mad::SMState::Standby}};
  stage.state().fabric = fabric;
  const std::pair<const char*, const char*> questions[] = {
      {"/v1/status", "/v1/status"},
      {"/v1/fabric", "/v1/fabric"},
      {"/v1/nodes", "/v1/nodes"},
      {"/v1/nodes/{node}", "/v1/nodes/leaf-1"},
      {"/v1/ports", "/v1/ports"},
      {"/v1/links", "/v1/links"},
      {"/v1/links/load", "/v1/links/load"},
      {"/v1/links/health", "/v1/links/health"},
      {"/v1/congestion", "/v1/congestion"},
      {"/v1/counters", "/v1/counters"},
      {"/v1/path", "/v1/path?from=host-0001&to=host-0008"},
      {"/v1/routes", "/v1/routes?switch=leaf-1"},
      {"/v1/partitions", "/v1/partitions"},
      {"/v1/partitions/managed", "/v1/partitions/managed"},
      {"/v1/partitions/managed/{p_key}", "/v1/partitions/managed/0x8001"},
      {"/v1/explain/path", "/v1/explain/path?from=host-0001&to=host-0008"},
      {"/v1/explain/port", "/v1/explain/port?port=leaf-1/1"},
      {"/v1/explain/refusals", "/v1/explain/refusals"},
      {"/v1/sa/load", "/v1/sa/load"},
      {"/v1/groups", "/v1/groups"},
      {"/v1/sm", "/v1/sm"},
      {"/v1/sweeps", "/v1/sweeps"},
      {"/v1/events", "/v1/events"},
  };
  for (const auto& [path, target] : questions) {
    EXPECT_EQ(judge.fault_in(path, stage.get(target)), "") << target;
  }
}

TEST(OpenApi, DescribesVirtualPorts) {
  const json guests = ApiStage("star:3,vports=2").get("/v1/virtual-ports");
  EXPECT_EQ(guests["virtual_ports"].size(), 6u);
  EXPECT_EQ(Judge(description()).fault_in("/v1/virtual-ports", guests), "");
}

}  // namespace
}  // namespace heddle::test
