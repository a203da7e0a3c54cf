// SPDX-License-Identifier: BSD-3-Clause
#include "routing/nue.hpp"

#include <utility>

#include "fabric/verification.hpp"
#include "routing/by_destination.hpp"
#include "routing/sssp.hpp"

namespace heddle::routing {

base::Result<Routes> Nue::route(const Request& request) const {
  auto shortest = shortest_path_tables(request);
  if (fabric::verify(request.topology, request.lids, shortest, {}, request.parallel)
          .deadlock_free()) {
    return Routes{
        std::string(name()), std::move(shortest), {"1 VL: the shortest ways hold no credit loop"}};
  }
  const unsigned vls = request.cover_replies ? 1 : request.data_vls;
  const WeaveManner manner = fixed_manner(request, vls, shortest);
  auto routes = weave_by_destination(request, manner).routes;
  routes.engine = name();
  routes.notes.push_back("the switches' layers are dealt out beforehand");
  if (vls < request.data_vls) {
    routes.notes.push_back("1 VL, because answers may ride the level of their request");
  }
  return routes;
}

}  // namespace heddle::routing
