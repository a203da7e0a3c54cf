// SPDX-License-Identifier: BSD-3-Clause
#include "routing/loosened_trees.hpp"

#include <utility>

#include "routing/loosened_orders.hpp"

namespace heddle::routing {
namespace {

constexpr unsigned kTurns = 12;
// Of all pairs, one in so many must be left without a layer at most before others may lose theirs
// to them; and how many pairs need a turn that they must not take away, at first and from time to
// time more.
constexpr std::size_t kFewInAll = 1000;
constexpr std::uint32_t kNeeded = 40;
constexpr std::uint32_t more_needed(std::uint32_t needed) {
  return needed * 7 / 5;
}

}  // namespace

std::optional<LoosenedTrees> loosened_trees(const CompactChannels& channels,
                                            const Destinations& destinations, const Grid& grid,
                                            const GridWays& ways, unsigned layers,
                                            const base::ParallelFor& parallel) {
  const std::size_t switches = destinations.hosts.size();
  const std::size_t few = switches * switches / 2 / kFewInAll;
  auto orders = std::make_unique<const LayerOrders>(grid_orders(channels, grid, layers));
  auto trees = std::make_unique<PairedTrees>(channels, destinations, *orders);
  trees->lay_out(ways);
  std::uint32_t needed = kNeeded;
  for (unsigned turn = 0; turn < kTurns; ++turn) {
    base::breathe(parallel);
    const bool are_few = trees->quarrels() < few;
    auto looser = std::make_unique<const LayerOrders>(
        loosened_orders(channels, *orders, *trees, are_few ? needed : 1, parallel));
    auto own = std::make_unique<PairedTrees>(channels, destinations, *looser);
    own->take_over(*trees);
    trees = std::move(own);  // before the orders that the old ones refer to
    orders = std::move(looser);
    if (trees->reconcile(Patience::Little)) {
      return LoosenedTrees{std::move(orders), std::move(trees)};
    }
    if (are_few) needed = more_needed(needed);
  }
  return std::nullopt;
}

}  // namespace heddle::routing
