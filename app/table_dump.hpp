// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables from opensm-lfts.dump, as OpenSM and Heddle write it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/planned_fabric.hpp"
#include "base/result.hpp"
#include "fabric/forwarding_tables.hpp"

namespace heddle::app {

struct DumpedTables {
  fabric::ForwardingTables tables;
  std::vector<std::string> notes;  // what the dump has and the fabric has not
};

// The dump's LIDs need not be the fabric's: entries are known by the port GUIDs beside them. Lines
// that are of no known form are an error with the number of the line; switches and ports that the
// fabric does not have are only counted.
base::Result<DumpedTables> parse_table_dump(std::string_view text, std::string_view file,
                                            const PlannedFabric& fabric);
base::Result<DumpedTables> read_table_dump(const std::filesystem::path& file,
                                           const PlannedFabric& fabric);

}  // namespace heddle::app
