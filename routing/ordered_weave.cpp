// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ordered_weave.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "routing/dragonfly_groups.hpp"
#include "routing/grid.hpp"
#include "routing/grid_orders.hpp"
#include "routing/grid_ways.hpp"
#include "routing/layer_orders.hpp"
#include "routing/learned_orders.hpp"
#include "routing/leveller.hpp"
#include "routing/loosened_trees.hpp"
#include "routing/ordered_forest.hpp"
#include "routing/ordered_trees.hpp"
#include "routing/pair_layers.hpp"
#include "routing/paired_trees.hpp"
#include "routing/patterns.hpp"

namespace heddle::routing {
namespace {

// How often trees grow anew: mostly random pairs get a little more by it each time, but which
// channel is the busiest one in the end is chance, and along the axes of a grid ways are as regular
// at first as they will be. So all are tried, where LIDs times channels are no more than this.
constexpr std::array<unsigned, 3> kRounds{1, 0, 4};
constexpr std::size_t kMostToGrowOften = 16'000'000;

// By so much random pairs differ where nothing but chance does.
constexpr double kMore = 1.001;

// Where LIDs times channels are more than this, a grid is woven in the manners for grids only:
// others take minutes there, in vain.
constexpr std::size_t kMostToTryOn = 64'000'000;

bool has_rings(const Grid& grid) {
  return std::any_of(grid.axes.begin(), grid.axes.end(),
                     [](const Grid::Axis& axis) { return axis.shape == Grid::Shape::Ring; });
}

// One of several layers that would do, so that all get about as much.
std::uint8_t layer_of(LayerSet layers, unsigned count, std::size_t turn) {
  if (layers == 0) return 0;  // nothing goes there
  auto layer = static_cast<unsigned>(turn % count);
  while ((layers >> layer & 1) == 0) layer = (layer + 1) % count;
  return static_cast<std::uint8_t>(layer);
}

// The trees of all LIDs, in the order of the goals.
struct Trees {
  explicit Trees(const Loom& loom);
  std::vector<std::uint32_t> by_lid;                  // kNoWay if there is none
  std::vector<std::uint32_t> targets;                 // by tree
  std::vector<std::vector<std::uint32_t>> by_target;  // by switch
  std::vector<std::uint32_t> of_hosts;                // those that carry load
};

Trees::Trees(const Loom& loom)
    : by_lid(std::size_t{loom.request.lids.top().value} + 1, kNoWay),
      by_target(loom.destinations.hosts.size()) {
  loom.for_each_goal([&](const Goal& goal) {
    for (unsigned n = 0; n < goal.to->lid_count(); ++n) {
      const auto tree = static_cast<std::uint32_t>(targets.size());
      by_lid[goal.to->base.value + n] = tree;
      targets.push_back(goal.at);
      by_target[goal.at].push_back(tree);
      // Several LIDs of a port keep apart from each other.
      if (goal.to->is_host() && goal.to->lmc == 0) of_hosts.push_back(tree);
    }
  });
}

class OrderedWeaver {
 public:
  // paired: what a LID falls back on that finds no way; null if there is none. by_pair: layers are
  // by pair of switches, for which it takes those. enough: what a channel may carry without being
  // relieved by longer ways.
  OrderedWeaver(Loom& loom, const LayerOrders& orders, const PairedTrees* paired, bool by_pair,
                std::uint64_t enough);

  // rounds: how often trees grow anew, now that it is known what channels carry. False if some
  // switch finds no way.
  bool weave(unsigned rounds);
  Woven finish();

 private:
  // What packets to a LID there must have a layer of, by switch.
  std::span<const LayerSet> wanted(const Goal& goal) const {
    if (by_pair_) return std::span(pairs_).subspan(goal.at * switches_, switches_);
    return goal.to->is_host() ? any_ : any_of_hosts_;
  }
  bool grow(const Goal& goal);
  bool route(const Goal& goal, mad::Lid lid);
  void keep(const Goal& goal, mad::Lid lid);
  void improve(const Goal& goal, mad::Lid lid);
  void find_common_layers();
  LayerSet common_layers(std::uint32_t a, std::uint32_t b) const;
  bool allows(std::span<const OrderedForest::Change> changes);
  void level();
  void write_tables(const Goal& goal, mad::Lid lid);
  fabric::ServiceLevels levels_by_pair() const;
  fabric::ServiceLevels levels_by_lid() const;

