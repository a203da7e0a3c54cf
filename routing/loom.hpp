// SPDX-License-Identifier: BSD-3-Clause
// What weaving trees into layers takes, whoever decides which layer packets have: the fabric, the
// layers, what channels carry so far, and the tables that come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/islands.hpp"
#include "routing/destinations.hpp"
#include "routing/engine.hpp"
#include "routing/tree_grower.hpp"

namespace heddle::routing {

// The LIDs of one port, which hangs on switch `at`.
struct Goal {
  std::uint32_t at = 0;
  const Destination* to = nullptr;
};

// See sssp: what a second LID of the same port pays for a channel that an earlier one uses.
inline constexpr std::uint64_t kApart = std::uint64_t{1} << 48;

// Calls route(lid, number) for each LID of a port; it returns what has the tree that it took. Later
// LIDs keep away from the channels of earlier ones.
template <class Route>
void for_each_lid_apart(const Destination& to, ChannelLoads& loads, const Route& route) {
  std::vector<std::uint32_t> avoided;
  for (unsigned n = 0; n < to.lid_count(); ++n) {
    const auto& tree = route(mad::Lid{static_cast<std::uint16_t>(to.base.value + n)}, n);
    if (to.lmc == 0) continue;
    for (const std::uint32_t at : tree.nearest_first().subspan(1)) {
      avoided.push_back(tree.next(at));
      loads[avoided.back()] += kApart;
    }
  }
  for (const std::uint32_t channel : avoided) loads[channel] -= kApart;
}

class Loom {
 public:
  // The request outlives the loom.
  Loom(const Request& request, unsigned layers);
  Loom(const Loom&) = delete;
  Loom& operator=(const Loom&) = delete;

  TreeGrower new_grower();

  // The first ports of all switches, then the second ones and so on, so that no switch has all its
  // LIDs routed before others have any; the switches of a round in an order that is random, and
  // always the same. What belongs to switches themselves comes last.
  template <class Visit>
  void for_each_goal(Visit visit) const {
    for (const Goal& goal : goals_) {
      base::breathe(request.parallel);
      visit(goal);
    }
  }

  std::size_t reachable(std::uint32_t target) const {
    return islands.members(islands.of(fabric::SwitchIndex{target})).size();
  }
  // The ways that tables have for a LID toward a switch, by switch: kNoWay where they have none.
  std::vector<std::uint32_t> ways(const fabric::ForwardingTables& of, std::uint32_t target,
                                  mad::Lid lid) const;
  // Takes the tree for a LID of the goal, with all that the layers admitted for it.
  void take(TreeGrower& tree, const Goal& goal, mad::Lid lid);

  // Grows the trees of hosts' LIDs anew, now that it is known what channels carry, and takes those
  // that are better. layers_of(goal, lid): by switch, the layer of its packets; nothing: its
  // tree stays as it is. Ends as soon as is_vain().
  template <class LayersOf, class IsVain>
  void improve(const LayersOf& layers_of, const IsVain& is_vain) {
    for (const Goal& goal : goals_) {
      base::breathe(request.parallel);
      if (is_vain()) return;
      for (unsigned n = 0; goal.to->is_host() && n < goal.to->lid_count(); ++n) {
        const mad::Lid lid{static_cast<std::uint16_t>(goal.to->base.value + n)};
        const std::span<const std::uint8_t> layer_of = layers_of(goal, lid);
        if (!layer_of.empty()) improve_one(goal, lid, layer_of);
      }
    }
  }

  const Request& request;
  const CompactChannels channels;
  const Destinations destinations;
  const fabric::Islands islands;
  std::vector<ChannelOrder> layers;
  ChannelLoads loads;
  fabric::ForwardingTables tables;

 private:
  void improve_one(const Goal& goal, mad::Lid lid, std::span<const std::uint8_t> layer_of);

  static constexpr std::size_t kPorts = 256;

  std::vector<Goal> goals_;
  std::vector<std::uint32_t> by_port_;  // by switch and port: the channel
  std::uint64_t price_ = 0;             // a part of what all hosts together send to one LID
  TreeGrower old_, new_;
};

struct Woven {
  Routes routes;
  std::uint64_t greatest_load = 0;
  std::uint64_t whole_load = 0;  // of all channels together
};
// The loom's tables, with 1 VL so far. Leaves it without them.
Woven finish(Loom& loom, std::string note);

// So many layers, each on the VL of its number, as these levels say.
fabric::Lanes lanes_of(std::size_t layers, fabric::ServiceLevels levels);

}  // namespace heddle::routing
