// SPDX-License-Identifier: BSD-3-Clause
#include "store/lid_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace heddle::store {
namespace {

constexpr std::uint16_t kLastUnicast = 0xBFFF;
constexpr std::size_t kMaxFileBytes = 64u << 20;  // a full subnet takes under 3 MB
constexpr std::size_t kMaxWarnings = 100;         // a file of another kind must not fill the log
constexpr mode_t kMode = 0644;

base::Error failure(std::string_view doing, const std::filesystem::path& file, int reason) {
  return base::error(fmt::format("LID memory: cannot {} {}: {}", doing, file.string(),
                                 std::generic_category().message(reason)));
}

// An open file that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags) {
    do {
      descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
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

// A plain string would do, but could also be taken for an error's message.
struct Content {
  std::string text;
};

base::Result<Content> read_all(const std::filesystem::path& path) {
  const File file(path, O_RDONLY);
  if (file.get() < 0 && errno == ENOENT) return Content{};
  if (file.get() < 0) return failure("open", path, errno);
  Content content;
  char chunk[64 * 1024];
  for (;;) {
    const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", path, errno);
    if (got == 0) return content;
    content.text.append(chunk, static_cast<std::size_t>(got));
    if (content.text.size() > kMaxFileBytes) return failure("read", path, EFBIG);
  }
}

std::vector<std::string_view> split_at_blanks(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = base::trim(line); !line.empty(); line = base::trim(line)) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

// A line's record, or in words what is wrong with it.
base::Result<LidEntry> parse_entry(std::string_view line) {
  const auto words = split_at_blanks(line);
  if (words.size() != 3) return base::error("not \"0xGUID 0xFIRST 0xLAST\"");
  const auto guid = base::parse_hex(words[0]);
  const auto first = base::parse_number(words[1]);
  const auto last = base::parse_number(words[2]);
  if (!guid || !first || !last) return base::error("not \"0xGUID 0xFIRST 0xLAST\"");
  if (*guid == 0) return base::error("GUID 0");
  if (*first > *last) return base::error("the first LID is above the last");
  if (*first == 0) return base::error("LID 0 is reserved");
  if (*last > kLastUnicast) {
    return base::error(fmt::format("LID {:#x} is not a unicast LID", *last));
  }
  return LidEntry{*guid, static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

// Takes records in the order of the file; whoever comes first keeps what is contested.
class Collector {
 public:
  explicit Collector(std::string file) : file_(std::move(file)), taken_(kLastUnicast + 1u) {}

  void add(std::size_t line, const LidEntry& entry) {
    if (guids_.contains(entry.port_guid)) {
      return warn(line, fmt::format("GUID {} stands twice", base::hex(entry.port_guid)));
    }
    const auto begin = taken_.begin() + entry.first;
    const auto end = taken_.begin() + entry.last + 1;
    if (std::find(begin, end, true) != end) {
      return warn(line, fmt::format("LIDs {:#x} to {:#x} overlap an earlier line", entry.first,
                                    entry.last));
    }
    std::fill(begin, end, true);
    guids_.insert(entry.port_guid);
    loaded_.entries.push_back(entry);
  }

  void warn(std::size_t line, std::string_view reason) {
    if (++skipped_ > kMaxWarnings) return;
    loaded_.warnings.push_back(fmt::format("{}:{}: skipped: {}", file_, line, reason));
  }

  LoadedLids finish() {
    if (skipped_ > kMaxWarnings) {
      loaded_.warnings.push_back(
          fmt::format("{}: {} more lines skipped", file_, skipped_ - kMaxWarnings));
    }
    return std::move(loaded_);
  }

 private:
  std::string file_;
  std::vector<bool> taken_;  // by LID
  std::set<std::uint64_t> guids_;
  std::size_t skipped_ = 0;
  LoadedLids loaded_;
};

std::string render(const std::vector<LidEntry>& entries) {
  std::string text;
  text.reserve(entries.size() * 40);
  for (const LidEntry& entry : entries) {
    text += fmt::format("{:#018x} {:#06x} {:#06x}\n\n", entry.port_guid, entry.first, entry.last);
  }
  return text;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// The new content, whole and on the disk, under another name.
base::Result<void> write_beside(const std::filesystem::path& beside, std::string_view text) {
  File file(beside, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.get() < 0) return failure("create", beside, errno);
  // Whatever the umask: other subnet managers and the operator's tools read this file.
  if (::fchmod(file.get(), kMode) != 0) return failure("set the mode of", beside, errno);
  if (!write_all(file.get(), text)) return failure("write", beside, errno);
  if (::fsync(file.get()) != 0) return failure("sync", beside, errno);
  if (!file.close()) return failure("close", beside, errno);
  return {};
}

base::Result<void> sync_folder(const std::filesystem::path& folder) {
  const File file(folder, O_RDONLY | O_DIRECTORY);
  if (file.get() < 0) return failure("open the folder", folder, errno);
  // Some file systems cannot sync a folder and say so; the rename stands all the same.
  if (::fsync(file.get()) != 0 && errno != EINVAL) {
    return failure("sync the folder", folder, errno);
  }
  return {};
}

}  // namespace

base::Result<LoadedLids> load_lids(const std::filesystem::path& file) {
  const auto content = read_all(file);
  if (!content) return content.error();
  Collector collector(file.string());
  std::size_t number = 0;
  for (const auto raw : base::split(content->text, '\n')) {
    ++number;
    const auto line = base::trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto entry = parse_entry(line);
    if (entry) {
      collector.add(number, *entry);
    } else {
      collector.warn(number, entry.error().message);
    }
  }
  return collector.finish();
}

base::Result<void> save_lids(const std::filesystem::path& file,
                             const std::vector<LidEntry>& entries) {
  // One name, not a new one each time: a crash leaves at most one remnant, the next save uses it.
  std::filesystem::path beside = file;
  beside += ".new";
  auto written = write_beside(beside, render(entries));
  if (written && ::rename(beside.c_str(), file.c_str()) != 0) {
    written = failure("replace", file, errno);
  }
  if (!written) {
    ::unlink(beside.c_str());
    return written.error();
  }
  const auto folder = file.parent_path();
  return sync_folder(folder.empty() ? "." : folder);
}

}  // namespace heddle::store
