// SPDX-License-Identifier: BSD-3-Clause
// What tables do to patterns of traffic in which every host sends at once. The congestion of a
// channel is the number of packets that pass it, each host sending one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

struct PatternOptions {
  std::uint64_t seed = 1;
  std::size_t bisections = 200;
  bool with_shifts = true;
  // By port: what its link carries against that of a usual host's cable, above 0. Null or empty: 1
  // for all. Outlives the call.
  const std::vector<double>* capacities = nullptr;
  // Shifts and bisections are cut down to so many packets each; what is left is seeded chance.
  std::uint64_t most_packets = 1u << 24;
};

struct PatternQuality {
  // Shift by k: host i sends to host i + k, in the order of order_hosts. The congestion of a shift
  // is that of its worst channel.
  std::size_t shifts = 0;  // measured; hosts - 1 if all
  std::uint32_t shift_worst = 0;
  double shift_mean = 0;
  // Random bisections: all hosts in pairs, each sends to the other. A pair's share of a cable is
  // one part in the worst congestion on its way. Their mean is the effective bisection bandwidth.
  std::size_t bisections = 0;
  double effective_bandwidth = 0;
  double bisection_worst_mean = 0;  // mean of the worst channels' congestion

  // The same with congestion told as packets against what the channel carries. A pair has no more
  // than the slower of its two cables, and its share is one of that; with nothing but links alike
  // all is as above.
  struct Weighted {
    double shift_worst = 0;
    double shift_mean = 0;
    double effective_bandwidth = 0;
    double bisection_worst_mean = 0;
    double rate = 0;  // what a host sends at in a bisection, in the mean, of a usual host's cable
  };
  Weighted weighted;
};

// Only the first LID of each port counts. Packets that do not arrive have no share, and load
// nothing.
PatternQuality measure_patterns(const fabric::Topology& topology, const fabric::LidMap& lids,
                                const fabric::ForwardingTables& tables,
                                const PatternOptions& options = {},
                                const base::ParallelFor& parallel = base::inline_for);

// The effective bisection bandwidth in 100 bisections, always the same: to choose between tables.
double random_pairs_bandwidth(const fabric::Topology& topology, const fabric::LidMap& lids,
                              const fabric::ForwardingTables& tables,
                              const base::ParallelFor& parallel = base::inline_for);

// By channel, what a packet takes of it: 1 in the capacity of its port. Empty when those are.
std::vector<double> channel_weights(const fabric::Topology& topology,
                                    const std::vector<double>& capacities);

// The hosts' ports that have LIDs, subtree by subtree, then by the ports of their switches.
std::vector<fabric::PortIndex> order_hosts(const fabric::Topology& topology,
                                           const fabric::LidMap& lids);

}  // namespace heddle::routing
