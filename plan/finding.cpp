// SPDX-License-Identifier: BSD-3-Clause
#include "plan/finding.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::plan {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      break;
  }
  return "error";
}

void Findings::add(Finding finding) {
  auto code = std::find_if(codes_.begin(), codes_.end(), [&](const Code& known) {
    return known.check == finding.check && known.code == finding.code;
  });
  if (code == codes_.end()) {
    code = codes_.insert(code, Code{finding.check, finding.code, finding.severity});
  }
  code->severity = std::max(code->severity, finding.severity);
  if (++code->seen <= kMostOfACode) kept_.push_back(std::move(finding));
}

std::vector<Finding> Findings::take() && {
  for (const Code& code : codes_) {
    if (code.seen <= kMostOfACode) continue;
    kept_.push_back({code.severity,
                     code.check,
                     code.code,
                     fmt::format("{} more like these", code.seen - kMostOfACode),
                     {}});
  }
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return std::move(kept_);
}

}  // namespace heddle::plan
