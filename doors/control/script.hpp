// SPDX-License-Identifier: BSD-3-Clause
// A script: verbs with times.
//
//   at 2s link down "leaf-1"[3]       two seconds after the script's start
//   after 500ms link up "leaf-1"[3]   half a second after the line above
//   every 10s inject leaf-1 2 SymbolErrorCounter 5
//   status                            together with the line above
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "doors/control/verbs.hpp"

namespace heddle::doors::control {

inline constexpr std::size_t kMostSteps = 100'000;
// "every" must not be so often that nothing else runs.
inline constexpr base::Duration kShortestPeriod = std::chrono::milliseconds(1);

struct Step {
  base::Duration at{0};      // after the script's start
  base::Duration period{0};  // 0: once
  std::size_t line = 0;      // from 1
  std::size_t column = 0;    // where the verb begins, from 0
  std::string verb;          // with its arguments
};

struct Script {
  std::string title;                  // the file's name, for messages
  std::vector<Step> steps;            // in the order of the file
  std::vector<std::string> problems;  // "file:line:column: what", each of a line that is left out
};

// What is wrong is told now as far as it can be: times, verbs, and names of nodes, unless the
// script itself adds nodes.
Script parse_script(std::string_view text, std::string_view title, Context& context);

class ScriptRunner {
 public:
  // Begins when the loop runs, and goes by the world's time. `say` gets what verbs say, and
  // "file:line:column: error".
  ScriptRunner(Context context, Script script, std::function<void(const std::string&)> say);
  ~ScriptRunner();
  ScriptRunner(const ScriptRunner&) = delete;
  ScriptRunner& operator=(const ScriptRunner&) = delete;

 private:
  struct Due {
    base::Duration at{0};
    std::size_t step = 0;
  };
  void wait();
  void run_due();

  base::Instant start_;
  Context context_;
  Script script_;
  std::vector<Due> due_;  // a heap; the earliest first, then in the order of the file
  std::function<void(const std::string&)> say_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what the host calls
};

}  // namespace heddle::doors::control
