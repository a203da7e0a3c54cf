// SPDX-License-Identifier: BSD-3-Clause
// Hop counts from opensm-lid-matrix.dump, as OpenSM and Heddle write it: how far each switch is
// from each switch if the first hop is by this or that port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/engine.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {

// Switches times channels that are written; larger dumps are left out.
inline constexpr std::size_t kMaxMatrixCells = 64'000'000;

struct LidMatrix {
  static constexpr std::uint8_t kNoWay = 0xFF;
  // By (target switch, channel as in CompactChannels).
  std::vector<std::uint8_t> hops;
  std::vector<std::string> notes;  // what the file has and the fabric has not
};

// "Switch: guid GUID", then for each switch "LID: HOPS ... # portguid GUID", hops by port from 0 in
// hexadecimal, ff for none. Switches are known by GUIDs, so the file's LIDs need not be those of
// now. A line that is no such line is an error with its number; so is more than kMaxMatrixCells.
base::Result<LidMatrix> parse_lid_matrix(std::string_view text, std::string_view file,
                                         const fabric::Topology& topology,
                                         const CompactChannels& channels);

// Of the ways that the matrix calls shortest those that really come nearer by its own numbers: a
// file may say anything. Switches that it does not let arrive have no way.
fabric::ForwardingTables matrix_tables(const Request& request, const LidMatrix& matrix,
                                       const CompactChannels& channels);

// The lines of one switch. distances: by target switch, hops from every switch to it, 255 where
// there is no way.
std::string lid_matrix_text(const fabric::Topology& topology, const fabric::LidMap& lids,
                            fabric::SwitchIndex from,
                            const std::vector<std::vector<std::uint8_t>>& distances);

}  // namespace heddle::routing
