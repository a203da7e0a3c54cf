// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files.hpp"
#include "app/parallel.hpp"
#include "app/plan_commands.hpp"
#include "app/plan_input.hpp"
#include "app/plan_progress.hpp"
#include "app/plan_routing.hpp"
#include "app/plan_what_if_text.hpp"
#include "app/planned_fabric.hpp"
#include "base/text.hpp"
#include "plan/loss.hpp"
#include "plan/moves.hpp"
#include "plan/what_if.hpp"

namespace heddle::app {
namespace {

// "links=1..20"
struct Amount {
  plan::Kind kind{};
  std::size_t first = 1, last = 1;
};

std::optional<plan::Kind> kind_of(std::string_view word) {
  if (word == "links") return plan::Kind::Links;
  if (word == "switches") return plan::Kind::Switches;
  if (word == "hosts") return plan::Kind::Hosts;
  return std::nullopt;
}

base::Result<Amount> parse_amount(const std::string& text, bool is_range) {
  const auto wrong = [&] {
    return base::error(fmt::format("'{}' is not understood: {} is wanted", text,
                                   is_range ? "links=1..20" : "links=20"));
  };
  const std::size_t equals = text.find('=');
  const auto kind = kind_of(std::string_view(text).substr(0, equals));
  if (equals == text.npos || !kind) return wrong();
  const std::string_view rest = std::string_view(text).substr(equals + 1);
  if (!is_range && rest == "all") return Amount{*kind, 1, static_cast<std::size_t>(-1)};
  const std::size_t dots = rest.find("..");
  if ((dots == rest.npos) == is_range) return wrong();
  const auto first = base::parse_number(rest.substr(0, dots), 1'000'000);
  const auto last = is_range ? base::parse_number(rest.substr(dots + 2), 1'000'000) : first;
  if (!first || !last || *first < 1 || *last < *first) return wrong();
  return Amount{*kind, *first, *last};
}

void add(const plan::Loss& more, plan::Loss& loss) {
  loss.cables.insert(loss.cables.end(), more.cables.begin(), more.cables.end());
  loss.nodes.insert(loss.nodes.end(), more.nodes.begin(), more.nodes.end());
}

// Each a case of its own; the error names the option's word.
base::Result<std::vector<WhatIfReport::Case>> find_cases(const fabric::Topology& topology,
                                                         const PlanWhatIfArguments& arguments) {
  const auto given = plan::parse_losses(topology, arguments.cut);
  if (given.has_error()) return given.error();
  std::vector<WhatIfReport::Case> cases;
  const auto put = [&](plan::Loss loss, std::optional<std::size_t> size, std::string text) {
    WhatIfReport::Case one{std::move(text), size, {}};
    one.answer.loss = std::move(loss);
    cases.push_back(std::move(one));
  };
  plan::Loss together = *given;
  if (!arguments.random.empty()) {
    const auto amount = parse_amount(arguments.random, false);
    if (amount.has_error()) return amount.error();
    auto chosen = plan::shuffled(topology, amount->kind, arguments.seed);
    chosen.resize(std::min(chosen.size(), amount->last));
    for (const auto& one : chosen) add(one, together);
  }
  if (!together.cables.empty() || !together.nodes.empty()) {
    put(together, std::nullopt, plan::describe(topology, together));
  }
  for (const bool is_series : {false, true}) {
    const std::string& text = is_series ? arguments.series : arguments.each;
    if (text.empty()) continue;
    const auto amount = parse_amount(text, is_series);
    if (amount.has_error()) return amount.error();
    const auto chosen = plan::shuffled(topology, amount->kind, arguments.seed);
    plan::Loss all;
    for (std::size_t i = 0; i < std::min(chosen.size(), amount->last); ++i) {
      add(chosen[i], all);
      const std::string name = plan::describe(topology, chosen[i]);
      if (!is_series) put(chosen[i], std::nullopt, name);
      if (is_series && i + 1 >= amount->first) put(all, i + 1, "and " + name);
    }
  }
  return cases;
}

std::string seeded_text(const PlanWhatIfArguments& arguments) {
  for (const std::string* text : {&arguments.random, &arguments.each, &arguments.series}) {
    if (!text->empty()) return *text;
  }
  return {};
}

std::string text_of(const WhatIfReport& report, const std::string& format) {
  if (format == "json") return what_if_json(report);
  return format == "csv" ? what_if_csv(report) : what_if_table(report);
}

// Hosts that are unplugged themselves are gone for a while, and that is no problem.
bool is_fine(const WhatIfReport& report, const WhatIfReport::Case& one) {
  if (!one.answer.error.empty()) return false;
  const bool is_passing = !report.moves.empty() && &one != &report.cases.back();
  return one.parted == 0 && (is_passing || one.answer.after.pairs >= report.before.pairs);
}

plan::WhatIfOptions options_of(const PlanWhatIfArguments& arguments, const Prepared& prepared) {
  return {prepared.policy, arguments.seed, arguments.bisections, prepared.fabric.rates};
}

WhatIfReport start_report(const PlanWhatIfArguments& arguments, const Prepared& prepared,
                          const std::string& engine, const plan::Figures& before) {
  WhatIfReport report;
  report.fabric = prepared.blueprint.title;
  report.engine = engine;
  report.warnings = prepared.warnings;
  report.alike = prepared.fabric.rates.alike();
  report.unit = prepared.fabric.rate_unit;
  report.seed = arguments.seed;
  report.seeded = seeded_text(arguments);
  report.with_bandwidth = arguments.bisections > 0;
  report.writes = arguments.writes;
  report.before = before;
  return report;
}

Exit tell(const WhatIfReport& report, const PlanWhatIfArguments& arguments,
          PlanProgress& progress) {
  if (!arguments.plot.empty()) {
    progress.write(arguments.plot.string());
    const auto written =
        replace_file(arguments.plot, [&](std::ostream& out) { out << what_if_plot(report); });
    if (written.has_error()) return progress.fail(written.error(), Exit::Output);
  }
  const Exit printed = print_whole(text_of(report, arguments.format), progress);
  if (printed != Exit::Ok) return printed;
  const bool fine =
      std::all_of(report.cases.begin(), report.cases.end(),
                  [&](const WhatIfReport::Case& one) { return is_fine(report, one); });
  return fine ? Exit::Ok : Exit::Problems;
}

using MoveCases = std::vector<WhatIfReport::Case>;

MoveCases cases_of(const plan::Move& move, std::size_t step, plan::MoveAnswer answer) {
  MoveCases cases;
  for (std::size_t i = 0; i < answer.phases.size(); ++i) {
    const std::string phase = i == 0 && answer.has_out ? "out" : "in";
    plan::MoveAnswer::Phase& told = answer.phases[i];
    cases.push_back({fmt::format("{}: {}", phase, move.text), step, std::move(told.answer),
                     move.line, phase, told.parted});
  }
  return cases;
}

Exit run_moves(const PlanWhatIfArguments& arguments, Prepared& prepared, PlanProgress& progress) {
  PlannedFabric& fabric = prepared.fabric;
  const auto text = read_text_file(arguments.moves);
  if (text.has_error()) return progress.fail(text.error());
  const auto moves = plan::parse_moves(*text, arguments.moves.string(), fabric.topology);
  if (moves.has_error()) return progress.fail(moves.error());
  const auto parallel = progress.watched(all_cores());
  progress.begin("routing the fabric as it is");
  const auto upgrade = plan::Upgrade::make(std::move(fabric.topology), std::move(fabric.lids),
                                           options_of(arguments, prepared), parallel);
  if (upgrade.has_error()) return progress.fail(upgrade.error(), Exit::Problems);
  note_standing(prepared, (*upgrade)->topology(), (*upgrade)->tables(), progress);
  WhatIfReport report =
      start_report(arguments, prepared, (*upgrade)->engine(), (*upgrade)->before());
  report.moves = arguments.moves.string();
  progress.begin("taking steps", moves->size());
  for (std::size_t i = 0; i < moves->size(); ++i) {
    auto cases = cases_of((*moves)[i], i + 1, (*upgrade)->take((*moves)[i], parallel));
    std::move(cases.begin(), cases.end(), std::back_inserter(report.cases));
    progress.done_one();
  }
  return tell(report, arguments, progress);
}

}  // namespace

Exit run_plan_what_if(const PlanWhatIfArguments& arguments) {
  PlanProgress progress;
  auto prepared = prepare(arguments.input, arguments.routing, progress);
  if (prepared.has_error()) return progress.fail(prepared.error());
  if (!arguments.moves.empty()) return run_moves(arguments, *prepared, progress);
  PlannedFabric& fabric = prepared->fabric;
  auto cases = find_cases(fabric.topology, arguments);
  if (cases.has_error()) return progress.fail(cases.error());
  if (cases->empty()) {
    return progress.fail(
        base::error("nothing is lost: --cut, --random, --each, --series or --moves is wanted"),
        Exit::Usage);
  }
  const auto parallel = progress.watched(all_cores());
  progress.begin("routing the fabric as it is");
  const auto asked = plan::WhatIfs::make(std::move(fabric.topology), std::move(fabric.lids),
                                         options_of(arguments, *prepared), parallel);
  if (asked.has_error()) return progress.fail(asked.error(), Exit::Problems);
  note_standing(*prepared, (*asked)->topology(), (*asked)->selected().routes.tables, progress);
  WhatIfReport report =
      start_report(arguments, *prepared, (*asked)->selected().routes.engine, (*asked)->before());
  report.cases = std::move(*cases);
  progress.begin("asking of losses", report.cases.size());
  parallel(report.cases.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      report.cases[i].answer = (*asked)->ask(report.cases[i].answer.loss);
      progress.done_one();
    }
  });
  return tell(report, arguments, progress);
}

}  // namespace heddle::app
