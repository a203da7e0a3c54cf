// SPDX-License-Identifier: BSD-3-Clause
// Who stands beside whom when LIDs are dealt for the first time. A block of a forwarding table
// holds 64 LIDs that follow each other, and what a lost link changes are the ways to one switch's
// hosts, or to those of one subtree: side by side they are in few blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/topology.hpp"

namespace heddle::sm {

// By PortIndex, of endports; the lower goes first. A switch stands before its hosts, which go by
// the ports that they hang on; switches below the same ones stand together.
std::vector<std::uint32_t> lid_turns(const fabric::Topology& topology);

}  // namespace heddle::sm
