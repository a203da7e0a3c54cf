// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/text.hpp"

namespace heddle::app {
namespace {

using Json = nlohmann::ordered_json;

// Six digits that matter: all that a reader could use of a measurement.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::optional<double>& value) {
  return value ? Json(rounded(*value)) : Json(nullptr);
}

// Routes of everyone to everyone over the busiest cable, against those over a host's own.
double all_to_all(const PlanReport& report, const routing::Quality& quality) {
  if (report.hosts < 2) return 0;
  return static_cast<double>(quality.greatest_load) / static_cast<double>(report.hosts - 1);
}

// One value for each column, in the order of JSON; lists and texts of any length are left out.
Json figures(const PlanReport& report, const EngineReport& engine) {
  Json row{{"engine", engine.engine},
           {"certified", engine.certified},
           {"seconds", or_null(engine.seconds)},
           {"verify_seconds", or_null(engine.verify_seconds)},
           {"vls", or_null(engine.vls)}};
  const auto& quality = engine.quality;
  const auto& patterns = engine.patterns;
  const auto of_quality = [&](const char* key, auto value) {
    row[key] = quality ? Json(value(*quality)) : Json(nullptr);
  };
  const auto of_patterns = [&](const char* key, auto value) {
    row[key] = patterns ? Json(value(*patterns)) : Json(nullptr);
  };
  using Q = routing::Quality;
  using P = routing::PatternQuality;
  of_quality("max_load", [](const Q& q) { return q.greatest_load; });
  of_quality("p99_load", [](const Q& q) { return q.p99_load; });
  of_quality("mean_load", [](const Q& q) { return rounded(q.mean_load); });
  of_quality("all_to_all", [&](const Q& q) { return rounded(all_to_all(report, q)); });
  of_quality("mean_hops", [](const Q& q) { return rounded(q.mean_hops); });
  of_quality("max_hops", [](const Q& q) { return q.max_hops; });
  of_patterns("shift_worst", [](const P& p) { return p.shift_worst; });
  of_patterns("shift_mean", [](const P& p) { return rounded(p.shift_mean); });
  of_patterns("shifts", [](const P& p) { return p.shifts; });
  of_patterns("ebb", [](const P& p) { return rounded(p.weighted.effective_bandwidth); });
  of_patterns("bisection_worst", [](const P& p) { return rounded(p.bisection_worst_mean); });
  of_patterns("bisections", [](const P& p) { return p.bisections; });
  of_quality("max_weighted_load", [&](const Q&) { return rounded(engine.weighted.greatest); });
  of_quality("p99_weighted_load", [&](const Q&) { return rounded(engine.weighted.p99); });
  of_quality("mean_weighted_load", [&](const Q&) { return rounded(engine.weighted.mean); });
  of_patterns("weighted_shift_worst", [](const P& p) { return rounded(p.weighted.shift_worst); });
  of_patterns("weighted_shift_mean", [](const P& p) { return rounded(p.weighted.shift_mean); });
  of_patterns("ebb_by_count", [](const P& p) { return rounded(p.effective_bandwidth); });
  of_patterns("ebb_gigabits",
              [&](const P& p) { return rounded(p.weighted.rate * report.unit_gigabits); });
  row["seed"] = report.seed;
  return row;
}

Json traffic_json(const EngineReport& engine) {
  Json patterns = Json::array();
  for (const TrafficReport& traffic : engine.traffic) {
    Json worst = Json::array();
    for (const auto& link : traffic.worst) {
      worst.push_back({{"from", link.from},
                       {"to", link.to},
                       {"load", link.load},
                       {"weighted_load", rounded(link.weighted)}});
    }
    patterns.push_back({{"pattern", traffic.pattern},
                        {"flows", traffic.flows},
                        {"max_load", traffic.greatest},
                        {"mean_max_load", rounded(traffic.mean_greatest)},
                        {"max_weighted_load", rounded(traffic.greatest_weighted)},
                        {"mean_max_weighted_load", rounded(traffic.mean_weighted)},
                        {"worst", std::move(worst)}});
  }
  return patterns;
}

std::string traffic_text(const PlanReport& report, const EngineReport& engine) {
  std::string text;
  for (const TrafficReport& traffic : engine.traffic) {
    text += fmt::format("{}: {}: {} flows, at most {} over a link", engine.engine, traffic.pattern,
                        with_commas(traffic.flows), with_commas(traffic.greatest));
    const bool is_mean = traffic.pattern == "shift" || traffic.pattern == "bisection";
    if (is_mean) text += fmt::format(" ({:.4g} in the mean)", traffic.mean_greatest);
    if (!report.alike) {
      text += fmt::format("; weighted {:.4g}", traffic.greatest_weighted);
      if (is_mean) text += fmt::format(" ({:.4g} in the mean)", traffic.mean_weighted);
    }
    text += "\n";
    for (const auto& link : traffic.worst) {
      text += fmt::format("  {:>10}", with_commas(link.load));
      if (!report.alike) text += fmt::format("  {:>10.4g}", link.weighted);
      text += fmt::format("  {} -> {}\n", link.from, link.to);
    }
  }
  return text;
}

// What figures depend on.
std::string conditions_text(const PlanReport& report) {
  const bool has_traffic =
      std::any_of(report.engines.begin(), report.engines.end(),
                  [](const EngineReport& engine) { return !engine.traffic.empty(); });
  if (!report.metrics && !has_traffic) return {};
  std::string text = fmt::format("pairs and shifts by seed {}", report.seed);
  if (!report.alike) {
    text += fmt::format(
        "; links are not all as fast: weighted loads count a route over {} as 1, and over others "
        "by what they carry",
        report.unit);
  }
  return text + "\n";
}

Json as_json(const PlanReport& report, const EngineReport& engine) {
  Json row = figures(report, engine);
  row["hops"] = engine.quality ? Json(engine.quality->hops) : Json(nullptr);
  row["fewest_hops"] = engine.quality ? Json(engine.quality->fewest_hops) : Json(nullptr);
  row["lost_routes"] = engine.quality ? Json(engine.quality->lost) : Json(nullptr);
  row["reason"] = engine.certified ? Json(nullptr) : Json(engine.reason);
  row["notes"] = engine.notes;
  if (!engine.traffic.empty()) row["traffic"] = traffic_json(engine);
  return row;
}

struct Column {
  const char* title;
  const char* key;
  bool measured;          // only with --metrics
  bool weighted = false;  // only where links are not all as fast
};

constexpr std::array kColumns{
    Column{"ENGINE", "engine", false},
    Column{"PROVEN", "certified", false},
    Column{"SECONDS", "seconds", false},
    Column{"PROOF", "verify_seconds", false},
    Column{"VLS", "vls", false},
    Column{"MAX LOAD", "max_load", true},
    Column{"P99", "p99_load", true},
    Column{"MEAN", "mean_load", true},
    Column{"HOPS", "mean_hops", true},
    Column{"SHIFT WORST", "shift_worst", true},
    Column{"SHIFT MEAN", "shift_mean", true},
    Column{"MAX WEIGHTED", "max_weighted_load", true, true},
    Column{"SHIFT WEIGHTED", "weighted_shift_worst", true, true},
    Column{"EBB", "ebb", true},
    Column{"EBB BY COUNT", "ebb_by_count", true, true},
};

bool is_shown(const Column& column, const PlanReport& report) {
  return (report.metrics || !column.measured) && (!report.alike || !column.weighted);
}

std::string cell(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return with_commas(value.get<std::uint64_t>());
}

}  // namespace

