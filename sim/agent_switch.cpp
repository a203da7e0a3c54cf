// SPDX-License-Identifier: BSD-3-Clause
// What only switches have: SwitchInfo, forwarding tables, port states (IBA vol. 1, 14.2.5.4,
// 14.2.5.10 to 14.2.5.12).
#include <algorithm>

#include "sim/agent.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint8_t kNoRoute = mad::kNoPortNumber.value;
constexpr std::size_t kLidsPerBlock = 64;
constexpr std::size_t kMulticastLidsPerBlock = 32;
constexpr unsigned kPortsPerPosition = 16;
constexpr std::uint16_t kMulticastTopOff = 0;

bool multicast_top_is_valid(const mad::SwitchInfo& now, std::uint16_t top) {
  const unsigned first = mad::kFirstMulticastLid.value;
  return top == kMulticastTopOff || top == first - 1 ||
         (top >= first && top - first < now.multicast_fdb_cap);
}

mad::Status set_switch_info(SwitchRegisters& registers, const mad::SwitchInfo& wanted) {
  mad::SwitchInfo& info = registers.info;
  if (wanted.linear_fdb_top >= info.linear_fdb_cap) return mad::kStatusBadField;
  if (!multicast_top_is_valid(info, wanted.multicast_fdb_top)) return mad::kStatusBadField;
  info.linear_fdb_top = wanted.linear_fdb_top;
  info.multicast_fdb_top = wanted.multicast_fdb_top;
  info.default_port = wanted.default_port;
  info.default_multicast_primary_port = wanted.default_multicast_primary_port;
  info.default_multicast_not_primary_port = wanted.default_multicast_not_primary_port;
  info.life_time_value = wanted.life_time_value;
  if (wanted.port_state_change) info.port_state_change = false;
  return mad::kStatusOk;
}

void read_block(const SwitchRegisters& registers, std::size_t first, mad::SmpData& data) {
  data.fill(std::byte{kNoRoute});
  for (std::size_t i = 0; i < kLidsPerBlock && first + i < registers.linear.size(); ++i) {
    data[i] = std::byte{registers.linear[first + i]};
  }
}

void write_block(SwitchRegisters& registers, std::size_t first, const mad::SmpData& data) {
  const std::size_t end =
      std::min(first + kLidsPerBlock, std::size_t{registers.info.linear_fdb_cap});
  if (registers.linear.size() < end) registers.linear.resize(end, kNoRoute);
  for (std::size_t lid = first; lid < end; ++lid) {
    registers.linear[lid] = std::to_integer<std::uint8_t>(data[lid - first]);
  }
}

}  // namespace

mad::Status on_switch_info(const AgentContext& context, mad::Smp& smp) {
  const NodeIndex node = context.node();
  if (!context.devices.is_switch(node)) return mad::kStatusBadMethodAttribute;
  SwitchRegisters& registers = context.devices.switch_at(node);
  mad::Status status = mad::kStatusOk;
  if (smp.method == mad::Method::Set) {
    status = set_switch_info(registers, mad::decode<mad::SwitchInfo>(smp.data));
  }
  mad::SwitchInfo info = registers.info;
  const Misbehaviour& misbehaviour = context.devices.nodes[node].misbehaviour;
  if (misbehaviour.claims_linear_top) info.linear_fdb_top = *misbehaviour.claims_linear_top;
  mad::encode(info, std::span(smp.data));
  return status;
}

mad::Status on_linear_forwarding_table(const AgentContext& context, mad::Smp& smp) {
  const NodeIndex node = context.node();
  if (!context.devices.is_switch(node)) return mad::kStatusBadMethodAttribute;
  SwitchRegisters& registers = context.devices.switch_at(node);
  const std::uint64_t first = std::uint64_t{smp.attribute_modifier} * kLidsPerBlock;
  if (first >= registers.info.linear_fdb_cap) return mad::kStatusBadField;
  if (smp.method == mad::Method::Set) write_block(registers, first, smp.data);
  read_block(registers, first, smp.data);
  return mad::kStatusOk;
}

mad::Status on_multicast_forwarding_table(const AgentContext& context, mad::Smp& smp) {
  const NodeIndex node = context.node();
  if (!context.devices.is_switch(node)) return mad::kStatusBadMethodAttribute;
  SwitchRegisters& registers = context.devices.switch_at(node);
  const auto block = static_cast<std::uint16_t>(smp.attribute_modifier & 0x1FF);
  const auto position = static_cast<std::uint8_t>(smp.attribute_modifier >> 28);
  if (block * kMulticastLidsPerBlock >= registers.info.multicast_fdb_cap ||
      position * kPortsPerPosition > context.devices.nodes[node].port_count) {
    return mad::kStatusBadField;
  }
  const std::pair key{position, block};
  if (smp.method == mad::Method::Set) registers.multicast[key] = smp.data;
  const auto found = registers.multicast.find(key);
  smp.data = found == registers.multicast.end() ? mad::SmpData{} : found->second;
  return mad::kStatusOk;
}

mad::Status on_switch_port_state_table(const AgentContext& context, mad::Smp& smp) {
  const NodeIndex node = context.node();
  constexpr unsigned kPortsPerBlock = 128;
  if (!context.devices.is_switch(node) || smp.method == mad::Method::Set) {
    return mad::kStatusBadMethodAttribute;
  }
  if (smp.attribute_modifier > 1) return mad::kStatusBadField;
  const Device& device = context.devices.nodes[node];
  const unsigned first = smp.attribute_modifier * kPortsPerBlock;
  smp.data.fill(std::byte{0});
  for (unsigned i = 0; i < kPortsPerBlock && first + i <= device.port_count; ++i) {
    const auto state = std::byte{
        static_cast<std::uint8_t>(context.devices.lines[device.first_port + first + i].state)};
    smp.data[i / 2] |= i % 2 == 0 ? state << 4 : state;
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sim
