// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom, and what that does to the counters of the ports on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"
#include "sim/devices.hpp"
#include "sim/walker.hpp"

namespace heddle::sim {

struct Flow {
  PortIndex from = 0;
  mad::Lid dlid{};
  mad::ServiceLevel sl{};
  mad::PKey p_key = kDefaultPKey;
};

enum class Pattern : std::uint8_t {
  AllToAll,
  Shift,        // each to the one `shift` places on
  Ring,         // each to the next
  Permutation,  // each to one other, by chance
  Incast,       // all to one
};
inline constexpr std::string_view kPatternNames = "all-to-all shift ring permutation incast";
std::optional<Pattern> parse_pattern(std::string_view name);

// The ports of CAs that are Active and have a LID, in the order of the fabric.
std::vector<PortIndex> active_hosts(const Devices& devices);

// Flows to base LIDs. `number` is the shift, the seed of the permutation, or which host all send
// to, from 1 on. At most ten million.
std::vector<Flow> flows_of(const Devices& devices, const std::vector<PortIndex>& hosts,
                           Pattern pattern, std::uint64_t number);

// A port of a switch that was asked for `times` what its link carries; 0 for none.
struct CrowdedPort {
  PortIndex port = 0;
  double times = 0;
};

struct Driven {
  std::uint64_t arrived = 0;  // packets
  std::uint64_t lost = 0;
  std::vector<Flow> stopped;  // the flows that did not arrive, at most a hundred of them
  std::uint64_t marked = 0;   // of those that arrived: met congestion, and the switch said so
  CrowdedPort worst;
};

// Sends `packets` packets of `words` four-byte words for each flow along the devices' tables and
// counts them at every port that they pass, and where they stop. All begin at once, and where they
// crowd they wait and are marked (overload.hpp).
Driven drive(Devices& devices, const std::vector<Flow>& flows, std::uint64_t packets,
             std::uint32_t words, base::Instant now);

}  // namespace heddle::sim
