// SPDX-License-Identifier: BSD-3-Clause
// torus-2QoS: tori and meshes of two and three dimensions, whole or with links and switches
// missing, by OpenSM's rules for service levels and lanes (docs/routing.md).
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class TorusQos : public Engine {
 public:
  std::string_view name() const override { return "torus-2QoS"; }
  std::string_view summary() const override {
    return "tori and meshes: dimension order on 2 VLs, with a switch missing on 4";
  }
  // Axes and origin are those of Options::torus if there are any, otherwise as recognised.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
