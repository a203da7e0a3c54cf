// SPDX-License-Identifier: BSD-3-Clause
// The small tables of a port: GUIDs, P_Keys, SL to VL, VL arbitration, and the node's beacon
// (IBA vol. 1, 14.2.5.5 to 14.2.5.9, 14.2.5.15). Kept as the bytes that were written.
#include <algorithm>

#include "mad/guid_info.hpp"
#include "sim/agent.hpp"

namespace heddle::sim {
namespace {

constexpr unsigned kPKeysPerBlock = 32;
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

unsigned p_key_capacity(const AgentContext& context, PortIndex port) {
  const NodeIndex node = context.node();
  const bool external = context.devices.is_switch(node) && context.devices.lines[port].number != 0;
  return external ? context.devices.switch_at(node).info.partition_enforcement_cap
                  : context.devices.nodes[node].info.partition_cap;
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
  const unsigned first = (smp.attribute_modifier & 0xFFFF) * kPKeysPerBlock;
  const unsigned capacity = p_key_capacity(context, port);
  if (first >= capacity) return mad::kStatusBadField;
  const auto block = static_cast<std::uint16_t>(first / kPKeysPerBlock);
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

mad::Status on_sl_to_vl(const AgentContext& context, mad::Smp& smp) {
  const bool is_switch = context.devices.is_switch(context.node());
  const std::uint32_t output = is_switch ? smp.attribute_modifier & 0xFF : 0;
  const std::uint32_t input = is_switch ? smp.attribute_modifier >> 8 & 0xFF : 0;
  const PortIndex port = port_meant(context, output);
  if (port == kNone || port_meant(context, input) == kNone) return mad::kStatusBadField;
  const auto key = static_cast<std::uint8_t>(input);
  if (sets(smp)) {
    truncate(smp.data, kSlToVlBytes);
    context.devices.tables(port).sl_to_vl[key] = smp.data;
  }
  smp.data = held(context, port, &PortTables::sl_to_vl, key, default_sl_to_vl());
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
