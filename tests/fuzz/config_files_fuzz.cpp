// SPDX-License-Identifier: BSD-3-Clause
// Files of an operator: heddle.toml, opensm.conf, prefix-routes.conf and node-name-map. Whatever
// stands in them they are taken or refused, and what is wrong has a line and a column. The first
// byte says which file it is.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/node_names.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "config/load.hpp"
#include "config/opensm_import.hpp"
#include "sa/prefix_routes.hpp"

namespace {

using namespace heddle;

std::size_t line_count(std::string_view text) {
  return base::split(text, '\n').size();
}

// "f:LINE:COLUMN: ", and such a line is there.
void names_its_place(const base::Error& error, std::string_view text) {
  const auto words = base::split(error.message, ':');
  HEDDLE_CHECK(words.size() > 3 && words[0] == "f");
  const auto line = base::parse_number(words[1]), column = base::parse_number(words[2]);
  HEDDLE_CHECK(line && column && *line >= 1 && *line <= line_count(text));
  HEDDLE_CHECK(*column >= 1 && *column <= base::split(text, '\n')[*line - 1].size() + 1);
}

void read_settings(std::string_view text) {
  const auto loaded = config::parse(text, "f", {});
  for (const config::Problem& problem : loaded.problems) {
    HEDDLE_CHECK(problem.file == "f" && !problem.message.empty());
    HEDDLE_CHECK(problem.line <= line_count(text) + 1);
  }
}

// What comes of it is a configuration that can be read, whatever it was made of.
void import(std::string_view text) {
  const bool exists = text.size() % 2 == 0;
  const auto imported = config::import_opensm(text, [&](const std::string&) { return exists; });
  for (const auto& remark : imported.remarks) {
    HEDDLE_CHECK(remark.line >= 1 && remark.line <= line_count(text) && !remark.option.empty());
    HEDDLE_CHECK(remark.column >= 1 &&
                 remark.column <= base::split(text, '\n')[remark.line - 1].size());
  }
  const auto again = config::parse(imported.file, "f", {});
  for (const config::Problem& problem : again.problems) {
    // Values that contradict one another were so before.
    HEDDLE_CHECK(problem.line <= line_count(imported.file));
  }
}

void read_prefix_routes(std::string_view text) {
  const auto routes = sa::parse_prefix_routes(text, "f");
  if (!routes) return names_its_place(routes.error(), text);
  const auto again = sa::parse_prefix_routes(sa::to_text(*routes), "f");
  HEDDLE_CHECK(again.has_value() && *again == *routes);
}

void read_names(std::string_view text) {
  sim::Blueprint blueprint;
  for (const std::uint64_t guid : {0x1ull, 0x2ull, 0xA0ull}) {
    sim::PlannedNode node;
    node.guid = mad::Guid{guid};
    node.description = "before";
    blueprint.nodes.push_back(node);
  }
  const auto renamed = app::rename_nodes(text, "f", blueprint);
  for (const sim::PlannedNode& node : blueprint.nodes) {
    HEDDLE_CHECK(!node.description.empty() && node.description.size() <= 64);
    HEDDLE_CHECK(!renamed.has_error() || node.description == "before");
  }
  if (renamed.has_error()) names_its_place(renamed.error(), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (*data % 4) {
    case 0:
      read_settings(text);
      break;
    case 1:
      import(text);
      break;
    case 2:
      read_prefix_routes(text);
      break;
    default:
      read_names(text);
  }
  return 0;
}