std::string plan_table(const PlanReport& report) {
  std::vector<std::vector<std::string>> rows(1);
  for (const Column& column : kColumns) {
    if (is_shown(column, report)) rows[0].push_back(column.title);
  }
  for (const EngineReport& engine : report.engines) {
    const Json row = figures(report, engine);
    rows.emplace_back();
    for (const Column& column : kColumns) {
      if (is_shown(column, report)) rows.back().push_back(cell(row[column.key]));
    }
  }
  std::string text = fmt::format(
      "{}: {}, {}, {}, {}\n", report.fabric, counted(report.switches, "switch", "switches"),
      counted(report.hosts, "host", "hosts"), counted(report.links, "link", "links"),
      counted(report.lids, "LID", "LIDs"));
  text += conditions_text(report);
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[i].size());
      line +=
          i == 0 ? fmt::format("{:<{}}", row[i], width) : fmt::format("  {:>{}}", row[i], width);
    }
    text += line + "\n";
  }
  for (const EngineReport& engine : report.engines) {
    if (!engine.certified) text += fmt::format("{}: {}\n", engine.engine, engine.reason);
    for (const std::string& note : engine.notes) {
      text += fmt::format("{}: {}\n", engine.engine, note);
    }
    text += traffic_text(report, engine);
  }
  return text;
}

std::string plan_json(const PlanReport& report) {
  Json engines = Json::array();
  for (const EngineReport& engine : report.engines) engines.push_back(as_json(report, engine));
  const Json whole{{"fabric", report.fabric},     {"switches", report.switches},
                   {"hosts", report.hosts},       {"links", report.links},
                   {"lids", report.lids},         {"seed", report.seed},
                   {"unit", report.unit},         {"unit_gigabits", report.unit_gigabits},
                   {"warnings", report.warnings}, {"engines", std::move(engines)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string plan_csv(const PlanReport& report) {
  std::string text;
  const Json names = figures(report, EngineReport{});
  for (const auto& [key, value] : names.items()) {
    text += (text.empty() ? "" : ",") + key;
  }
  text += "\n";
  for (const EngineReport& engine : report.engines) {
    std::string line;
    const Json row = figures(report, engine);
    for (const auto& [key, value] : row.items()) {
      const std::string word = value.is_null()     ? ""
                               : value.is_string() ? value.get<std::string>()
                                                   : value.dump();
      line += (key == "engine" ? "" : ",") + word;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace heddle::app
