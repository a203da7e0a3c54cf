// SPDX-License-Identifier: BSD-3-Clause
// Dragonfly+ fabrics: groups of leaves and spines, each leaf joined to each spine of its group, and
// cables between spines of every two groups.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// A packet climbs to a spine, crosses to the other group if it must, and descends. A hop that
// follows a cable between groups, and a climb that follows a descent, has VL 1; all others have VL
// 0 (IBA 7.6.6, by input port), whatever the service level is. What begins at a spine that has no
// cable to the group wanted descends to one leaf of the group first, and what has to climb after a
// cable between groups, because it is for a spine, turns at another: so a climb on VL 1 goes either
// on to other groups or to its end, and lanes follow each other in one order.
class DragonflyPlus : public Engine {
 public:
  std::string_view name() const override { return "dragonfly+"; }
  std::string_view summary() const override {
    return "dragonfly+: up, across and down on 2 VLs; weave if it is damaged";
  }
  // With a cable between a leaf and a spine missing, or the last one between two groups, it is left
  // to weave, and a note says so; lost cables beside others are no damage.
  base::Result<Routes> route(const Request& request) const override;
};

// The same without weave: an error if anything is missing, or VLs.
base::Result<Routes> route_whole_dragonfly_plus(const Request& request);

}  // namespace heddle::routing
