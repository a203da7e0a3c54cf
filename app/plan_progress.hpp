// SPDX-License-Identifier: BSD-3-Clause
// How far a command of `heddle plan` is: "losses [####......] 37 of 100" on standard error, drawn
// over and over, if that is a terminal; and what it says when it is interrupted.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>

#include "app/exit_codes.hpp"
#include "app/interruption.hpp"
#include "base/parallel.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace heddle::app {

class PlanProgress {
 public:
  PlanProgress();
  ~PlanProgress();  // takes the line away
  PlanProgress(const PlanProgress&) = delete;
  PlanProgress& operator=(const PlanProgress&) = delete;

  // A new step: "routing with ftree". Of one that has parts to count, how many.
  void begin(std::string what, std::size_t total = 0);
  // From any thread; draws at most ten times a second.
  void done_one();
  // The same work, and the line shows how far it is. The progress outlives it.
  base::ParallelFor watched(base::ParallelFor parallel);
  // From here on things are written: "FILE", or "" for standard output.
  void write(const std::string& file);
  void clear();
  // Complains below a line that is drawn no more.
  Exit fail(const base::Error& error, Exit exit = Exit::Fabric);

 private:
  void add(std::size_t count);
  void draw(bool at_once);

  Interruption interruption_;
  const bool live_;
  std::mutex mutex_;
  std::string what_;
  std::size_t total_ = 0;
  bool counted_ = false;  // by done_one; otherwise parts of parallel work, told as percent
  std::size_t done_ = 0;
  bool drawn_ = false;
  base::Instant last_{};
  std::atomic<unsigned> depth_{0};  // of parallel work within parallel work
};

// What `write` writes goes to standard output; complains if that is not possible.
Exit print_stream(const std::function<void(std::ostream&)>& write, PlanProgress& progress);

// The whole text to standard output; complains if that is not possible.
Exit print_whole(const std::string& text, PlanProgress& progress);

}  // namespace heddle::app
