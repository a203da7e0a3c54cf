// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_what_if_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/text.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "plan/plot.hpp"

namespace heddle::app {
namespace {

using Json = nlohmann::ordered_json;
using Case = WhatIfReport::Case;

std::uint64_t pairs_lost(const WhatIfReport& report, const Case& one) {
  return report.before.pairs - std::min(report.before.pairs, one.answer.after.pairs);
}

std::string bandwidth_text(const WhatIfReport& report, double bandwidth) {
  return report.with_bandwidth ? fmt::format("{:.4f}", bandwidth) : "-";
}

std::string how(const plan::WhatIf& answer) {
  if (!answer.error.empty()) return "NO TABLES";
  if (answer.entries == 0) return "as before";
  return answer.repaired ? "repaired" : "anew";
}

struct Row {
  std::string what, pairs, entries, blocks, switches, load, weighted, bandwidth, by_count, tables,
      loss;
};

// The two of links that are not all as fast only where there are such.
std::string text_of(const WhatIfReport& report, const Row& row) {
  std::string text = fmt::format("{:>8}  {:>11}  {:>9}  {:>7}  {:>8}  {:>8}", row.what, row.pairs,
                                 row.entries, row.blocks, row.switches, row.load);
  if (!report.alike) text += fmt::format("  {:>8}", row.weighted);
  text += fmt::format("  {:>8}", row.bandwidth);
  if (!report.alike) text += fmt::format("  {:>8}", row.by_count);
  return text + fmt::format("  {:<9}  {}\n", row.tables, row.loss);
}

std::string weighted_text(const plan::Figures& figures) {
  return fmt::format("{:.6g}", figures.load.greatest_weighted);
}

std::string case_row(const WhatIfReport& report, const Case& one) {
  const auto& answer = one.answer;
  return text_of(
      report, {one.size ? fmt::format("{}", *one.size) : "", with_commas(pairs_lost(report, one)),
               with_commas(answer.entries), with_commas(answer.blocks()),
               with_commas(answer.writes.size()), with_commas(answer.after.load.greatest),
               weighted_text(answer.after), bandwidth_text(report, answer.after.bandwidth),
               bandwidth_text(report, answer.after.bandwidth_by_count), how(answer), one.loss});
}

std::string writes_text(const plan::WhatIf& answer) {
  std::string text;
  for (const plan::Write& write : answer.writes) {
    text += fmt::format("  {} {}: LinearForwardingTable {} {}\n", base::hex(write.guid.value),
                        write.name, write.blocks.size() == 1 ? "block" : "blocks",
                        fmt::join(write.blocks, " "));
  }
  return text;
}

Json figures(const WhatIfReport& report, const plan::Figures& figures) {
  return {{"pairs", figures.pairs},
          {"max_load", figures.load.greatest},
          {"mean_load", figures.load.mean},
          {"max_weighted_load", figures.load.greatest_weighted},
          {"mean_weighted_load", figures.load.mean_weighted},
          {"ebb", report.with_bandwidth ? Json(figures.bandwidth) : Json()},
          {"ebb_by_count", report.with_bandwidth ? Json(figures.bandwidth_by_count) : Json()}};
}

Json as_json(const WhatIfReport& report, const Case& one) {
  const auto& answer = one.answer;
  Json writes = Json::array();
  for (const plan::Write& write : answer.writes) {
    writes.push_back(
        {{"switch", write.name}, {"guid", base::hex(write.guid.value)}, {"blocks", write.blocks}});
  }
  Json json{{"loss", one.loss},
            {"size", one.size ? Json(*one.size) : Json()},
            {"error", answer.error.empty() ? Json() : Json(answer.error)},
            {"pairs_lost", pairs_lost(report, one)},
            {"how", how(answer)},
            {"entries", answer.entries},
            {"lids", answer.lids},
            {"switches", answer.writes.size()},
            {"blocks", answer.blocks()},
            {"after", figures(report, answer.after)}};
  if (!report.moves.empty()) {
    json["step"] = json["size"];
    json["size"] = nullptr;
    json["line"] = one.line;
    json["phase"] = one.phase;
    json["parted"] = one.parted;
  }
  json["writes"] = std::move(writes);
  return json;
}

}  // namespace

std::string what_if_table(const WhatIfReport& report) {
  std::string text = fmt::format("{}: routed by {}", report.fabric, report.engine);
  if (!report.seeded.empty()) text += fmt::format("; {} by seed {}", report.seeded, report.seed);
  if (report.with_bandwidth && report.seeded.empty()) {
    text += fmt::format("; pairs by seed {}", report.seed);
  }
  text += "\n";
  if (!report.alike) {
    text += fmt::format(
        "links are not all as fast: WEIGHTED counts a route over {} as 1, and over others by what "
        "they carry\n",
        report.unit);
  }
  text +=
      text_of(report, {report.moves.empty() ? "LOST" : "STEP", "PAIRS LOST", "ENTRIES", "BLOCKS",
                       "SWITCHES", "MAX LOAD", "WEIGHTED", "EBB", "BY COUNT", "TABLES", "WHAT"});
  text += text_of(
      report, {"", "0", "0", "0", "0", with_commas(report.before.load.greatest),
               weighted_text(report.before), bandwidth_text(report, report.before.bandwidth),
               bandwidth_text(report, report.before.bandwidth_by_count), "whole", "(as it is)"});
  for (const Case& one : report.cases) {
    text += case_row(report, one);
    if (!one.answer.error.empty()) text += fmt::format("  {}\n", one.answer.error);
    if (report.writes) text += writes_text(one.answer);
  }
  return text;
}

std::string what_if_json(const WhatIfReport& report) {
  Json cases = Json::array();
  for (const Case& one : report.cases) cases.push_back(as_json(report, one));
  const Json whole{{"fabric", report.fabric},     {"engine", report.engine},
                   {"seed", report.seed},         {"unit", report.unit},
                   {"warnings", report.warnings}, {"before", figures(report, report.before)},
                   {"cases", std::move(cases)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string what_if_csv(const WhatIfReport& report) {
  std::string text =
      "size,pairs_lost,entries,lids,blocks,switches,max_load,mean_load,ebb,how,loss,"
      "max_weighted_load,mean_weighted_load,ebb_by_count,seed\n";
  for (const Case& one : report.cases) {
    const auto& answer = one.answer;
    const auto share = [&](double value) {
      return report.with_bandwidth ? fmt::format("{:.6g}", value) : std::string();
    };
    text += fmt::format("{},{},{},{},{},{},{},{:.6g},{},{},{},{:.6g},{:.6g},{},{}\n",
                        one.size ? fmt::format("{}", *one.size) : "", pairs_lost(report, one),
                        answer.entries, answer.lids, answer.blocks(), answer.writes.size(),
                        answer.after.load.greatest, answer.after.load.mean,
                        share(answer.after.bandwidth), how(answer), base::csv_field(one.loss),
                        answer.after.load.greatest_weighted, answer.after.load.mean_weighted,
                        share(answer.after.bandwidth_by_count), report.seed);
  }
  return text;
}

std::string what_if_plot(const WhatIfReport& report) {
  plan::Plot plot;
  plot.title = report.fabric + ": " + report.seeded;
  plot.x_name = "lost";
  plot.lines = {{"pairs of hosts that part", {}},
                {report.alike ? "greatest load of a link, everyone to everyone"
                              : "greatest load of a link by what it carries, everyone to everyone",
                 {}},
                {"entries that change", {}}};
  if (report.with_bandwidth) plot.lines.push_back({"effective bisection bandwidth", {}});
  const auto add = [&](double x, double pairs, const plan::Figures& after, double entries) {
    plot.x.push_back(x);
    plot.lines[0].values.push_back(pairs);
    plot.lines[1].values.push_back(after.load.greatest_weighted);
    plot.lines[2].values.push_back(entries);
    if (report.with_bandwidth) plot.lines[3].values.push_back(after.bandwidth);
  };
  add(0, 0, report.before, 0);
  for (const Case& one : report.cases) {
    if (!one.size || !one.answer.error.empty()) continue;
    add(static_cast<double>(*one.size), static_cast<double>(pairs_lost(report, one)),
        one.answer.after, static_cast<double>(one.answer.entries));
  }
  return plan::plot_svg(plot);
}

}  // namespace heddle::app
