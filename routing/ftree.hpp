// SPDX-License-Identifier: BSD-3-Clause
// Fat trees by a closed formula: which way up a packet takes is computed from the place of its
// destination in the tree, so every shift of all hosts passes a whole tree without two packets on
// one link. Trees may be irregular and damaged, with any LMC; what is no tree is refused.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class FatTree : public Engine {
 public:
  std::string_view name() const override { return "ftree"; }
  std::string_view summary() const override {
    return "fat trees, whole or damaged: no two packets of a shift on one link of a whole tree";
  }
  base::Result<Routes> route(const Request& request) const override;
};

struct TreeRoutes {
  Routes routes;
  // Whether the formula suits the tree: on each level all switches above hosts have, or would have
  // if nothing were lost, as many ways up and cables each, and only the lowest has hosts. Otherwise
  // destinations that take the ways of one switch in turn may meet at another.
  bool even = false;
};

// What FatTree gives, and whether something else may be better.
base::Result<TreeRoutes> route_tree(const Request& request);

}  // namespace heddle::routing
