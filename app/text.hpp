// SPDX-License-Identifier: BSD-3-Clause
// Numbers and times as the summaries show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace heddle::app {

// 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t number);

// "1 switch", "3 switches": `plural` is the whole word.
std::string counted(std::uint64_t number, std::string_view singular, std::string_view plural);

// Three digits that matter: "412 us", "3.46 ms", "12.3 s".
std::string short_duration(base::Duration duration);

}  // namespace heddle::app
