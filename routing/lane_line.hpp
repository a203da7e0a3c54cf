// SPDX-License-Identifier: BSD-3-Clause
// The line in which all turns of a repair on several VLs and of its home lead forward, in the words
// of a fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/dependencies.hpp"
#include "fabric/topology.hpp"
#include "routing/packet_lanes.hpp"
#include "routing/selection.hpp"

namespace heddle::routing {

// What packets hold and wait for on the same lane. No two turns that lead forward close a cycle,
// whoever takes them.
class LaneLine {
 public:
  // `kin` outlives this; topology: that of what is its home's kin. at_home: by switch.
  LaneLine(const fabric::Topology& topology, const LaneKinship& kin,
           std::span<const fabric::SwitchIndex> at_home);

  // From tables to others of which one is the home of the other, or which have the same; nothing
  // otherwise. `topology`: of the wanted ones. Both outlive this.
  static std::optional<LaneLine> between(const fabric::Topology& topology, const Selected& wanted,
                                         const Selected& in_place);

  // On each of these lanes.
  bool leads_forward(fabric::ChannelIndex held, fabric::ChannelIndex next, LaneSet lanes) const;
  bool leads_forward(fabric::LaneChannel held, fabric::LaneChannel next) const {
    return place(held.channel, held.vl) < place(next.channel, next.vl);
  }
  // Whether all of them do; `dependencies` must be of the topology.
  bool covers(const fabric::Topology& topology, const fabric::Dependencies& dependencies) const;
  bool has_replies() const { return kin_->replies; }

 private:
  std::uint32_t place(fabric::ChannelIndex channel, unsigned vl) const {
    return kin_->places[first_lane_[channel.value] + vl];
  }

  const LaneKinship* kin_;
  std::vector<std::uint32_t> first_lane_;  // by channel
};

}  // namespace heddle::routing
