// SPDX-License-Identifier: BSD-3-Clause
// The engines for any fabric: free of credit loops by construction, with as many VLs as there are.
// docs/weave.md tells how it works and why it is right.
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

// The routes of weave in the name of an engine that could not make them itself; a note says why.
base::Result<Routes> leave_to_weave(const Request& request, std::string_view engine,
                                    const base::Error& why);

}  // namespace heddle::routing
