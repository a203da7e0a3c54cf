// SPDX-License-Identifier: BSD-3-Clause
// General management packets that devices answer by themselves (IBA vol. 1, 13.4): performance
// management and congestion control. A Get or Set of a class that only devices could serve, and
// these do not, is refused; everything else is the affair of management software.
#pragma once

#include <cstdint>

#include "mad/datagram.hpp"
#include "sim/agent.hpp"

namespace heddle::sim {

// False for what is too short to have a header.
bool is_for_device(const mad::Payload& payload);

// Of a payload for which is_for_device() is true. With Reply the payload is now the answer, 256
// bytes long.
Answer answer_gmp(const AgentContext& context, mad::Payload& payload);

// LRH, BTH, DETH, GRH if there is one, and ICRC included.
std::uint16_t packet_words(const mad::Datagram& datagram);

}  // namespace heddle::sim