  Loom& loom_;
  const LayerOrders& orders_;
  const PairedTrees* paired_;
  std::uint64_t enough_;
  bool by_pair_;  // then there are paired trees
  std::size_t switches_;
  OrderedTrees trees_, old_;
  std::vector<LayerSet> any_, any_of_hosts_;  // by switch
  std::vector<LayerSet> pairs_;               // by two switches: what takes all ways between them
  std::vector<std::uint8_t> is_begun_;        // by switch: whether it has a LID with a tree
  Trees numbers_;
  OrderedForest forest_;  // a tree for each LID
  std::size_t led_ = 0;
};

OrderedWeaver::OrderedWeaver(Loom& loom, const LayerOrders& orders, const PairedTrees* paired,
                             bool by_pair, std::uint64_t enough)
    : loom_(loom),
      orders_(orders),
      paired_(paired),
      enough_(enough),
      by_pair_(by_pair),
      switches_(loom.destinations.hosts.size()),
      trees_(loom.channels, orders),
      old_(loom.channels, orders),
      any_(switches_, orders.all()),
      any_of_hosts_(any_),
      is_begun_(switches_),
      numbers_(loom),
      forest_(loom.channels, orders, numbers_.targets) {
  for (std::size_t s = 0; s < switches_; ++s) {
    if (loom.destinations.hosts[s] == 0) any_of_hosts_[s] = 0;
  }
  if (!by_pair_) return;
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < switches_; ++b) {
      pairs_.push_back(paired->matters(a, b) ? paired->layers(a, b) : LayerSet{0});
    }
  }
}

bool OrderedWeaver::weave(unsigned rounds) {
  bool whole = true;
  loom_.for_each_goal([&](const Goal& goal) {
    if (!whole) return;
    for_each_lid_apart(
        *goal.to, loom_.loads, [&](mad::Lid lid, unsigned) -> auto& {
          whole = whole && route(goal, lid);
          return trees_;
        });
  });
  if (!whole) return false;
  for (unsigned round = 0; round < rounds; ++round) {
    loom_.for_each_goal([&](const Goal& goal) {
      for (unsigned n = 0; goal.to->is_host() && n < goal.to->lid_count(); ++n) {
        improve(goal, mad::Lid{static_cast<std::uint16_t>(goal.to->base.value + n)});
      }
    });
  }
  level();
  return true;
}

// The ways of a paired tree are in all the layers that are left to their pairs.
bool OrderedWeaver::grow(const Goal& goal) {
  if (paired_ == nullptr) {
    return trees_.grow(goal.at, wanted(goal), loom_.loads, loom_.reachable(goal.at));
  }
  if (trees_.grow_on(goal.at, paired_->tree(goal.at), wanted(goal), loom_.loads) > 0) ++led_;
  return true;
}

// The first LID of a switch takes the tree that was made for the switch.
bool OrderedWeaver::route(const Goal& goal, mad::Lid lid) {
  if (by_pair_ && (is_begun_[goal.at] == 0 || !goal.to->is_host())) {
    trees_.adopt(goal.at, paired_->tree(goal.at));
    is_begun_[goal.at] = 1;
  } else if (!grow(goal)) {
    return false;
  }
  keep(goal, lid);
  return true;
}

// A pair is left with the layers that take this way too.
void OrderedWeaver::keep(const Goal& goal, mad::Lid lid) {
  forest_.plant(numbers_.by_lid[lid.value], trees_);
  if (by_pair_) {
    for (const std::uint32_t at : trees_.nearest_first().subspan(1)) {
      LayerSet& there = pairs_[goal.at * switches_ + at];
      there = static_cast<LayerSet>(there & trees_.layers(at));
      pairs_[at * switches_ + goal.at] = there;
    }
  }
  if (goal.to->is_host()) trees_.load(loom_.destinations.hosts, loom_.loads);
}

void OrderedWeaver::improve(const Goal& goal, mad::Lid lid) {
  const auto& sent = loom_.destinations.hosts;
  old_.adopt(goal.at, forest_.ways(numbers_.by_lid[lid.value]));
  old_.load(sent, loom_.loads, true);
  if (grow(goal) && trees_.cost(sent, loom_.loads) < old_.cost(sent, loom_.loads)) {
    keep(goal, lid);
  } else {
    old_.load(sent, loom_.loads);
  }
}

