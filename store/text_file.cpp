// SPDX-License-Identifier: BSD-3-Clause
#include "store/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::store {
namespace {

// Whatever the umask: other subnet managers and the operator's tools read what is no secret.
constexpr mode_t mode_for(TextFile::Readers readers) {
  return readers == TextFile::Readers::Owner ? 0600 : 0644;
}

// An open file that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags, mode_t mode = 0) {
    do {
      descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EINTR);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  int get() const { return descriptor_; }
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_ = -1;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
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
  const File file(file_, O_RDONLY);
  if (file.get() < 0 && errno == ENOENT) return Content{};
  if (file.get() < 0) return failure("open", file_, errno);
  Content content;
  char chunk[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", file_, errno);
    if (got == 0) return content;
    content.text.append(chunk, static_cast<std::size_t>(got));
    if (content.text.size() > kMaxTextFileBytes) return failure("read", file_, EFBIG);
  }
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
  File file(beside, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (file.get() < 0) return failure("create", beside, errno);
  if (::fchmod(file.get(), mode) != 0) return failure("set the mode of", beside, errno);
  if (!write_all(file.get(), text)) return failure("write", beside, errno);
  if (::fsync(file.get()) != 0) return failure("sync", beside, errno);
  if (!file.close()) return failure("close", beside, errno);
  return {};
}

base::Result<void> TextFile::write_in_place(std::string_view text) const {
  File file(file_, O_WRONLY);
  if (file.get() < 0) return failure("open", file_, errno);
  if (!write_all(file.get(), text)) return failure("write", file_, errno);
  if (!file.close()) return failure("close", file_, errno);
  return {};
}

base::Result<void> TextFile::sync_folder(const std::filesystem::path& folder) const {
  const File file(folder, O_RDONLY | O_DIRECTORY);
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
