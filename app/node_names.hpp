// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's node-name-map: lines of a node GUID and a name, in quotes if it has blanks; '#' begins a
// comment.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {

// Nodes of these GUIDs get the name as their description. Lines that name no node of the fabric do
// no harm; the error for one that cannot be read begins with "title:line:column: ", and nothing was
// renamed then.
base::Result<> rename_nodes(std::string_view map, std::string_view title,
                            sim::Blueprint& blueprint);

}  // namespace heddle::app
