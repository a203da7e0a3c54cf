// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/intent.hpp"

#include <algorithm>
#include <utility>

#include "fabric/walk.hpp"

namespace heddle::fabric {
namespace {

const mad::PortInfo* info_of(const Observation& observation, const Frozen& frozen, PortIndex port) {
  const ObservedEnd end = frozen.end_of[port.value];
  const auto& info = observation.port(end).info;
  return info ? &*info : nullptr;
}

// Bits that both ends support. Where there are none of those that are wanted, what stands stays:
// two ends without anything in common would never train again.
std::uint8_t plan_enabled(std::uint8_t wish, std::uint8_t here, std::uint8_t there,
                          const mad::EnabledCodes& codes) {
  if (here == 0 || wish == 0) return 0;
  if (wish == codes.none || wish == codes.all) return wish == codes.all ? here : wish;
  return wish & here & there;
}

void plan_speeds(const LinkWishes& wishes, const mad::PortInfo& here, const mad::PortInfo& there,
                 LinkWishes& planned) {
  planned.width_enabled = plan_enabled(wishes.width_enabled, here.link_width_supported,
                                       there.link_width_supported, mad::kWidthsEnabled);
  planned.speed_enabled = plan_enabled(wishes.speed_enabled, here.link_speed_supported,
                                       there.link_speed_supported, mad::kSpeedsEnabled);
  planned.speed_ext_enabled =
      plan_enabled(wishes.speed_ext_enabled, here.link_speed_ext_supported,
                   there.link_speed_ext_supported, mad::kExtendedSpeedsEnabled);
  planned.speed_ext2_enabled =
      plan_enabled(wishes.speed_ext2_enabled, here.link_speed_ext2_supported,
                   there.link_speed_ext2_supported, mad::kExtendedSpeeds2Enabled);
}

LinkIntent plan_link(const Topology& topology, PortIndex port, const mad::PortInfo& here,
                     const mad::PortInfo& there, const PortSettings& settings) {
  LinkIntent link;
  link.neighbor_mtu = std::min(here.mtu_cap, there.mtu_cap);
  link.operational_vls = std::min({here.vl_cap, there.vl_cap, settings.max_operational_vls});
  link.is_idle = here.port_state != mad::PortState::Active ||
                 there.port_state != mad::PortState::Active ||
                 here.neighbor_mtu != there.neighbor_mtu;
  link.is_switch_port = topology.is_switch(topology.node_of(port));
  if (link.is_switch_port) {
    const bool to_switch = topology.is_switch(topology.node_of(topology.peer(port)));
    link.hoq_life = to_switch ? settings.head_of_queue_life : settings.leaf_head_of_queue_life;
    link.vl_stall_count = to_switch ? settings.vl_stall_count : settings.leaf_vl_stall_count;
    plan_speeds(settings.links, here, there, link.wishes);
  }
  // Both ends agree upon what one of them is told; errors are counted at each.
  link.wishes.local_phy_errors = settings.links.local_phy_errors;
  link.wishes.overrun_errors = settings.links.overrun_errors;
  return link;
}

// A host for which no LID was left cannot be brought up: it would refuse LID 0.
bool has_no_lid(const Topology& topology, const LidMap& lids, PortIndex port) {
  return !topology.is_switch(topology.node_of(port)) && lids.base(port) == mad::kNoLid;
}

}  // namespace

Intent plan_ports(const Observation& observation, const Frozen& frozen, const LidMap& lids,
                  const PortSettings& settings, Intent former) {
  const Topology& topology = *frozen.topology;
  Intent intent;
  intent.ports = std::move(former.ports);
  intent.ports.assign(topology.port_count(), {});
  for (const PortIndex port : topology.endports()) {
    if (lids.base(port) == mad::kNoLid) continue;
    const mad::MKey key = settings.m_key ? settings.m_key(topology.port(port).guid) : mad::MKey{};
    const bool guarded = key != mad::MKey{};
    intent.ports[port.value].endport =
        EndportIntent{lids.range(port), settings.subnet_prefix, key,
                      // Protection that outlives its key would look like another one's key.
                      guarded ? settings.m_key_protect_bits : std::uint8_t{0},
                      guarded ? settings.m_key_lease_period : std::uint16_t{0}, settings.sm_lid,
                      settings.sm_sl, settings.subnet_timeout};
  }
  for (const PortIndex port : all_ports_by_link(observation, frozen)) {
    const PortIndex peer = topology.peer(port);
    if (peer == kNoPort || peer < port) continue;
    if (has_no_lid(topology, lids, port) || has_no_lid(topology, lids, peer)) continue;
    const auto* here = info_of(observation, frozen, port);
    const auto* there = info_of(observation, frozen, peer);
    if (here == nullptr || there == nullptr) continue;
    intent.ports[port.value].link = plan_link(topology, port, *here, *there, settings);
    intent.ports[peer.value].link = plan_link(topology, peer, *there, *here, settings);
  }
  intent.switches.linear_fdb_top = lids.top();
  return intent;
}

}  // namespace heddle::fabric
