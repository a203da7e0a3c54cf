// SPDX-License-Identifier: BSD-3-Clause
#include "routing/weave.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fabric/verification.hpp"
#include "routing/by_destination.hpp"
#include "routing/loom.hpp"
#include "routing/ordered_weave.hpp"
#include "routing/pair_layers.hpp"
#include "routing/quality.hpp"
#include "routing/sssp.hpp"

namespace heddle::routing {
namespace {

// Packets between two switches have one layer, the same both ways. Every switch has a tree that
// keeps to the layers of its pairs; each LID gets the best that these layers take, at worst that.
class ByPair {
 public:
  explicit ByPair(const Request& request)
      : loom_(request, request.data_vls), grower_(loom_.new_grower()) {}
  // False if not every pair can have a layer. Comes first.
  bool deal_layers();
  Woven weave();
  // Whether some LIDs had to take the first tree of their switch.
  bool is_strained() const { return plain_ > 0; }

 private:
  const TreeGrower& route(const Goal& goal, mad::Lid lid);

  Loom loom_;
  TreeGrower grower_;
  std::optional<PairLayers> pairs_;
  std::size_t plain_ = 0;
};

bool ByPair::deal_layers() {
  pairs_ = make_pair_layers(loom_.channels, loom_.destinations, loom_.islands, loom_.layers,
                            loom_.request.parallel);
  return pairs_.has_value();
}

Woven ByPair::weave() {
  loom_.for_each_goal([&](const Goal& goal) {
    for_each_lid_apart(
        *goal.to, loom_.loads, [&](mad::Lid lid, unsigned) -> auto& { return route(goal, lid); });
  });
  loom_.improve([&](const Goal& goal, mad::Lid) { return pairs_->of(goal.at); },
                [] { return false; });
  auto levels = pairs_->levels(loom_.destinations, loom_.request.lids.top());
  auto woven = finish(loom_, fmt::format("{} VLs by pairs of switches, the same both ways; {} LIDs "
                                         "take the first tree of their switch",
                                         loom_.layers.size(), plain_));
  woven.routes.lanes = lanes_of(loom_.layers.size(), std::move(levels));
  return woven;
}

const TreeGrower& ByPair::route(const Goal& goal, mad::Lid lid) {
  const bool grown = goal.to->is_host() && grower_.grow(goal.at, pairs_->of(goal.at), loom_.loads,
                                                        loom_.reachable(goal.at));
  if (!grown) {
    if (goal.to->is_host()) ++plain_;
    grower_.undo();
    grower_.adopt(goal.at, pairs_->tree(loom_.channels, goal.at));
  }
  loom_.take(grower_, goal, lid);
  return grower_;
}

}  // namespace

namespace {

// The tables of sssp, and whether they hold no credit loop. Most trees need nothing better.
struct Shortest {
  explicit Shortest(const Request& request)
      : tables(shortest_path_tables(request, Dealing::SwitchBySwitch)),
        is_safe(fabric::verify(request.topology, request.lids, tables, {}, request.parallel)
                    .deadlock_free()) {}
  Routes routes(std::string_view engine) {
    return {
        std::string(engine), std::move(tables), {"1 VL: the shortest ways hold no credit loop"}};
  }
  // In what a single channel carries at most, and in what all do.
  Enough as_good(const Request& request) const {
    const auto own = measure_loads(request.topology, request.lids, tables, request.parallel);
    const std::uint64_t whole = std::accumulate(own.load.begin(), own.load.end(), std::uint64_t{0});
    return {own.quality.greatest_load, whole};
  }

  fabric::ForwardingTables tables;
  bool is_safe;
};

// alone: how all would be woven into a single layer.
Woven weave_by_pair(const Request& request, const WeaveManner& alone) {
  ByPair by_pair(request);
  if (!by_pair.deal_layers()) return weave_by_destination(request, alone);
  // Where pairs of switches have to squeeze, one layer for all may carry less at most.
  std::optional<Woven> pairs, single;
  std::atomic<bool> is_vain = false;
  request.parallel(2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i == 0) {
        pairs = by_pair.weave();
        is_vain = !by_pair.is_strained();
      } else if (!is_vain) {
        single = weave_by_destination(request, alone, is_vain);
      }
    }
  });
  const bool better = is_vain || pairs->greatest_load < single->greatest_load;
  return better ? std::move(*pairs) : std::move(*single);
}

// In layers that take their order from the ways that are found. alone: how all would be woven into
// a single layer.
Woven weave_freely(const Request& request, const WeaveManner& alone) {
  if (request.data_vls == 1) return weave_by_destination(request, alone);
  if (request.cover_replies) return weave_by_pair(request, alone);
  return weave_by_destination(request, {.layers = request.data_vls});
}

}  // namespace

// Layers with orders that are given beforehand come first: that is quicker, and where they suit the
// fabric they spread the load better. They do not suit it where ways get longer. On a large grid
// that finds no layers so, most LIDs would be left with an escape tree if one layer had to take
// what comes.
base::Result<Routes> Weave::route(const Request& request) const {
  Shortest shortest(request);
  if (shortest.is_safe) return shortest.routes(name());
  const Enough enough = shortest.as_good(request);
  std::optional<Woven> ordered;
  if (request.data_vls > 1) {
    auto found = weave_in_orders(request, enough);
    if (found.is_enough) return std::move(found.best->routes);
    ordered = std::move(found.best);
  }
  const WeaveManner alone = fixed_manner(request, 1, shortest.tables);
  if (!ordered && alone.is_blind()) {
    if (auto sloping = weave_on_slope(request, enough)) return std::move(sloping->routes);
  }
  auto woven = weave_freely(request, alone);
  const bool better = ordered && ordered->greatest_load < woven.greatest_load;
  return better ? std::move(ordered->routes) : std::move(woven.routes);
}

base::Result<Routes> leave_to_weave(const Request& request, std::string_view engine,
                                    const base::Error& why) {
  auto woven = Weave{}.route(request);
  if (!woven) return woven;
  woven->engine = engine;
  woven->notes.insert(woven->notes.begin(), "left to weave: " + why.message);
  return woven;
}

}  // namespace heddle::routing
