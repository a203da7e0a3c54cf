// SPDX-License-Identifier: BSD-3-Clause
#include "routing/torus_qos.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "routing/grid_routes.hpp"
#include "routing/torus_seed.hpp"

namespace heddle::routing {
namespace {

bool is_too_meshed(const Grid::Axis& axis) {
  return axis.shape == Grid::Shape::Full;
}

// Rows of two need nothing, so there may be more of them, as in hypercubes.
bool is_real(const Grid::Axis& axis) {
  return axis.size > 2;
}

bool is_pair(const Grid::Axis& axis) {
  return axis.size == 2;
}

// Two rows of two make a ring of four, which can be passed the other way round when it is broken. A
// row left over stays as it is.
base::Result<Grid> with_rings_of_four(const Grid& grid, std::size_t switches) {
  Grid joined;
  std::vector<std::size_t> first, second;  // by axis of the new grid; equal: taken as it is
  std::optional<std::size_t> open;         // an axis of the new grid that lacks its other half
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    if (is_pair(grid.axes[a]) && open) {
      joined.axes[*open] = {4, Grid::Shape::Ring};
      second[*open] = a;
      open.reset();
      continue;
    }
    if (is_pair(grid.axes[a])) open = joined.axes.size();
    joined.axes.push_back(grid.axes[a]);
    first.push_back(a);
    second.push_back(a);
  }
  for (std::uint32_t s = 0; s < switches; ++s) {
    for (std::size_t a = 0; a < joined.axes.size(); ++a) {
      const std::uint32_t low = grid.at(s, first[a]), high = grid.at(s, second[a]);
      joined.position.push_back(first[a] == second[a] || high == 0 ? low : 3 - low);
    }
  }
  return numbered(std::move(joined), switches);
}

}  // namespace

base::Result<Routes> TorusQos::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  auto grid = recognise_grid(request.topology, channels);
  if (!grid) return base::error("not a torus or mesh: " + grid.error().message);
  GridRouting options;
  if (request.options.torus) {
    grid = seeded_grid(*grid, *request.options.torus, request.topology);
    if (!grid) return base::error("not the torus of the file: " + grid.error().message);
    options.port_order = request.options.torus->port_order;
  } else if (request.data_vls > 1) {
    grid = with_rings_of_four(*grid, request.topology.switch_count());
    if (!grid) return grid.error();
  }
  const auto& axes = grid->axes;
  if (std::any_of(axes.begin(), axes.end(), is_too_meshed) ||
      std::count_if(axes.begin(), axes.end(), is_real) > std::ptrdiff_t{kTorusAxes}) {
    return base::error(
        fmt::format("not a torus or mesh of up to three dimensions, but a {}", grid->title()));
  }
  auto routes = route_grid(request, *grid, channels, options);
  if (routes) routes->engine = name();
  return routes;
}

}  // namespace heddle::routing