// What all trees take there and back between two switches.
LayerSet OrderedWeaver::common_layers(std::uint32_t a, std::uint32_t b) const {
  unsigned common = orders_.all();
  for (const std::uint32_t tree : numbers_.by_target[a]) common &= forest_.layers(tree, b);
  for (const std::uint32_t tree : numbers_.by_target[b]) common &= forest_.layers(tree, a);
  return static_cast<LayerSet>(common);
}

// Trees that were replaced need no layer any more.
void OrderedWeaver::find_common_layers() {
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      if (!paired_->matters(a, b)) continue;
      pairs_[a * switches_ + b] = pairs_[b * switches_ + a] = common_layers(a, b);
    }
  }
}

// Whether all packets have a layer after these changes.
bool OrderedWeaver::allows(std::span<const OrderedForest::Change> changes) {
  const auto is_lost = [&](const OrderedForest::Change& change) {
    const LayerSet now = forest_.layers(change.tree, change.at);
    const std::uint32_t target = forest_.target(change.tree);
    if (!by_pair_) return now == 0;
    return (pairs_[target * switches_ + change.at] & now) == 0 &&
           paired_->matters(target, change.at) && common_layers(target, change.at) == 0;
  };
  if (std::any_of(changes.begin(), changes.end(), is_lost)) return false;
  for (const auto& change : changes) {
    const std::uint32_t target = forest_.target(change.tree);
    if (!by_pair_ || !paired_->matters(target, change.at)) continue;
    pairs_[target * switches_ + change.at] = pairs_[change.at * switches_ + target] =
        common_layers(target, change.at);
  }
  return true;
}

void OrderedWeaver::level() {
  if (by_pair_) find_common_layers();
  const std::vector<std::uint32_t> once(forest_.tree_count(), 1);
  const Leveller::Flows flows{loom_.destinations.hosts, once, loom_.loads, enough_};
  Leveller leveller(loom_.channels, orders_, forest_, flows, false,
                    [&](const auto& changes) { return allows(changes); });
  leveller.level(numbers_.of_hosts);
  // So no channel carries more for it.
  if (leveller.shorten(numbers_.of_hosts)) leveller.level(numbers_.of_hosts);
}

void OrderedWeaver::write_tables(const Goal& goal, mad::Lid lid) {
  const std::uint32_t tree = numbers_.by_lid[lid.value];
  for (std::uint32_t s = 0; s < switches_; ++s) {
    const std::uint32_t next = forest_.next(tree, s);
    if (s == goal.at) {
      loom_.tables.set(fabric::SwitchIndex{s}, lid, goal.to->out);
    } else if (next != kNoWay) {
      loom_.tables.set(fabric::SwitchIndex{s}, lid, mad::PortNumber{loom_.channels.out[next]});
    }
  }
}

fabric::ServiceLevels OrderedWeaver::levels_by_pair() const {
  PairLayers layers(switches_);
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      layers.set(a, b, layer_of(pairs_[a * switches_ + b], orders_.count(), a + b));
    }
  }
  return layers.levels(loom_.destinations, loom_.request.lids.top());
}

fabric::ServiceLevels OrderedWeaver::levels_by_lid() const {
  const std::size_t lids = std::size_t{loom_.request.lids.top().value} + 1;
  std::vector<std::uint32_t> rows(switches_);
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<std::uint8_t> levels(switches_ * lids);
  for (std::size_t lid = 0; lid < lids; ++lid) {
    const std::uint32_t tree = numbers_.by_lid[lid];
    if (tree == kNoWay) continue;
    for (std::uint32_t s = 0; s < switches_; ++s) {
      levels[s * lids + lid] = layer_of(forest_.layers(tree, s), orders_.count(), lid);
    }
  }
  return {std::move(rows), {}, lids, std::move(levels)};
}

