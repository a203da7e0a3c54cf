// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli_plan_report.hpp"
#include "app/clock.hpp"
#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "app/files.hpp"
#include "app/parallel.hpp"
#include "app/planned_fabric.hpp"
#include "app/progress.hpp"
#include "app/routing_files.hpp"
#include "fabric/verification.hpp"
#include "plan/loads.hpp"
#include "plan/report.hpp"
#include "plan/svg.hpp"
#include "routing/engine.hpp"
#include "routing/selection.hpp"
#include "sim/link_kind.hpp"

namespace heddle::app {
namespace {

// Of packed tables: in the page they are four thirds of it, and the page shall stay below 10 MB.
constexpr std::size_t kMostTableBytes = 5'000'000;

double seconds_since(base::Instant begin) {
  return std::chrono::duration<double>(steady_now() - begin).count();
}

// One line on a terminal that says what is being done.
class Step {
 public:
  explicit Step(const std::string& what) : live_(is_live_terminal(STDERR_FILENO)) {
    if (live_) std::cerr << "\r\x1b[K" << what << std::flush;
  }
  ~Step() {
    if (live_) std::cerr << "\r\x1b[K" << std::flush;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  bool live_;
};

// What each cable carries, by port.
void describe_cables(const sim::Blueprint& blueprint, const fabric::Topology& topology,
                     plan::Report& report) {
  std::map<std::string, std::uint8_t> kinds;
  report.kind_of_port.resize(topology.port_count());
  for (const sim::PlannedCable& cable : blueprint.cables) {
    const std::string kind =
        fmt::format("{} {}", sim::name_of(cable.width), sim::name_of(cable.speed));
    const auto [place, added] = kinds.emplace(kind, static_cast<std::uint8_t>(kinds.size()));
    if (added) report.link_kinds.push_back(kind);
    for (const sim::PlannedEnd& end : {cable.a, cable.b}) {
      const auto node = topology.find_node(blueprint.nodes[end.node].guid);
      if (!node || end.port > topology.node(*node).port_count) continue;
      const auto port = topology.port_of(*node, mad::PortNumber{end.port});
      report.kind_of_port[port.value] = place->second;
    }
  }
}

class Reporter {
 public:
  Reporter(const PlanReportArguments& arguments, const PlannedFabric& fabric, plan::Report& report)
      : arguments_(arguments), fabric_(fabric), report_(report), parallel_(all_cores()) {
    options_.root_guids = arguments.root_guids;
  }

  std::optional<base::Error> read_options() {
    if (arguments_.torus_config.empty()) return std::nullopt;
    auto torus = read_torus_file(arguments_.torus_config);
    if (torus.has_error()) return torus.error();
    options_.torus = *std::move(torus);
    return std::nullopt;
  }

  void try_engines() {
    for (const std::string& name : arguments_.engines) try_engine(*routing::find_engine(name));
    if (!kept_) {
      report_.why_no_tables = "No engine made tables, so there are no ways to show.";
      return;
    }
    report_.tables_engine = kept_of_;
    const Step step("packing tables");
    report_.tables = plan::compact(*kept_, kMostTableBytes, parallel_);
    if (!report_.tables) {
      report_.why_no_tables = fmt::format(
          "The tables of {} would take more than {} MB, so this page does not carry them.",
          report_.engines[kept_of_].name, kMostTableBytes / 1'000'000);
    }
  }

 private:
  void try_engine(const routing::Engine& engine) {
    plan::ReportedEngine& row = report_.engines.emplace_back();
    row.name = engine.name();
    const auto begin = steady_now();
    const Step step("routing with " + row.name);
    auto routes = engine.route({fabric_.topology, fabric_.lids, options_, parallel_,
                                std::min(arguments_.vls, fabric_.data_vls)});
    if (routes.has_error()) {
      row.reason = routes.error().message;
      return;
    }
    row.seconds = seconds_since(begin);
    judge(*routes, row);
    measure(*routes, row);
    keep(std::move(routes->tables), row);
  }

