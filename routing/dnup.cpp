// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dnup.hpp"

#include <algorithm>

#include "routing/tree_levels.hpp"
#include "routing/tree_pieces.hpp"
#include "routing/tree_shape.hpp"
#include "routing/updn.hpp"

namespace heddle::routing {
namespace {

// TreeShape's order has one top in each island, so it reaches everything.
Orientation orient_from_hosts(const fabric::Topology& topology) {
  const TreeShape shape(topology, plain_levels(topology, count_hosts(topology)));
  Orientation orientation;
  orientation.position = shape.positions();
  for (std::uint32_t s = 0; s < shape.switch_count(); ++s) {
    orientation.from_top.push_back(fabric::SwitchIndex{s});
    if (shape.top_of_island(s) == s) orientation.roots.push_back(fabric::SwitchIndex{s});
  }
  std::sort(orientation.from_top.begin(), orientation.from_top.end(), [&](auto a, auto b) {
    return orientation.position[a.value] < orientation.position[b.value];
  });
  return orientation;
}

}  // namespace

base::Result<Routes> DownUp::route(const Request& request) const {
  return Routes{
      std::string(name()), up_down_tables(request, orient_from_hosts(request.topology)), {}};
}

}  // namespace heddle::routing
