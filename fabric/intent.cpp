// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/intent.hpp"

#include <algorithm>
#include <utility>

#include "fabric/changed_ports.hpp"

namespace heddle::fabric {
namespace {

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
                     const mad::PortInfo& there, const LinkSettings& settings) {
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
    plan_speeds(settings.wishes, here, there, link.wishes);
  }
  // Both ends agree upon what one of them is told; errors are counted at each.
  link.wishes.local_phy_errors = settings.wishes.local_phy_errors;
  link.wishes.overrun_errors = settings.wishes.overrun_errors;
  return link;
}

class Planner {
 public:
  Planner(const LidMap& lids, const PortSettings& settings, const Intent& former, Intent& intent)
      : topology_(*intent.topology),
        registers_(*intent.registers),
        lids_(lids),
        settings_(settings),
        former_(former),
        goes_on_(former.topology != nullptr && topology_.shares_nodes_with(*former.topology) &&
                 former.links == intent.links),
        ports_(intent.ports) {
    if (!goes_on_) ports_.assign(topology_.port_count());
  }

  void run() {
    if (goes_on_) {
      const auto changed =
          changed_ports(topology_, registers_, *former_.topology, *former_.registers);
      for (const PortIndex port : changed) plan_again(port);
    } else {
      for (std::uint32_t p = 0; p < topology_.port_count(); ++p) plan_again({p});
    }
    for (const PortIndex port : topology_.endports()) plan_endport(port);
  }

 private:
  // Of a link, its lower end stands for both.
  void plan_again(PortIndex port) {
    const PortIndex peer = topology_.peer(port);
    // Nor is an adapter's port an endport without a link.
    if (peer == kNoPort) ports_.set(port.value, {});
    if (peer != kNoPort && !(peer < port)) plan_link_at(port);
  }

  // At both ends.
  void plan_link_at(PortIndex port) {
    const PortIndex peer = topology_.peer(port);
    if (peer == kNoPort) return;
    std::optional<LinkIntent> at_port, at_peer;
    const auto* here = registers_.info(port);
    const auto* there = registers_.info(peer);
    const bool is_known = here != nullptr && there != nullptr;
    if (is_known && !has_no_lid(port) && !has_no_lid(peer)) {
      at_port = plan_link(topology_, port, *here, *there, settings_.links);
      at_peer = plan_link(topology_, peer, *there, *here, settings_.links);
    }
    ports_.change(port.value).link = at_port;
    ports_.change(peer.value).link = at_peer;
  }
  // A host for which no LID was left cannot be brought up: it would refuse LID 0.
  bool has_no_lid(PortIndex port) const {
    return !topology_.is_switch(topology_.node_of(port)) && lids_.base(port) == mad::kNoLid;
  }

  void plan_endport(PortIndex port) {
    const auto& former = ports_[port.value].endport;
    const bool had_lid = former.has_value();
    std::optional<EndportIntent> wish;
    if (lids_.base(port) != mad::kNoLid) wish = intent_of(port);
    if (former != wish) ports_.change(port.value).endport = wish;
    if (goes_on_ && had_lid != wish.has_value()) plan_link_at(port);
  }
  EndportIntent intent_of(PortIndex port) const {
    const mad::Guid guid = topology_.port(port).guid;
    const mad::MKey key = settings_.m_key ? settings_.m_key(guid) : mad::MKey{};
    const bool guarded = key != mad::MKey{};
    return {lids_.range(port), settings_.subnet_prefix, key,
            // Protection that outlives its key would look like another one's key.
            guarded ? settings_.m_key_protect_bits : std::uint8_t{0},
            guarded ? settings_.m_key_lease_period : std::uint16_t{0}, settings_.sm_lid,
            settings_.sm_sl, settings_.subnet_timeout};
  }

  const Topology& topology_;
  const Registers& registers_;
  const LidMap& lids_;
  const PortSettings& settings_;
  const Intent& former_;
  const bool goes_on_;  // former_ is of the same nodes, and of the same wishes for links
  base::EditedArray<PortIntent>& ports_;
};

}  // namespace

Intent plan_ports(std::shared_ptr<const Topology> topology,
                  std::shared_ptr<const Registers> registers, const LidMap& lids,
                  const PortSettings& settings, Intent former) {
  Intent intent;
  intent.ports = std::move(former.ports);
  intent.switches.linear_fdb_top = lids.top();
  intent.topology = std::move(topology);
  intent.registers = std::move(registers);
  intent.links = settings.links;
  Planner(lids, settings, former, intent).run();
  return intent;
}

}  // namespace heddle::fabric
