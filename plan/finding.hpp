// SPDX-License-Identifier: BSD-3-Clause
// What a check of a fabric has to say: one fact, how bad it is, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::plan {

enum class Severity : std::uint8_t {
  Info,     // worth knowing
  Warning,  // works, but not as it seems to be meant
  Error,    // cannot work, or is not what the plan says
};

std::string_view name_of(Severity severity);  // "info", "warning", "error"

struct Finding {
  Severity severity{};
  std::string check;  // which check says it: "lids", "cabling"...
  std::string code;   // one word for programs, the same for the same kind of fact
  std::string text;   // one sentence for people
  // Nodes and ports it is about: "leaf-1", "leaf-1:7".
  std::vector<std::string> where;
  unsigned line = 0;  // of the fabric's file, or of the plan's when it is about that; 0: none
};

// Collects findings; of each code only the first kMostOfACode are kept, the rest is counted, so
// that one mistake made everywhere does not hide the others.
class Findings {
 public:
  static constexpr std::size_t kMostOfACode = 200;

  void add(Finding finding);

  // Those that were kept: worst first, otherwise in the order they came; behind each code of which
  // some were dropped stands one that says how many.
  std::vector<Finding> take() &&;

 private:
  struct Code {
    std::string check, code;
    Severity severity{};
    std::size_t seen = 0;
  };
  std::vector<Finding> kept_;
  std::vector<Code> codes_;
};

}  // namespace heddle::plan
