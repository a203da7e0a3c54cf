// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/commands.hpp"
#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_report.hpp"
#include "app/planned_fabric.hpp"
#include "app/routing_files.hpp"
#include "fabric/verification.hpp"
#include "plan/loss.hpp"
#include "plan/traffic.hpp"
#include "routing/engine.hpp"
#include "routing/selection.hpp"
#include "routing/table_dump.hpp"

namespace heddle::app {
namespace {

double seconds_since(base::Instant begin) {
  return std::chrono::duration<double>(steady_now() - begin).count();
}

// Who sends to whom.
struct Traffic {
  bool wanted = false;
  plan::HostList job, io;
  plan::TrafficOptions options;
};

base::Result<plan::HostList> read_hosts(const std::filesystem::path& file,
                                        const PlannedFabric& fabric) {
  const auto text = read_text_file(file);
  if (text.has_error()) return text.error();
  return plan::parse_host_list(*text, file.string(), fabric.topology, fabric.lids);
}

base::Result<Traffic> find_traffic(const PlanRouteArguments& arguments,
                                   const PlannedFabric& fabric) {
  Traffic traffic;
  traffic.wanted = !arguments.job.empty() || !arguments.io.empty() || arguments.worst > 0;
  traffic.options.seed = arguments.seed;
  if (arguments.worst > 0) traffic.options.worst = arguments.worst;
  for (const bool is_io : {false, true}) {
    const auto& file = is_io ? arguments.io : arguments.job;
    if (file.empty()) continue;
    auto hosts = read_hosts(file, fabric);
    if (hosts.has_error()) return hosts.error();
    (is_io ? traffic.io : traffic.job) = std::move(*hosts);
  }
  if (arguments.job.empty()) traffic.job = routing::order_hosts(fabric.topology, fabric.lids);
  return traffic;
}

void add_traffic(const routing::Routes& routes, const PlannedFabric& fabric, const Traffic& traffic,
                 const base::ParallelFor& parallel, EngineReport& report) {
  const auto& topology = fabric.topology;
  for (const auto& pattern :
       plan::measure_traffic(topology, fabric.lids, routes.tables, traffic.job, traffic.io,
                             traffic.options, parallel)) {
    TrafficReport told{pattern.name, pattern.flows, pattern.greatest, pattern.mean_greatest, {}};
    for (const auto& link : pattern.worst) {
      const auto& channel = topology.channels()[link.channel.value];
      const auto from = topology.port_of(channel.from, channel.out);
      told.worst.push_back({plan::port_name(topology, from),
                            plan::port_name(topology, topology.peer(from)), link.load});
    }
    report.traffic.push_back(std::move(told));
  }
}

// Proves the tables, and measures them if that is wanted.
void judge(const routing::Routes& routes, const PlannedFabric& fabric, const Traffic& traffic,
           const PlanRouteArguments& arguments, const base::ParallelFor& parallel,
           EngineReport& report) {
  report.vls = routes.lanes.vls;
  report.notes = routes.notes;
  const auto begin = steady_now();
  const auto proof =
      fabric::verify(fabric.topology, fabric.lids, routes.tables, routes.lanes, parallel);
  report.verify_seconds = seconds_since(begin);
  routing::Policy policy;
  policy.max_vls = arguments.vls;
  const auto reason = routing::objection(fabric.topology, policy, routes.lanes, proof);
  report.certified = !reason;
  report.reason = reason.value_or("");
  if (traffic.wanted) add_traffic(routes, fabric, traffic, parallel, report);
  if (!arguments.metrics) return;
  report.quality = routing::measure_quality(fabric.topology, fabric.lids, routes.tables, parallel);
  routing::PatternOptions options;
  options.seed = arguments.seed;
  report.patterns =
      routing::measure_patterns(fabric.topology, fabric.lids, routes.tables, options, parallel);
}

// Of any size; a subnet manager takes less.
base::Result<routing::DumpedTables> read_table_dump(const std::filesystem::path& file,
                                                    const PlannedFabric& fabric) {
  const auto text = read_text_file(file);
  if (text.has_error()) return text.error();
  return routing::parse_table_dump(*text, file.string(), fabric.topology, fabric.lids);
}

EngineReport try_engine(const routing::Engine& engine, const PlannedFabric& fabric,
                        const Traffic& traffic, const PlanRouteArguments& arguments,
                        const routing::Options& options, const base::ParallelFor& parallel) {
  EngineReport report;
  report.engine = engine.name();
  const auto begin = steady_now();
  const auto routes = engine.route(
      {fabric.topology, fabric.lids, options, parallel, std::min(arguments.vls, fabric.data_vls)});
  report.seconds = seconds_since(begin);
  if (routes.has_error()) {
    report.seconds.reset();
    report.reason = routes.error().message;
  } else {
    judge(*routes, fabric, traffic, arguments, parallel, report);
  }
  return report;
}

std::string text_of(const PlanReport& report, const std::string& format) {
  if (format == "json") return plan_json(report);
  return format == "csv" ? plan_csv(report) : plan_table(report);
}

PlanReport describe(const sim::Blueprint& blueprint, const PlannedFabric& fabric) {
  PlanReport report;
  report.fabric = blueprint.title;
  report.switches = fabric.topology.switch_count();
  report.hosts = fabric.topology.node_count() - fabric.topology.switch_count();
  report.links = fabric.topology.link_count();
  for (const fabric::PortIndex port : fabric.topology.endports()) {
    report.lids += fabric.lids.range(port).count();
  }
  return report;
}

}  // namespace

Exit run_plan_route(const PlanRouteArguments& arguments) {
  const auto blueprint = load_plan_input(arguments.input);
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  const auto fabric = plan_fabric(*blueprint, arguments.lmc);
  if (fabric.has_error()) {
    complain(fabric.error().message);
    return Exit::Fabric;
  }
  const auto traffic = find_traffic(arguments, *fabric);
  if (traffic.has_error()) {
    complain(traffic.error().message);
    return Exit::Fabric;
  }
  PlanReport report = describe(*blueprint, *fabric);
  report.metrics = arguments.metrics;
  const auto parallel = all_cores();
  if (!arguments.tables.empty()) {
    auto dumped = read_table_dump(arguments.tables, *fabric);
    if (dumped.has_error()) {
      complain(dumped.error().message);
      return Exit::Fabric;
    }
    const routing::Routes routes{"file", std::move(dumped->tables), std::move(dumped->notes)};
    report.engines.emplace_back().engine = routes.engine;
    judge(routes, *fabric, *traffic, arguments, parallel, report.engines.back());
  }
  routing::Options options;
  options.root_guids = arguments.root_guids;
  if (!arguments.torus_config.empty()) {
    auto torus = read_torus_file(arguments.torus_config);
    if (torus.has_error()) {
      complain(torus.error().message);
      return Exit::Fabric;
    }
    options.torus = std::move(*torus);
  }
  for (const std::string& name : arguments.engines) {
    report.engines.push_back(
        try_engine(*routing::find_engine(name), *fabric, *traffic, arguments, options, parallel));
  }
  const bool certified = std::any_of(report.engines.begin(), report.engines.end(),
                                     [](const EngineReport& engine) { return engine.certified; });
  std::cout << text_of(report, arguments.format) << std::flush;
  if (!std::cout) {
    complain("cannot write to standard output");
    return Exit::Output;
  }
  return certified ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
