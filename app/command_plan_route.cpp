// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/live_text.hpp"
#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_progress.hpp"
#include "app/plan_report.hpp"
#include "app/plan_routing.hpp"
#include "app/planned_fabric.hpp"
#include "plan/loads.hpp"
#include "plan/loss.hpp"
#include "plan/traffic.hpp"
#include "routing/table_dump.hpp"

namespace heddle::app {
namespace {

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
  traffic.options.weights =
      plan::channel_weights(fabric.topology, fabric.rates.capacities(fabric.topology));
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
    TrafficReport told{pattern.name,
                       pattern.flows,
                       pattern.greatest,
                       pattern.mean_greatest,
                       pattern.greatest_weighted,
                       pattern.mean_weighted,
                       {}};
    for (const auto& link : pattern.worst) {
      const auto& channel = topology.channels()[link.channel.value];
      const auto from = topology.port_of(channel.from, channel.out);
      told.worst.push_back({plan::port_name(topology, from),
                            plan::port_name(topology, topology.peer(from)), link.load,
                            link.weighted});
    }
    report.traffic.push_back(std::move(told));
  }
}

class Measurer {
 public:
  Measurer(const PlanRouteArguments& arguments, const PlannedFabric& fabric, const Traffic& traffic,
           PlanProgress& progress, base::ParallelFor parallel)
      : arguments_(arguments),
        fabric_(fabric),
        traffic_(traffic),
        progress_(progress),
        capacities_(fabric.rates.capacities(fabric.topology)),
        parallel_(std::move(parallel)) {}

  EngineReport try_engine(const EngineTrials& trials, const std::string& name) const {
    EngineReport report;
    report.engine = name;
    const auto routes = trials.route(report, parallel_);
    if (routes) measure(*routes, report);
    return report;
  }
  // Tables that are there already.
  EngineReport judge(const EngineTrials& trials, const routing::Routes& routes) const {
    EngineReport report;
    report.engine = routes.engine;
    trials.prove(routes, report, parallel_);
    measure(routes, report);
    return report;
  }

 private:
  void measure(const routing::Routes& routes, EngineReport& report) const {
    progress_.begin("measuring the tables of " + report.engine);
    if (traffic_.wanted) add_traffic(routes, fabric_, traffic_, parallel_, report);
    if (!arguments_.metrics) return;
    auto measured =
        routing::measure_loads(fabric_.topology, fabric_.lids, routes.tables, parallel_);
    report.weighted =
        plan::weigh(measured.load, plan::channel_weights(fabric_.topology, capacities_));
    report.quality = std::move(measured.quality);
    routing::PatternOptions options;
    options.seed = arguments_.seed;
    options.capacities = &capacities_;
    report.patterns = routing::measure_patterns(fabric_.topology, fabric_.lids, routes.tables,
                                                options, parallel_);
  }

  const PlanRouteArguments& arguments_;
  const PlannedFabric& fabric_;
  const Traffic& traffic_;
  PlanProgress& progress_;
  std::vector<double> capacities_;
  base::ParallelFor parallel_;
};

// Of any size; a subnet manager takes less.
base::Result<routing::DumpedTables> read_table_dump(const std::filesystem::path& file,
                                                    const Prepared& prepared) {
  const PlannedFabric& fabric = prepared.fabric;
  const auto text = read_text_file(file);
  if (text.has_error()) return text.error();
  if (routing::is_forwarding_list(*text)) {
    if (!keeps_lids(prepared)) {
      complain(
          fmt::format("{} knows ports by their LIDs, and not all LIDs that are planned are "
                      "those of the fabric",
                      file.string()));
    }
    return routing::parse_forwarding_list(*text, file.string(), fabric.topology, fabric.lids);
  }
  return routing::parse_table_dump(*text, file.string(), fabric.topology, fabric.lids);
}

// What stands in the switches of a fabric that runs, if it can be judged.
std::optional<routing::Routes> standing_routes(const Prepared& prepared) {
  if (!prepared.live) return std::nullopt;
  if (!keeps_lids(prepared)) {
    complain("LIDs are planned that the fabric does not have, so what stands in it is not judged");
    return std::nullopt;
  }
  auto tables = standing_tables(*prepared.live, prepared.fabric.topology);
  if (!tables) return std::nullopt;
  return routing::Routes{"standing", *std::move(tables), {}};
}

std::string text_of(const PlanReport& report, const std::string& format) {
  if (format == "json") return plan_json(report);
  return format == "csv" ? plan_csv(report) : plan_table(report);
}

PlanReport describe(const Prepared& prepared, const PlanRouteArguments& arguments) {
  const PlannedFabric& fabric = prepared.fabric;
  PlanReport report;
  report.fabric = prepared.blueprint.title;
  report.warnings = prepared.warnings;
  report.metrics = arguments.metrics;
  report.seed = arguments.seed;
  report.alike = fabric.rates.alike();
  report.unit = fabric.rate_unit;
  report.unit_gigabits = fabric.rates.unit();
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
  PlanProgress progress;
  auto cores = progress.watched(all_cores());  // which start while the fabric is read
  const auto prepared = prepare(arguments.input, arguments.routing, progress);
  if (prepared.has_error()) return progress.fail(prepared.error());
  const PlannedFabric& fabric = prepared->fabric;
  const auto traffic = find_traffic(arguments, fabric);
  if (traffic.has_error()) return progress.fail(traffic.error());
  PlanReport report = describe(*prepared, arguments);
  const EngineTrials trials(fabric, prepared->policy, progress);
  const Measurer measurer(arguments, fabric, *traffic, progress, std::move(cores));
  if (const auto standing = standing_routes(*prepared)) {
    report.engines.push_back(measurer.judge(trials, *standing));
  }
  if (!arguments.tables.empty()) {
    auto dumped = read_table_dump(arguments.tables, *prepared);
    if (dumped.has_error()) return progress.fail(dumped.error());
    report.engines.push_back(
        measurer.judge(trials, {"file", std::move(dumped->tables), std::move(dumped->notes)}));
  }
  for (const std::string& name : prepared->policy.engines) {
    report.engines.push_back(measurer.try_engine(trials, name));
  }
  const Exit printed = print_whole(text_of(report, arguments.format), progress);
  if (printed != Exit::Ok) return printed;
  const bool certified = std::any_of(report.engines.begin(), report.engines.end(),
                                     [](const EngineReport& engine) { return engine.certified; });
  return certified ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
