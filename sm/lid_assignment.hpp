// SPDX-License-Identifier: BSD-3-Clause
// Which port gets which LIDs: a pure function. Ports keep what they have: first what the memory
// says, then what they hold already, and only then the first free range. Virtual ports give up
// theirs for a port that would have none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::sm {

// LIDs of a port, as the durable memory keeps them.
struct RememberedLids {
  mad::Guid port_guid{};
  mad::Lid base{};
  std::uint8_t lmc = 0;
  friend bool operator==(const RememberedLids&, const RememberedLids&) = default;
};

struct LidRequest {
  fabric::PortIndex port{};
  mad::Guid port_guid{};
  std::uint8_t lmc = 0;  // wanted
  mad::Lid held{};       // what its PortInfo says; kNoLid for none
  // Of a virtual port its index, and `port` is the one that it is behind. The requests of virtual
  // ports come after those of all ports.
  std::uint16_t vport = 0;
  bool is_guest() const { return vport != 0; }
};

struct LidClash {
  LidRequest keeps;
  LidRequest moves;
  mad::Lid lid{};
};

// Both get LIDs; the memory is the first one's.
struct LidTwins {
  LidRequest first;
  LidRequest second;
};

struct LidAssignment {
  fabric::LidMap map;
  std::vector<LidClash> clashes;       // two ports held the same LID
  std::vector<LidTwins> twins;         // two ports have the same GUID
  std::vector<LidRequest> left_out;    // no LID is left for these
  std::vector<RememberedLids> memory;  // the new memory, by GUID
};

// `requests` in the order in which ports are served; with the topology, those that are dealt new
// LIDs get them by lid_turns() of it, and virtual ports after them. `last` is the highest LID that
// may be given (every switch must be able to forward it). Ranges of remembered ports that are
// absent are kept for them until LIDs run out; then the absent give theirs up, and after them, for
// ports only, the virtual ports, last ones first.
LidAssignment assign_lids(std::size_t port_count, std::span<const LidRequest> requests,
                          std::span<const RememberedLids> remembered, mad::Lid last,
                          const fabric::Topology* topology = nullptr);

}  // namespace heddle::sm
