// SPDX-License-Identifier: BSD-3-Clause
// The load of each channel when every host sends to every LID of a host, kept up to date column by
// column: after a repair only what moved is counted again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/repair.hpp"

namespace heddle::plan {

struct LoadFigures {
  std::uint64_t greatest = 0;
  double mean = 0;  // over all channels
  double greatest_weighted = 0;
  double mean_weighted = 0;
};

class ColumnLoads {
 public:
  // The references outlive this. Loads are those of routing::measure_quality. Weights are by
  // channel (plan/loads.hpp); empty: links are alike.
  ColumnLoads(const fabric::Topology& topology, const fabric::LidMap& lids,
              const fabric::ForwardingTables& tables, std::vector<double> weights = {},
              const base::ParallelFor& parallel = base::inline_for);

  // By channel of the topology.
  const std::vector<std::uint64_t>& loads() const { return loads_; }
  LoadFigures figures() const;

  // What they are after a repair. No host may be lost; `lost` channels are not among the mean's.
  LoadFigures after(const routing::Repair& repair, const std::vector<fabric::SwitchIndex>& at_home,
                    std::size_t lost) const;

 private:
  const fabric::Topology& topology_;
  const fabric::LidMap& lids_;
  const fabric::ForwardingTables& tables_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> hosts_;  // by switch
  std::vector<std::uint64_t> loads_;
};

}  // namespace heddle::plan
