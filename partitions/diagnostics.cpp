// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/diagnostics.hpp"

#include <utility>

#include <fmt/format.h>

#include "partitions/language.hpp"

namespace heddle::partitions {

void Diagnostics::warn(const Place& place, std::string_view sentence) {
  if (is_full()) {
    ++unsaid_;
  } else {
    warnings_.push_back(at(place, sentence));
  }
}

bool Diagnostics::is_full() const {
  return warnings_.size() == kMaxWarnings;
}

std::vector<std::string> Diagnostics::take_warnings() {
  if (unsaid_ > 0) {
    warnings_.push_back(fmt::format("{}: {} more warnings", file_name_, unsaid_));
  }
  unsaid_ = 0;
  return std::exchange(warnings_, {});
}

base::Error Diagnostics::error(const Place& place, std::string_view sentence) const {
  return base::error(at(place, sentence));
}

std::string Diagnostics::at(const Place& place, std::string_view sentence) const {
  return fmt::format("{}:{}:{}: {}", file_name_, place.line, place.column, sentence);
}

}  // namespace heddle::partitions
