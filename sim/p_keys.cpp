// SPDX-License-Identifier: BSD-3-Clause
#include "sim/p_keys.hpp"

#include "mad/p_key_table.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint16_t kFullMember = 0x8000;
constexpr std::uint16_t kPartition = 0x7FFF;

bool go_together(mad::PKey a, mad::PKey b) {
  const bool same = (a.value & kPartition) == (b.value & kPartition);
  return same && (a.value & kPartition) != 0 && ((a.value | b.value) & kFullMember) != 0;
}

}  // namespace

unsigned p_key_capacity(const Devices& devices, PortIndex port) {
  const NodeIndex node = devices.lines[port].node;
  const bool external = devices.is_switch(node) && devices.lines[port].number != 0;
  return external ? devices.switch_at(node).info.partition_enforcement_cap
                  : devices.nodes[node].info.partition_cap;
}

mad::PKey p_key_at(const Devices& devices, PortIndex port, std::uint16_t index) {
  const auto& tables = devices.ports[port].tables;
  const auto block = static_cast<std::uint16_t>(index / mad::kPKeysPerBlock);
  if (!tables || !tables->p_keys.contains(block)) return index == 0 ? kDefaultPKey : mad::PKey{};
  return mad::decode<mad::PKeyTable>(tables->p_keys.at(block)).p_keys[index % mad::kPKeysPerBlock];
}

std::optional<std::uint16_t> admitting_entry(const Devices& devices, PortIndex port,
                                             mad::PKey key) {
  const auto& tables = devices.ports[port].tables;
  const bool unwritten = !tables || tables->p_keys.empty();
  const unsigned entries = unwritten ? 1 : p_key_capacity(devices, port);
  for (unsigned index = 0; index < entries; ++index) {
    const auto entry = static_cast<std::uint16_t>(index);
    if (go_together(p_key_at(devices, port, entry), key)) return entry;
  }
  return std::nullopt;
}

}  // namespace heddle::sim
