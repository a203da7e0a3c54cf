// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies: groups of switches that are joined all to all, and cables between every two groups.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// A packet makes at most one hop in its own group, one to the other group and one there. A hop that
// comes in by a cable between groups goes on by VL 1, all others by VL 0 (IBA 7.6.6, by input
// port), whatever the service level is: so lanes follow each other in one order only.
class Dragonfly : public Engine {
 public:
  std::string_view name() const override { return "dragonfly"; }
  std::string_view summary() const override {
    return "dragonflies: shortest ways between groups on 2 VLs; weave if it is damaged";
  }
  // A dragonfly in which a cable of a group or the last one between two groups is missing is left
  // to weave, and a note says so; lost cables beside others are no damage.
  base::Result<Routes> route(const Request& request) const override;
};

// The same without weave: an error if anything is missing, or VLs.
base::Result<Routes> route_whole_dragonfly(const Request& request);

}  // namespace heddle::routing
