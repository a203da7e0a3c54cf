// SPDX-License-Identifier: BSD-3-Clause
// Islands of a fabric as fabrics of their own, and the routes of all of them as those of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/engine.hpp"

namespace heddle::routing {

// Its switch number i is switches[i] of the whole. LIDs and ports are those of the whole.
struct Piece {
  fabric::Topology topology;
  fabric::LidMap lids;
  std::vector<fabric::SwitchIndex> switches;
};

// The switches named (one island, ascending) and what hangs on them.
Piece cut_out(const fabric::Topology& topology, const fabric::LidMap& lids,
              std::span<const fabric::SwitchIndex> switches);

// An error when two pieces want channel adapters to put service levels on lanes in different ways,
// as there is one way for a fabric; pieces on one VL want none. Notes are told with the name of a
// switch of their piece.
base::Result<Routes> join_pieces(const Request& whole, const std::vector<Piece>& pieces,
                                 std::vector<Routes> routes);

// Whether both may be used in one fabric.
bool lanes_agree(const fabric::Lanes& a, const fabric::Lanes& b);

}  // namespace heddle::routing
