// SPDX-License-Identifier: BSD-3-Clause
#include "routing/auto.hpp"

#include <utility>

#include "fabric/verification.hpp"
#include "routing/dragonfly.hpp"
#include "routing/ftree.hpp"
#include "routing/grid_routes.hpp"
#include "routing/torus_qos.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {
namespace {

// Whole grids are safe by their rules; of damaged ones this must be seen, because there is a better
// way out than the last resort.
base::Result<Routes> only_proven(const Request& request, base::Result<Routes> routes) {
  if (!routes) return routes;
  const auto proof = fabric::verify(request.topology, request.lids, routes->tables, routes->lanes,
                                    request.parallel);
  if (proof.proven() && proof.replies_safe()) return routes;
  return base::error("with what is missing, its lanes hold a credit loop");
}

base::Result<Routes> route_as_grid(const Request& request) {
  // Only the operator can say which way the axes of the file point.
  if (request.options.torus) return only_proven(request, TorusQos{}.route(request));
  const CompactChannels channels(request.topology);
  const auto grid = recognise_grid(request.topology, channels);
  if (!grid) return base::error("no grid: " + grid.error().message);
  auto routes = route_grid(request, *grid, channels);
  if (routes) routes->engine = "dor";
  if (routes && grid->missing() == 0) return routes;
  auto proven = only_proven(request, std::move(routes));
  if (proven || request.data_vls < 2) return proven;
  // Rings of four, which were taken for two axes each, may be passed the other way round.
  auto around = only_proven(request, TorusQos{}.route(request));
  return around ? std::move(around) : std::move(proven);
}

}  // namespace

base::Result<Routes> Auto::route(const Request& request) const {
  auto tree = FatTree{}.route(request);
  if (tree) {
    tree->notes.insert(tree->notes.begin(), "auto: the fabric is a tree");
    return tree;
  }
  std::string why = "auto: " + tree.error().message;
  for (const auto& shape : {&route_as_grid, &route_whole_dragonfly}) {
    auto routes = shape(request);
    if (routes) {
      routes->notes.insert(routes->notes.begin(), std::move(why));
      return routes;
    }
    why += "; " + routes.error().message;
  }
  auto woven = Weave{}.route(request);
  if (woven) woven->notes.insert(woven->notes.begin(), std::move(why));
  return woven;
}

}  // namespace heddle::routing
