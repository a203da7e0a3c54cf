// SPDX-License-Identifier: BSD-3-Clause
// What the devices of a generated fabric can do, by the options that every generator has.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/generators.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint64_t kMostLinearEntries = 0xC000;     // all unicast LIDs
constexpr std::uint64_t kMostMulticastEntries = 0x3FFF;  // all multicast LIDs
constexpr std::uint64_t kMostPKeys = 0x8000;
// By their codes, from 1 on.
constexpr std::array<std::uint64_t, 5> kMtus{256, 512, 1024, 2048, 4096};
constexpr std::array<std::uint64_t, 5> kDataLanes{1, 2, 4, 8, 15};

// The code of the option's value; 0 when it was not given.
base::Result<std::uint8_t> read_code(const Expression& expression, const std::string& name,
                                     const std::array<std::uint64_t, 5>& values) {
  if (!expression.options.contains(name)) return std::uint8_t{0};
  const auto found = std::find(values.begin(), values.end(), option(expression, name, 0));
  if (found == values.end()) {
    return wrong(expression, fmt::format("{} is one of {}", name, fmt::join(values, ", ")));
  }
  return static_cast<std::uint8_t>(found - values.begin() + 1);
}

// The option's value, `usual` when it was not given.
base::Result<std::uint16_t> read_size(const Expression& expression, const std::string& name,
                                      std::uint64_t usual, std::uint64_t most) {
  const std::uint64_t size = option(expression, name, usual);
  if (expression.options.contains(name) && (size < 1 || size > most)) {
    return wrong(expression, fmt::format("{} is a number from 1 to {}", name, most));
  }
  return static_cast<std::uint16_t>(size);
}

base::Result<bool> read_flag(const Expression& expression, const std::string& name) {
  const std::uint64_t flag = option(expression, name, 0);
  if (flag > 1) return wrong(expression, fmt::format("{} is 0 or 1", name));
  return flag == 1;
}

base::Result<> limit_tables(const Expression& expression, Blueprint& blueprint) {
  const PlannedNode usual;
  const auto linear = read_size(expression, "lft", usual.linear_fdb_cap, kMostLinearEntries);
  const auto multicast =
      read_size(expression, "mft", usual.multicast_fdb_cap, kMostMulticastEntries);
  const auto p_keys = read_size(expression, "pkeys", usual.p_key_cap, kMostPKeys);
  const auto optimized = read_flag(expression, "optimized-sl2vl");
  if (linear.has_error()) return linear.error();
  if (multicast.has_error()) return multicast.error();
  if (p_keys.has_error()) return p_keys.error();
  if (optimized.has_error()) return optimized.error();
  for (PlannedNode& node : blueprint.nodes) {
    node.linear_fdb_cap = *linear;
    node.multicast_fdb_cap = *multicast;
    node.p_key_cap = *p_keys;
    node.optimized_sl_to_vl = *optimized;
  }
  return {};
}

base::Result<> limit_links(const Expression& expression, Blueprint& blueprint) {
  const auto mtu = read_code(expression, "mtu", kMtus);
  const auto lanes = read_code(expression, "vls", kDataLanes);
  if (mtu.has_error()) return mtu.error();
  if (lanes.has_error()) return lanes.error();
  for (PlannedNode& node : blueprint.nodes) {
    if (*mtu != 0) node.mtu_cap = static_cast<mad::Mtu>(*mtu);
    if (*lanes != 0) node.vl_cap = *lanes;
  }
  return {};
}

base::Result<> give_virtual_ports(const Expression& expression, Blueprint& blueprint) {
  const std::uint64_t count = option(expression, "vports", 0);
  if (count > kMostVirtualPorts) {
    return wrong(expression, fmt::format("a port has at most {} vports", kMostVirtualPorts));
  }
  const auto own_lids = read_flag(expression, "vport-lids");
  if (own_lids.has_error()) return own_lids.error();
  if (count == 0) return {};
  for (PlannedNode& node : blueprint.nodes) {
    if (node.type != mad::NodeType::ChannelAdapter) continue;
    node.virtual_ports = static_cast<std::uint16_t>(count);
    node.virtual_port_cap = std::max(node.virtual_ports, kUsualVirtualPortCap);
    node.virtual_port_lids = *own_lids;
  }
  return {};
}

}  // namespace

base::Result<> apply_capabilities(const Expression& expression, Blueprint& blueprint) {
  for (const auto apply : {limit_tables, limit_links, give_virtual_ports}) {
    const auto applied = apply(expression, blueprint);
    if (applied.has_error()) return applied;
  }
  return {};
}

}  // namespace heddle::sim