Woven OrderedWeaver::finish() {
  loom_.for_each_goal([&](const Goal& goal) {
    for (unsigned n = 0; n < goal.to->lid_count(); ++n) {
      write_tables(goal, mad::Lid{static_cast<std::uint16_t>(goal.to->base.value + n)});
    }
  });
  const unsigned vls = orders_.count();
  const std::string led =
      fmt::format("{} LIDs take a part of the first tree of their switch", led_);
  if (vls == 1) return routing::finish(loom_, "1 VL in an order that was given; " + led);
  auto woven = routing::finish(
      loom_,
      fmt::format("{} VLs by {}; {}", vls,
                  by_pair_ ? "pairs of switches, the same both ways" : "switch and LID", led));
  woven.routes.lanes = lanes_of(vls, by_pair_ ? levels_by_pair() : levels_by_lid());
  return woven;
}

void grow(PairedTrees& trees) {
  trees.grow();
}

// One set of orders after the other, until what is woven in one carries little enough.
class Candidates {
 public:
  Candidates(const Request& request, const Enough& enough)
      : request_(request),
        enough_(enough),
        channels_(request.topology),
        destinations_(request.topology, request.lids),
        islands_(request.topology) {}

  OrderedWoven best() {
    const bool on_grid = in_grid();
    if (is_last_) return {std::move(best_), true};
    const bool holds = on_grid || in_groups() || in_rankings();
    if (!holds || !enough_.is_short(*best_, on_grid)) in_learned();
    const bool is_enough = best_ && enough_.holds(*best_);
    return {std::move(best_), is_enough};
  }
  std::optional<Woven> best_on_slope() {
    const auto grid = recognise_grid(request_.topology, channels_);
    if (!grid || (has_rings(*grid) && is_whole(*grid, channels_))) return std::nullopt;
    const GridWays between_cuts(channels_, *grid, 1, Cut::Link);
    weave_in(slope_orders(channels_, *grid, 1),
             {[&](PairedTrees& trees) { trees.grow(&between_cuts); }});
    return std::move(best_);
  }

 private:
  std::size_t work() const { return request_.lids.top().value * channels_.count(); }
  bool in_grid();
  bool in_loosened(const LayerOrders& orders, std::unique_ptr<PairedTrees> quarrelling);
  bool in_groups();
  bool in_rankings();
  void in_learned();
  bool weave_on(const LayerOrders& orders, const PairedTrees* paired);
  std::optional<Woven> weave_once(const LayerOrders& orders, const PairedTrees* paired,
                                  unsigned rounds) const;
  bool is_better(const Woven& woven) const;
  double bandwidth(const Woven& woven) const;
  using Manner = std::function<void(PairedTrees&)>;
  bool weave_in(const LayerOrders& orders, const std::vector<Manner>& manners, bool shortens = true,
                std::unique_ptr<PairedTrees>* quarrelling = nullptr);

  const Request& request_;
  const Enough& enough_;
  const CompactChannels channels_;
  const Destinations destinations_;
  const fabric::Islands islands_;
  std::optional<Woven> best_;
  bool is_last_ = false;        // nothing better is to be expected of other manners
  bool by_pair_first_ = false;  // layers by pair are tried first, wanted or not
};

// paired: null to do without. False if that leaves some switch without a way.
bool Candidates::weave_on(const LayerOrders& orders, const PairedTrees* paired) {
  std::array<std::optional<Woven>, kRounds.size()> found;
  request_.parallel(work() <= kMostToGrowOften ? kRounds.size() : 1,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i)
                        found[i] = weave_once(orders, paired, kRounds[i]);
                    });
  for (auto& woven : found) {
    if (woven && (!best_ || is_better(*woven))) best_ = std::move(woven);
  }
  return found.front().has_value();
}

std::optional<Woven> Candidates::weave_once(const LayerOrders& orders, const PairedTrees* paired,
                                            unsigned rounds) const {
  Loom loom(request_, 0);
  const bool by_pair = paired != nullptr && (request_.cover_replies || by_pair_first_);
  OrderedWeaver weaver(loom, orders, paired, by_pair, enough_.greatest_load);
  if (!weaver.weave(rounds)) return std::nullopt;
  return weaver.finish();
}

// Than the best one so far: it carries less at most, and if both carry little enough, random pairs
// get no less by it; or it carries as much, and they get so much more that it is not chance.
bool Candidates::is_better(const Woven& woven) const {
  if (woven.greatest_load > best_->greatest_load) return false;
  if (woven.greatest_load == best_->greatest_load) {
    return bandwidth(woven) > bandwidth(*best_) * kMore;
  }
  return best_->greatest_load > enough_.greatest_load || bandwidth(woven) >= bandwidth(*best_);
}

