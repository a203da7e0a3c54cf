// SPDX-License-Identifier: BSD-3-Clause
#include "store/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/open_file.hpp"

namespace heddle::store {
namespace {

// Whatever the umask: other subnet managers and the operator's tools read what is no secret.
constexpr mode_t mode_for(TextFile::Readers readers) {
  return readers == TextFile::Readers::Owner ? 0600 : 0644;
}

bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status);
}

}  // namespace

base::Error TextFile::failure(std::string_view doing, const std::filesystem::path& file,
                              int reason) const {
  return base::error(fmt::format("{}: cannot {} {}: {}", what_, doing, file.string(),
                                 std::generic_category().message(reason)));
}

base::Result<Content> TextFile::read() const {
  const OpenFile file(file_, O_RDONLY);
  if (file.get() < 0 && errno == ENOENT) return Content{};
  if (file.get() < 0) return failure("open", file_, errno);
  Content content;
  const int reason = file.read_all(content.text, kMaxTextFileBytes);
  if (reason != 0) return failure("read", file_, reason);
  return content;
}

base::Result<Content> TextFile::read_named() const {
  auto content = read();
  if (content && content->text.empty()) {
    return base::error(fmt::format("{}: {} is empty or not there", what_, file_.string()));
  }
  return content;
}

base::Result<void> TextFile::write_beside(const std::filesystem::path& beside,
                                          std::string_view text, Readers readers) const {
  const mode_t mode = mode_for(readers);
  OpenFile file(beside, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (file.get() < 0) return failure("create", beside, errno);
  if (::fchmod(file.get(), mode) != 0) return failure("set the mode of", beside, errno);
  if (!file.write_all(text)) return failure("write", beside, errno);
  if (::fsync(file.get()) != 0) return failure("sync", beside, errno);
  if (!file.close()) return failure("close", beside, errno);
  return {};
}

base::Result<void> TextFile::write_in_place(std::string_view text) const {
  OpenFile file(file_, O_WRONLY);
  if (file.get() < 0) return failure("open", file_, errno);
  if (!file.write_all(text)) return failure("write", file_, errno);
  if (!file.close()) return failure("close", file_, errno);
  return {};
}

base::Result<void> TextFile::sync_folder(const std::filesystem::path& folder) const {
  const OpenFile file(folder, O_RDONLY | O_DIRECTORY);
  if (file.get() < 0) return failure("open the folder", folder, errno);
  // Some file systems cannot sync a folder and say so; the rename stands all the same.
  if (::fsync(file.get()) != 0 && errno != EINVAL) {
    return failure("sync the folder", folder, errno);
  }
  return {};
}

base::Result<void> TextFile::replace(std::string_view text, Readers readers) const {
  if (is_special(file_)) return write_in_place(text);
  // One name, not a new one each time: a crash leaves at most one remnant, the next save uses it.
  std::filesystem::path beside = file_;
  beside += ".new";
  auto written = write_beside(beside, text, readers);
  if (written && ::rename(beside.c_str(), file_.c_str()) != 0) {
    written = failure("replace", file_, errno);
  }
  if (!written) {
    ::unlink(beside.c_str());
    return written.error();
  }
  const auto folder = file_.parent_path();
  return sync_folder(folder.empty() ? "." : folder);
}

base::Result<Content> TextFile::take() const {
  auto content = read();
  if (content && !is_special(file_) && ::unlink(file_.c_str()) != 0 && errno != ENOENT) {
    return failure("remove", file_, errno);
  }
  return content;
}

}  // namespace heddle::store
