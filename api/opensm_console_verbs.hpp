// SPDX-License-Identifier: BSD-3-Clause
// Verbs of OpenSM's console that say something about the fabric. Only for api/opensm_console*.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/opensm_console.hpp"

namespace heddle::api {

using ConsoleWords = std::span<const std::string_view>;  // behind the verb

inline ConsoleAnswer console_says(std::string text) {
  ConsoleAnswer answer;
  answer.text = std::move(text);
  return answer;
}

// There is a fabric, and whoever has wrong words is told by the caller: nothing.
std::optional<ConsoleAnswer> console_port_status(const State& state, ConsoleWords words);
ConsoleAnswer console_query_lid(const State& state, ConsoleWords words);
ConsoleAnswer console_switch_balance(const State& state, ConsoleWords words);
ConsoleAnswer console_lid_balance(const State& state, ConsoleWords words);
ConsoleAnswer console_port_guids(const State& state, ConsoleWords words);

// Also without a fabric.
ConsoleAnswer console_counters(const State& state, ConsoleWords words);

}  // namespace heddle::api
