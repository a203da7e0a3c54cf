// SPDX-License-Identifier: BSD-3-Clause
// Files that name nodes and ports, in OpenSM's formats. Empty lines and what follows # mean
// nothing; errors have the file and the line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"

namespace heddle::routing {

inline constexpr std::size_t kMaxListedGuids = 65'536;

// A GUID on each line; what follows it is ignored, as in OpenSM's root file. A file without any
// GUID is an error.
base::Result<std::vector<mad::Guid>> parse_guid_list(std::string_view text, std::string_view file);

inline constexpr std::size_t kMaxPortLines = 1'000'000;

// A port of a switch that may or may not be there.
struct SwitchPort {
  mad::Guid node{};
  mad::PortNumber port{};
  friend bool operator==(const SwitchPort&, const SwitchPort&) = default;
};

// What the link out of a port counts for, 1..255; others count 1.
struct HopWeight {
  SwitchPort at;
  std::uint8_t weight = 1;
  friend bool operator==(const HopWeight&, const HopWeight&) = default;
};

// hop_weights_file: "GUID PORT WEIGHT" on each line. It is about one direction.
base::Result<std::vector<HopWeight>> parse_hop_weights(std::string_view text,
                                                       std::string_view file);

// port_prof_ignore_file: "GUID PORT" on each line.
base::Result<std::vector<SwitchPort>> parse_switch_ports(std::string_view text,
                                                         std::string_view file);

// What Up/Down goes by in place of a switch's GUID.
struct SwitchId {
  mad::Guid node{};
  std::uint64_t id = 0;
  friend bool operator==(const SwitchId&, const SwitchId&) = default;
};

// ids_guid_file: "GUID ID" on each line, the ID decimal or as 0x11; what follows is ignored. Of
// several lines about a switch the last one holds.
base::Result<std::vector<SwitchId>> parse_switch_ids(std::string_view text, std::string_view file);

}  // namespace heddle::routing
