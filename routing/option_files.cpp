// SPDX-License-Identifier: BSD-3-Clause
#include "routing/option_files.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/file_place.hpp"
#include "base/text.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint64_t kMaxWeight = 255;

// The words of one line; those beyond the third are only counted.
struct Line {
  std::array<std::string_view, 3> words;
  std::size_t count = 0;
};

Line split_line(std::string_view text) {
  Line line;
  text = text.substr(0, text.find('#'));
  constexpr std::string_view kBlank = " \t\r";
  for (std::size_t at = text.find_first_not_of(kBlank); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    if (line.count < line.words.size()) line.words[line.count] = text.substr(at, end - at);
    ++line.count;
    at = text.find_first_not_of(kBlank, end);
  }
  return line;
}

base::Result<mad::Guid> parse_guid(const base::FilePlace& place, std::string_view word) {
  const auto guid = base::parse_hex(word);
  if (guid && *guid != 0) return mad::Guid{*guid};
  return place.wrong(word,
                     fmt::format("'{}' is no GUID, as 0x0002c90300a1b2c3", base::printable(word)));
}

base::Result<SwitchPort> parse_switch_port(const base::FilePlace& place, const Line& line) {
  const auto guid = parse_guid(place, line.words[0]);
  if (!guid) return guid.error();
  const auto port = base::parse_number(line.words[1]);
  if (!port || *port == 0 || *port > fabric::kMaxPortCount) {
    return place.wrong(line.words[1],
                       fmt::format("'{}' is no port number, 1..{}", base::printable(line.words[1]),
                                   fabric::kMaxPortCount));
  }
  return SwitchPort{*guid, mad::PortNumber{static_cast<std::uint8_t>(*port)}};
}

base::Result<HopWeight> parse_hop_weight(const base::FilePlace& place, const Line& line) {
  const auto at = parse_switch_port(place, line);
  if (at.has_error()) return at.error();
  const auto weight = base::parse_number(line.words[2]);
  if (!weight || *weight == 0 || *weight > kMaxWeight) {
    return place.wrong(line.words[2], fmt::format("'{}' is no weight, 1..{}",
                                                  base::printable(line.words[2]), kMaxWeight));
  }
  return HopWeight{*at, static_cast<std::uint8_t>(*weight)};
}

base::Result<SwitchId> parse_switch_id(const base::FilePlace& place, const Line& line) {
  const auto guid = parse_guid(place, line.words[0]);
  if (!guid) return guid.error();
  const std::string_view word = line.words[1];
  const auto id = base::parse_number(word);
  // With a zero in front it would be octal to OpenSM.
  const bool octal = word.size() > 1 && word[0] == '0' && word[1] != 'x' && word[1] != 'X';
  if (!id || octal) {
    return place.wrong(word,
                       fmt::format("'{}' is no ID, a number as 17 or 0x11", base::printable(word)));
  }
  return SwitchId{*guid, *id};
}

// How many words a line has, and whether more of them mean nothing.
struct LineShape {
  std::size_t words = 0;
  bool ignores_more = false;
  std::string_view form;
  std::string_view about;  // in the plural
};

template <class Value, class Parse>
base::Result<std::vector<Value>> parse_lines(std::string_view text, std::string_view file,
                                             const LineShape& shape, Parse parse) {
  std::vector<Value> values;
  std::size_t number = 0;
  for (const std::string_view whole : base::split(text, '\n')) {
    ++number;
    const base::FilePlace place{file, number, whole};
    const Line line = split_line(whole);
    if (line.count == 0) continue;
    if (line.count < shape.words || (line.count > shape.words && !shape.ignores_more)) {
      const bool lacks = line.count < shape.words;
      return place.wrong(lacks ? std::string_view() : line.words[0],
                         fmt::format("\"{}\" is wanted, which is {} words and not {}", shape.form,
                                     shape.words, line.count));
    }
    const auto value = parse(place, line);
    if (value.has_error()) return value.error();
    if (values.size() == kMaxPortLines) {
      return place.wrong(line.words[0], fmt::format("more than {} {}", kMaxPortLines, shape.about));
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace

base::Result<std::vector<mad::Guid>> parse_guid_list(std::string_view text, std::string_view file) {
  std::vector<mad::Guid> guids;
  std::size_t number = 0;
  for (const std::string_view whole : base::split(text, '\n')) {
    ++number;
    const std::string_view line = base::trim(whole);
    if (line.empty() || line.front() == '#') continue;
    const base::FilePlace place{file, number, whole};
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const auto guid = parse_guid(place, word);
    if (!guid) return guid.error();
    if (guids.size() == kMaxListedGuids) {
      return place.wrong(word, fmt::format("more than {} GUIDs", kMaxListedGuids));
    }
    guids.push_back(*guid);
  }
  if (guids.empty()) return base::error(fmt::format("{}: it names no GUID", file));
  return guids;
}

base::Result<std::vector<HopWeight>> parse_hop_weights(std::string_view text,
                                                       std::string_view file) {
  return parse_lines<HopWeight>(text, file, {3, false, "GUID PORT WEIGHT", "ports"},
                                &parse_hop_weight);
}

base::Result<std::vector<SwitchPort>> parse_switch_ports(std::string_view text,
                                                         std::string_view file) {
  return parse_lines<SwitchPort>(text, file, {2, false, "GUID PORT", "ports"}, &parse_switch_port);
}

base::Result<std::vector<SwitchId>> parse_switch_ids(std::string_view text, std::string_view file) {
  return parse_lines<SwitchId>(text, file, {2, true, "GUID ID", "switches"}, &parse_switch_id);
}

}  // namespace heddle::routing
