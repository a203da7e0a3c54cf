// SPDX-License-Identifier: BSD-3-Clause
// PortInfo (IBA vol. 1, 14.2.5.6). A Set is checked as a whole first, so that a refused one changes
// nothing.
#include <array>

#include "mad/capability.hpp"
#include "sim/agent.hpp"
#include "sim/links.hpp"
#include "sim/m_key.hpp"
#include "sim/notices.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint8_t kAllSupportedWidths = 0xFF;
constexpr std::uint8_t kAllSupportedSpeeds = 0x0F;
constexpr std::uint8_t kNoExtendedSpeeds = 30;
constexpr std::uint8_t kAllSupportedExtendedSpeeds = 31;
constexpr std::uint8_t kNoExtendedSpeeds2 = 6;
constexpr std::uint8_t kAllSupportedExtendedSpeeds2 = 7;
constexpr std::uint8_t kPolling = 2;

// Which fields of PortInfo a port has (the columns of the specification's table).
struct Kind {
  bool endpoint;  // LID, M_Key and their like: CA and router ports, port 0
  bool link;      // a physical link: everything but port 0
  bool base_port0;
};

Kind kind_of(const AgentContext& context, PortIndex port) {
  const NodeIndex node = context.devices.lines[port].node;
  const bool is_switch = context.devices.is_switch(node);
  const bool zero = context.devices.lines[port].number == 0;
  return {!is_switch || zero, !zero,
          is_switch && zero && !context.devices.switch_at(node).info.enhanced_port0};
}

// "0 is no change, this is all that is supported, else a subset of it."
bool enables(std::uint8_t wanted, std::uint8_t all, std::uint8_t supported) {
  return wanted == 0 || wanted == all || (wanted & ~supported) == 0;
}

bool endpoint_fields_are_valid(const mad::PortInfo& wanted) {
  return mad::is_unicast(wanted.lid) && mad::is_unicast(wanted.master_sm_lid);
}

bool state_is_valid(const Line& line, const mad::PortInfo& now, const mad::PortInfo& wanted) {
  switch (wanted.port_state) {
    case mad::PortState::NoChange:
    case mad::PortState::Down:
      break;
    case mad::PortState::Armed:
      if (line.state != mad::PortState::Init && line.state != mad::PortState::Armed) return false;
      break;
    case mad::PortState::Active:
      if (line.state != mad::PortState::Armed && line.state != mad::PortState::Active) return false;
      break;
    default:
      return false;
  }
  switch (wanted.port_physical_state) {
    case mad::PortPhysicalState::NoChange:
    case mad::PortPhysicalState::Sleep:
    case mad::PortPhysicalState::Polling:
    case mad::PortPhysicalState::Disabled:
      return true;
    default:
      return wanted.port_physical_state == now.port_physical_state;
  }
}

bool link_fields_are_valid(const Line& line, const mad::PortInfo& now,
                           const mad::PortInfo& wanted) {
  const bool extended_ok = wanted.link_speed_ext_enabled == kNoExtendedSpeeds ||
                           enables(wanted.link_speed_ext_enabled, kAllSupportedExtendedSpeeds,
                                   now.link_speed_ext_supported);
  const bool extended2_ok = wanted.link_speed_ext2_enabled == kNoExtendedSpeeds2 ||
                            enables(wanted.link_speed_ext2_enabled, kAllSupportedExtendedSpeeds2,
                                    now.link_speed_ext2_supported);
  return enables(wanted.link_width_enabled, kAllSupportedWidths, now.link_width_supported) &&
         enables(wanted.link_speed_enabled, kAllSupportedSpeeds, now.link_speed_supported) &&
         extended_ok && extended2_ok && wanted.link_down_default_state <= kPolling &&
         wanted.neighbor_mtu >= mad::Mtu::Bytes256 && wanted.neighbor_mtu <= now.mtu_cap &&
         wanted.operational_vls <= now.vl_cap && state_is_valid(line, now, wanted);
}

void store_endpoint_fields(PortRegisters& registers, const mad::PortInfo& wanted, bool base) {
  mad::PortInfo& info = registers.info;
  info.m_key = wanted.m_key;
  info.gid_prefix = wanted.gid_prefix;
  info.lid = wanted.lid;
  info.master_sm_lid = wanted.master_sm_lid;
  info.m_key_lease_period = wanted.m_key_lease_period;
  info.m_key_protect_bits = wanted.m_key_protect_bits;
  info.lmc = base ? std::uint8_t{0} : wanted.lmc;
  info.master_sm_sl = wanted.master_sm_sl;
  info.m_key_violations = wanted.m_key_violations;
  info.subnet_timeout = wanted.subnet_timeout;
  if (wanted.client_reregister) ++registers.reregistrations;
}

void store_enabled(mad::PortInfo& info, const mad::PortInfo& wanted) {
  const auto choose = [](std::uint8_t& enabled, std::uint8_t value, std::uint8_t all,
                         std::uint8_t supported) {
    if (value != 0) enabled = value == all ? supported : value;
  };
  choose(info.link_width_enabled, wanted.link_width_enabled, kAllSupportedWidths,
         info.link_width_supported);
  choose(info.link_speed_enabled, wanted.link_speed_enabled, kAllSupportedSpeeds,
         info.link_speed_supported);
  if (wanted.link_speed_ext_enabled == kNoExtendedSpeeds) {
    info.link_speed_ext_enabled = 0;
  } else {
    choose(info.link_speed_ext_enabled, wanted.link_speed_ext_enabled, kAllSupportedExtendedSpeeds,
           info.link_speed_ext_supported);
  }
  if (wanted.link_speed_ext2_enabled == kNoExtendedSpeeds2) {
    info.link_speed_ext2_enabled = 0;
  } else {
    choose(info.link_speed_ext2_enabled, wanted.link_speed_ext2_enabled,
           kAllSupportedExtendedSpeeds2, info.link_speed_ext2_supported);
  }
}

