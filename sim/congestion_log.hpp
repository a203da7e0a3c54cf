// SPDX-License-Identifier: BSD-3-Clause
// What devices write down of congestion (IBA vol. 1, A10.4.3): a switch the packets that it marked,
// an adapter the notifications that came back for its flows.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/time.hpp"
#include "mad/congestion_control.hpp"
#include "sim/devices.hpp"
#include "sim/patterns.hpp"

namespace heddle::sim {

// Somebody says that packets of the flow were marked (FECN) as they left the switch by port `at`:
// their receiver counts that, its notifications (BECN) come back to the sender, and both ends of
// the matter log it. Errors: a flow that does not arrive, or that does not leave a switch by this
// port.
base::Result<> mark_packets(Devices& devices, PortIndex at, const Flow& flow, std::uint64_t packets,
                            base::Instant now);

// The log of the switch: packets of the flow were marked as they left it by port `at`.
void note_marks(Devices& devices, PortIndex at, const Flow& flow, base::Instant now);

// The receiver, port `to`, got so many marked packets, and the sender a notification for each. The
// sender logs that when its index is where its settings want it logged, or in any case.
enum class Logged : std::uint8_t { BySetting, Always };
void notify_of_marks(Devices& devices, PortIndex to, const Flow& flow, std::uint64_t packets,
                     base::Instant now, Logged logged);

// TimeStamp's unit is 1.024 us, and it wraps.
std::uint32_t congestion_time_stamp(base::Instant now);

using CongestionLogBytes = std::array<std::byte, mad::kCongestionLogBytes>;
// The CongestionLog of a switch or of an adapter's port, with what happened since it was taken
// last.
CongestionLogBytes take_congestion_log(CongestionRegisters& registers, bool is_switch,
                                       base::Instant now);

}  // namespace heddle::sim
