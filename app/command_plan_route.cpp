// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_progress.hpp"
#include "app/plan_report.hpp"
#include "app/plan_routing.hpp"
#include "app/planned_fabric.hpp"
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

class Measurer {
 public:
  Measurer(const PlanRouteArguments& arguments, const PlannedFabric& fabric, const Traffic& traffic,
           PlanProgress& progress)
      : arguments_(arguments),
        fabric_(fabric),
        traffic_(traffic),
        progress_(progress),
        parallel_(progress.watched(all_cores())) {}

  EngineReport try_engine(const EngineTrials& trials, const std::string& name) const {
    EngineReport report;
    report.engine = name;
    const auto routes = trials.route(report, parallel_);
    if (routes) measure(*routes, report);
    return report;
  }
  EngineReport judge_dump(const EngineTrials& trials, routing::DumpedTables dumped) const {
    EngineReport report;
    const routing::Routes routes{"file", std::move(dumped.tables), std::move(dumped.notes)};
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
    report.quality =
        routing::measure_quality(fabric_.topology, fabric_.lids, routes.tables, parallel_);
    routing::PatternOptions options;
    options.seed = arguments_.seed;
    report.patterns = routing::measure_patterns(fabric_.topology, fabric_.lids, routes.tables,
                                                options, parallel_);
  }

  const PlanRouteArguments& arguments_;
  const PlannedFabric& fabric_;
  const Traffic& traffic_;
  PlanProgress& progress_;
  base::ParallelFor parallel_;
};

// Of any size; a subnet manager takes less.
base::Result<routing::DumpedTables> read_table_dump(const std::filesystem::path& file,
                                                    const PlannedFabric& fabric) {
  const auto text = read_text_file(file);
  if (text.has_error()) return text.error();
  return routing::parse_table_dump(*text, file.string(), fabric.topology, fabric.lids);
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
  PlanProgress progress;
  const auto blueprint = load_plan_input(arguments.input, progress);
  if (blueprint.has_error()) return progress.fail(blueprint.error());
  warn_of_loads(*blueprint, progress);
  const auto fabric = plan_fabric(*blueprint, arguments.routing.lmc);
  if (fabric.has_error()) return progress.fail(fabric.error());
  const auto traffic = find_traffic(arguments, *fabric);
  if (traffic.has_error()) return progress.fail(traffic.error());
  const auto policy = policy_of(arguments.routing, *fabric);
  if (policy.has_error()) return progress.fail(policy.error());
  PlanReport report = describe(*blueprint, *fabric);
  report.metrics = arguments.metrics;
  const EngineTrials trials(*fabric, *policy, progress);
  const Measurer measurer(arguments, *fabric, *traffic, progress);
  if (!arguments.tables.empty()) {
    auto dumped = read_table_dump(arguments.tables, *fabric);
    if (dumped.has_error()) return progress.fail(dumped.error());
    report.engines.push_back(measurer.judge_dump(trials, *std::move(dumped)));
  }
  for (const std::string& name : arguments.routing.engines) {
    report.engines.push_back(measurer.try_engine(trials, name));
  }
  const Exit printed = print_whole(text_of(report, arguments.format), progress);
  if (printed != Exit::Ok) return printed;
  const bool certified = std::any_of(report.engines.begin(), report.engines.end(),
                                     [](const EngineReport& engine) { return engine.certified; });
  return certified ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