void store_link_fields(mad::PortInfo& info, const mad::PortInfo& wanted, bool endpoint) {
  store_enabled(info, wanted);
  if (wanted.link_down_default_state != 0) {
    info.link_down_default_state = wanted.link_down_default_state;
  }
  info.neighbor_mtu = wanted.neighbor_mtu;
  info.vl_high_limit = wanted.vl_high_limit;
  if (wanted.operational_vls != 0) info.operational_vls = wanted.operational_vls;
  info.local_phy_errors = wanted.local_phy_errors;
  info.overrun_errors = wanted.overrun_errors;
  info.p_key_violations = wanted.p_key_violations;
  if (endpoint) {
    info.q_key_violations = wanted.q_key_violations;
    return;
  }
  info.vl_stall_count = wanted.vl_stall_count;
  info.hoq_life = wanted.hoq_life;
  info.partition_enforcement_inbound = wanted.partition_enforcement_inbound;
  info.partition_enforcement_outbound = wanted.partition_enforcement_outbound;
}

// Trap 144, by ports that say that they tell of such changes.
void tell_of_enabled(Devices& devices, PortIndex port, const mad::PortInfo& before) {
  const mad::PortInfo& now = devices.ports[port].info;
  LocalChange change;
  change.link_width_enabled = now.link_width_enabled != before.link_width_enabled;
  change.link_speed_enabled = now.link_speed_enabled != before.link_speed_enabled ||
                              now.link_speed_ext_enabled != before.link_speed_ext_enabled ||
                              now.link_speed_ext2_enabled != before.link_speed_ext2_enabled;
  const mad::PortInfo& teller = devices.ports[devices.management_port(port)].info;
  const bool tells = (teller.capability_mask & mad::kIsOtherLocalChangesNoticeSupported) != 0;
  if (tells && (change.link_width_enabled || change.link_speed_enabled)) {
    raise_local_changes(devices, port, change);
  }
}

// Sleep counts as polling for the link: the other end's signal wakes it.
void change_physical_state(Devices& devices, PortIndex port, mad::PortPhysicalState wanted) {
  mad::PortInfo& info = devices.ports[port].info;
  const bool disable = wanted == mad::PortPhysicalState::Disabled;
  if (disable) info.port_physical_state = mad::PortPhysicalState::Disabled;
  const CableIndex cable = devices.lines[port].cable;
  if (cable != kNone) take_down(devices, cable);
  if (!disable) info.port_physical_state = mad::PortPhysicalState::Polling;
  if (cable != kNone) train(devices, cable);
}

void change_state(Devices& devices, PortIndex port, const mad::PortInfo& wanted) {
  const bool physical = wanted.port_physical_state == mad::PortPhysicalState::Sleep ||
                        wanted.port_physical_state == mad::PortPhysicalState::Polling ||
                        wanted.port_physical_state == mad::PortPhysicalState::Disabled;
  if (physical) {
    change_physical_state(devices, port, wanted.port_physical_state);
    return;
  }
  const bool disabled =
      devices.ports[port].info.port_physical_state == mad::PortPhysicalState::Disabled;
  if (wanted.port_state == mad::PortState::Down) {
    if (!disabled) change_physical_state(devices, port, mad::PortPhysicalState::Polling);
  } else if (wanted.port_state != mad::PortState::NoChange) {
    devices.lines[port].state = wanted.port_state;
  }
}

mad::Status set_port_info(const AgentContext& context, PortIndex port, const mad::Smp& smp) {
  const auto wanted = mad::decode<mad::PortInfo>(smp.data);
  PortRegisters& registers = context.devices.ports[port];
  const Kind kind = kind_of(context, port);
  if (kind.endpoint && !endpoint_fields_are_valid(wanted)) return mad::kStatusBadField;
  if (kind.link && !link_fields_are_valid(context.devices.lines[port], registers.info, wanted)) {
    return mad::kStatusBadField;
  }
  if (kind.endpoint) store_endpoint_fields(registers, wanted, kind.base_port0);
  if (kind.link) {
    const mad::PortInfo before = registers.info;
    store_link_fields(registers.info, wanted, kind.endpoint);
    tell_of_enabled(context.devices, port, before);
    change_state(context.devices, port, wanted);
  }
  return mad::kStatusOk;
}

}  // namespace

mad::Status on_port_info(const AgentContext& context, mad::Smp& smp) {
  constexpr std::uint32_t kPortBits = 0xFF;
  const PortIndex port = port_meant(context, smp.attribute_modifier & kPortBits);
  if (port == kNone) return mad::kStatusBadField;
  mad::Status status = mad::kStatusOk;
  const bool shows_key = context.devices.management_port(context.port) == port;
  const mad::MKey key = visible_m_key(context, smp);
  if (smp.method == mad::Method::Set) status = set_port_info(context, port, smp);
  mad::PortInfo info = context.devices.ports[port].info;
  info.m_key = !shows_key ? mad::MKey{} : smp.method == mad::Method::Set ? info.m_key : key;
  info.port_state = context.devices.lines[port].state;
  info.local_port_num = mad::PortNumber{context.port_number()};
  mad::encode(info, std::span(smp.data));
  return status;
}

}  // namespace heddle::sim
