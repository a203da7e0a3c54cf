// SPDX-License-Identifier: BSD-3-Clause
// The fabric that the subnet manager sees, as a plan that the simulator and `heddle plan` take.
#pragma once

#include "sim/blueprint.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

sim::Blueprint blueprint_of(const sm::Snapshot& snapshot);

}  // namespace heddle::app
