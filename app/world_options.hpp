// SPDX-License-Identifier: BSD-3-Clause
// The world that the options of `heddle sim` and `heddle sim run` ask for.
#pragma once

#include "sim/world.hpp"

namespace heddle::app {

template <class Arguments>
sim::WorldOptions world_options(const Arguments& arguments) {
  sim::WorldOptions options = sim::lifelike_options();
  options.seed = arguments.seed;
  options.hop_delay = arguments.hop_delay;
  options.agent_delay = arguments.agent_delay;
  options.loss = arguments.loss;
  return options;
}

}  // namespace heddle::app
