// SPDX-License-Identifier: BSD-3-Clause
// What should stand in one port's P_KeyTable (IBA vol. 1, 14.2.5.7), given what stands there. Keys
// that stay keep their index, because programs on the hosts remember indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mad/p_key_table.hpp"
#include "mad/switch_info.hpp"
#include "mad/types.hpp"

namespace heddle::partitions {

// What the port is known to hold.
struct HeldTable {
  // Entries: NodeInfo.PartitionCap of an end port, SwitchInfo.PartitionEnforcementCap of a switch's
  // external port. The entries of the last block above it do not exist.
  std::uint16_t capacity{};
  // From block 0 on; a block that is missing here, or empty, was not read.
  std::vector<std::optional<mad::PKeyTable>> blocks;
};

struct TablePlan {
  // The whole table as it should stand: p_key_block_count(capacity) blocks. Entries above the
  // capacity are 0.
  std::vector<mad::PKeyTable> blocks;
  // The blocks that must be written, ascending: those that differ, and those never read.
  std::vector<std::uint16_t> to_write;
  // The wanted keys for which there was no room, in the order wanted.
  std::vector<mad::PKey> left_out;
};

// `wanted`: no key twice and none with base key 0 (such are skipped); the first belongs at index 0,
// and what stands there moves to a free entry. Every other key that the table holds stays where it
// is; one of the same partition with the other membership takes the place of the one that goes; new
// ones fill the lowest free entries; what is not wanted becomes 0. In a table that is too small,
// Default gets an entry before the others. The same table and the same wish give nothing to write.
TablePlan plan_table(const HeldTable& held, std::span<const mad::PKey> wanted);

// Where switches check the P_Keys of packets: OpenSM's part_enforce. In: what comes from the port
// into the switch; Out: what leaves through it.
enum class Enforcement : std::uint8_t { Off, In, Out, Both };

// "both", "in", "out" or "off"; nothing for other words.
std::optional<Enforcement> enforcement_of(std::string_view word);
std::string_view name_of(Enforcement enforcement);

// Why a switch port does not check what the policy wants checked.
enum class EnforcementGap : std::uint8_t {
  None,
  NoTable,       // PartitionEnforcementCap 0
  TableFull,     // the peer holds more keys than PartitionEnforcementCap
  NoInbound,     // InboundEnforcementCap is not set
  NoOutbound,    // OutboundEnforcementCap is not set
  NoDirections,  // neither is set
};
// A sentence for a person, without a period; empty for None.
std::string_view describe(EnforcementGap gap);

// What the policy wants and the switch cannot; plan_enforcement leaves it undone. peer_keys as
// there.
EnforcementGap enforcement_gap(Enforcement policy, const mad::SwitchInfo& info,
                               std::span<const mad::PKey> peer_keys);

struct EnforcementPlan {
  TablePlan table;  // nothing to write when both bits are off
  bool inbound{};   // PortInfo.PartitionEnforcementInbound
  bool outbound{};  // PortInfo.PartitionEnforcementOutbound
};

// For an external port of a switch. `peer_keys`: what the end port at the other end of the cable
// holds (Memberships::of); empty when that is no end port (a switch, nobody), where nothing is
// checked. The table gets the full key of each partition, which the packets of limited members
// match as well. Bits go up only together with a table that has all keys.
EnforcementPlan plan_enforcement(Enforcement policy, const mad::SwitchInfo& info,
                                 const HeldTable& held, std::span<const mad::PKey> peer_keys);

}  // namespace heddle::partitions
