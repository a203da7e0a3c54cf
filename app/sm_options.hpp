// SPDX-License-Identifier: BSD-3-Clause
// The bridge from what an operator writes to what the machine takes: config knows nothing of sm.
#pragma once

#include <string>

#include "config/config.hpp"
#include "config/load.hpp"
#include "sm/options.hpp"

namespace heddle::app {

// What shapes routes, as lines of a configuration file. Files have absolute paths: whoever reads it
// may stand elsewhere.
std::string routing_options_text(const config::Config& config);

// `config` must have been checked; every value of a checked Config fits.
sm::Options to_sm_options(const config::Config& config);

// The words config cannot know: the names of the routing engines and of counters.
config::Vocabulary vocabulary();

}  // namespace heddle::app
