// SPDX-License-Identifier: BSD-3-Clause
// Single-source shortest paths: shortest ways, each chosen by the load of all its links instead of
// the next one only. Holds credit loops wherever there are rings, which select_routes notices.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

class Sssp : public Engine {
 public:
  std::string_view name() const override { return "sssp"; }
  std::string_view summary() const override {
    return "shortest ways, by the load of the whole way; can hold credit loops where there are "
           "rings";
  }
  base::Result<Routes> route(const Request& request) const override;
};

// The tables of sssp, for engines that begin with them.
fabric::ForwardingTables shortest_path_tables(const Request& request);

}  // namespace heddle::routing
