// SPDX-License-Identifier: BSD-3-Clause
// Single-source shortest paths: shortest ways, each chosen by the load of all its links instead of
// the next one only. Holds credit loops wherever there are rings, which select_routes notices.
#pragma once

#include <cstdint>

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

// How LIDs may be dealt out. Where ports of a switch are far apart in the order, links carry less,
// but fewer ways resemble each other, and parting them may take more layers: engines that do that,
// or take these loads for a bound, begin with the latter.
enum class Dealing : std::uint8_t { AsIsBest, SwitchBySwitch };

// The tables of sssp, for engines that begin with them.
fabric::ForwardingTables shortest_path_tables(const Request& request,
                                              Dealing dealing = Dealing::AsIsBest);

}  // namespace heddle::routing
