// SPDX-License-Identifier: BSD-3-Clause
// Up*/down*: packets climb first and descend after, never the other way round. Free of credit
// loops and complete on every fabric; the last resort when other engines' tables fail the proof.
#pragma once

#include "routing/engine.hpp"
#include "routing/orientation.hpp"

namespace heddle::routing {

class UpDown : public Engine {
 public:
  std::string_view name() const override { return "updn"; }
  std::string_view summary() const override {
    return "up*/down*: never a credit loop on any fabric; as short as minhop on trees";
  }
  base::Result<Routes> route(const Request& request) const override;
};

// Tables whose routes climb in this order of the switches and then descend, as short as that allows
// and balanced.
fabric::ForwardingTables up_down_tables(const Request& request, const Orientation& orientation);

}  // namespace heddle::routing
