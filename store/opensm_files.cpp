// SPDX-License-Identifier: BSD-3-Clause
#include "store/opensm_files.hpp"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::store {
namespace {

// Gives the words of each line that says anything, until one is refused: that line's number.
template <class Take>
std::optional<std::size_t> each_line(std::string_view text, const Take& take) {
  std::size_t number = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const auto line = base::trim(raw);
    if (line.empty() || line.front() == '#') continue;
    if (!take(base::split(line, ' '))) return number;
  }
  return std::nullopt;
}

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
  (void)each_line(text, [&](const std::vector<std::string_view>& words) {
    if (words.size() == 3 && base::parse_hex(words[0])) kind = OpensmFile::Lids;
    if (words.size() == 2 && base::parse_hex(words[0])) kind = OpensmFile::Keys;
    if (words.size() == 2 && parse_end(words[0])) kind = OpensmFile::Neighbors;
    return false;
  });
  return kind;
}

base::Result<std::vector<KeyEntry>> parse_keys(std::string_view text) {
  std::map<std::uint64_t, std::uint64_t> keys;
  const auto wrong = each_line(text, [&](const std::vector<std::string_view>& words) {
    if (words.size() != 2) return false;
    const auto guid = base::parse_hex(words[0]), key = base::parse_hex(words[1]);
    if (!guid || *guid == 0 || !key) return false;
    keys[*guid] = *key;
    return true;
  });
  if (wrong) return base::error(fmt::format("line {}: not \"0xGUID 0xKEY\"", *wrong));
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

base::Result<std::vector<NeighborEntry>> parse_neighbors(std::string_view text) {
  std::vector<NeighborEntry> entries;
  const auto wrong = each_line(text, [&](const std::vector<std::string_view>& words) {
    if (words.size() != 2) return false;
    const auto here = parse_end(words[0]), there = parse_end(words[1]);
    if (!here || !there) return false;
    entries.push_back({here->guid, there->guid, here->port, there->port});
    return true;
  });
  if (wrong) return base::error(fmt::format("line {}: not \"0xGUID:PORT 0xGUID:PORT\"", *wrong));
  return entries;
}

}  // namespace heddle::store
