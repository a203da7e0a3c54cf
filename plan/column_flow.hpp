// SPDX-License-Identifier: BSD-3-Clause
// The entries for one LID form a tree toward its switch: packets flow down it, and each channel is
// passed once, however many packets there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::plan {

// Holds scratch memory: one per thread. The references outlive it.
class ColumnFlow {
 public:
  ColumnFlow(const fabric::Topology& topology, const fabric::LidMap& lids,
             const fabric::ForwardingTables& tables);

  // An entry that differs from the table's.
  struct Change {
    fabric::SwitchIndex at{};
    mad::PortNumber out{};
  };

  // Calls visit(channel, packets) for each channel on the ways from `sources` (packets by switch)
  // to a host's LID. What starts at its own switch passes none; what loops or ends is not counted
  // from there on. Nothing for the LIDs of switches.
  template <class Visit>
  void flow(mad::Lid lid, const std::vector<std::uint32_t>& sources,
            std::span<const Change> changes, Visit visit) {
    if (!plant(lid, changes)) return;
    flow_ = sources;
    flow_[target_.value] = 0;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const std::uint32_t at = ready_[i];
      if (out_[at] == fabric::kNoChannel) continue;
      const std::uint32_t to = topology_.channels()[out_[at].value].to.value;
      if (flow_[at] != 0) visit(out_[at], flow_[at]);
      flow_[to] += flow_[at];
      if (--feeders_[to] == 0) ready_.push_back(to);
    }
  }

 private:
  bool plant(mad::Lid lid, std::span<const Change> changes);
  fabric::ChannelIndex channel(fabric::SwitchIndex at, mad::PortNumber out) const;

  const fabric::Topology& topology_;
  const fabric::LidMap& lids_;
  const fabric::ForwardingTables& tables_;
  fabric::SwitchIndex target_{};
  std::vector<fabric::ChannelIndex> out_;
  std::vector<std::uint32_t> feeders_, flow_, ready_;
};

}  // namespace heddle::plan
