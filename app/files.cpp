// SPDX-License-Identifier: BSD-3-Clause
#include "app/files.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace heddle::app {
namespace {

base::Error failed(const std::filesystem::path& file, std::error_code reason) {
  return base::error(fmt::format("cannot write {}: {}", file.string(), reason.message()));
}

std::error_code last_error() {
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

}  // namespace

base::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<void(std::ostream&)>& write) {
  auto beside = file;
  beside += fmt::format(".{}.tmp", ::getpid());
  std::error_code ignored;
  errno = 0;
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  if (!stream) return failed(file, last_error());
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
