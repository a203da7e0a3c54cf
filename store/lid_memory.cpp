// SPDX-License-Identifier: BSD-3-Clause
#include "store/lid_memory.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/text_file.hpp"

namespace heddle::store {
namespace {

constexpr std::uint16_t kLastUnicast = 0xBFFF;
constexpr std::size_t kMaxWarnings = 100;  // a file of another kind must not fill the log
constexpr std::string_view kWhat = "LID memory";

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

}  // namespace

base::Result<LoadedLids> load_lids(const std::filesystem::path& file) {
  const auto content = TextFile(file, kWhat).read();
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
  return TextFile(file, kWhat).replace(render(entries));
}

}  // namespace heddle::store
