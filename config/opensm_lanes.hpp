// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's qos_* options of one kind of ports, which together say what one of [qos] does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/opensm_congestion.hpp"

namespace heddle::config {

// What the option becomes in the words of [qos]: "high=0:4,1:0". Nothing when OpenSM would not take
// the value.
std::optional<std::string> lane_word(std::string_view name, std::string_view value);

// The words of all options for the ports that the option is about. Those that stand at OpenSM's
// default or are wrong are left out.
std::string lane_words(std::string_view name, const OpensmValue& value_of);

}  // namespace heddle::config
