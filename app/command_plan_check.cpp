// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/files.hpp"
#include "app/plan_check_text.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "base/text.hpp"
#include "plan/cabling.hpp"
#include "plan/check.hpp"

namespace heddle::app {
namespace {

// A list of cables by its content, whatever its name; anything else is a fabric.
base::Result<plan::CablingPlan> read_plan(const std::string& file, const PlanInput& input,
                                          PlanProgress& progress) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) {
    const auto text = read_text_file(file);
    if (text.has_error()) return text.error();
    const std::string_view begin = base::trim(std::string_view(*text).substr(0, 4096));
    const std::string_view heading = begin.substr(0, begin.find('\n'));
    if (begin.starts_with("{") && !begin.starts_with("{ CA") && !begin.starts_with("{ SW")) {
      return plan::parse_cabling_json(*text, file);
    }
    const bool has_columns = heading.find(',') != heading.npos;
    if (has_columns && heading.find("->") == heading.npos && heading.find('#') == heading.npos) {
      return plan::parse_cabling_csv(*text, file);
    }
  }
  PlanInput other = input;
  other.fabric = file;
  const auto loaded = load_plan_input(other, progress);
  if (loaded.has_error()) return loaded.error();
  return plan::as_plan(inventory_of(loaded->blueprint));
}

plan::Match match_of(const std::string& name) {
  if (name == "guid") return plan::Match::Guid;
  return name == "name" ? plan::Match::Name : plan::Match::Auto;
}

std::string text_of(const CheckReport& report, const std::string& format) {
  if (format == "json") return check_json(report);
  return format == "csv" ? check_csv(report) : check_table(report);
}

// What the reader of the file was not sure of is a finding too: no number without its warning.
void add_reading(const sim::Blueprint& blueprint, plan::Findings& findings) {
  for (const std::string& warning : blueprint.warnings) {
    unsigned line = 0;
    if (warning.starts_with(blueprint.title + ":")) {
      const std::string_view rest = std::string_view(warning).substr(blueprint.title.size() + 1);
      line = static_cast<unsigned>(
          base::parse_number(rest.substr(0, rest.find(':')), 0x7FFF'FFFF).value_or(0));
    }
    findings.add({plan::Severity::Warning, "file", "doubtful", warning, {}, line});
  }
}

// The largest that a host's port has.
std::uint8_t held_lmc(const sim::Blueprint& blueprint) {
  std::uint8_t lmc = 0;
  for (const sim::PlannedNode& node : blueprint.nodes) {
    if (node.type == mad::NodeType::Switch) continue;
    for (const sim::PlannedPort& port : node.ports) {
      if (port.lid != mad::kNoLid) lmc = std::max(lmc, port.lmc);
    }
  }
  return lmc;
}

}  // namespace

Exit run_plan_check(const PlanCheckArguments& arguments) {
  PlanProgress progress;
  const auto loaded = load_plan_input(arguments.input, progress);
  if (loaded.has_error()) return progress.fail(loaded.error());
  const sim::Blueprint& blueprint = loaded->blueprint;
  const plan::Inventory inventory = inventory_of(blueprint);
  plan::Findings findings;
  CheckReport report;
  report.fabric = blueprint.title;
  report.plan = arguments.plan;
  report.cables = inventory.cables.size();
  for (const auto& node : inventory.nodes) ++(is_switch(node) ? report.switches : report.hosts);
  add_reading(blueprint, findings);
  if (!arguments.plan.empty()) {
    const auto plan = read_plan(arguments.plan, arguments.input, progress);
    if (plan.has_error()) return progress.fail(plan.error());
    progress.begin("comparing with the plan");
    plan::check_cabling(inventory, *plan, match_of(arguments.match), findings);
  }
  progress.begin("checking");
  report.levels =
      plan::check_fabric(inventory, arguments.lmc.value_or(held_lmc(blueprint)), findings);
  report.findings = std::move(findings).take();
  const Exit printed = print_whole(text_of(report, arguments.format), progress);
  if (printed != Exit::Ok) return printed;
  const bool fine =
      report.count(plan::Severity::Error) == 0 && report.count(plan::Severity::Warning) == 0;
  return fine ? Exit::Ok : Exit::Problems;
}

}  // namespace heddle::app
