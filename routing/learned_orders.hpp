// SPDX-License-Identifier: BSD-3-Clause
// Orders for layers of any fabric that are learned from its shortest ways.
#pragma once

#include "base/parallel.hpp"
#include "fabric/islands.hpp"
#include "routing/destinations.hpp"
#include "routing/layer_orders.hpp"

namespace heddle::routing {

// `parallel`: only so that whoever lends the cores can end it. Of every two switches a shortest way
// is put into the first layer that stays free of cycles with it and with the same way back; the
// near ones come first, and what agrees with the positions of some layer moves nothing. Then more
// of their shortest ways, as far as they fit. What a layer has at last is its order: it takes far
// more ways than those that it was learned from, and whatever it takes, it takes in both
// directions. In the first layer everything can be reached, as it begins with a spanning tree.
LayerOrders learned_orders(const CompactChannels& channels, const fabric::Islands& islands,
                           const Destinations& destinations, unsigned count,
                           const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