  void judge(const routing::Routes& routes, plan::ReportedEngine& row) {
    row.vls = routes.lanes.vls;
    row.notes = routes.notes;
    if (!routes.engine.empty() && routes.engine != row.name) {
      row.notes.insert(row.notes.begin(), fmt::format("tables of the engine {}", routes.engine));
    }
    const Step step("proving the tables of " + row.name);
    const auto begin = steady_now();
    const auto proof =
        fabric::verify(fabric_.topology, fabric_.lids, routes.tables, routes.lanes, parallel_);
    row.verify_seconds = seconds_since(begin);
    routing::Policy policy;
    policy.max_vls = arguments_.vls;
    const auto reason = routing::objection(fabric_.topology, policy, routes.lanes, proof);
    row.certified = !reason;
    row.reason = reason.value_or("");
  }

  void measure(const routing::Routes& routes, plan::ReportedEngine& row) {
    const Step step("measuring the tables of " + row.name);
    row.loads = routing::measure_loads(fabric_.topology, fabric_.lids, routes.tables, parallel_);
    const std::size_t hosts = fabric_.topology.endports().size() - fabric_.topology.switch_count();
    if (arguments_.samples == 0 || hosts < 2) return;
    routing::PatternOptions patterns;
    patterns.seed = arguments_.seed;
    patterns.bisections = arguments_.samples;
    patterns.most_packets = std::uint64_t{arguments_.samples} * hosts;
    row.patterns = routing::measure_patterns(fabric_.topology, fabric_.lids, routes.tables,
                                             patterns, parallel_);
  }

  // Those of --paths; else the first that are proven, else the first.
  void keep(fabric::ForwardingTables tables, const plan::ReportedEngine& row) {
    const bool better = row.certified && kept_ && !report_.engines[kept_of_].certified;
    const bool wanted = arguments_.paths.empty() ? !kept_ || better : row.name == arguments_.paths;
    if (!wanted) return;
    kept_ = std::move(tables);
    kept_of_ = report_.engines.size() - 1;
  }

  const PlanReportArguments& arguments_;
  const PlannedFabric& fabric_;
  plan::Report& report_;
  base::ParallelFor parallel_;
  routing::Options options_;
  std::optional<fabric::ForwardingTables> kept_;
  std::size_t kept_of_ = 0;
};

base::Result<void> write_text(const std::filesystem::path& file, const std::string& text) {
  return replace_file(file, [&](std::ostream& stream) { stream << text; });
}

base::Result<void> write_files(const PlanReportArguments& arguments, const PlannedFabric& fabric,
                               const plan::Report& report) {
  const Step step("writing");
  if (!arguments.svg.empty()) {
    plan::DrawnLoads loads;
    for (const plan::ReportedEngine& engine : report.engines) {
      if (!engine.loads || !loads.load.empty()) continue;
      const double unit = plan::host_load(fabric.topology, fabric.lids);
      loads.load = engine.loads->load;
      loads.hottest = unit * plan::hottest_load({&engine.loads->quality}, unit);
    }
    const auto written = write_text(
        arguments.svg, plan::svg_of(fabric.topology, report.layout, report.title, loads));
    if (written.has_error()) return written;
  }
  if (arguments.output.empty()) return {};
  return write_text(arguments.output, plan::report_html(report));
}

}  // namespace

Exit run_plan_report(const PlanReportArguments& arguments) {
  const auto blueprint = sim::load_fabric(arguments.fabric, fabric_load_options(arguments.ibnl));
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  for (const std::string& warning : blueprint->warnings) complain(warning);
  const auto fabric = plan_fabric(*blueprint, arguments.lmc);
  if (fabric.has_error()) {
    complain(fabric.error().message);
    return Exit::Fabric;
  }
  std::optional<Step> drawing(std::in_place, "arranging the picture");
  const plan::Layout layout = plan::lay_out(fabric->topology);
  drawing.reset();
  // Of a file the name alone: the page is for others, who need not know where it lay.
  const std::string title = blueprint->title.substr(blueprint->title.rfind('/') + 1);
  plan::Report report{title,  "heddle " HEDDLE_VERSION, fabric->topology, fabric->lids,
                      layout, blueprint->warnings};
  describe_cables(*blueprint, fabric->topology, report);
  Reporter reporter(arguments, *fabric, report);
  if (const auto error = reporter.read_options()) {
    complain(error->message);
    return Exit::Fabric;
  }
  reporter.try_engines();
  const auto written = write_files(arguments, *fabric, report);
  if (written.has_error()) {
    complain(written.error().message);
    return Exit::Output;
  }
  const bool certified = std::any_of(report.engines.begin(), report.engines.end(),
                                     [](const auto& engine) { return engine.certified; });
  return certified ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
