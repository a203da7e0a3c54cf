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
#include "routing/escape.hpp"
#include "routing/loom.hpp"
#include "routing/ordered_weave.hpp"
#include "routing/pair_layers.hpp"
#include "routing/quality.hpp"
#include "routing/sssp.hpp"

namespace heddle::routing {
namespace {

const std::atomic<bool> kNeeded = false;

// All packets to a LID have one layer, that in which its tree turned out best.
class ByDestination {
 public:
  // With fixed layers, those of the switches are dealt out beforehand.
  ByDestination(const Request& request, unsigned layers, bool fixed = false);
  // What it returns is of no use once nobody needs it any more.
  Woven weave(const std::atomic<bool>& is_vain = kNeeded);

 private:
  TreeGrower& grow_best(const Goal& goal, unsigned number);
  std::size_t choose(std::size_t begin, std::size_t end, const std::vector<std::uint8_t>& whole);
  TreeGrower& escape(const Goal& goal, std::size_t begin, std::size_t end);
  bool grow_in(std::size_t layer, const Goal& goal) {
    return growers_[layer].grow(goal.at, packets(layer, *goal.to), loom_.loads,
                                loom_.reachable(goal.at));
  }
  // What one switch sends to another does not matter.
  std::span<const std::uint8_t> packets(std::size_t layer, const Destination& to) const {
    return to.is_host() ? of_all_[layer] : of_hosts_[layer];
  }

  Loom loom_;
  bool fixed_;
  std::vector<EscapeTree> escapes_;                           // by layer
  std::vector<TreeGrower> growers_;                           // by layer
  std::vector<std::vector<std::uint8_t>> of_all_, of_hosts_;  // by layer, then by switch
  std::vector<std::uint8_t> home_;                            // by switch: the layer of its LIDs
  std::vector<std::uint8_t> level_;                           // by LID
  std::vector<std::uint64_t> used_;                           // by layer: how many LIDs
  std::size_t mended_ = 0, escaped_ = 0;
};

ByDestination::ByDestination(const Request& request, unsigned layers, bool fixed)
    : loom_(request, layers),
      fixed_(fixed),
      home_(request.topology.switch_count(), kNoLayer),
      level_(std::size_t{request.lids.top().value} + 1),
      used_(layers) {
  for (const auto& roots : scattered_roots(loom_.channels, loom_.islands, layers)) {
    escapes_.emplace_back(loom_.channels, roots);
  }
  for (std::size_t v = 0; v < layers; ++v) {
    escapes_[v].prepare(loom_.layers[v]);
    growers_.push_back(loom_.new_grower());
    of_all_.emplace_back(home_.size(), static_cast<std::uint8_t>(v));
    of_hosts_.push_back(of_all_.back());
    for (std::size_t s = 0; s < home_.size(); ++s) {
      if (loom_.destinations.hosts[s] == 0) of_hosts_[v][s] = kNoLayer;
    }
  }
  for (std::size_t s = 0; fixed && s < home_.size(); ++s) {
    home_[s] = static_cast<std::uint8_t>(s % layers);
  }
}

Woven ByDestination::weave(const std::atomic<bool>& is_vain) {
  loom_.for_each_goal([&](const Goal& goal) {
    if (is_vain) return;
    for_each_lid_apart(
        *goal.to, loom_.loads, [&](mad::Lid lid, unsigned number) -> auto& {
          TreeGrower& tree = grow_best(goal, number);
          const auto layer = static_cast<std::size_t>(&tree - growers_.data());
          ++used_[layer];
          level_[lid.value] = static_cast<std::uint8_t>(layer);
          loom_.take(tree, goal, lid);
          return tree;
        });
  });
  loom_.improve(
      [&](const Goal& goal, mad::Lid lid) { return packets(level_[lid.value], *goal.to); },
      [&] { return is_vain.load(); });
  const auto vls = used_.size();
  auto woven =
      finish(loom_, fmt::format("{} by destination; ways were mended for {} LIDs, {} take "
                                "an escape tree",
                                vls == 1 ? "1 VL" : fmt::format("{} VLs", vls), mended_, escaped_));
  if (vls > 1) {
    woven.routes.lanes = lanes_of(vls, fabric::ServiceLevels::by_destination(std::move(level_)));
  }
  return woven;
}

// In the layer that the switch's LIDs have if that can be, otherwise in the one with the cheapest
// tree. number: of the LID at its port; others take other layers if they can.
TreeGrower& ByDestination::grow_best(const Goal& goal, unsigned number) {
  const std::size_t vls = growers_.size();
  std::size_t begin = 0, end = vls;
  if (home_[goal.at] != kNoLayer) {
    const std::size_t home = (home_[goal.at] + number) % vls;
    if (grow_in(home, goal)) return growers_[home];
    if (fixed_) std::tie(begin, end) = std::pair(home, home + 1);
    growers_[home].undo();
  }
  std::vector<std::uint8_t> whole(vls);
  loom_.request.parallel(end - begin, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = begin + first; v < begin + last; ++v) whole[v] = grow_in(v, goal) ? 1 : 0;
  });
  const std::size_t best = choose(begin, end, whole);
  for (std::size_t v = begin; v < end; ++v) {
    if (v != best) growers_[v].undo();
  }
  if (best == vls) return escape(goal, begin, end);
  if (!fixed_) home_[goal.at] = static_cast<std::uint8_t>(best);
  return growers_[best];
}

