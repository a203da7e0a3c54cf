// SPDX-License-Identifier: BSD-3-Clause
// What was read of the ports and switches of a topology, in its order: what those who show a
// fabric and those who answer for it share. Values as on the wire (IBA vol. 1, 14.2.5).
#pragma once

#include <memory>
#include <optional>

#include "base/shared_pages.hpp"
#include "fabric/observation.hpp"
#include "fabric/topology.hpp"
#include "mad/link.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"

namespace heddle::fabric {

struct Registers {
  base::SharedPages<mad::NodeInfo> nodes;       // by NodeIndex
  base::SharedPages<mad::PortInfo> ports;       // by PortIndex; all zero where never read
  base::SharedPages<bool, 1024> fdr10;          // by PortIndex: links that PortInfo shows as QDR
  base::SharedPages<mad::SwitchInfo> switches;  // by SwitchIndex

  // Null where it was never read, or held nothing but zeroes.
  const mad::PortInfo* info(PortIndex port) const {
    const mad::PortInfo& held = ports[port.value];
    const bool is_read = held.port_state != mad::PortState::NoChange || held != mad::PortInfo{};
    return is_read ? &held : nullptr;
  }
  // All zero, with room for what was read of that topology.
  static Registers room_for(const Topology& topology);
  Registers successor() const;
};

// Of an observation and what was frozen of it, as it goes on.
class KnownRegisters {
 public:
  // What is the same as when this was asked last, of the same observation, is shared with what was
  // given then. Never null.
  std::shared_ptr<const Registers> of(const Observation& observation, const Frozen& frozen);

 private:
  std::shared_ptr<const Registers> brought_up_to_date(const Observation& observation) const;

  std::shared_ptr<const Registers> registers_;
  std::shared_ptr<const Topology> topology_;  // of these
  Observation::Edition edition_ = 0;          // of what they were read from
};

// What the port's link runs at; nothing when it is down or says something unknown.
std::optional<mad::LinkSpeed> link_speed(const Registers& registers, PortIndex port);

}  // namespace heddle::fabric
