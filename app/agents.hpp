// SPDX-License-Identifier: BSD-3-Clause
// How the managers beside the subnet manager reach the agents that they ask.
#pragma once

#include "sm/snapshot.hpp"

namespace heddle::app {

bool has_lid(const sm::Snapshot& fabric, fabric::PortIndex port);

// By which packets from here to there keep out of the way of others.
mad::ServiceLevel level_to(const sm::Snapshot& fabric, mad::Lid lid);

}  // namespace heddle::app
