// SPDX-License-Identifier: BSD-3-Clause
// A recording that is written line by line, on a disk that may be full.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::app {

class RecordFile {
 public:
  using Warn = std::function<void(const std::string& sentence)>;

  // Replaces what is in the file.
  explicit RecordFile(std::filesystem::path file);
  bool is_open() const { return stream_.is_open(); }
  // Who is told, once, when lines can no longer be written. Those that follow would make no sense
  // behind a gap: they are left out.
  void set_warn(Warn warn) { warn_ = std::move(warn); }

  void write(std::string_view line);
  // All lines are in the file. May be asked before the end, too.
  bool is_whole();

 private:
  void look();

  std::filesystem::path file_;
  std::ofstream stream_;
  Warn warn_;
  bool broken_ = false;
};

}  // namespace heddle::app
