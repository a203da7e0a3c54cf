// SPDX-License-Identifier: BSD-3-Clause
// What the settings of class 0x21 make of congestion (IBA vol. 1, A10.2): when a port of a switch
// marks packets, and how much slower an adapter sends after the notifications that it got. Nothing
// is marked, and nobody slows down, until somebody has written settings.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "mad/types.hpp"
#include "sim/devices.hpp"

namespace heddle::sim {

struct MarkingRule {
  std::uint8_t threshold = 0;      // 1..15, the higher the sooner
  std::uint32_t least_bytes = 0;   // smaller packets are not marked
  std::uint16_t marking_rate = 0;  // packets between two marks
  bool victim = false;             // marks also when the congestion begins further on
};
// Nothing for a port that does not mark at all, and for ports of adapters.
std::optional<MarkingRule> marking_rule(const Devices& devices, PortIndex port);

// How long the adapter's port takes for a packet, as a multiple of the time that it needs at full
// rate: 1 or more.
double injection_time(const Devices& devices, PortIndex port, mad::ServiceLevel sl,
                      base::Instant now);

// So many notifications (BECN) came back for this service level: its CCTI rises. Whether the index
// is now where notifications are logged.
bool take_notifications(Devices& devices, PortIndex port, mad::ServiceLevel sl, std::uint64_t count,
                        base::Instant now);

// The index of a service level at this time, after what its timer took from it.
std::uint16_t congestion_index(const Devices& devices, PortIndex port, mad::ServiceLevel sl,
                               base::Instant now);

}  // namespace heddle::sim
