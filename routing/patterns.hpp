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
};

// Only the first LID of each port counts. Packets that do not arrive have no share, and load
// nothing.
PatternQuality measure_patterns(const fabric::Topology& topology, const fabric::LidMap& lids,
                                const fabric::ForwardingTables& tables,
                                const PatternOptions& options = {},
                                const base::ParallelFor& parallel = base::inline_for);

// The hosts' ports that have LIDs, subtree by subtree, then by the ports of their switches.
std::vector<fabric::PortIndex> order_hosts(const fabric::Topology& topology,
                                           const fabric::LidMap& lids);

}  // namespace heddle::routing
