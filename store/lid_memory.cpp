// SPDX-License-Identifier: BSD-3-Clause
#include "store/lid_memory.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/file_lines.hpp"
#include "store/text_file.hpp"

namespace heddle::store {
namespace {

constexpr std::uint16_t kLastUnicast = 0xBFFF;
constexpr std::size_t kMaxWarnings = 100;  // a file of another kind must not fill the log
constexpr std::string_view kWhat = "LID memory";

constexpr std::string_view kSkipped = "skipped: ";

base::Result<std::uint16_t> parse_lid(const FileLine& line, std::size_t index) {
  const auto lid = index < line.words.size() ? base::parse_number(line.words[index], kLastUnicast)
                                             : std::nullopt;
  if (lid && *lid != 0) return static_cast<std::uint16_t>(*lid);
  return line.wrong(index, "a LID from 0x1 to 0xbfff", kSkipped);
}

base::Result<LidEntry> parse_entry(const FileLine& line) {
  const auto guid = base::parse_hex(line.words[0]);
  if (!guid || *guid == 0) {
    return line.wrong(0, "the GUID of a port, as 0x0002c90300a1b2c3,", kSkipped);
  }
  const auto first = parse_lid(line, 1), last = parse_lid(line, 2);
  if (!first) return first.error();
  if (!last) return last.error();
  if (line.words.size() > 3) {
    return line.wrong(3, "the end of the line, behind a GUID and two LIDs,", kSkipped);
  }
  if (*first > *last) {
    return line.wrong(2, fmt::format("the last LID, not below the first, {:#x},", *first),
                      kSkipped);
  }
  return LidEntry{*guid, *first, *last};
}

// Takes records in the order of the file; whoever comes first keeps what is contested.
class Collector {
 public:
  explicit Collector(std::string_view title) : title_(title), taken_(kLastUnicast + 1u) {}

  void add(const FileLine& line, const LidEntry& entry) {
    if (guids_.contains(entry.port_guid)) {
      return warn(line.wrong(0, "a GUID that no earlier line has", kSkipped));
    }
    const auto begin = taken_.begin() + entry.first;
    const auto end = taken_.begin() + entry.last + 1;
    if (const auto taken = std::find(begin, end, true); taken != end) {
      return warn(
          line.wrong(1,
                     fmt::format("a range without LIDs of an earlier line, which has {:#x},",
                                 taken - taken_.begin()),
                     kSkipped));
    }
    std::fill(begin, end, true);
    guids_.insert(entry.port_guid);
    loaded_.entries.push_back(entry);
  }

  void warn(const base::Error& reason) {
    if (++skipped_ <= kMaxWarnings) loaded_.warnings.push_back(reason.message);
  }

  LoadedLids finish() {
    if (skipped_ > kMaxWarnings) {
      loaded_.warnings.push_back(
          fmt::format("{}: {} more lines skipped", title_, skipped_ - kMaxWarnings));
    }
    return std::move(loaded_);
  }

 private:
  std::string_view title_;
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

}  // namespace

LoadedLids parse_lids(std::string_view text, std::string_view title) {
  Collector collector(title);
  (void)each_line(text, title, [&](const FileLine& line) -> base::Result<> {
    const auto entry = parse_entry(line);
    if (entry) {
      collector.add(line, *entry);
    } else {
      collector.warn(entry.error());
    }
    return {};
  });
  return collector.finish();
}

base::Result<LoadedLids> load_lids(const std::filesystem::path& file) {
  const auto content = TextFile(file, kWhat).read();
  if (!content) return content.error();
  return parse_lids(content->text, file.string());
}

base::Result<void> save_lids(const std::filesystem::path& file,
                             const std::vector<LidEntry>& entries) {
  return TextFile(file, kWhat).replace(render(entries));
}

}  // namespace heddle::store
