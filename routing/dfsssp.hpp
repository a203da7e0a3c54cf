// SPDX-License-Identifier: BSD-3-Clause
// Deadlock-free single-source shortest paths: the tables of sssp, and layers that part what would
// close a credit loop.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Dfsssp : public Engine {
 public:
  std::string_view name() const override { return "dfsssp"; }
  std::string_view summary() const override {
    return "the ways of sssp, on as many VLs as it takes to have no credit loop";
  }
  // An error when there are too few VLs. If answers may ride the level of their request, the level
  // is that of two switches, the same both ways; if not, it depends on the source's switch and the
  // LID, which takes fewer VLs.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
