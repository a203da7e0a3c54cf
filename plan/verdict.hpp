// SPDX-License-Identifier: BSD-3-Clause
// What became of one routing engine on a fabric.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::plan {

struct Verdict {
  std::string engine;  // as it was asked for
  bool certified = false;
  std::string reason;                    // why not; empty if certified
  std::optional<double> seconds;         // of the engine alone; none if it refused the fabric
  std::optional<double> verify_seconds;  // of the proof
  std::optional<unsigned> vls;           // used
  std::vector<std::string> notes;
};

}  // namespace heddle::plan
