// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ordered_weave.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "routing/dragonfly_groups.hpp"
#include "routing/grid.hpp"
#include "routing/grid_layers.hpp"
#include "routing/grid_links.hpp"
#include "routing/lane_packer.hpp"
#include "routing/layer_orders.hpp"
#include "routing/ordered_trees.hpp"
#include "routing/pair_layers.hpp"
#include "routing/paired_trees.hpp"

namespace heddle::routing {
namespace {

constexpr unsigned kRankings = 3;      // sets of orders that are tried
constexpr unsigned kFewestOrders = 2;  // beside a spare layer: one lets few pairs go straight
constexpr std::uint8_t kNoPlace = 0xFF;
// No layer with an order is it: packets of these pairs keep to the first trees of their switches.
constexpr LayerSet kSpare = 1u << 15;

// One of several layers that would do, so that all get about as much.
std::uint8_t layer_of(LayerSet layers, unsigned count, std::size_t turn) {
  if (layers == 0) return 0;  // nothing goes there
  auto layer = static_cast<unsigned>(turn % count);
  while ((layers >> layer & 1) == 0) layer = (layer + 1) % count;
  return static_cast<std::uint8_t>(layer);
}

class OrderedWeaver {
 public:
  // paired: what a LID falls back on that finds no way; null if there is none.
  OrderedWeaver(Loom& loom, const LayerOrders& orders, const PairedTrees* paired);

  // False if some switch finds no way.
  bool weave();
  Woven finish();
  // Takes pairs whose ways agree with no order into a layer of their own. False if the dependencies
  // of these ways have a cycle. Comes first.
  bool seat(const std::vector<PairedTrees::Pair>& pairs);

 private:
  // What packets to a LID there must have a layer of, by switch.
  std::span<const LayerSet> wanted(const Goal& goal) const {
    if (by_pair_) return std::span(pairs_).subspan(goal.at * switches_, switches_);
    return goal.to->is_host() ? any_ : any_of_hosts_;
  }
  std::span<std::uint8_t> places(mad::Lid lid) {
    return std::span(places_).subspan(lid.value * switches_, switches_);
  }
  bool grow(const Goal& goal);
  bool route(const Goal& goal, mad::Lid lid);
  void keep(const Goal& goal, mad::Lid lid);
  void adopt(OrderedTrees& trees, const Goal& goal, mad::Lid lid);
  void improve(const Goal& goal, mad::Lid lid);
  void write_tables(const Goal& goal, mad::Lid lid);
  LanePacker::Dependencies waits_between(const PairedTrees::Pair& pair) const;
  fabric::ServiceLevels levels_by_pair() const;
  fabric::ServiceLevels levels_by_lid() const;

  Loom& loom_;
  const LayerOrders& orders_;
  const PairedTrees* paired_;
  bool by_pair_;  // then there are paired trees
  std::size_t switches_;
  OrderedTrees trees_, old_;
  std::vector<LayerSet> any_, any_of_hosts_;  // by switch
  std::vector<LayerSet> pairs_;               // by two switches: what takes all ways between them
  std::vector<LayerSet> lids_;                // by LID, then by switch: what takes its way
  std::vector<std::uint8_t> is_begun_;        // by switch: whether it has a LID with a tree
  std::vector<std::uint8_t> places_;          // by LID, then by switch: of the channel it leaves by
  std::size_t led_ = 0;
  std::size_t seated_ = 0;
};

OrderedWeaver::OrderedWeaver(Loom& loom, const LayerOrders& orders, const PairedTrees* paired)
    : loom_(loom),
      orders_(orders),
      paired_(paired),
      by_pair_(loom.request.cover_replies),
      switches_(loom.destinations.hosts.size()),
      trees_(loom.channels, orders),
      old_(loom.channels, orders),
      any_(switches_, orders.all()),
      any_of_hosts_(any_),
      is_begun_(switches_),
      places_((std::size_t{loom.request.lids.top().value} + 1) * switches_, kNoPlace) {
  for (std::size_t s = 0; s < switches_; ++s) {
    if (loom.destinations.hosts[s] == 0) any_of_hosts_[s] = 0;
  }
  if (!by_pair_) {
    lids_.resize(places_.size());
    return;
  }
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < switches_; ++b) {
      pairs_.push_back(paired->matters(a, b) ? paired->layers(a, b) : LayerSet{0});
    }
  }
}

// All that packets between the two wait for, on the first trees of their switches.
LanePacker::Dependencies OrderedWeaver::waits_between(const PairedTrees::Pair& pair) const {
  LanePacker::Dependencies waits;
  for (const auto& [from, to] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
    const auto tree = paired_->tree(to);
    for (std::uint32_t held = tree[from]; loom_.channels.to[held] != to;) {
      const std::uint32_t next = tree[loom_.channels.to[held]];
      waits.emplace_back(held, next);
      held = next;
    }
  }
  return waits;
}

bool OrderedWeaver::seat(const std::vector<PairedTrees::Pair>& pairs) {
  std::vector<ChannelOrder> spare(1, ChannelOrder(loom_.channels));
  LanePacker packer(spare);
  for (const auto& pair : pairs) {
    if (!packer.pack(waits_between(pair))) return false;
    pairs_[pair.a * switches_ + pair.b] = pairs_[pair.b * switches_ + pair.a] = kSpare;
  }
  seated_ = pairs.size();
  return true;
}

