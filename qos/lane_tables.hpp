// SPDX-License-Identifier: BSD-3-Clause
// What the SL to VL and VL arbitration tables of ports hold, by kind of port, as an administrator
// says it; what is not said is as OpenSM has it. Here it becomes tables, fitted to the lanes and
// the table sizes that a port has (IBA vol. 1, 7.6).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fabric/lanes.hpp"
#include "fabric/topology.hpp"
#include "mad/vl_arbitration_table.hpp"

namespace heddle::qos {

// Service levels on this lane are dropped.
inline constexpr std::uint8_t kDroppingVl = 15;
inline constexpr std::size_t kMostArbitrationEntries = 2 * mad::kVLArbitrationEntriesPerBlock;

using ArbitrationEntries = std::vector<mad::VLArbitrationEntry>;

// What is said of a kind of port.
struct LaneWords {
  std::optional<fabric::VlMap> sl_to_vl;
  std::optional<ArbitrationEntries> high, low;
  std::optional<std::uint8_t> high_limit;  // PortInfo.VL_High_Limit
  friend bool operator==(const LaneWords&, const LaneWords&) = default;
};

// "sl2vl=0,1,...(16) high=VL:WEIGHT,... low=VL:WEIGHT,... limit=0..255", any of them, in any order,
// each at most once.
base::Result<LaneWords> parse_lane_words(std::string_view text);
// In that language.
std::string to_text(const LaneWords& words);

enum class PortKind : std::uint8_t { Host, SwitchPort0, SwitchToHost, SwitchToSwitch, Router };
inline constexpr std::size_t kPortKinds = 5;
PortKind kind_of(const fabric::Topology& topology, fabric::PortIndex port);

struct LaneTables {
  LaneWords all;  // where a kind says nothing
  // By PortKind. Ports between switches go by those of other switch ports where nothing is said.
  std::array<LaneWords, kPortKinds> by_kind;
  friend bool operator==(const LaneTables&, const LaneTables&) = default;
};

// All that ports of one kind get, before it is fitted to one of them.
struct PortLanes {
  fabric::VlMap sl_to_vl{};
  ArbitrationEntries high, low;
  std::uint8_t high_limit = 0;
};
PortLanes lanes_of(const LaneTables& tables, PortKind kind);

// For a port with so many data VLs, 1..15: a lane it does not have becomes one that it has.
fabric::VlMap folded(const fabric::VlMap& map, unsigned vls);

struct PortSizes {
  unsigned vls = 1;               // data VLs in use
  std::size_t high = 0, low = 0;  // entries of its tables
};
// The quarters of a port's arbitration, by VLArbitrationBlock less 1; those that it does not have
// are empty.
using Arbitration = std::array<std::optional<mad::VLArbitrationTable>, 4>;
// Lanes below `needed` that would never be served get a place in the low table, as far as there is
// one: packets that wait on them for ever would stop the fabric.
Arbitration arbitration_for(const PortLanes& lanes, const PortSizes& port, unsigned needed);

}  // namespace heddle::qos
