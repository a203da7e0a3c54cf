// SPDX-License-Identifier: BSD-3-Clause
// How good finished tables are, whoever made them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::routing {

// A route here is one from a host's port to one LID of another host that hangs on another switch.
// The number of them over a channel is its edge forwarding index: what it carries when everyone
// talks to everyone. Hosts are channel adapters and routers.
struct Quality {
  std::uint64_t routes = 0;      // that arrive
  std::uint64_t lost = 0;        // that do not
  std::uint64_t least_load = 0;  // over all channels
  double mean_load = 0;
  std::uint64_t p99_load = 0;  // 99 of 100 channels carry no more
  std::uint64_t greatest_load = 0;
  double mean_hops = 0;  // channels passed
  unsigned max_hops = 0;
  // Routes by the channels they pass, and by those that the shortest way has. Both as long as the
  // longest entry needs.
  std::vector<std::uint64_t> hops;
  std::vector<std::uint64_t> fewest_hops;
};

Quality measure_quality(const fabric::Topology& topology, const fabric::LidMap& lids,
                        const fabric::ForwardingTables& tables,
                        const base::ParallelFor& parallel = base::inline_for);

struct MeasuredLoads {
  Quality quality;
  std::vector<std::uint64_t> load;  // routes by channel
};
// The same, and what each channel carries.
MeasuredLoads measure_loads(const fabric::Topology& topology, const fabric::LidMap& lids,
                            const fabric::ForwardingTables& tables,
                            const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
