// SPDX-License-Identifier: BSD-3-Clause
// Layers that take many shortest ways, learned before anything is woven into them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "routing/channel_order.hpp"
#include "routing/destinations.hpp"

namespace heddle::routing {

// Puts a shortest way from each switch with hosts to each other one into the layer of its target,
// as far as that stays free of cycles: of trees that share the load. The pairs come in an order
// that is random, and always the same, so that none of them is left with what others did not want.
// Trees that are woven into a layer afterwards find the turns that they need for short ways there,
// instead of those that the first of them happened to take. layer_of: by switch. `parallel`: only
// so that whoever lends the cores can end it.
void learn_shortest_ways(const CompactChannels& channels, const Destinations& destinations,
                         std::span<const std::uint8_t> layer_of, std::vector<ChannelOrder>& layers,
                         const base::ParallelFor& parallel = base::inline_for);

// The same with the ways that a tree has for switches with hosts: one by one, as far as they fit.
// tree: by switch, the channel to leave by; kNoWay at the target, and where there is none.
void learn_ways(const CompactChannels& channels, std::span<const std::uint32_t> hosts,
                std::span<const std::uint32_t> tree, ChannelOrder& layer);

}  // namespace heddle::routing
