// SPDX-License-Identifier: BSD-3-Clause
// HyperX: grids in which every row is joined all to all. Dimension order needs one hop for each
// axis and no second lane, as no row is ever passed twice.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class HyperX : public Engine {
 public:
  std::string_view name() const override { return "hyperx"; }
  std::string_view summary() const override {
    return "HyperX: dimension by dimension on 1 VL; weave if it is damaged";
  }
  // A HyperX with a link or a switch missing is left to weave, and a note says what is missing.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
