// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's node-name-map: lines of a node GUID and a name, in quotes if it has blanks; '#' begins a
// comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "mad/types.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

class NodeNames {
 public:
  // Of a node that stands twice the last name counts. Errors begin with "title:line:column: ".
  static base::Result<NodeNames> parse(std::string_view text, std::string_view title);

  // Null for a node that is not in the file. At most as long as a NodeDescription.
  const std::string* find(mad::Guid node) const;
  friend bool operator==(const NodeNames&, const NodeNames&) = default;

 private:
  std::unordered_map<std::uint64_t, std::string> names_;
};

// Nodes of these GUIDs get the name as their description. Lines that name no node of the fabric do
// no harm; the error for one that cannot be read begins with "title:line:column: ", and nothing was
// renamed then.
base::Result<> rename_nodes(std::string_view map, std::string_view title,
                            sim::Blueprint& blueprint);

}  // namespace heddle::app
