// SPDX-License-Identifier: BSD-3-Clause
// What `heddle plan route` found out, as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/loads.hpp"
#include "plan/verdict.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"

namespace heddle::app {

// A pattern of traffic (plan/traffic.hpp), its links named.
struct TrafficReport {
  struct Link {
    std::string from, to;  // "leaf-1:7", "spine-2:3"
    std::uint64_t load = 0;
    double weighted = 0;
  };
  std::string pattern;
  std::uint64_t flows = 0;
  std::uint64_t greatest = 0;
  double mean_greatest = 0;
  double greatest_weighted = 0;
  double mean_weighted = 0;
  std::vector<Link> worst;
};

struct EngineReport : plan::Verdict {
  std::optional<routing::Quality> quality;
  plan::WeightedLoads weighted;  // with quality
  std::optional<routing::PatternQuality> patterns;
  std::vector<TrafficReport> traffic;  // empty: it was not asked for
};

struct PlanReport {
  std::string fabric;
  std::size_t switches = 0;
  std::size_t hosts = 0;  // channel adapters and routers
  std::size_t links = 0;
  std::size_t lids = 0;
  bool metrics = false;
  std::uint64_t seed = 1;
  // Of links: whether all are as fast, and what counts as 1 (plan/link_rates.hpp).
  bool alike = true;
  std::string unit;
  double unit_gigabits = 0;
  std::vector<std::string> warnings;
  std::vector<EngineReport> engines;
};

// For people: one line for each engine, then what they had to say.
std::string plan_table(const PlanReport& report);
// {"fabric": ..., "engines": [{"engine": ...}]}; what was not measured is null.
std::string plan_json(const PlanReport& report);
// A line of column names, then one for each engine; what was not measured is empty.
std::string plan_csv(const PlanReport& report);

}  // namespace heddle::app
