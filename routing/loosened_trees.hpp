// SPDX-License-Identifier: BSD-3-Clause
// Paired trees along the axes of a grid that lacks links in many places. What is missing makes a
// few turns that are against the orders of its layers, and few channels would close a cycle with
// them.
#pragma once

#include <memory>
#include <optional>

#include "base/parallel.hpp"
#include "routing/paired_trees.hpp"

namespace heddle::routing {

struct LoosenedTrees {
  std::unique_ptr<const LayerOrders> orders;
  std::unique_ptr<PairedTrees> trees;  // refer to these, and to what they were made of
};

// Orders are loosened, and trees changed, in turns until every pair has a layer; nullopt if some
// have none after a dozen turns. ways: along the axes, in so many layers. Lets go of the processor
// between turns, and may throw what that throws (base::breathe).
std::optional<LoosenedTrees> loosened_trees(const CompactChannels& channels,
                                            const Destinations& destinations, const Grid& grid,
                                            const GridWays& ways, unsigned layers,
                                            const base::ParallelFor& parallel);

}  // namespace heddle::routing
