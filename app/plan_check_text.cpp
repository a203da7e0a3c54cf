// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_check_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/text.hpp"
#include "base/escape.hpp"

namespace heddle::app {
namespace {

using Json = nlohmann::ordered_json;
using plan::Severity;

std::string line_text(const plan::Finding& finding) {
  return finding.line == 0 ? "" : fmt::format(" (line {})", finding.line);
}

std::string levels_text(const plan::Levels& levels) {
  if (!levels.is_tree || levels.levels.size() < 2) return {};
  std::string text = "LEVEL  SWITCHES  HOSTS  LINKS UP  OVERSUBSCRIPTION\n";
  for (std::size_t i = 0; i < levels.levels.size(); ++i) {
    const auto& level = levels.levels[i];
    const std::string over =
        level.up_gigabits > 0 ? fmt::format("{:.2f}:1", level.oversubscription()) : "-";
    text += fmt::format("{:>5}  {:>8}  {:>5}  {:>8}  {:>16}\n", i, level.switches, level.hosts,
                        level.links_up, over);
  }
  return text;
}

}  // namespace

std::size_t CheckReport::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const plan::Finding& finding) { return finding.severity == severity; }));
}

std::string check_table(const CheckReport& report) {
  std::string text = fmt::format(
      "{}: {}, {}, {}\n", report.fabric, counted(report.switches, "switch", "switches"),
      counted(report.hosts, "host", "hosts"), counted(report.cables, "cable", "cables"));
  text += levels_text(report.levels);
  for (const plan::Finding& finding : report.findings) {
    text += fmt::format("{}: {}: {}{}\n", name_of(finding.severity), finding.check, finding.text,
                        line_text(finding));
  }
  return text + fmt::format("{}, {}\n", counted(report.count(Severity::Error), "error", "errors"),
                            counted(report.count(Severity::Warning), "warning", "warnings"));
}

std::string check_json(const CheckReport& report) {
  Json levels = Json::array();
  for (const auto& level : report.levels.levels) {
    const bool is_top = level.up_gigabits == 0;
    levels.push_back({{"switches", level.switches},
                      {"hosts", level.hosts},
                      {"links_up", level.links_up},
                      {"down_gigabits", level.down_gigabits},
                      {"up_gigabits", level.up_gigabits},
                      {"oversubscription", is_top ? Json() : Json(level.oversubscription())}});
  }
  Json findings = Json::array();
  for (const plan::Finding& finding : report.findings) {
    findings.push_back({{"severity", name_of(finding.severity)},
                        {"check", finding.check},
                        {"code", finding.code},
                        {"text", finding.text},
                        {"where", finding.where},
                        {"line", finding.line == 0 ? Json() : Json(finding.line)}});
  }
  const Json whole{{"fabric", report.fabric},
                   {"plan", report.plan.empty() ? Json() : Json(report.plan)},
                   {"switches", report.switches},
                   {"hosts", report.hosts},
                   {"cables", report.cables},
                   {"tree", report.levels.is_tree},
                   {"levels", std::move(levels)},
                   {"errors", report.count(Severity::Error)},
                   {"warnings", report.count(Severity::Warning)},
                   {"findings", std::move(findings)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string check_csv(const CheckReport& report) {
  std::string text = "severity,check,code,line,where,text\n";
  for (const plan::Finding& finding : report.findings) {
    const std::string line = finding.line == 0 ? "" : fmt::format("{}", finding.line);
    text +=
        fmt::format("{},{},{},{},{},{}\n", name_of(finding.severity), finding.check, finding.code,
                    line, base::csv_field(fmt::format("{}", fmt::join(finding.where, " "))),
                    base::csv_field(finding.text));
  }
  return text;
}

}  // namespace heddle::app