double Candidates::bandwidth(const Woven& woven) const {
  return random_pairs_bandwidth(request_.topology, request_.lids, woven.routes.tables,
                                request_.parallel);
}

// manners: of making the trees to begin with; the next one if the one before is not good enough.
// shortens: whether the ways of these trees are made shorter. quarrelling: if not null, gets those
// of which some pairs are left without a layer, and little is tried to settle these. Whether
// nothing better is needed.
bool Candidates::weave_in(const LayerOrders& orders, const std::vector<Manner>& manners,
                          bool shortens, std::unique_ptr<PairedTrees>* quarrelling) {
  if (!request_.cover_replies && !by_pair_first_ && weave_on(orders, nullptr)) {
    return enough_.holds(*best_);
  }
  for (const Manner& make : manners) {
    base::breathe(request_.parallel);
    auto paired = std::make_unique<PairedTrees>(channels_, destinations_, orders);
    make(*paired);
    if (!paired->reconcile(quarrelling != nullptr ? Patience::Little : Patience::Much)) {
      if (quarrelling != nullptr) *quarrelling = std::move(paired);
      continue;
    }
    paired->level(enough_.greatest_load, shortens);
    if (weave_on(orders, paired.get()) && enough_.holds(*best_)) return true;
  }
  return false;
}

// Along the axes ways are most regular, which is worth more than a hop; the more is missing, the
// more it takes others.
bool Candidates::in_grid() {
  const auto grid = recognise_grid(request_.topology, channels_);
  if (!grid) return false;
  const unsigned vls = request_.data_vls;
  const GridWays along_axes(channels_, *grid, vls), between_cuts(channels_, *grid, vls, Cut::Link);
  const bool whole = is_whole(*grid, channels_);
  const LayerOrders orders =
      whole ? axis_orders(channels_, *grid, vls) : returning_orders(channels_, *grid, vls);
  // Ways by LID are less regular there: random pairs get less, though channels carry less at most.
  by_pair_first_ = !whole;
  std::unique_ptr<PairedTrees> quarrelling;
  bool holds = weave_in(orders, {[&](PairedTrees& trees) { trees.lay_out(along_axes); }}, false,
                        &quarrelling);
  if (quarrelling) holds = in_loosened(orders, std::move(quarrelling));
  holds = holds ||
          weave_in(orders, {[&](PairedTrees& trees) { trees.grow(&along_axes); }}, false) ||
          weave_in(slope_orders(channels_, *grid, vls),
                   {[&](PairedTrees& trees) { trees.grow(&between_cuts); }});
  if (!holds && by_pair_first_ && !request_.cover_replies) {
    holds = weave_on(orders, nullptr) && enough_.holds(*best_);
  }
  by_pair_first_ = false;
  is_last_ = best_ && work() > kMostToTryOn;
  return holds;
}

// Where some pairs have no layer along the axes.
bool Candidates::in_loosened(const LayerOrders& orders, std::unique_ptr<PairedTrees> quarrelling) {
  const auto loosened =
      loosened_trees(channels_, destinations_, orders, std::move(quarrelling), request_.parallel);
  if (!loosened) return false;
  loosened->trees->level(enough_.greatest_load, false);
  return weave_on(*loosened->orders, loosened->trees.get()) && enough_.holds(*best_);
}

bool Candidates::in_groups() {
  const auto groups = find_dragonfly_groups(Arcs(channels_));
  return groups && weave_in(grouped_orders(channels_, *groups, request_.data_vls), {grow});
}

bool Candidates::in_rankings() {
  return weave_in(ranked_orders(channels_, islands_, request_.data_vls), {grow});
}

void Candidates::in_learned() {
  weave_in(learned_orders(channels_, islands_, destinations_, request_.data_vls, request_.parallel),
           {grow});
}

}  // namespace

OrderedWoven weave_in_orders(const Request& request, const Enough& enough) {
  return Candidates(request, enough).best();
}

std::optional<Woven> weave_on_slope(const Request& request, const Enough& enough) {
  return Candidates(request, enough).best_on_slope();
}

}  // namespace heddle::routing
