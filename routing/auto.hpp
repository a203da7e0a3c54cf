// SPDX-License-Identifier: BSD-3-Clause
// Chooses the engine that suits the fabric, for whoever does not want to: ftree for trees, whole or
// damaged; dimension order for grids and the rules of dragonflies where the VLs allow that; weave
// for everything else. Each island is judged on its own.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Auto : public Engine {
 public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "the engine of the fabric's shape: trees, grids, dragonflies; else weave; says why";
  }
  // Routes::engine is the engine that was chosen; of islands with different ones all, joined by
  // commas. On a tree whose switches differ (TreeRoutes::even) ftree is taken only if neither updn
  // nor, on a fabric of limited size, weave puts less on the link that carries most; a note has the
  // loads.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