bool OrderedWeaver::weave() {
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
  // Once more, now that it is known what channels carry.
  loom_.for_each_goal([&](const Goal& goal) {
    for (unsigned n = 0; goal.to->is_host() && n < goal.to->lid_count(); ++n) {
      improve(goal, mad::Lid{static_cast<std::uint16_t>(goal.to->base.value + n)});
    }
  });
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
  const auto places = this->places(lid);
  for (const std::uint32_t at : trees_.nearest_first().subspan(1)) {
    places[at] = static_cast<std::uint8_t>(trees_.next(at) - loom_.channels.first[at]);
    if (!by_pair_) {
      lids_[lid.value * switches_ + at] = trees_.layers(at);
      continue;
    }
    LayerSet& there = pairs_[goal.at * switches_ + at];
    if (there == kSpare) continue;
    there = static_cast<LayerSet>(there & trees_.layers(at));
    pairs_[at * switches_ + goal.at] = there;
  }
  if (goal.to->is_host()) trees_.load(loom_.destinations.hosts, loom_.loads);
}

void OrderedWeaver::adopt(OrderedTrees& trees, const Goal& goal, mad::Lid lid) {
  const auto places = this->places(lid);
  std::vector<std::uint32_t> next(switches_, kNoWay);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (places[s] != kNoPlace) next[s] = loom_.channels.first[s] + places[s];
  }
  trees.adopt(goal.at, next);
}

void OrderedWeaver::improve(const Goal& goal, mad::Lid lid) {
  const auto& sent = loom_.destinations.hosts;
  adopt(old_, goal, lid);
  old_.load(sent, loom_.loads, true);
  if (grow(goal) && trees_.cost(sent, loom_.loads) < old_.cost(sent, loom_.loads)) {
    keep(goal, lid);
  } else {
    old_.load(sent, loom_.loads);
  }
}

void OrderedWeaver::write_tables(const Goal& goal, mad::Lid lid) {
  const auto places = this->places(lid);
  for (std::uint32_t s = 0; s < switches_; ++s) {
    if (s == goal.at) {
      loom_.tables.set(fabric::SwitchIndex{s}, lid, goal.to->out);
    } else if (places[s] != kNoPlace) {
      const auto out = loom_.channels.out[loom_.channels.first[s] + places[s]];
      loom_.tables.set(fabric::SwitchIndex{s}, lid, mad::PortNumber{out});
    }
  }
}

fabric::ServiceLevels OrderedWeaver::levels_by_pair() const {
  PairLayers layers(switches_);
  for (std::uint32_t a = 0; a < switches_; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const LayerSet pair = pairs_[a * switches_ + b];
      const unsigned count = orders_.count();
      const auto spare = static_cast<std::uint8_t>(count);
      layers.set(a, b, pair == kSpare ? spare : layer_of(pair, count, a + b));
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
    for (std::size_t s = 0; s < switches_; ++s) {
      levels[s * lids + lid] = layer_of(lids_[lid * switches_ + s], orders_.count(), lid);
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
  const unsigned vls = orders_.count() + (seated_ > 0 ? 1 : 0);
  auto woven = routing::finish(
      loom_,
      fmt::format("{} VLs by {}; {} LIDs take a part of the first tree of their switch", vls,
                  by_pair_ ? "pairs of switches, the same both ways" : "switch and LID", led_));
  woven.routes.lanes = lanes_of(vls, by_pair_ ? levels_by_pair() : levels_by_lid());
  return woven;
}

// paired: null to do without. quarrels: its pairs without a layer, for which there is a spare one.
std::optional<Woven> weave_on(Loom& loom, const LayerOrders& orders, const PairedTrees* paired,
                              const std::vector<PairedTrees::Pair>& quarrels = {}) {
  OrderedWeaver weaver(loom, orders, paired);
  if (!weaver.seat(quarrels)) return std::nullopt;
  if (!weaver.weave()) return std::nullopt;
  return weaver.finish();
}

// grid: null if the orders are not those of one.
std::optional<Woven> weave_in(const Request& request, const LayerOrders& orders, const Grid* grid) {
  if (!request.cover_replies) {
    Loom loom(request, 0);
    if (auto woven = weave_on(loom, orders, nullptr)) return woven;
  }
  Loom loom(request, 0);
  PairedTrees paired(loom.channels, loom.destinations, orders);
  if (grid != nullptr) {
    paired.lay_out(GridWays(loom.channels, *grid, orders.count()));
  } else {
    paired.grow();
  }
  if (!paired.reconcile()) return std::nullopt;
  const auto quarrels = paired.quarrels();
  const bool has_spare = request.cover_replies && orders.count() < request.data_vls;
  if (!quarrels.empty() && !has_spare) return std::nullopt;
  return weave_on(loom, orders, &paired, quarrels);
}

// By orders that suit the fabric, so many at a time.
std::optional<Woven> weave_in(const Request& request, unsigned count) {
  const CompactChannels channels(request.topology);
  if (const auto grid = recognise_grid(request.topology, channels)) {
    auto woven = weave_in(request, grid_orders(channels, *grid, count), &*grid);
    if (woven) return woven;
  }
  if (const auto groups = find_dragonfly_groups(Arcs(channels))) {
    auto woven = weave_in(request, grouped_orders(channels, *groups, count), nullptr);
    if (woven) return woven;
  }
  const fabric::Islands islands(request.topology);
  for (unsigned ranking = 0; ranking < kRankings; ++ranking) {
    const auto orders = ranked_orders(channels, islands, count, ranking);
    if (auto woven = weave_in(request, orders, nullptr)) return woven;
  }
  return std::nullopt;
}

}  // namespace

// An order for each VL; or, where some pairs agree with none of them, the last VL for those.
std::optional<Woven> weave_in_orders(const Request& request) {
  const unsigned vls = request.data_vls;
  if (auto woven = weave_in(request, vls)) return woven;
  if (!request.cover_replies || vls <= kFewestOrders) return std::nullopt;
  return weave_in(request, vls - 1);
}

}  // namespace heddle::routing
