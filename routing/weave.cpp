// SPDX-License-Identifier: BSD-3-Clause
#include "routing/weave.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/prng.hpp"
#include "fabric/islands.hpp"
#include "routing/destinations.hpp"
#include "routing/escape.hpp"
#include "routing/tree_grower.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr std::uint64_t kSeed = 7;  // the order of the targets is random, and always the same
// See sssp: what a second LID of the same port pays for a channel that an earlier one uses.
constexpr std::uint64_t kSamePort = std::uint64_t{1} << 48;

class Weaver {
 public:
  Weaver(const Request& request, unsigned layers);
  Routes weave();

 private:
  struct Goal {
    std::uint32_t at = 0;
    const Destination* to = nullptr;
  };
  void route_port(const Goal& goal);
  TreeGrower& grow_best(const Goal& goal, unsigned preferred);
  TreeGrower& escape(const Goal& goal);
  bool grow_in(std::size_t layer, const Goal& goal);
  void take(TreeGrower& tree, const Goal& goal, mad::Lid lid);
  std::span<const std::uint8_t> packets(std::size_t layer, const Destination& to) const {
    return to.is_host() ? of_all_[layer] : of_hosts_[layer];
  }
  std::size_t layer_of(const TreeGrower& tree) const {
    return static_cast<std::size_t>(&tree - growers_.data());
  }

  const Request& request_;
  CompactChannels channels_;
  Destinations destinations_;
  fabric::Islands islands_;
  std::vector<ChannelOrder> layers_;
  std::vector<EscapeTree> escapes_;                           // by layer
  std::vector<TreeGrower> growers_;                           // by layer
  std::vector<std::vector<std::uint8_t>> of_all_, of_hosts_;  // by layer, then by switch
  std::vector<std::uint8_t> home_;                            // by switch: the layer of its LIDs
  std::vector<std::uint8_t> level_;                           // by LID
  std::vector<std::uint64_t> used_;                           // by layer: how many LIDs
  ChannelLoads loads_;
  fabric::ForwardingTables tables_;
  std::size_t mended_ = 0, escaped_ = 0;
};

Weaver::Weaver(const Request& request, unsigned layers)
    : request_(request),
      channels_(request.topology),
      destinations_(request.topology, request.lids),
      islands_(request.topology),
      layers_(layers, ChannelOrder(channels_)),
      home_(request.topology.switch_count(), kNoLayer),
      level_(std::size_t{request.lids.top().value} + 1),
      used_(layers),
      loads_(channels_.count()),
      tables_(request.topology.switch_count(), request.lids.top()) {
  for (const auto& roots : scattered_roots(channels_, islands_, layers)) {
    escapes_.emplace_back(channels_, roots);
  }
  for (std::size_t v = 0; v < layers; ++v) {
    escapes_[v].prepare(layers_[v]);
    growers_.emplace_back(channels_, layers_);
    of_all_.emplace_back(home_.size(), static_cast<std::uint8_t>(v));
    of_hosts_.push_back(of_all_.back());
    for (std::size_t s = 0; s < home_.size(); ++s) {
      if (destinations_.hosts[s] == 0) of_hosts_[v][s] = kNoLayer;
    }
  }
}

// The first ports of all switches, then the second ones and so on, so that no switch has all its
// LIDs routed before others have any. What belongs to switches themselves comes last.
Routes Weaver::weave() {
  base::Prng dice(kSeed);
  std::vector<std::uint32_t> targets;
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < home_.size(); ++s) {
    if (destinations_.hosts[s] > 0) targets.push_back(s);
    most = std::max<std::size_t>(most, destinations_.hosts[s]);
  }
  for (std::size_t round = 0; round < most; ++round) {
    dice.shuffle(targets);
    for (const std::uint32_t at : targets) {
      if (round < destinations_.hosts[at]) {
        route_port({at, &destinations_.by_switch[at][round]});
      }
    }
  }
  for (std::uint32_t s = 0; s < home_.size(); ++s) {
    const auto& group = destinations_.by_switch[s];
    for (std::size_t i = destinations_.hosts[s]; i < group.size(); ++i) route_port({s, &group[i]});
  }
  Routes routes{"weave", std::move(tables_), {}};
  const auto vls = layers_.size();
  routes.notes.push_back(fmt::format("{} {}; {} LIDs by mended ways, {} by escape trees", vls,
                                     vls == 1 ? "VL" : "VLs", mended_, escaped_));
  if (vls > 1) {
    routes.lanes = {static_cast<std::uint8_t>(vls),
                    fabric::ServiceLevels::by_destination(std::move(level_)),
                    fabric::VlMaps(fabric::even_map(static_cast<unsigned>(vls)))};
  }
  return routes;
}

