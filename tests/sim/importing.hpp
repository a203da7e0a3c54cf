// SPDX-License-Identifier: BSD-3-Clause
// What the tests of all readers of fabric files share.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sim/blueprint.hpp"

namespace heddle::sim {

inline std::string golden(const std::string& name) {
  return std::string(HEDDLE_GOLDEN_FABRICS) + "/" + name;
}

inline std::size_t count(const Blueprint& blueprint, mad::NodeType type) {
  return static_cast<std::size_t>(
      std::count_if(blueprint.nodes.begin(), blueprint.nodes.end(),
                    [&](const PlannedNode& node) { return node.type == type; }));
}

inline const PlannedNode& node_named(const Blueprint& blueprint, std::string_view name) {
  const auto found = std::find_if(blueprint.nodes.begin(), blueprint.nodes.end(),
                                  [&](const PlannedNode& node) { return node.name == name; });
  EXPECT_NE(found, blueprint.nodes.end()) << name;
  return *found;
}

// Files that exist only here: by name, for 'include' lines and as system definitions.
inline OtherFiles only_these(const std::map<std::string, std::string>& files) {
  OtherFiles others;
  others.included = [files](std::string_view name, std::string_view) -> base::Result<NamedText> {
    const auto found = files.find(std::string(name));
    if (found == files.end()) return base::error("there is no such file");
    return NamedText{found->first, found->second};
  };
  others.system_definitions = [files]() -> base::Result<std::vector<NamedText>> {
    std::vector<NamedText> all;
    for (const auto& [name, text] : files) all.push_back({name, text});
    return all;
  };
  return others;
}

inline Blueprint parse(std::string_view text, const OtherFiles& others = {}) {
  const auto parsed = parse_fabric_file(text, "file", others);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Blueprint{};
}

inline std::string error_of_file(std::string_view text, const OtherFiles& others = {}) {
  const auto parsed = parse_fabric_file(text, "file", others);
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error().message;
}

}  // namespace heddle::sim
