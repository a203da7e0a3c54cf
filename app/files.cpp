// SPDX-License-Identifier: BSD-3-Clause
#include "app/files.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/interruption.hpp"

namespace heddle::app {
namespace {

base::Error failed(const std::filesystem::path& file, std::error_code reason) {
  return base::error(fmt::format("cannot write {}: {}", file.string(), reason.message()));
}

std::error_code last_error() {
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

// To put a file in the place of a device or a pipe would take it from everybody else, and in that
// of a symbolic link, whatever it leads to.
bool has_to_stay(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(file, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

base::Result<void> write_in_place(const std::filesystem::path& file,
                                  const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (stream) write(stream);
  stream.close();
  return stream ? base::Result<void>() : failed(file, last_error());
}

struct BeingWritten {
  explicit BeingWritten(const std::filesystem::path& file) { Interruption::writing(file); }
  ~BeingWritten() { Interruption::written(); }
  BeingWritten(const BeingWritten&) = delete;
  BeingWritten& operator=(const BeingWritten&) = delete;
};

}  // namespace

base::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<void(std::ostream&)>& write) {
  if (has_to_stay(file)) return write_in_place(file, write);
  auto beside = file;
  beside += fmt::format(".{}.tmp", ::getpid());
  std::error_code ignored;
  errno = 0;
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  if (!stream) return failed(file, last_error());
  const BeingWritten until_renamed(beside);
  write(stream);
  stream.close();
  if (!stream) {
    const std::error_code reason = last_error();
    std::filesystem::remove(beside, ignored);
    return failed(file, reason);
  }
  std::error_code reason;
  std::filesystem::rename(beside, file, reason);
  if (reason) {
    std::filesystem::remove(beside, ignored);
    return failed(file, reason);
  }
  return {};
}

}  // namespace heddle::app
