// SPDX-License-Identifier: BSD-3-Clause
#include "app/node_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kDescriptionBytes = 64;  // of a NodeDescription
constexpr std::string_view kBlanks = " \t\r";

struct Line {
  std::uint64_t guid = 0;
  std::string_view name;
};

// Nothing for a line without words. What is wrong stands at `column`, from 1.
base::Result<Line> read(std::string_view text, std::size_t& column) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  column = begin + 1;
  if (begin == text.size() || text[begin] == '#') return Line{};
  const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  const auto guid = base::parse_hex(word);
  if (!guid || *guid == 0) {
    return base::error(fmt::format("'{}' is no node GUID such as 0x0002c90300a1b2c3",
                                   base::printable(word.substr(0, kDescriptionBytes))));
  }
  const std::size_t at = std::min(text.find_first_not_of(kBlanks, end), text.size());
  column = at + 1;
  std::string_view name = text.substr(at);
  if (name.starts_with('"')) {
    const std::size_t quote = name.find('"', 1);
    if (quote == name.npos) return base::error("the quote is not closed: \"leaf 1\"");
    name = name.substr(1, quote - 1);
  } else {
    name = base::trim(name.substr(0, name.find('#')));
  }
  if (name.empty()) return base::error("a name is wanted behind the GUID: \"leaf 1\"");
  return Line{*guid, name};
}

}  // namespace

base::Result<NodeNames> NodeNames::parse(std::string_view text, std::string_view title) {
  NodeNames all;
  std::size_t number = 0;
  for (const std::string_view each : base::split(text, '\n')) {
    ++number;
    std::size_t column = 0;
    const auto line = read(each, column);
    if (line.has_error()) {
      return base::error(fmt::format("{}:{}:{}: {}", title, number, column, line.error().message));
    }
    if (line->guid == 0) continue;
    all.names_[line->guid] = base::printable(line->name.substr(0, kDescriptionBytes));
  }
  return all;
}

const std::string* NodeNames::find(mad::Guid node) const {
  const auto found = names_.find(node.value);
  return found == names_.end() ? nullptr : &found->second;
}

base::Result<> rename_nodes(std::string_view map, std::string_view title,
                            sim::Blueprint& blueprint) {
  const auto names = NodeNames::parse(map, title);
  if (names.has_error()) return names.error();
  for (sim::PlannedNode& node : blueprint.nodes) {
    if (const std::string* name = names->find(node.guid)) node.description = *name;
  }
  return {};
}

}  // namespace heddle::app
