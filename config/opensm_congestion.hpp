// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's cc_* options that only together say what one of ours does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::config {

// The option of OpenSM as its file has it, or its default.
using OpensmValue = std::function<std::string(std::string_view name)>;

// [congestion] switches: what cc_sw_cong_setting_control_map says is valid. Nothing when one of the
// values is none.
std::optional<std::string> congestion_switches(const OpensmValue& value_of);
// Whether the control map makes OpenSM set this option of those.
bool is_set_at_switches(std::string_view name, const OpensmValue& value_of);

// One of those with a service level before its value: "cc_ca_cong_setting_ccti_timer".
bool is_of_level(std::string_view name);
struct OfLevel {
  unsigned level = 0;
  std::uint64_t value = 0;
};
// "3 150".
std::optional<OfLevel> parse_of_level(std::string_view text);
// Values by option, of one level.
using LevelValues = std::map<std::string, std::uint64_t, std::less<>>;
// [congestion] levels, for the command line: one for each level in the map.
std::string congestion_levels(std::uint64_t control_map,
                              const std::map<unsigned, LevelValues>& values);

}  // namespace heddle::config
