// SPDX-License-Identifier: BSD-3-Clause
// The fabric in the files that other people's tools read: ibdmchk, ibdiagnet, UFM, site scripts.
#pragma once

#include <filesystem>
#include <ostream>

#include "base/result.hpp"
#include "multicast/tables.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

// opensm-subnet.lst: one line per end of a link.
void write_subnet_list(std::ostream& out, const sm::Snapshot& snapshot);
// opensm.fdbs: per switch, LID, out port, hops.
void write_forwarding_list(std::ostream& out, const sm::Snapshot& snapshot);
// opensm-lid-matrix.dump: per switch, hops to each switch by each port; empty on a fabric of more
// than routing::kMaxMatrixCells.
void write_lid_matrix(std::ostream& out, const sm::Snapshot& snapshot);
// opensm-lfts.dump: per switch, LID, out port, who that LID is.
void write_forwarding_dump(std::ostream& out, const sm::Snapshot& snapshot);
// Of one switch; the fabric must be routed.
void write_forwarding_dump(std::ostream& out, const sm::Snapshot& snapshot, fabric::SwitchIndex of);

// All of them and those of lane_dumps.hpp, each replaced as a whole. The directory must exist.
base::Result<void> write_dumps(const std::filesystem::path& directory,
                               const sm::Snapshot& snapshot);

// opensm.mcfdbs: per switch the multicast LIDs with the ports that get a copy. `tables` of other
// switches than those of the topology are not written.
base::Result<void> write_multicast_dump(const std::filesystem::path& directory,
                                        const fabric::Topology& topology,
                                        const multicast::Tables& tables);

}  // namespace heddle::app
