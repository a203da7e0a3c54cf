// SPDX-License-Identifier: BSD-3-Clause
// The congestion control agent of a device (IBA vol. 1, A10.4): keeps what it is told and shows it,
// guards it by the CC_Key with its lease, and hands out its log (congestion_log.hpp).
#pragma once

#include "mad/congestion_control.hpp"
#include "mad/mad_header.hpp"
#include "mad/perf_attribute.hpp"
#include "sim/agent.hpp"

namespace heddle::sim {

inline constexpr std::uint8_t kCongestionClassVersion = 2;  // 1 is in use as well

// What follows the header of a MAD of this class.
struct CongestionMad {
  mad::CCKey key{};
  std::array<std::byte, mad::kCongestionLogBytes> data{};  // from byte 32; attributes from byte 64
};

// Answers a Get or Set in place. Silence: a wrong CC_Key, which is counted. On a status other than
// OK nothing was changed.
Answer answer_congestion(const AgentContext& context, mad::MADHeader& header, CongestionMad& body);

}  // namespace heddle::sim
