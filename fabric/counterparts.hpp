// SPDX-License-Identifier: BSD-3-Clause
// Which nodes and ports of one topology are those of another: by node GUID and port number.
#pragma once

#include <optional>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::fabric {

// Nodes are looked up once, and mostly not at all: nearly all of two topologies of the same fabric
// is the same, and in the same order. Both must outlive this.
class Counterparts {
 public:
  Counterparts(const Topology& of, const Topology& in);

  std::optional<NodeIndex> node(NodeIndex at) const {
    const NodeIndex there = nodes_[at.value];
    return there == kNobody ? std::nullopt : std::optional(there);
  }
  // Nothing, too, if it is no switch there.
  std::optional<SwitchIndex> switch_at(SwitchIndex at) const {
    const NodeIndex there = nodes_[at.value];
    const bool is_one = there != kNobody && in_.is_switch(there);
    return is_one ? std::optional(SwitchIndex{there.value}) : std::nullopt;
  }
  // kNoPort if it is not there.
  PortIndex port(PortIndex at) const {
    const NodeIndex there = nodes_[of_.node_of(at).value];
    const mad::PortNumber number = of_.number_of(at);
    const bool is_there = there != kNobody && number.value <= in_.node(there).port_count;
    return is_there ? in_.port_of(there, number) : kNoPort;
  }

 private:
  static constexpr NodeIndex kNobody{0xFFFF'FFFF};

  const Topology& of_;
  const Topology& in_;
  std::vector<NodeIndex> nodes_;  // by node of of_
};

// Whether two topologies do not differ in anything that they say, wherever they come from.
bool are_same(const Topology& one, const Topology& other);

// Calls visit(ours, theirs) for the channels that leave two switches by the same port, by out port;
// the one that is not there is null. Faster than to ask for each port: both stand in that order.
template <class Visit>
void for_each_out_port(const Topology& ours, SwitchIndex here, const Topology& theirs,
                       SwitchIndex there, const Visit& visit) {
  const auto mine = ours.channels_from(here), others = theirs.channels_from(there);
  for (auto a = mine.begin(), b = others.begin(); a != mine.end() || b != others.end();) {
    const bool has_a = a != mine.end() && (b == others.end() || a->out <= b->out);
    const bool has_b = b != others.end() && (a == mine.end() || b->out <= a->out);
    visit(has_a ? &*a : nullptr, has_b ? &*b : nullptr);
    a += has_a ? 1 : 0;
    b += has_b ? 1 : 0;
  }
}

}  // namespace heddle::fabric
