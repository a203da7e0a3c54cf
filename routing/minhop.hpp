// SPDX-License-Identifier: BSD-3-Clause
// Shortest ways, balanced. Best for trees; on a ring or torus its tables hold credit loops, which
// select_routes notices.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class MinHop : public Engine {
 public:
  std::string_view name() const override { return "minhop"; }
  std::string_view summary() const override {
    return "shortest ways, balanced over equal ones; can hold credit loops where there are rings";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
