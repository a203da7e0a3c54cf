// SPDX-License-Identifier: BSD-3-Clause
// What the hosts of one job do to the links: patterns of traffic among them, and which links carry
// most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "base/result.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "plan/loads.hpp"

namespace heddle::plan {

// Ports of hosts, in the order of the job's ranks.
using HostList = std::vector<fabric::PortIndex>;

// Lines of a host's name (the first word of its NodeDescription: all its ports), a whole
// NodeDescription, or a node or port GUID; '#' begins a comment. An error names file and line of
// the first that is no host of the fabric, or has no LID.
base::Result<HostList> parse_host_list(std::string_view text, std::string_view title,
                                       const fabric::Topology& topology,
                                       const fabric::LidMap& lids);

struct TrafficOptions {
  std::uint64_t seed = 1;
  std::size_t shifts = 100;      // random ones, all if there are no more
  std::size_t bisections = 100;  // random ones
  std::size_t worst = 5;         // links to name
  std::vector<double> weights;   // by channel (plan/loads.hpp); empty: links are alike
};

struct PatternLoad {
  // all-to-all: everyone to everyone. ring: each to the next. shift: each to the k-th next, the
  // worst of the shifts. bisection: random pairs, the worst. rail all-to-all: everyone to all of
  // the same adapter (check_rails). all-to-io: everyone to each I/O node.
  std::string name;
  std::uint64_t flows = 0;           // between different switches or not
  std::uint64_t greatest = 0;        // most flows over a link between switches
  double mean_greatest = 0;          // shift and bisection: mean over all of them
  double greatest_weighted = 0;      // the same two by what the links carry; the worst shift or
  double mean_weighted = 0;          // bisection is the worst by this
  std::vector<LoadedChannel> worst;  // the busiest links by that, first the worst
};

// Patterns without a flow (one host, no I/O node, one rail only) are left out. LMC: base LIDs
// count.
std::vector<PatternLoad> measure_traffic(const fabric::Topology& topology,
                                         const fabric::LidMap& lids,
                                         const fabric::ForwardingTables& tables,
                                         const HostList& job, const HostList& io,
                                         const TrafficOptions& options,
                                         const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::plan
