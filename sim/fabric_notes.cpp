// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabric_notes.hpp"

#include <fmt/format.h>

namespace heddle::sim {

std::uint32_t FabricNotes::add_file(std::string_view name) {
  files_.emplace_back(name);
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string FabricNotes::at(Place place, std::string_view what) const {
  return fmt::format("{}:{}: {}", files_[place.file], place.line, what);
}

std::string FabricNotes::line_of(Place place, Place seen_from) const {
  if (place.file == seen_from.file) return fmt::format("line {}", place.line);
  return fmt::format("line {} of {}", place.line, files_[place.file]);
}

void FabricNotes::warn(Place place, std::string_view what) {
  constexpr std::size_t kMaxWarnings = 100;
  if (warnings_.size() < kMaxWarnings) {
    warnings_.push_back(at(place, what));
  } else {
    ++suppressed_;
  }
}

std::vector<std::string> FabricNotes::finish() && {
  for (std::string& conclusion : conclusions_) warnings_.push_back(std::move(conclusion));
  if (suppressed_ > 0) {
    warnings_.push_back(
        fmt::format("{}: and {} more warnings of these kinds", title(), suppressed_));
  }
  return std::move(warnings_);
}

}  // namespace heddle::sim
