// SPDX-License-Identifier: BSD-3-Clause
// What a person wants to know of the loads of channels (routing::MeasuredLoads): how they are
// spread, which are the worst, and what cables each level of a tree has to carry them.
//
// A weighted load is one against what its channel carries (plan/link_rates.hpp): a route takes
// twice as much of a link that is half as fast. With links that are all alike it is the load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/patterns.hpp"

namespace heddle::plan {

// Routes over a host's own cable, one way, when everyone talks to everyone; at least 1. What other
// cables carry is told in this unit.
double host_load(const fabric::Topology& topology, const fabric::LidMap& lids);

// By channel, the weight of a route.
using routing::channel_weights;

struct WeightedLoads {
  double greatest = 0;
  double p99 = 0;  // 99 of 100 channels carry no more
  double mean = 0;
};
// weights: by channel, or empty.
WeightedLoads weigh(const std::vector<std::uint64_t>& load, const std::vector<double>& weights);

// From which load on (in that unit) a cable has the hottest colour of a picture, the same for all
// these engines: never so little that harmless loads look hot, and not so much that a few very bad
// cables make all others look alike.
double hottest_load(const std::vector<WeightedLoads>& engines, double unit);

// Bin i holds what is in [least + i * step, least + (i + 1) * step).
struct LoadHistogram {
  std::uint64_t least = 0;
  std::uint64_t step = 1;
  std::vector<std::uint64_t> counts;
};
// At most so many bins; their step is a number that people like (1, 2 or 5 times a power of ten).
LoadHistogram load_histogram(const std::vector<std::uint64_t>& load, std::size_t most_bins);

struct LoadedChannel {
  fabric::ChannelIndex channel{};
  std::uint64_t load = 0;
  double weighted = 0;
};
// The heaviest by weighted load first, then by index. Channels that carry nothing are left out.
std::vector<LoadedChannel> worst_channels(const std::vector<std::uint64_t>& load, std::size_t count,
                                          const std::vector<double>& weights = {});

struct LevelSupply {
  std::uint32_t switches = 0;
  std::uint64_t hosts = 0;     // cables to channel adapters and routers
  std::uint64_t down = 0;      // cables to lower levels
  std::uint64_t up = 0;        // cables to higher levels
  std::uint64_t sideways = 0;  // ends of cables within the level
};
// level: by switch. Indexed by level.
std::vector<LevelSupply> supply_of_levels(const fabric::Topology& topology,
                                          const std::vector<std::uint32_t>& level);

}  // namespace heddle::plan
