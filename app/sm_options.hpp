// SPDX-License-Identifier: BSD-3-Clause
// The bridge from what an operator writes to what the machine takes: config knows nothing of sm.
#pragma once

#include "config/config.hpp"
#include "config/load.hpp"
#include "sm/options.hpp"

namespace heddle::app {

// `config` must have been checked; every value of a checked Config fits.
sm::Options to_sm_options(const config::Config& config);

// The words config cannot know: the names of the routing engines.
config::Vocabulary vocabulary();

}  // namespace heddle::app
