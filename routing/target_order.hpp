// SPDX-License-Identifier: BSD-3-Clause
// The order in which destinations are given to ports, and where it may be cut for parallel work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::routing {

// Round robin spreads neighbours in this order over different ports. What must be spread are the
// destinations that share the links on the way down to them: switches of one subtree stand side by
// side, though their GUIDs may be scattered. Where there is no tree the order is by index.
struct TargetOrder {
  std::vector<fabric::SwitchIndex> targets;
  // Batch b is [first[b], first[b + 1]) of targets; cut between subtrees if these are small.
  std::vector<std::size_t> first;
  // By switch: equal for the switches that stand right below the same ones.
  std::vector<std::uint32_t> subtree;

  std::size_t batch_count() const { return first.size() - 1; }
};

// hosts: how many hang on each switch. How many batches there are depends on the fabric alone.
TargetOrder order_targets(const fabric::Topology& topology,
                          const std::vector<std::uint32_t>& hosts);

}  // namespace heddle::routing
