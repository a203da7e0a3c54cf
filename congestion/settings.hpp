// SPDX-License-Identifier: BSD-3-Clause
// What an operator wants devices to do about congestion, in the words of the configuration file
// (docs/congestion-control.md). A part that is not given is left as it stands in the devices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/congestion_control.hpp"

namespace heddle::congestion {

// Ports of a switch. Which of them lead to hosts is another matter for each switch.
struct Ports {
  bool hosts = false;     // those that lead to adapters and routers
  bool switches = false;  // those that lead to switches
  mad::PortMask mask{};   // and these
  friend bool operator==(const Ports&, const Ports&) = default;
};

struct SwitchSetting {
  mad::SwitchCongestionSetting value;  // its masks are empty; control_map says what is given
  Ports victims;
  Ports credit_watch;
  friend bool operator==(const SwitchSetting&, const SwitchSetting&) = default;
};

// What stands above the switch's setting at some of its ports.
struct PortRule {
  enum class Where : std::uint8_t { All, Hosts, Switches, One };
  Where where = Where::All;
  mad::Guid node{};  // of One
  mad::PortNumber port{};
  mad::SwitchPortCongestionSettingElement element;
  friend bool operator==(const PortRule&, const PortRule&) = default;
};

inline constexpr std::size_t kServiceLevels = 16;

struct Level {
  std::uint16_t levels = 0;  // bit n: service level n
  mad::CACongestionEntry entry;
  friend bool operator==(const Level&, const Level&) = default;
};

struct Settings {
  std::optional<SwitchSetting> switches;
  std::vector<PortRule> ports;  // the last one that fits counts; no rule: nothing of the port's own
  bool by_level = false;        // adapters hold back a service level rather than a queue pair
  std::vector<Level> levels;    // the last one counts
  std::vector<std::uint16_t> table;  // entries of the CongestionControlTable, at most kMostEntries
  friend bool operator==(const Settings&, const Settings&) = default;
};

// ControlTableCap has 8 bits.
inline constexpr std::size_t kMostEntries = 255 * mad::kCongestionTableEntriesPerBlock;

// "threshold=8 packet_size=8 marking_rate=0 victims=hosts", in any order; "" gives nothing. Errors
// name the word that is wrong and what would be right.
base::Result<std::optional<SwitchSetting>> parse_switch_setting(std::string_view text);
// "hosts threshold=15 packet_size=8": all, hosts, switches or GUID/PORT, then words, or "none".
base::Result<PortRule> parse_port_rule(std::string_view text);
// "0 timer=150 increase=4 trigger=0 min=0": a service level, a range 0-3 or all, then words.
base::Result<Level> parse_level(std::string_view text);
// "shift:multiplier", or a run of multipliers "shift:first..last".
base::Result<std::vector<std::uint16_t>> parse_table(const std::vector<std::string>& entries);

}  // namespace heddle::congestion
