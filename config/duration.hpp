// SPDX-License-Identifier: BSD-3-Clause
// Durations as people write them in a configuration: a whole number and a unit, "200ms".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace heddle::config {

// us, ms, s, min or h directly behind a decimal number; "0" needs no unit. Nothing that would not
// fit into a Duration is accepted.
std::optional<base::Duration> parse_duration(std::string_view text);

// With the largest unit that gives a whole number; rounded down to microseconds.
std::string duration_text(base::Duration duration);

}  // namespace heddle::config
