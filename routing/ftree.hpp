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

}  // namespace heddle::routing