// The cheapest whole tree, or else the first that can be mended; the number of layers if there is
// none.
std::size_t ByDestination::choose(std::size_t begin, std::size_t end,
                                  const std::vector<std::uint8_t>& whole) {
  std::size_t best = growers_.size();
  TreeGrower::Cost least;
  for (std::size_t v = begin; v < end; ++v) {
    if (whole[v] == 0) continue;
    const auto cost = growers_[v].cost(loom_.destinations.hosts);
    if (best < growers_.size() && !(cost < least)) continue;
    best = v;
    least = cost;
  }
  for (std::size_t v = begin; v < end && best == growers_.size(); ++v) {
    if (!growers_[v].mend(loom_.loads)) continue;
    best = v;
    ++mended_;
  }
  return best;
}

TreeGrower& ByDestination::escape(const Goal& goal, std::size_t begin, std::size_t end) {
  ++escaped_;
  const auto least = std::min_element(used_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      used_.begin() + static_cast<std::ptrdiff_t>(end));
  const auto layer = static_cast<std::size_t>(least - used_.begin());
  growers_[layer].adopt(goal.at, escapes_[layer].toward(goal.at));
  return growers_[layer];
}

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
      : tables(shortest_path_tables(request)),
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

Woven weave_by_pair(const Request& request) {
  ByPair by_pair(request);
  if (!by_pair.deal_layers()) return ByDestination(request, 1).weave();
  // Where pairs of switches have to squeeze, one layer for all may carry less at most.
  std::optional<Woven> pairs, single;
  std::atomic<bool> is_vain = false;
  request.parallel(2, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i == 0) {
        pairs = by_pair.weave();
        is_vain = !by_pair.is_strained();
      } else if (!is_vain) {
        single = ByDestination(request, 1).weave(is_vain);
      }
    }
  });
  const bool better = is_vain || pairs->greatest_load < single->greatest_load;
  return better ? std::move(*pairs) : std::move(*single);
}

// In layers that take their order from the ways that are found.
Woven weave_freely(const Request& request) {
  if (request.data_vls > 1 && request.cover_replies) return weave_by_pair(request);
  return ByDestination(request, request.data_vls).weave();
}

}  // namespace

// Layers with orders that are given beforehand come first: that is quicker, and where they suit the
// fabric they spread the load better. They do not suit it where ways get longer.
base::Result<Routes> Weave::route(const Request& request) const {
  Shortest shortest(request);
  if (shortest.is_safe) return shortest.routes(name());
  std::optional<Woven> ordered;
  if (request.data_vls > 1) {
    const Enough enough = shortest.as_good(request);
    ordered = weave_in_orders(request, enough);
    if (ordered && enough.holds(*ordered)) return std::move(ordered->routes);
  }
  auto woven = weave_freely(request);
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

base::Result<Routes> Nue::route(const Request& request) const {
  Shortest shortest(request);
  if (shortest.is_safe) return shortest.routes(name());
  const unsigned vls = request.cover_replies ? 1 : request.data_vls;
  auto routes = ByDestination(request, vls, true).weave().routes;
  routes.engine = name();
  routes.notes.push_back("the switches' layers are dealt out beforehand");
  if (vls < request.data_vls) {
    routes.notes.push_back("1 VL, because answers may ride the level of their request");
  }
  return routes;
}

}  // namespace heddle::routing
