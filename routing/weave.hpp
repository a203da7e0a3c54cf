// SPDX-License-Identifier: BSD-3-Clause
// The engine for any fabric: free of credit loops by construction, with as many VLs as there are.
// docs/routing.md tells how it works and why it is right.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Weave : public Engine {
 public:
  std::string_view name() const override { return "weave"; }
  std::string_view summary() const override {
    return "for any fabric and any number of VLs: never a credit loop, short and balanced ways";
  }
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
