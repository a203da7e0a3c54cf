// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/files.hpp"
#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_progress.hpp"
#include "app/plan_routing.hpp"
#include "app/planned_fabric.hpp"
#include "app/report_cables.hpp"
#include "plan/loads.hpp"
#include "plan/report.hpp"
#include "plan/svg.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"

namespace heddle::app {
namespace {

// Of packed tables: in the page they are four thirds of it, and the page shall stay below 10 MB.
constexpr std::size_t kMostTableBytes = 5'000'000;

// Of a file the name alone: the page is for others, who need not know where it lay.
std::string without_folders(const std::string& title) {
  return title.substr(title.rfind('/') + 1);
}

std::vector<std::string> warnings_of(const Prepared& prepared) {
  const std::string& title = prepared.blueprint.title;
  std::vector<std::string> warnings;
  for (const std::string& warning : prepared.warnings) {
    const bool has_title = warning.starts_with(title);
    warnings.push_back(has_title ? without_folders(title) + warning.substr(title.size()) : warning);
  }
  return warnings;
}

class Reporter {
 public:
  Reporter(const PlanReportArguments& arguments, const PlannedFabric& fabric,
           const EngineTrials& trials, plan::Report& report, PlanProgress& progress)
      : arguments_(arguments),
        fabric_(fabric),
        trials_(trials),
        report_(report),
        progress_(progress),
        parallel_(progress.watched(all_cores())) {}

  void try_engines() {
    for (const std::string& name : trials_.engines()) {
      plan::ReportedEngine& row = report_.engines.emplace_back();
      row.engine = name;
      auto routes = trials_.route(row, parallel_);
      if (!routes) continue;
      measure(*routes, row);
      keep(std::move(routes->tables), row);
    }
    if (!kept_) {
      report_.why_no_tables = "No engine made tables, so there are no ways to show.";
      return;
    }
    report_.tables_engine = kept_of_;
    progress_.begin("packing tables");
    report_.tables = plan::compact(*kept_, kMostTableBytes, parallel_);
    if (!report_.tables) {
      report_.why_no_tables = fmt::format(
          "The tables of {} would take more than {} MB, so this page does not carry them.",
          report_.engines[kept_of_].engine, kMostTableBytes / 1'000'000);
    }
  }

 private:
  void measure(const routing::Routes& routes, plan::ReportedEngine& row) {
    progress_.begin("measuring the tables of " + row.engine);
    row.loads = routing::measure_loads(fabric_.topology, fabric_.lids, routes.tables, parallel_);
    const std::size_t hosts = fabric_.topology.endports().size() - fabric_.topology.switch_count();
    if (arguments_.samples == 0 || hosts < 2) return;
    routing::PatternOptions patterns;
    patterns.seed = arguments_.seed;
    patterns.bisections = arguments_.samples;
    patterns.most_packets = std::uint64_t{arguments_.samples} * hosts;
    patterns.capacities = &report_.capacities;
    row.patterns = routing::measure_patterns(fabric_.topology, fabric_.lids, routes.tables,
                                             patterns, parallel_);
  }

  // Those of --paths; else the first that are proven, else the first.
  void keep(fabric::ForwardingTables tables, const plan::ReportedEngine& row) {
    const bool better = row.certified && kept_ && !report_.engines[kept_of_].certified;
    const bool wanted =
        arguments_.paths.empty() ? !kept_ || better : row.engine == arguments_.paths;
    if (!wanted) return;
    kept_ = std::move(tables);
    kept_of_ = report_.engines.size() - 1;
  }

  const PlanReportArguments& arguments_;
  const PlannedFabric& fabric_;
  const EngineTrials& trials_;
  plan::Report& report_;
  PlanProgress& progress_;
  base::ParallelFor parallel_;
  std::optional<fabric::ForwardingTables> kept_;
  std::size_t kept_of_ = 0;
};

base::Result<void> write_files(const PlanReportArguments& arguments, const PlannedFabric& fabric,
                               const plan::Report& report, PlanProgress& progress) {
  const auto write_text = [&](const std::filesystem::path& file, const std::string& text) {
    progress.write(file.string());
    return replace_file(file, [&](std::ostream& stream) { stream << text; });
  };
  if (!arguments.svg.empty()) {
    plan::DrawnLoads loads;
    for (const plan::ReportedEngine& engine : report.engines) {
      if (!engine.loads || !loads.load.empty()) continue;
      const double unit = plan::host_load(fabric.topology, fabric.lids);
      loads.load = engine.loads->load;
      loads.weights = plan::channel_weights(fabric.topology, report.capacities);
      loads.hottest = unit * plan::hottest_load({plan::weigh(loads.load, loads.weights)}, unit);
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
  PlanProgress progress;
  const auto prepared = prepare(arguments.input, arguments.routing, progress);
  if (prepared.has_error()) return progress.fail(prepared.error());
  const PlannedFabric& fabric = prepared->fabric;
  const EngineTrials trials(fabric, prepared->policy, progress);
  const auto& engines = trials.engines();
  const bool has_paths =
      std::find(engines.begin(), engines.end(), arguments.paths) != engines.end();
  if (!arguments.paths.empty() && !has_paths) {
    return progress.fail(
        base::error(fmt::format("--paths: '{}' is not among the engines to try", arguments.paths)),
        Exit::Usage);
  }
  progress.begin("arranging the picture");
  const plan::Layout layout = plan::lay_out(fabric.topology);
  plan::Report report{without_folders(prepared->blueprint.title),
                      "heddle " HEDDLE_VERSION,
                      fabric.topology,
                      fabric.lids,
                      layout,
                      warnings_of(*prepared)};
  report.seed = arguments.seed;
  describe_cables(prepared->blueprint, fabric.rates, report);
  report.unit = fabric.rate_unit;
  Reporter(arguments, fabric, trials, report, progress).try_engines();
  progress.begin("writing the page");
  const auto written = write_files(arguments, fabric, report, progress);
  if (written.has_error()) return progress.fail(written.error(), Exit::Output);
  const bool certified = std::any_of(report.engines.begin(), report.engines.end(),
                                     [](const auto& engine) { return engine.certified; });
  return certified ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
