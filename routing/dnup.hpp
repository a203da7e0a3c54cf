// SPDX-License-Identifier: BSD-3-Clause
// Up*/down* where up is away from hosts: for trees whose roots cannot be told, and for anything
// else that is higher the farther it is from hosts.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class DownUp : public Engine {
 public:
  std::string_view name() const override { return "dnup"; }
  std::string_view summary() const override {
    return "as updn, but levels are counted from the hosts up; never a credit loop";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
