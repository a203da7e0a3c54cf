// SPDX-License-Identifier: BSD-3-Clause
#include "app/record_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace heddle::app {

RecordFile::RecordFile(std::filesystem::path file)
    : file_(std::move(file)), stream_(file_, std::ios::trunc) {}

void RecordFile::write(std::string_view line) {
  if (broken_) return;
  errno = 0;
  stream_ << line << '\n';
  look();
}

bool RecordFile::is_whole() {
  if (broken_) return false;
  errno = 0;
  stream_.flush();
  look();
  return !broken_;
}

void RecordFile::look() {
  if (stream_) return;
  const int reason = errno != 0 ? errno : EIO;
  broken_ = true;
  if (!warn_) return;
  warn_(fmt::format("The record {} is not whole: it cannot be written any more: {}", file_.string(),
                    std::generic_category().message(reason)));
}

}  // namespace heddle::app
