// SPDX-License-Identifier: BSD-3-Clause
#include "routing/option_files.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/text.hpp"
#include "fabric/topology.hpp"
#include "routing/file_place.hpp"

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

base::Result<SwitchPort> parse_switch_port(const FilePlace& place, const Line& line) {
  const auto guid = base::parse_hex(line.words[0]);
  if (!guid || *guid == 0) {
    return place.wrong(line.words[0],
                       fmt::format("'{}' is no GUID", base::printable(line.words[0])));
  }
  const auto port = base::parse_number(line.words[1]);
  if (!port || *port == 0 || *port > fabric::kMaxPortCount) {
    return place.wrong(line.words[1],
                       fmt::format("'{}' is no port number, 1..{}", base::printable(line.words[1]),
                                   fabric::kMaxPortCount));
  }
  return SwitchPort{mad::Guid{*guid}, mad::PortNumber{static_cast<std::uint8_t>(*port)}};
}

base::Result<HopWeight> parse_hop_weight(const FilePlace& place, const Line& line) {
  const auto at = parse_switch_port(place, line);
  if (at.has_error()) return at.error();
  const auto weight = base::parse_number(line.words[2]);
  if (!weight || *weight == 0 || *weight > kMaxWeight) {
    return place.wrong(line.words[2], fmt::format("'{}' is no weight, 1..{}",
                                                  base::printable(line.words[2]), kMaxWeight));
  }
  return HopWeight{*at, static_cast<std::uint8_t>(*weight)};
}

template <class Value, class Parse>
base::Result<std::vector<Value>> parse_lines(std::string_view text, std::string_view file,
                                             std::size_t words, Parse parse) {
  std::vector<Value> values;
  std::size_t number = 0;
  for (const std::string_view whole : base::split(text, '\n')) {
    ++number;
    const FilePlace place{file, number, whole};
    const Line line = split_line(whole);
    if (line.count == 0) continue;
    if (line.count != words) {
      return place.wrong(line.words[0], fmt::format("{} words instead of {}", line.count, words));
    }
    const auto value = parse(place, line);
    if (value.has_error()) return value.error();
    if (values.size() == kMaxPortLines) {
      return place.wrong(line.words[0], fmt::format("more than {} ports", kMaxPortLines));
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
    const FilePlace place{file, number, whole};
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const auto guid = base::parse_hex(word);
    if (!guid || *guid == 0) {
      return place.wrong(word, fmt::format("'{}' is no GUID", base::printable(word)));
    }
    if (guids.size() == kMaxListedGuids) {
      return place.wrong(word, fmt::format("more than {} GUIDs", kMaxListedGuids));
    }
    guids.push_back(mad::Guid{*guid});
  }
  if (guids.empty()) return base::error(fmt::format("{}: it names no GUID", file));
  return guids;
}

base::Result<std::vector<HopWeight>> parse_hop_weights(std::string_view text,
                                                       std::string_view file) {
  return parse_lines<HopWeight>(text, file, 3, &parse_hop_weight);
}

base::Result<std::vector<SwitchPort>> parse_switch_ports(std::string_view text,
                                                         std::string_view file) {
  return parse_lines<SwitchPort>(text, file, 2, &parse_switch_port);
}

}  // namespace heddle::routing
