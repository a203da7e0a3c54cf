// SPDX-License-Identifier: BSD-3-Clause
// The file that describes a torus, in the format of OpenSM's torus-2QoS.conf(5).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"

namespace heddle::routing {

inline constexpr std::size_t kTorusAxes = 3;
inline constexpr std::uint32_t kMaxTorusRadix = 16'384;
inline constexpr std::size_t kMaxTorusSeeds = 64;

struct TorusFile {
  struct Axis {
    std::uint32_t radix = 1;  // 1: there is no such axis
    bool wraps = false;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  // Where the axes point, told by one switch's neighbours.
  struct Seed {
    mad::Guid at{};
    std::array<mad::Guid, kTorusAxes> plus{}, minus{};  // 0: not told
    // By how much the origin, and with it the dateline, lies beside that switch.
    std::array<std::int32_t, kTorusAxes> dateline{};
    friend bool operator==(const Seed&, const Seed&) = default;
  };
  std::array<Axis, kTorusAxes> axes;
  std::vector<Seed> seeds;  // in the order to try
  // Ports of a switch whose hosts' LIDs are dealt to parallel cables first, in this order.
  std::vector<std::uint8_t> port_order;
  std::string source;  // the whole text, from which all the above follows
  friend bool operator==(const TorusFile&, const TorusFile&) = default;
};

// `file` is named in errors, with the line. portgroup_max_ports and max_changes are checked and
// have no effect: nothing here is limited by them.
base::Result<TorusFile> parse_torus_file(std::string_view text, std::string_view file);

}  // namespace heddle::routing
