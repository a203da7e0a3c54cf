// SPDX-License-Identifier: BSD-3-Clause
// Runs the built program as a user would: arguments in, both outputs and the exit code back.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/folder.hpp"

namespace heddle::app {

// Standard output and standard error go to files, so neither is a terminal.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments);
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number);
  // The exit code; -1 when a signal ended it.
  int wait();
  // Until standard output or standard error holds the text; false after `seconds` or at the end.
  bool wait_for(const std::string& text, int seconds = 60);

  std::string out() const;
  std::string err() const;
  // What it has used of a processor, in seconds; 0 once it has ended.
  double cpu_seconds() const;

 private:
  bool ended();

  test::Folder directory_;
  pid_t pid_ = -1;
  int status_ = 0;
};

struct Outcome {
  int exit = -1;
  std::string out;
  std::string err;
};

// Runs it to its end.
Outcome heddle(const std::vector<std::string>& arguments);

// A whole file; "" if there is none.
std::string content(const std::filesystem::path& file);

// The file's path.
std::string write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace heddle::app
