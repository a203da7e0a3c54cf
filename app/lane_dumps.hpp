// SPDX-License-Identifier: BSD-3-Clause
// Service levels and virtual lanes in the files that ibdmchk reads with -c and -d, so that it may
// judge tables that need several VLs.
#pragma once

#include <cstdint>
#include <ostream>

#include "sm/snapshot.hpp"

namespace heddle::app {

// The first file has a line for each host and LID, the second one for each two ports of a switch.
// Fabrics for which that is more get neither.
inline constexpr std::uint64_t kMaxLaneDumpLines = 4'000'000;

// Whether there is anything to write: several VLs, and not too many lines.
bool has_lane_dumps(const sm::Snapshot& snapshot);

// "0x<node GUID of the source> <LID> <service level>"; a host on several switches counts as being
// on the one of its lowest port.
void write_path_levels(std::ostream& out, const sm::Snapshot& snapshot);
// "0x<node GUID of the switch> <in> <out> 0x<VL of SL 0><VL of SL 1> ...", linked ports and port 0.
void write_lane_maps(std::ostream& out, const sm::Snapshot& snapshot);

}  // namespace heddle::app
