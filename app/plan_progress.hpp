// SPDX-License-Identifier: BSD-3-Clause
// "37 of 100 losses", on standard error and over and over, if that is a terminal.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "base/time.hpp"

namespace heddle::app {

class PlanProgress {
 public:
  PlanProgress(std::string what, std::size_t total);
  ~PlanProgress();  // takes the line away
  PlanProgress(const PlanProgress&) = delete;
  PlanProgress& operator=(const PlanProgress&) = delete;

  // From any thread; draws at most ten times a second.
  void done_one();

 private:
  const std::string what_;
  const std::size_t total_;
  const bool live_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  bool drawn_ = false;
  base::Instant last_{};
};

}  // namespace heddle::app
