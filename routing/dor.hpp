// SPDX-License-Identifier: BSD-3-Clause
// Dimension order: for meshes and hypercubes whose switches are all cabled alike, the first
// dimension to the lowest ports, and so on.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// Of the neighbours that are nearer to the destination each switch takes the one behind the lowest
// port, and spreads over all cables to that one. Free of credit loops on a mesh, not on a torus;
// where cables are not in order anything may come out, which select_routes notices.
class DimensionOrder : public Engine {
 public:
  std::string_view name() const override { return "dor"; }
  std::string_view summary() const override {
    return "meshes and hypercubes, dimension by dimension in the order of ports";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
