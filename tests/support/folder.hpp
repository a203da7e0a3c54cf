// SPDX-License-Identifier: BSD-3-Clause
// A folder of a test's own, where the test framework keeps temporary files; gone with this object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace heddle::test {

class Folder {
 public:
  Folder() {
    // What mkdtemp replaces: six of them, at the end.
    std::string name = testing::TempDir() + "heddle-" + std::string(6, 'X');
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::test
