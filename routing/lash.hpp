// SPDX-License-Identifier: BSD-3-Clause
// Layered shortest paths: one tree of shortest ways for each switch, and for each pair of switches
// a layer that is the same both ways.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Lash : public Engine {
 public:
  std::string_view name() const override { return "lash"; }
  std::string_view summary() const override {
    return "shortest ways, one tree for each switch, on as many VLs as that takes";
  }
  // An error when there are too few VLs.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
