// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables from opensm-lfts.dump and opensm.fdbs, as OpenSM and Heddle write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

struct DumpedTables {
  fabric::ForwardingTables tables;
  std::vector<std::string> notes;  // what the dump has and the fabric has not
};

// The dump's LIDs need not be the fabric's: entries are known by the port GUIDs beside them. Lines
// that are of no known form are an error with the number of the line; switches and ports that the
// fabric does not have are only counted.
base::Result<DumpedTables> parse_table_dump(std::string_view text, std::string_view file,
                                            const fabric::Topology& topology,
                                            const fabric::LidMap& lids);

// The same from opensm.fdbs, which knows LIDs alone: they have to be the fabric's.
bool is_forwarding_list(std::string_view text);
base::Result<DumpedTables> parse_forwarding_list(std::string_view text, std::string_view file,
                                                 const fabric::Topology& topology,
                                                 const fabric::LidMap& lids);

}  // namespace heddle::routing
