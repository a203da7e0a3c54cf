// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lash.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "routing/destinations.hpp"
#include "routing/escape.hpp"
#include "routing/pair_layers.hpp"
#include "routing/patterns.hpp"

namespace heddle::routing {
namespace {

// The best first: multicast without credit loops is worth more than that trees share the load.
struct Manner {
  bool has_room;  // for multicast
  TreeLoads loads;
};
constexpr Manner kManners[] = {{true, TreeLoads::Evenest}, {true, TreeLoads::Even},
                               {true, TreeLoads::Shared},  {true, TreeLoads::Any},
                               {false, TreeLoads::Even},   {false, TreeLoads::Shared},
                               {false, TreeLoads::Any}};
// To grow trees again and again is not worth it where LIDs times channels are more than this.
constexpr std::size_t kMostToGrowAgain = 64'000'000;

fabric::ForwardingTables tables_of(const PairLayers& pairs, const CompactChannels& channels,
                                   const Destinations& destinations, mad::Lid top) {
  const auto switches = static_cast<std::uint32_t>(destinations.hosts.size());
  fabric::ForwardingTables tables(switches, top);
  for (std::uint32_t target = 0; target < switches; ++target) {
    const auto next = pairs.tree(channels, target);
    for (const Destination& to : destinations.by_switch[target]) {
      for (std::uint32_t s = 0; s < switches; ++s) {
        if (next[s] == kNoWay && s != target) continue;
        const std::uint8_t out = s == target ? to.out.value : channels.out[next[s]];
        const auto row = tables.row(fabric::SwitchIndex{s}).subspan(to.base.value, to.lid_count());
        std::fill(row.begin(), row.end(), out);
      }
    }
  }
  return tables;
}

}  // namespace

base::Result<Routes> Lash::route(const Request& request) const {
  const CompactChannels channels(request.topology);
  const Destinations destinations(request.topology, request.lids);
  const fabric::Islands islands(request.topology);
  const auto bandwidth_of = [&](const PairLayers& trees) {
    const auto tables = tables_of(trees, channels, destinations, request.lids.top());
    return random_pairs_bandwidth(request.topology, request.lids, tables, request.parallel);
  };
  const std::size_t work = request.lids.top().value * channels.count();
  for (const auto& [has_room, loads] : kManners) {
    if (loads == TreeLoads::Evenest && work > kMostToGrowAgain) continue;
    std::vector<ChannelOrder> layers(request.data_vls, ChannelOrder(channels));
    if (has_room) make_room_for_multicast(channels, islands, layers.front());
    const auto pairs = layer_shortest_trees(channels, destinations, layers, loads, bandwidth_of);
    if (!pairs) continue;
    const unsigned vls = pairs->count();
    Routes routes{
        std::string(name()),
        tables_of(*pairs, channels, destinations, request.lids.top()),
        {fmt::format("{} {} used{}", vls, vls == 1 ? "VL is" : "VLs are",
                     loads == TreeLoads::Any ? ", by trees that do not share the load" : "")}};
    if (!has_room) routes.notes.push_back(kNoRoomForMulticast);
    if (vls > 1) {
      routes.lanes = {static_cast<std::uint8_t>(vls),
                      pairs->levels(destinations, request.lids.top()),
                      fabric::VlMaps(fabric::even_map(vls))};
    }
    return routes;
  }
  return base::error(fmt::format("its ways need more than {} {}", request.data_vls,
                                 request.data_vls == 1 ? "VL" : "VLs"));
}

}  // namespace heddle::routing
