// SPDX-License-Identifier: BSD-3-Clause
// An open file that closes itself.
#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::store {

class OpenFile {
 public:
  // As open(2), and not for programs that this one starts. Where it fails get() is below 0, and
  // errno says why.
  OpenFile(const std::filesystem::path& path, int flags, mode_t mode = 0) {
    do {
      descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EINTR);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }

  int get() const { return descriptor_; }

  // To the end, be it a file or a pipe. 0, or the errno for which it was not: EFBIG where there are
  // more than so many bytes.
  int read_all(std::string& into, std::size_t most) const;
  bool write_all(std::string_view text) const;  // false: errno says why
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace heddle::store
