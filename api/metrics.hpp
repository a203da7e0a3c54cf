// SPDX-License-Identifier: BSD-3-Clause
// What the subnet manager counts, in Prometheus' text format. docs/api.md has each name.
#pragma once

#include <string>

#include "api/state.hpp"

namespace heddle::api {

std::string metrics_text(const State& state);

}  // namespace heddle::api
