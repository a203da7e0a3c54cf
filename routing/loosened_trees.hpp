// SPDX-License-Identifier: BSD-3-Clause
// Paired trees of which few pairs have no layer, as on a grid that lacks links in many places. What
// is missing makes a few turns that are against the orders of its layers, and few channels would
// close a cycle with them.
#pragma once

#include <memory>
#include <optional>

#include "base/parallel.hpp"
#include "routing/paired_trees.hpp"

namespace heddle::routing {

struct OwnedTrees {
  std::unique_ptr<const LayerOrders> orders;
  std::unique_ptr<PairedTrees> trees;  // refer to these, and to what they were made of
};

// Orders are loosened, and trees changed, in turns until every pair has a layer. Gives nothing if
// some have none after two dozen turns, or if hardly fewer are left after some turns in succession.
// orders: those of the trees to begin with, which outlive the call. Lets go of the processor
// between turns, and may throw what that throws (base::breathe).
std::optional<OwnedTrees> loosened_trees(const CompactChannels& channels,
                                         const Destinations& destinations,
                                         const LayerOrders& orders,
                                         std::unique_ptr<PairedTrees> quarrelling,
                                         const base::ParallelFor& parallel);

}  // namespace heddle::routing
