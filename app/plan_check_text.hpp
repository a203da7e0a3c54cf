// SPDX-License-Identifier: BSD-3-Clause
// What `heddle plan check` found, as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/check.hpp"
#include "plan/finding.hpp"

namespace heddle::app {

struct CheckReport {
  std::string fabric;
  std::string plan;  // empty: there was none
  std::size_t switches = 0;
  std::size_t hosts = 0;
  std::size_t cables = 0;
  plan::Levels levels;
  std::vector<plan::Finding> findings;
  std::size_t count(plan::Severity severity) const;
};

// For people: the levels, then a line for each finding, then how many of which kind.
std::string check_table(const CheckReport& report);
// {"fabric", "plan", ..., "levels": [...], "findings": [{"severity", "check", "code", "text",
// "where": [...], "line"}]}; line is null where there is none.
std::string check_json(const CheckReport& report);
// severity,check,code,line,where,text
std::string check_csv(const CheckReport& report);

}  // namespace heddle::app
