// SPDX-License-Identifier: BSD-3-Clause
#include "routing/loosened_trees.hpp"

#include <utility>

#include "routing/loosened_orders.hpp"

namespace heddle::routing {
namespace {

constexpr unsigned kTurns = 24;
// So many turns in succession may leave nearly as many pairs without a layer as the one before.
constexpr unsigned kSlowTurns = 4;
// So many pairs need a turn that others must not take away, at first; more after a slow one.
constexpr std::uint32_t kNeededAtFirst = 8;
constexpr std::uint32_t more_needed(std::uint32_t needed) {
  return needed * 7 / 5;
}
constexpr bool is_slow(std::size_t left, std::size_t before) {
  return left * 10 > before * 9;
}

}  // namespace

std::optional<OwnedTrees> loosened_trees(const CompactChannels& channels,
                                         const Destinations& destinations,
                                         const LayerOrders& orders,
                                         std::unique_ptr<PairedTrees> quarrelling,
                                         const base::ParallelFor& parallel) {
  OwnedTrees latest{nullptr, std::move(quarrelling)};
  std::size_t left = latest.trees->quarrels();
  std::uint32_t needed = kNeededAtFirst;
  for (unsigned turn = 0, slow = 0; turn < kTurns && slow < kSlowTurns; ++turn) {
    base::breathe(parallel);
    const LayerOrders& tight = latest.orders ? *latest.orders : orders;
    auto looser = std::make_unique<const LayerOrders>(
        loosened_orders(channels, tight, *latest.trees, needed, parallel));
    auto own = std::make_unique<PairedTrees>(channels, destinations, *looser);
    own->take_over(*latest.trees);
    latest.trees = std::move(own);  // before the orders that the old ones refer to
    latest.orders = std::move(looser);
    if (latest.trees->reconcile(Patience::Little)) return latest;
    const std::size_t before = std::exchange(left, latest.trees->quarrels());
    slow = is_slow(left, before) ? slow + 1 : 0;
    if (slow > 0) needed = more_needed(needed);
  }
  return std::nullopt;
}

}  // namespace heddle::routing
