// SPDX-License-Identifier: BSD-3-Clause
// Dimension order: on grids that are recognised by their axes (grid_routes.hpp), with as many VLs
// as that takes; elsewhere the first dimension is the one behind the lowest ports, and so on.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// By the order of ports: of the neighbours that are nearer to the destination each switch takes the
// one behind the lowest port, and spreads over all cables to that one. On a torus for which there
// are too few VLs that holds credit loops, which select_routes notices.
class DimensionOrder : public Engine {
 public:
  std::string_view name() const override { return "dor"; }
  std::string_view summary() const override {
    return "meshes, tori and hypercubes, dimension by dimension; else in the order of ports";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
