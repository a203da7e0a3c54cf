// SPDX-License-Identifier: BSD-3-Clause
#include "routing/hyperx.hpp"

#include <algorithm>
#include <utility>

#include "routing/grid_routes.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {
namespace {

bool is_full(const Grid::Axis& axis) {
  return axis.shape == Grid::Shape::Full || axis.size <= 3;
}

base::Result<Grid> hyperx_grid(const Request& request, const CompactChannels& channels) {
  auto grid = recognise_grid(request.topology, channels);
  if (!grid) return base::error("not a HyperX: " + grid.error().message);
  if (std::all_of(grid->axes.begin(), grid->axes.end(), is_full)) return grid;
  return base::error("not a HyperX, but a " + grid->title());
}

base::Result<Routes> route_as(std::string_view name, const Request& request, const Grid& grid,
                              const CompactChannels& channels) {
  if (grid.missing() > 0) return base::error("a switch is missing in a " + grid.title());
  auto routes = route_grid(request, grid, channels);
  if (routes) routes->engine = name;
  return routes;
}

}  // namespace

base::Result<Routes> HyperX::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  const auto grid = hyperx_grid(request, channels);
  if (!grid) return grid.error();
  auto routes = route_as(name(), request, *grid, channels);
  return routes ? std::move(routes) : leave_to_weave(request, name(), routes.error());
}

}  // namespace heddle::routing
