// SPDX-License-Identifier: BSD-3-Clause
#include "routing/dor.hpp"

#include <algorithm>

#include "routing/balance.hpp"
#include "routing/grid_routes.hpp"
#include "routing/way_finder.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

class LowestPortFirst : public WayFinder {
 public:
  LowestPortFirst(const fabric::Topology& topology, const CompactChannels& channels)
      : channels_(channels), ways_(topology), distance_(topology.switch_count()) {}

  const Ways& toward(SwitchIndex target) override {
    std::fill(distance_.begin(), distance_.end(), kUnseen);
    ways_.clear();
    ways_.add_switch(target);
    distance_[target.value] = 0;
    for (std::size_t i = 0; i < ways_.nearest_first().size(); ++i) {
      const std::uint32_t at = ways_.nearest_first()[i].value;
      if (i > 0) offer_first_dimension(at);
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t from = channels_.to[c];
        if (distance_[from] != kUnseen) continue;
        distance_[from] = distance_[at] + 1;
        ways_.add_switch(SwitchIndex{from});
      }
    }
    return ways_;
  }

 private:
  static constexpr std::uint32_t kUnseen = 0xFFFF'FFFF;

  // All switches that are nearer have their distance already.
  void offer_first_dimension(std::uint32_t at) {
    const std::uint32_t begin = channels_.first[at], end = channels_.first[at + 1];
    std::uint32_t first = end;
    for (std::uint32_t c = begin; c < end; ++c) {
      if (distance_[channels_.to[c]] >= distance_[at]) continue;
      if (first == end || channels_.out[c] < channels_.out[first]) first = c;
    }
    for (std::uint32_t c = begin; c < end; ++c) {
      if (channels_.to[c] != channels_.to[first]) continue;
      ways_.offer(SwitchIndex{at}, static_cast<std::uint8_t>(c - begin));
    }
  }

  const CompactChannels& channels_;
  Ways ways_;
  std::vector<std::uint32_t> distance_;
};

}  // namespace

base::Result<Routes> DimensionOrder::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  std::string why;
  if (const auto grid = recognise_grid(request.topology, channels)) {
    auto routes = route_grid(request, *grid, channels);
    if (routes) {
      routes->engine = name();
      return routes;
    }
    why = routes.error().message;
  } else {
    why = "the fabric is no grid: " + grid.error().message;
  }
  auto tables = balanced_tables(request, channels, [&] {
    return std::make_unique<LowestPortFirst>(request.topology, channels);
  });
  return Routes{std::string(name()), std::move(tables), {"by the order of ports, as " + why}};
}

}  // namespace heddle::routing
