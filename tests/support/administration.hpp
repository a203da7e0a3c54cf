// SPDX-License-Identifier: BSD-3-Clause
// A subnet as subnet administration is told of it, made of a recipe without any subnet manager:
// routed by minhop, every link 4x EDR with an MTU of 4096.
#pragma once

#include "sa/subnet.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::support {

// GUID of a port: that of its node, and in the upper bits its number; a switch has one for all.
sa::Subnet administered(const Recipe& recipe, std::uint8_t lmc = 0);

}  // namespace heddle::support
