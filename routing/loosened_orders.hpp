// SPDX-License-Identifier: BSD-3-Clause
// Room in layers whose orders are given. An order says of any two channels which one is first, but
// trees turn from few of them into others: where they do not, channels may change places.
#pragma once

#include "base/parallel.hpp"
#include "routing/layer_orders.hpp"
#include "routing/paired_trees.hpp"

namespace heddle::routing {

// Orders that admit the ways of most pairs, each there and back in one layer. The trees stay as
// they are. With 1 needed, all pairs that have a layer keep one, and those that have none get one
// where that leaves room. With more, turns come first that at least so many pairs with a single
// layer need, then the ways of pairs without one, and then all others: so a pair may lose its layer
// to one that is harder to settle.
LayerOrders loosened_orders(const CompactChannels& channels, const LayerOrders& orders,
                            const PairedTrees& trees, std::uint32_t needed,
                            const base::ParallelFor& parallel);

}  // namespace heddle::routing