void Weaver::route_port(const Goal& goal) {
  std::vector<std::uint32_t> avoided;
  for (unsigned n = 0; n < goal.to->lid_count(); ++n) {
    TreeGrower& tree = grow_best(goal, n);
    take(tree, goal, mad::Lid{static_cast<std::uint16_t>(goal.to->base.value + n)});
    if (goal.to->lmc == 0) continue;
    for (const std::uint32_t at : tree.nearest_first().subspan(1)) {
      avoided.push_back(tree.next(at));
      loads_[avoided.back()] += kSamePort;
    }
  }
  for (const std::uint32_t channel : avoided) loads_[channel] -= kSamePort;
}

bool Weaver::grow_in(std::size_t layer, const Goal& goal) {
  const std::size_t reachable = islands_.members(islands_.of(SwitchIndex{goal.at})).size();
  return growers_[layer].grow(goal.at, packets(layer, *goal.to), loads_, reachable);
}

// In the layer that the switch's LIDs have if that can be, otherwise in the one with the cheapest
// tree. number: of the LID at its port; others take other layers if they can.
TreeGrower& Weaver::grow_best(const Goal& goal, unsigned number) {
  const std::size_t vls = layers_.size();
  if (home_[goal.at] != kNoLayer) {
    const std::size_t home = (home_[goal.at] + number) % vls;
    if (grow_in(home, goal)) return growers_[home];
    growers_[home].undo();
  }
  std::vector<std::uint8_t> whole(vls);
  request_.parallel(vls, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) whole[v] = grow_in(v, goal);
  });
  std::size_t best = vls;
  TreeGrower::Cost least;
  for (std::size_t v = 0; v < vls; ++v) {
    if (whole[v] == 0) continue;
    const auto cost = growers_[v].cost(destinations_.hosts);
    if (best < vls && !(cost < least)) continue;
    best = v;
    least = cost;
  }
  for (std::size_t v = 0; v < vls && best == vls; ++v) {
    if (!growers_[v].mend(loads_)) continue;
    best = v;
    ++mended_;
  }
  for (std::size_t v = 0; v < vls; ++v) {
    if (v != best) growers_[v].undo();
  }
  if (best == vls) return escape(goal);
  home_[goal.at] = static_cast<std::uint8_t>(best);
  return growers_[best];
}

TreeGrower& Weaver::escape(const Goal& goal) {
  ++escaped_;
  const auto least = std::min_element(used_.begin(), used_.end());
  const auto layer = static_cast<std::size_t>(least - used_.begin());
  growers_[layer].adopt(goal.at, escapes_[layer].toward(goal.at));
  return growers_[layer];
}

void Weaver::take(TreeGrower& tree, const Goal& goal, mad::Lid lid) {
  tree.keep();
  const std::size_t layer = layer_of(tree);
  ++used_[layer];
  level_[lid.value] = static_cast<std::uint8_t>(layer);
  for (const std::uint32_t at : tree.nearest_first()) {
    const std::uint32_t next = tree.next(at);
    tables_.set(SwitchIndex{at}, lid,
                next == kNoWay ? goal.to->out : mad::PortNumber{channels_.out[next]});
  }
  if (goal.to->is_host()) tree.load(destinations_.hosts, loads_);
}

}  // namespace

base::Result<Routes> Weave::route(const Request& request) const {
  return Weaver(request, request.cover_replies ? 1 : request.data_vls).weave();
}

}  // namespace heddle::routing
