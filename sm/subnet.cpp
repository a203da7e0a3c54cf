// SPDX-License-Identifier: BSD-3-Clause
#include "sm/subnet.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace heddle::sm {
namespace {

using fabric::ForwardingTables;
using fabric::PortIndex;
using fabric::SwitchIndex;

// The routes themselves when every switch holds what it should, which is nearly always.
std::shared_ptr<const ForwardingTables> held_tables(const Picture& picture, bool all_hold) {
  if (!picture.routes) return nullptr;
  const ForwardingTables& wanted = picture.routes->routes.tables;
  if (all_hold) return {picture.routes, &wanted};
  std::shared_ptr<ForwardingTables> held;
  for (std::uint32_t s = 0; s < wanted.switch_count(); ++s) {
    const auto& table = picture.observation[picture.frozen.node_of[s]].table;
    const std::size_t used = picture.lids->top().value / fabric::kLftBlockLids + 1;
    for (std::size_t block = 0; block < std::min(wanted.block_count(), used); ++block) {
      if (table.holds(block, wanted.block(SwitchIndex{s}, block))) continue;
      if (!held) held = std::make_shared<ForwardingTables>(wanted);
      const auto row = held->row(SwitchIndex{s});
      const auto entries = row.subspan(block * fabric::kLftBlockLids, fabric::kLftBlockLids);
      if (table.known(block)) {
        std::copy_n(table.block(block).begin(), entries.size(), entries.begin());
      } else {
        std::fill(entries.begin(), entries.end(), mad::kNoPortNumber.value);
      }
    }
  }
  if (held) return held;
  return {picture.routes, &wanted};
}

}  // namespace

PortIndex port_of(const Picture& picture, DeviceId device) {
  const auto end = picture.end_of(device);
  return end ? picture.frozen.port_of(picture.observation, *end) : fabric::kNoPort;
}

std::optional<sa::Subnet> subnet_of(const Picture& picture,
                                    std::shared_ptr<const fabric::Registers> registers,
                                    const mad::SMInfo& own, const Options& options,
                                    bool tables_hold) {
  if (!picture.frozen.topology || !picture.lids) return std::nullopt;
  sa::Subnet subnet;
  subnet.topology = picture.frozen.topology;
  subnet.lids = picture.lids;
  subnet.registers = std::move(registers);
  subnet.tables = held_tables(picture, tables_hold);
  if (picture.routes) {
    const fabric::Verification& proof = picture.routes->proof;
    const bool are_held = subnet.tables.get() == &picture.routes->routes.tables;
    const bool all_arrive = proof.reaches_all() && proof.max_hops < sa::kMaxSwitchesOnPath;
    if (are_held && all_arrive) subnet.proven_routes = proof.routes;
    subnet.lanes = {picture.routes, &picture.routes->routes.lanes};
    subnet.replies_safe = picture.routes->proof.replies_safe();
  }
  subnet.prefix = options.subnet_prefix;
  subnet.prefix_routes = options.prefix_routes;
  subnet.qos_policy = options.qos_policy;
  subnet.packet_life_time = options.subnet_timeout;
  subnet.multicast = options.multicast;
  subnet.highest_rate_code = options.highest_rate_code;
  subnet.virtual_records = options.virtual_records;
  subnet.managers.push_back({picture.sm_port, own});
  for (const OtherSM& other : picture.other_sms) {
    subnet.managers.push_back(
        {port_of(picture, other.device), {other.guid, {}, 0, other.priority, other.state}});
  }
  return subnet;
}

}  // namespace heddle::sm
