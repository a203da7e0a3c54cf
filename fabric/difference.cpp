// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/difference.hpp"

#include <algorithm>

namespace heddle::fabric {
namespace {

bool link_is_down_or_new(const mad::PortInfo& info) {
  return info.port_state == mad::PortState::Init || info.port_state == mad::PortState::Down;
}

// A table that covers more LIDs than needed is left so: lowering it gains nothing.
std::uint16_t top_to_hold(const SwitchIntent& wish, const mad::SwitchInfo& observed) {
  const bool sane = observed.linear_fdb_top < observed.linear_fdb_cap;
  return sane ? std::max(observed.linear_fdb_top, wish.linear_fdb_top.value)
              : wish.linear_fdb_top.value;
}

std::uint16_t multicast_top_to_hold(const SwitchIntent& wish, const mad::SwitchInfo& observed) {
  if (wish.multicast_fdb_top == mad::kNoLid || observed.multicast_fdb_cap == 0) {
    return observed.multicast_fdb_top;
  }
  const int last = mad::kFirstMulticastLid.value + observed.multicast_fdb_cap - 1;
  const auto wanted = static_cast<std::uint16_t>(std::min<int>(wish.multicast_fdb_top.value, last));
  const bool sane = observed.multicast_fdb_top >= mad::kFirstMulticastLid.value &&
                    observed.multicast_fdb_top <= last;
  return wish.keeps_multicast_fdb_top && sane ? std::max(wanted, observed.multicast_fdb_top)
                                              : wanted;
}

// What a field of enabled bits is to hold, or the code to write for none.
std::uint8_t enabled_to_hold(std::uint8_t wish, std::uint8_t observed,
                             const mad::EnabledCodes& codes) {
  const bool stands = wish == 0 || (wish == codes.none && observed == 0);
  return stands ? observed : wish;
}

void take_link_wishes(mad::PortInfo& info, const LinkWishes& wishes) {
  info.link_width_enabled =
      enabled_to_hold(wishes.width_enabled, info.link_width_enabled, mad::kWidthsEnabled);
  info.link_speed_enabled =
      enabled_to_hold(wishes.speed_enabled, info.link_speed_enabled, mad::kSpeedsEnabled);
  info.link_speed_ext_enabled = enabled_to_hold(
      wishes.speed_ext_enabled, info.link_speed_ext_enabled, mad::kExtendedSpeedsEnabled);
  info.link_speed_ext2_enabled = enabled_to_hold(
      wishes.speed_ext2_enabled, info.link_speed_ext2_enabled, mad::kExtendedSpeeds2Enabled);
  if (wishes.local_phy_errors != LinkWishes::kAsItStands) {
    info.local_phy_errors = wishes.local_phy_errors;
  }
  if (wishes.overrun_errors != LinkWishes::kAsItStands) {
    info.overrun_errors = wishes.overrun_errors;
  }
}

}  // namespace

mad::PortInfo unchanged(const mad::PortInfo& observed) {
  mad::PortInfo info = observed;
  info.port_state = mad::PortState::NoChange;
  info.port_physical_state = mad::PortPhysicalState::NoChange;
  info.link_down_default_state = 0;
  info.client_reregister = false;
  return info;
}

mad::PortInfo with(const EndportIntent& wish, const mad::PortInfo& observed) {
  mad::PortInfo info = unchanged(observed);
  info.lid = wish.lids.base;
  info.lmc = wish.lids.lmc;
  info.gid_prefix = wish.gid_prefix;
  info.m_key = wish.m_key;
  info.m_key_protect_bits = wish.m_key_protect_bits;
  info.m_key_lease_period = wish.m_key_lease_period;
  info.master_sm_lid = wish.master_sm_lid;
  info.master_sm_sl = wish.master_sm_sl;
  info.subnet_timeout = wish.subnet_timeout;
  return info;
}

mad::PortInfo with(const LinkIntent& wish, const mad::PortInfo& observed) {
  mad::PortInfo info = unchanged(observed);
  if (wish.is_idle || link_is_down_or_new(observed)) {
    info.neighbor_mtu = wish.neighbor_mtu;
    info.operational_vls = wish.operational_vls;
  }
  if (wish.is_switch_port) {
    info.hoq_life = wish.hoq_life;
    info.vl_stall_count = wish.vl_stall_count;
    info.partition_enforcement_inbound = wish.enforce_inbound;
    info.partition_enforcement_outbound = wish.enforce_outbound;
  }
  info.vl_high_limit = wish.vl_high_limit.value_or(observed.vl_high_limit);
  take_link_wishes(info, wish.wishes);
  return info;
}

bool satisfied(const EndportIntent& wish, const mad::PortInfo& observed) {
  // Without a key they guard nothing: not worth a Set of their own.
  const bool guarded =
      wish.m_key == mad::MKey{} || (observed.m_key_protect_bits == wish.m_key_protect_bits &&
                                    observed.m_key_lease_period == wish.m_key_lease_period);
  return guarded && observed.lid == wish.lids.base && observed.lmc == wish.lids.lmc &&
         observed.m_key == wish.m_key && observed.gid_prefix == wish.gid_prefix &&
         observed.master_sm_lid == wish.master_sm_lid &&
         observed.master_sm_sl == wish.master_sm_sl &&
         observed.subnet_timeout == wish.subnet_timeout;
}

bool same_wishes(const mad::PortInfo& a, const mad::PortInfo& b) {
  return a.link_width_enabled == b.link_width_enabled &&
         a.link_speed_enabled == b.link_speed_enabled &&
         a.link_speed_ext_enabled == b.link_speed_ext_enabled &&
         a.link_speed_ext2_enabled == b.link_speed_ext2_enabled &&
         a.local_phy_errors == b.local_phy_errors && a.overrun_errors == b.overrun_errors;
}

bool satisfied(const LinkIntent& wish, const mad::PortInfo& observed) {
  const mad::PortInfo wanted = with(wish, observed);
  return observed.neighbor_mtu == wanted.neighbor_mtu &&
         observed.operational_vls == wanted.operational_vls &&
         observed.hoq_life == wanted.hoq_life && observed.vl_stall_count == wanted.vl_stall_count &&
         observed.vl_high_limit == wanted.vl_high_limit && same_wishes(observed, wanted) &&
         observed.partition_enforcement_inbound == wanted.partition_enforcement_inbound &&
         observed.partition_enforcement_outbound == wanted.partition_enforcement_outbound;
}

bool satisfied(const SwitchIntent& wish, const mad::SwitchInfo& observed) {
  return observed.linear_fdb_top == top_to_hold(wish, observed) &&
         observed.multicast_fdb_top == multicast_top_to_hold(wish, observed) &&
         observed.life_time_value == wish.life_time_value && !observed.port_state_change;
}

mad::SwitchInfo with(const SwitchIntent& wish, const mad::SwitchInfo& observed) {
  mad::SwitchInfo info = observed;
  info.linear_fdb_top = top_to_hold(wish, observed);
  info.multicast_fdb_top = multicast_top_to_hold(wish, observed);
  info.life_time_value = wish.life_time_value;
  return info;  // PortStateChange goes back as read: writing 1 clears it
}

std::vector<std::uint16_t> changed_blocks(const ForwardingTables& wanted, SwitchIndex of,
                                          mad::Lid top, const ObservedTable& observed) {
  std::vector<std::uint16_t> blocks;
  const std::size_t count =
      std::min<std::size_t>(wanted.block_count(), top.value / kLftBlockLids + 1);
  for (std::size_t block = 0; block < count; ++block) {
    if (!observed.holds(block, wanted.block(of, block))) {
      blocks.push_back(static_cast<std::uint16_t>(block));
    }
  }
  return blocks;
}

}  // namespace heddle::fabric
