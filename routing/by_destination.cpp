// SPDX-License-Identifier: BSD-3-Clause
#include "routing/by_destination.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "routing/escape.hpp"
#include "routing/learned_ways.hpp"
#include "routing/relief.hpp"
#include "routing/tree_levels.hpp"

namespace heddle::routing {
namespace {

// All packets to a LID have one layer, that in which its tree turned out best.
class ByDestination {
 public:
  ByDestination(const Request& request, const WeaveManner& manner);
  Woven weave(const std::atomic<bool>& is_vain);

 private:
  TreeGrower& find_tree(const Goal& goal, mad::Lid lid, unsigned number);
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

  std::vector<std::vector<std::uint32_t>> roots_for(const WeaveManner& manner) const;
  void even_out();
  void learn_given();

  Loom loom_;
  WeaveManner manner_;
  std::vector<EscapeTree> escapes_;                           // by layer
  std::vector<TreeGrower> growers_;                           // by layer
  std::vector<std::vector<std::uint8_t>> of_all_, of_hosts_;  // by layer, then by switch
  std::vector<std::uint8_t> home_;                            // by switch: the layer of its LIDs
  std::vector<std::uint8_t> level_;                           // by LID
  std::vector<std::uint8_t> is_given_;                        // by LID: its tree
  std::vector<std::uint64_t> used_;                           // by layer: how many LIDs
  std::size_t mended_ = 0, escaped_ = 0;
};

ByDestination::ByDestination(const Request& request, const WeaveManner& manner)
    : loom_(request, manner.layers),
      manner_(manner),
      home_(request.topology.switch_count(), kNoLayer),
      level_(std::size_t{request.lids.top().value} + 1),
      is_given_(level_.size()),
      used_(manner.layers) {
  for (const auto& roots : roots_for(manner)) {
    escapes_.emplace_back(loom_.channels, roots);
  }
  for (std::size_t v = 0; v < manner.layers; ++v) {
    escapes_[v].prepare(loom_.layers[v]);
    growers_.push_back(loom_.new_grower());
    of_all_.emplace_back(home_.size(), static_cast<std::uint8_t>(v));
    of_hosts_.push_back(of_all_.back());
    for (std::size_t s = 0; s < home_.size(); ++s) {
      if (loom_.destinations.hosts[s] == 0) of_hosts_[v][s] = kNoLayer;
    }
  }
  for (std::size_t s = 0; manner.fixed && s < home_.size(); ++s) {
    home_[s] = static_cast<std::uint8_t>(s % manner.layers);
  }
  if (manner.fixed && manner.learns) {
    learn_shortest_ways(loom_.channels, loom_.destinations, home_, loom_.layers, request.parallel);
  }
  if (manner.fixed && manner.given != nullptr) learn_given();
}

// On a tree the shortest ways between hosts climb to a switch in the order of one that has hosts,
// and descend from there. An order from above makes those of other planes close cycles with it.
std::vector<std::vector<std::uint32_t>> ByDestination::roots_for(const WeaveManner& manner) const {
  if (manner.fixed && manner.layers == 1) {
    return {middle_roots(loom_.channels, loom_.islands, loom_.destinations.hosts)};
  }
  return scattered_roots(loom_.channels, loom_.islands, manner.layers);
}

// What hosts send comes before what only switches do.
void ByDestination::learn_given() {
  loom_.for_each_goal([&](const Goal& goal) {
    if (!goal.to->is_host()) return;
    learn_ways(loom_.channels, loom_.destinations.hosts,
               loom_.ways(*manner_.given, goal.at, goal.to->base), loom_.layers[home_[goal.at]]);
  });
}

Woven ByDestination::weave(const std::atomic<bool>& is_vain) {
  loom_.for_each_goal([&](const Goal& goal) {
    if (is_vain) return;
    for_each_lid_apart(
        *goal.to, loom_.loads, [&](mad::Lid lid, unsigned number) -> auto& {
          TreeGrower& tree = find_tree(goal, lid, number);
          const auto layer = static_cast<std::size_t>(&tree - growers_.data());
          ++used_[layer];
          level_[lid.value] = static_cast<std::uint8_t>(layer);
          loom_.take(tree, goal, lid);
          return tree;
        });
  });
  for (unsigned round = 0; round < manner_.rounds; ++round) {
    loom_.improve(
        [&](const Goal& goal, mad::Lid lid) {
          return is_given_[lid.value] != 0 ? std::span<const std::uint8_t>()
                                           : packets(level_[lid.value], *goal.to);
        },
        [&] { return is_vain.load(); });
  }
  if (manner_.relieves && !is_vain) even_out();
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

TreeGrower& ByDestination::find_tree(const Goal& goal, mad::Lid lid, unsigned number) {
  const bool may_be_given = manner_.given != nullptr && manner_.fixed && goal.to->is_host();
  if (!may_be_given || number > 0) return grow_best(goal, number);
  const std::uint8_t home = home_[goal.at];
  const auto ways = loom_.ways(*manner_.given, goal.at, lid);
  TreeGrower& grower = growers_[home];
  if (grower.grow_along(goal.at, ways, packets(home, *goal.to), loom_.loads,
                        loom_.reachable(goal.at))) {
    is_given_[lid.value] = 1;
    return grower;
  }
  grower.undo();
  return grow_best(goal, number);
}

// In the layer that the switch's LIDs have if that can be, otherwise in the one with the cheapest
// tree. number: of the LID at its port; others take other layers if they can.
TreeGrower& ByDestination::grow_best(const Goal& goal, unsigned number) {
  const std::size_t vls = growers_.size();
  std::size_t begin = 0, end = vls;
  if (home_[goal.at] != kNoLayer) {
    const std::size_t home = (home_[goal.at] + number) % vls;
    if (grow_in(home, goal)) return growers_[home];
    if (manner_.fixed) std::tie(begin, end) = std::pair(home, home + 1);
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
  if (!manner_.fixed) home_[goal.at] = static_cast<std::uint8_t>(best);
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

void ByDestination::even_out() {
  auto loads =
      relieve_in_layers(loom_.channels, loom_.destinations, loom_.layers, level_, loom_.tables);
  if (loads) loom_.loads = std::move(*loads);
}

// In LIDs times channels: up to the first one trees grow anew twice, since that is quick. Beyond
// the second one learning would take as long again as growing, and on a tree that lacks something
// growing itself takes a minute: there all keep the shortest ways that fit, which are nearly all.
// Where switches form no tree hardly any fit.
constexpr std::size_t kFewToWeave = 16'000'000, kMostToWeave = 128'000'000;

}  // namespace

WeaveManner fixed_manner(const Request& request, unsigned layers,
                         const fabric::ForwardingTables& shortest) {
  const std::size_t work = request.lids.top().value * request.topology.channels().size();
  const bool many = work > kMostToWeave;
  const bool fit = many && find_levels(request.topology, {}).has_value();
  return {.layers = layers,
          .fixed = true,
          .learns = !many,
          .given = fit ? &shortest : nullptr,
          .rounds = work <= kFewToWeave ? 2u : 1u,
          .relieves = true};
}

Woven weave_by_destination(const Request& request, const WeaveManner& manner,
                           const std::atomic<bool>& is_vain) {
  return ByDestination(request, manner).weave(is_vain);
}

}  // namespace heddle::routing
