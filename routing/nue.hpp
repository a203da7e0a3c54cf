// SPDX-License-Identifier: BSD-3-Clause
// Any fabric, with the VL of each switch given beforehand: never a credit loop.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// What OpenSM's nue does: a fixed division of the destinations over the VLs.
class Nue : public Engine {
 public:
  std::string_view name() const override { return "nue"; }
  std::string_view summary() const override {
    return "as weave, but each switch's VL is given beforehand";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
