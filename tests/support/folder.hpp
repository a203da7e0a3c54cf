// SPDX-License-Identifier: BSD-3-Clause
// A folder of a test's or a measurement's own, where TMPDIR says; gone with this object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace heddle::test {

class Folder {
 public:
  Folder() {
    // What mkdtemp replaces: six of them, at the end.
    std::string name =
        (std::filesystem::temp_directory_path() / "heddle-").string() + std::string(6, 'X');
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
