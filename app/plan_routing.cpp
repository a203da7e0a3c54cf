// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_routing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/routing_files.hpp"
#include "base/text.hpp"
#include "fabric/verification.hpp"

namespace heddle::app {
namespace {

double seconds_since(base::Instant begin) {
  return std::chrono::duration<double>(steady_now() - begin).count();
}

std::string check_engine(const std::string& name) {
  if (name != "file" && routing::find_engine(name) != nullptr) return {};
  return fmt::format("'{}' is no routing engine that works without a file; there are {}", name,
                     CLI::detail::join(all_engines(), ", "));
}

std::string check_guid(const std::string& text) {
  return base::parse_hex(text) ? std::string()
                               : fmt::format("'{}' is no GUID (16 hexadecimal digits)", text);
}

}  // namespace

std::vector<std::string> all_engines() {
  std::vector<std::string> names;
  for (const routing::Engine* engine : routing::engines()) {
    if (engine->name() != "file") names.emplace_back(engine->name());
  }
  return names;
}

std::string engine_list() {
  std::string list;
  for (const routing::Engine* engine : routing::engines()) {
    list += fmt::format("  {:<10} {}\n", engine->name(), engine->summary());
  }
  return list;
}

void add_plan_routing(CLI::App& command, PlanRouting& routing, const std::string& usual) {
  command.add_option("--routing", routing.engines, "Routing engines, separated by commas")
      ->option_text(fmt::format("LIST [{}]", usual))
      ->delimiter(',')
      ->check(check_engine);
  const auto take_roots = [&routing](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      routing.root_guids.push_back(mad::Guid{*base::parse_hex(word)});
    }
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--roots", take_roots, "Node GUIDs of a tree's top switches, separated by commas")
      ->option_text("GUIDS [found]")
      ->delimiter(',')
      ->check(check_guid);
  command
      .add_option("--torus-config", routing.torus_config,
                  "What torus-2QoS shall take for x, y and z, as OpenSM's torus-2QoS.conf")
      ->option_text("FILE [found]")
      ->check(CLI::ExistingFile);
  command.add_option("--lmc", routing.lmc, "Give each host port 2^N LIDs")
      ->option_text("N [0]")
      ->check(CLI::Range(0, 7));
  command
      .add_option("--vls", routing.vls, "Data VLs that engines may use, if all switches have them")
      ->option_text(fmt::format("N [{}]", routing.vls))
      ->check(CLI::Range(1, 15));
}

base::Result<routing::Policy> policy_of(const PlanRouting& routing, const PlannedFabric& fabric) {
  routing::Policy policy;
  policy.engines = routing.engines;
  policy.max_vls = std::min(routing.vls, fabric.data_vls);
  policy.options.root_guids = routing.root_guids;
  if (!routing.torus_config.empty()) {
    auto torus = read_torus_file(routing.torus_config);
    if (torus.has_error()) return torus.error();
    policy.options.torus = *std::move(torus);
  }
  return policy;
}

std::optional<routing::Routes> EngineTrials::route(plan::Verdict& verdict,
                                                   const base::ParallelFor& parallel) const {
  progress_.begin("routing with " + verdict.engine);
  const auto begin = steady_now();
  auto routes =
      routing::find_engine(verdict.engine)
          ->route({fabric_.topology, fabric_.lids, policy_.options, parallel, policy_.max_vls});
  if (routes.has_error()) {
    verdict.reason = routes.error().message;
    return std::nullopt;
  }
  verdict.seconds = seconds_since(begin);
  prove(*routes, verdict, parallel);
  return *std::move(routes);
}

void EngineTrials::prove(const routing::Routes& routes, plan::Verdict& verdict,
                         const base::ParallelFor& parallel) const {
  verdict.vls = routes.lanes.vls;
  verdict.notes = routes.notes;
  if (!routes.engine.empty() && routes.engine != verdict.engine) {
    verdict.notes.insert(verdict.notes.begin(),
                         fmt::format("tables of the engine {}", routes.engine));
  }
  progress_.begin("proving the tables of " + verdict.engine);
  const auto begin = steady_now();
  const auto proof =
      fabric::verify(fabric_.topology, fabric_.lids, routes.tables, routes.lanes, parallel);
  verdict.verify_seconds = seconds_since(begin);
  const auto reason = routing::objection(fabric_.topology, policy_, routes.lanes, proof);
  verdict.certified = !reason;
  verdict.reason = reason.value_or("");
}

}  // namespace heddle::app
