// SPDX-License-Identifier: BSD-3-Clause
// Chooses the engine that suits the fabric, for whoever does not want to: ftree for trees, whole or
// damaged; dimension order for grids and the rules of dragonflies where the VLs allow that; weave
// for everything else.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Auto : public Engine {
 public:
  std::string_view name() const override { return "auto"; }
  std::string_view summary() const override {
    return "the engine of the fabric's shape: trees, grids, dragonflies; else weave; says why";
  }
  // Routes::engine is the engine that was chosen.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
