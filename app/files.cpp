// SPDX-License-Identifier: BSD-3-Clause
#include "app/files.hpp"

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/interruption.hpp"
#include "store/open_file.hpp"

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

constexpr mode_t kOwner = S_IRUSR | S_IWUSR;
constexpr mode_t kEverybody = kOwner | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;  // less the umask

base::Result<void> write_in_place(const std::filesystem::path& file,
                                  const std::function<void(std::ostream&)>& write,
                                  Readers readers) {
  errno = 0;
  // Held until it is open once more: the reader of a pipe would see its end.
  const store::OpenFile made(file, O_WRONLY | O_CREAT,
                             readers == Readers::Usual ? kEverybody : kOwner);
  struct stat found {};
  if (readers == Readers::Owner && ::fstat(made.get(), &found) == 0 && S_ISREG(found.st_mode)) {
    ::fchmod(made.get(), kOwner);
  }
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (stream) write(stream);
  stream.close();
  return stream ? base::Result<void>() : failed(file, last_error());
}

// The mode that the new file gets in the end; nothing: that which it has been made with. Gives it
// the owner and the group of the old one. Where it cannot be the old group's, the new one's members
// get no more than anybody does.
std::optional<mode_t> take_after(const struct stat& old, int descriptor, Readers readers) {
  const bool all = ::fchown(descriptor, old.st_uid, old.st_gid) == 0;
  const bool group = all || ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
  if (readers == Readers::Owner) return kOwner;
  const mode_t mode = old.st_mode & 0777;
  return group ? mode : mode & ~((~mode & S_IRWXO) << 3);
}

struct BeingWritten {
  explicit BeingWritten(const std::filesystem::path& file) { Interruption::writing(file); }
  ~BeingWritten() { Interruption::written(); }
  BeingWritten(const BeingWritten&) = delete;
  BeingWritten& operator=(const BeingWritten&) = delete;
};

}  // namespace

base::Result<std::string> read_text_file(const std::filesystem::path& file, std::size_t most) {
  const auto unread = [&](int reason) {
    return base::error(fmt::format("{}: cannot be read: {}", file.string(),
                                   std::generic_category().message(reason)));
  };
  const store::OpenFile opened(file, O_RDONLY);
  if (opened.get() < 0) return unread(errno);
  std::string text;
  const int reason = opened.read_all(text, most);
  if (reason == EFBIG) {
    return base::error(fmt::format("{}: larger than {} bytes", file.string(), most));
  }
  if (reason != 0) return unread(reason);
  return {boost::system::in_place_value, std::move(text)};
}

base::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<void(std::ostream&)>& write, Readers readers) {
  if (has_to_stay(file)) return write_in_place(file, write, readers);
  auto beside = file;
  beside += fmt::format(".{}.tmp", ::getpid());
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);  // of a process that died, and had our number
  struct stat old {};
  const bool replaces = ::stat(file.c_str(), &old) == 0;
  const bool by_umask = readers == Readers::Usual && !replaces;
  const store::OpenFile made(beside, O_WRONLY | O_CREAT | O_EXCL, by_umask ? kEverybody : kOwner);
  if (made.get() < 0) return failed(file, last_error());
  const BeingWritten until_renamed(beside);
  const auto give_up = [&](std::error_code reason) {
    std::filesystem::remove(beside, ignored);
    return failed(file, reason);
  };
  std::optional<mode_t> mode;
  if (replaces) mode = take_after(old, made.get(), readers);
  errno = 0;
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  if (stream) write(stream);
  stream.close();
  if (!stream) return give_up(last_error());
  if (mode && ::fchmod(made.get(), *mode) != 0) return give_up(last_error());
  std::error_code reason;
  std::filesystem::rename(beside, file, reason);
  if (reason) return give_up(reason);
  return {};
}

}  // namespace heddle::app
