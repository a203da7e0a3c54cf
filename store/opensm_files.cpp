// SPDX-License-Identifier: BSD-3-Clause
#include "store/opensm_files.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "store/file_lines.hpp"

namespace heddle::store {
namespace {

struct End {
  std::uint64_t guid{};
  std::uint8_t port{};
};
// "0xGUID:PORT"
std::optional<End> parse_end(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == word.npos) return std::nullopt;
  const auto guid = base::parse_hex(word.substr(0, colon));
  const auto port = base::parse_number(word.substr(colon + 1), 254);
  if (!guid || *guid == 0 || !port) return std::nullopt;
  return End{*guid, static_cast<std::uint8_t>(*port)};
}

}  // namespace

OpensmFile kind_of_opensm_file(std::string_view text) {
  OpensmFile kind = OpensmFile::Unknown;
  (void)each_line(text, {}, [&](const FileLine& line) -> base::Result<> {
    const auto& words = line.words;
    if (words.size() == 3 && base::parse_hex(words[0])) kind = OpensmFile::Lids;
    if (words.size() == 2 && base::parse_hex(words[0])) kind = OpensmFile::Keys;
    if (words.size() == 2 && parse_end(words[0])) kind = OpensmFile::Neighbors;
    return base::error("one is enough");
  });
  return kind;
}

base::Result<std::vector<KeyEntry>> parse_keys(std::string_view text, std::string_view title) {
  std::map<std::uint64_t, std::uint64_t> keys;
  const auto read = each_line(text, title, [&](const FileLine& line) -> base::Result<> {
    const auto value = [&](std::size_t index) {
      return index < line.words.size() ? base::parse_hex(line.words[index]) : std::nullopt;
    };
    const auto guid = value(0), key = value(1);
    if (!guid || *guid == 0) return line.wrong(0, "the GUID of a port, as 0x0002c90300a1b2c3,");
    if (!key) return line.wrong(1, "its M_Key, as 0x0000000000001234,");
    if (line.words.size() > 2)
      return line.wrong(2, "the end of the line, behind a GUID and a key,");
    keys[*guid] = *key;
    return {};
  });
  if (read.has_error()) return read.error();
  std::vector<KeyEntry> entries;
  for (const auto& [guid, key] : keys) entries.push_back({guid, key});
  return entries;
}

std::string to_text(const std::vector<KeyEntry>& entries) {
  std::string text;
  for (const KeyEntry& entry : entries) {
    text += fmt::format("{:#018x} {:#018x}\n\n", entry.port_guid, entry.key);
  }
  return text;
}

base::Result<std::vector<NeighborEntry>> parse_neighbors(std::string_view text,
                                                         std::string_view title) {
  std::vector<NeighborEntry> entries;
  const auto read = each_line(text, title, [&](const FileLine& line) -> base::Result<> {
    const auto end = [&](std::size_t index) {
      return index < line.words.size() ? parse_end(line.words[index]) : std::nullopt;
    };
    constexpr std::string_view kEnd =
        "one end of a cable, a node GUID and a port number from 0 to 254 as 0x0002c90300a1b2c3:1,";
    const auto here = end(0), there = end(1);
    if (!here) return line.wrong(0, kEnd);
    if (!there) return line.wrong(1, kEnd);
    if (line.words.size() > 2) return line.wrong(2, "the end of the line, behind two ends,");
    entries.push_back({here->guid, there->guid, here->port, there->port});
    return {};
  });
  if (read.has_error()) return read.error();
  return entries;
}

}  // namespace heddle::store
