// SPDX-License-Identifier: BSD-3-Clause
// Where something stands in a fabric file or in one it includes, and the warnings about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sim {

struct Place {
  std::uint32_t file = 0;  // index given by FabricNotes::add_file
  unsigned line = 0;       // from 1; 0 is nowhere
};

class FabricNotes {
 public:
  explicit FabricNotes(std::string_view title) : files_{std::string(title)} {}

  const std::string& title() const { return files_.front(); }
  std::uint32_t add_file(std::string_view name);

  // "file:7: what"
  std::string at(Place place, std::string_view what) const;
  // "line 7", and of which file where it is another one than `seen_from`'s.
  std::string line_of(Place place, Place seen_from) const;

  // Only the first hundred are kept; the rest is counted.
  void warn(Place place, std::string_view what);
  // A warning about the whole, never dropped.
  void conclude(std::string what) { conclusions_.push_back(std::move(what)); }
  std::vector<std::string> finish() &&;

 private:
  std::vector<std::string> files_;
  std::vector<std::string> warnings_;
  std::vector<std::string> conclusions_;
  std::size_t suppressed_ = 0;
};

}  // namespace heddle::sim
