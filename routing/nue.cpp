// SPDX-License-Identifier: BSD-3-Clause
#include "routing/nue.hpp"

#include <cstddef>
#include <utility>

#include "fabric/verification.hpp"
#include "routing/by_destination.hpp"
#include "routing/sssp.hpp"

namespace heddle::routing {
namespace {

// In LIDs times channels: up to the first one trees grow anew twice, since that is quick. Beyond
// the second one, which are large trees that lack something, growing takes a minute, so all keep
// the shortest ways that fit.
constexpr std::size_t kFewToWeave = 16'000'000, kMostToWeave = 128'000'000;

WeaveManner manner_for(const Request& request, const fabric::ForwardingTables& shortest) {
  const std::size_t work = request.lids.top().value * request.topology.channels().size();
  const bool many = work > kMostToWeave;
  return {.layers = request.cover_replies ? 1 : request.data_vls,
          .fixed = true,
          .learns = !many,
          .given = many ? &shortest : nullptr,
          .rounds = work <= kFewToWeave ? 2u : 1u,
          .relieves = true};
}

}  // namespace

base::Result<Routes> Nue::route(const Request& request) const {
  auto shortest = shortest_path_tables(request);
  if (fabric::verify(request.topology, request.lids, shortest, {}, request.parallel)
          .deadlock_free()) {
    return Routes{
        std::string(name()), std::move(shortest), {"1 VL: the shortest ways hold no credit loop"}};
  }
  const WeaveManner manner = manner_for(request, shortest);
  auto routes = weave_by_destination(request, manner).routes;
  routes.engine = name();
  routes.notes.push_back("the switches' layers are dealt out beforehand");
  if (manner.layers < request.data_vls) {
    routes.notes.push_back("1 VL, because answers may ride the level of their request");
  }
  return routes;
}

}  // namespace heddle::routing
