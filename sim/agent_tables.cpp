// SPDX-License-Identifier: BSD-3-Clause
// The small tables of a port: GUIDs, P_Keys, SL to VL, VL arbitration, and the node's beacon
// (IBA vol. 1, 14.2.5.5 to 14.2.5.9, 14.2.5.15). Kept as the bytes that were written.
#include <algorithm>
#include <vector>

#include "mad/guid_info.hpp"
#include "mad/p_key_table.hpp"
#include "mad/sl_to_vl_mapping_table.hpp"
#include "sim/agent.hpp"
#include "sim/p_keys.hpp"

namespace heddle::sim {
namespace {

constexpr std::size_t kSlToVlBytes = 8;
constexpr unsigned kServiceLevels = 16;
constexpr unsigned kArbitrationEntriesPerBlock = 32;

bool sets(const mad::Smp& smp) {
  return smp.method == mad::Method::Set;
}

template <class Key>
mad::SmpData held(const AgentContext& context, PortIndex port,
                  std::map<Key, mad::SmpData> PortTables::*table, Key key,
                  const mad::SmpData& otherwise) {
  const auto& tables = context.devices.ports[port].tables;
  if (!tables) return otherwise;
  const auto found = ((*tables).*table).find(key);
  return found == ((*tables).*table).end() ? otherwise : found->second;
}

// Zeros behind the first `count` bytes: the table ends inside this block.
void truncate(mad::SmpData& data, std::size_t count) {
  if (count < data.size()) {
    std::fill(data.begin() + static_cast<std::ptrdiff_t>(count), data.end(), std::byte{0});
  }
}

// Each service level on the lane of its number, as far as there are eight lanes.
mad::SmpData default_sl_to_vl() {
  mad::SmpData data{};
  for (unsigned sl = 0; sl < kServiceLevels; sl += 2) {
    data[sl / 2] = static_cast<std::byte>((sl % 8) << 4 | (sl + 1) % 8);
  }
  return data;
}

// Low table in quarters 1 and 2, high table in 3 and 4; 32 entries of (VL, weight) in each.
unsigned arbitration_entries(const mad::PortInfo& info, unsigned quarter) {
  const unsigned capacity =
      quarter <= 2 ? info.vl_arbitration_low_cap : info.vl_arbitration_high_cap;
  const unsigned skipped = quarter % 2 == 0 ? kArbitrationEntriesPerBlock : 0;
  return capacity > skipped ? std::min(capacity - skipped, kArbitrationEntriesPerBlock) : 0;
}

// All lanes in turn, so that a fabric that nobody arbitrates works.
mad::SmpData default_arbitration(unsigned quarter, unsigned entries) {
  mad::SmpData data{};
  if (quarter != 1) return data;
  for (unsigned vl = 0; vl < std::min(entries, 8u); ++vl) {
    data[2 * vl] = static_cast<std::byte>(vl);
    data[2 * vl + 1] = std::byte{1};
  }
  return data;
}

}  // namespace

mad::Status on_guid_info(const AgentContext& context, mad::Smp& smp) {
  const PortIndex port = context.devices.management_port(context.port);
  const unsigned capacity = context.devices.ports[port].info.guid_cap;
  const auto first = static_cast<unsigned>(smp.attribute_modifier & 0xFF) * mad::kGuidsPerBlock;
  if (first >= capacity) return mad::kStatusBadField;
  const auto block = static_cast<std::uint8_t>(first / mad::kGuidsPerBlock);
  constexpr std::size_t kGuidBytes = 8;
  if (sets(smp)) {
    truncate(smp.data, (capacity - first) * kGuidBytes);
    context.devices.tables(port).alias_guids[block] = smp.data;
  }
  smp.data = held(context, port, &PortTables::alias_guids, block, {});
  if (block == 0) {
    auto guids = mad::decode<mad::GUIDInfo>(smp.data);
    guids.guids[0] = context.devices.port_guid(port);
    mad::encode(guids, std::span(smp.data));
  }
  return mad::kStatusOk;
}

mad::Status on_p_key_table(const AgentContext& context, mad::Smp& smp) {
  const std::uint32_t number =
      context.devices.is_switch(context.node()) ? smp.attribute_modifier >> 16 : 0;
  const PortIndex port = port_meant(context, number);
  if (port == kNone) return mad::kStatusBadField;
  const unsigned first = (smp.attribute_modifier & 0xFFFF) * mad::kPKeysPerBlock;
  const unsigned capacity = p_key_capacity(context.devices, port);
  if (first >= capacity) return mad::kStatusBadField;
  const auto block = static_cast<std::uint16_t>(first / mad::kPKeysPerBlock);
  constexpr std::size_t kPKeyBytes = 2;
  if (sets(smp)) {
    truncate(smp.data, (capacity - first) * kPKeyBytes);
    context.devices.tables(port).p_keys[block] = smp.data;
  }
  mad::SmpData default_block{};
  if (block == 0) default_block[0] = default_block[1] = std::byte{0xFF};
  smp.data = held(context, port, &PortTables::p_keys, block, default_block);
  return mad::kStatusOk;
}

namespace {

struct Pair {
  std::uint8_t input = 0;
  PortIndex output = 0;
};

// The pairs that the modifier means: one, or with the bits of the optimised programming many. Empty
// when there is no such port or the switch has no such programming. The input port goes first.
std::vector<Pair> pairs_meant(const AgentContext& context, std::uint32_t modifier) {
  const NodeIndex node = context.node();
  if (!context.devices.is_switch(node)) return {{0, context.port}};
  const bool all_outputs = (modifier & mad::kSLtoVLAllOutPorts) != 0;
  const bool all_inputs = (modifier & mad::kSLtoVLAllInPorts) != 0;
  const auto& info = context.devices.switch_at(node).info;
  if ((all_outputs || all_inputs) && info.optimized_sl_to_vl == 0) return {};
  const unsigned ports = context.devices.nodes[node].port_count;
  const unsigned input = mad::sl_to_vl_in_port_of(modifier).value;
  const unsigned output = mad::sl_to_vl_out_port_of(modifier).value;
  if ((!all_inputs && input > ports) || (!all_outputs && output > ports)) return {};
  std::vector<Pair> pairs;
  for (unsigned in = all_inputs ? 0 : input; in <= (all_inputs ? ports : input); ++in) {
    for (unsigned out = all_outputs ? 1 : output; out <= (all_outputs ? ports : output); ++out) {
      pairs.push_back({static_cast<std::uint8_t>(in),
                       context.devices.port_at(node, static_cast<std::uint8_t>(out))});
    }
  }
  return pairs;
}

}  // namespace

mad::Status on_sl_to_vl(const AgentContext& context, mad::Smp& smp) {
  const auto pairs = pairs_meant(context, smp.attribute_modifier);
  if (pairs.empty()) return mad::kStatusBadField;
  if (sets(smp)) {
    truncate(smp.data, kSlToVlBytes);
    for (const Pair& pair : pairs) {
      context.devices.tables(pair.output).sl_to_vl[pair.input] = smp.data;
    }
  }
  smp.data = held(context, pairs.front().output, &PortTables::sl_to_vl, pairs.front().input,
                  default_sl_to_vl());
  return mad::kStatusOk;
}

mad::Status on_vl_arbitration(const AgentContext& context, mad::Smp& smp) {
  const std::uint32_t number =
      context.devices.is_switch(context.node()) ? smp.attribute_modifier & 0xFFFF : 0;
  const PortIndex port = port_meant(context, number);
  const std::uint32_t quarter = smp.attribute_modifier >> 16;
  if (port == kNone || quarter < 1 || quarter > 4) return mad::kStatusBadField;
  const unsigned entries = arbitration_entries(context.devices.ports[port].info, quarter);
  if (entries == 0) return mad::kStatusBadField;
  const auto key = static_cast<std::uint8_t>(quarter);
  if (sets(smp)) {
    truncate(smp.data, std::size_t{entries} * 2);
    context.devices.tables(port).arbitration[key] = smp.data;
  }
  smp.data =
      held(context, port, &PortTables::arbitration, key, default_arbitration(quarter, entries));
  return mad::kStatusOk;
}

mad::Status on_led_info(const AgentContext& context, mad::Smp& smp) {
  constexpr std::byte kLit{0x80};
  bool& led = context.devices.nodes[context.node()].led;
  if (sets(smp)) led = (smp.data[0] & kLit) != std::byte{0};
  smp.data.fill(std::byte{0});
  if (led) smp.data[0] = kLit;
  return mad::kStatusOk;
}

}  // namespace heddle::sim
