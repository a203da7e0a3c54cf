// SPDX-License-Identifier: BSD-3-Clause
#include "sim/notices.hpp"

#include <algorithm>

namespace heddle::sim {
namespace {

constexpr std::uint32_t kManagementQueuePair = 1;

mad::BadKeyNotice bad_key_notice(const RefusedPacket& packet) {
  mad::BadKeyNotice details;
  details.lid1 = packet.slid;
  details.lid2 = packet.dlid;
  details.key = packet.key;
  details.sl = packet.sl;
  details.qp1 = details.qp2 = kManagementQueuePair;
  return details;
}

void raise(Devices& devices, PortIndex port, const mad::Notice& notice) {
  devices.notices.emplace_back(devices.management_port(port), notice);
}

template <class Details>
mad::Notice notice_of(const Devices& devices, PortIndex port, mad::TrapNumber trap,
                      mad::NoticeType type, const Details& details) {
  const PortIndex manager = devices.management_port(port);
  return mad::make_notice(trap, type, devices.nodes[devices.lines[port].node].type,
                          devices.ports[manager].info.lid, details);
}

}  // namespace

mad::Notice local_changes_notice(const Devices& devices, PortIndex port, const LocalChange& what) {
  const mad::PortInfo& info = devices.ports[devices.management_port(port)].info;
  mad::LocalChangesNotice details;
  details.lid = info.lid;
  details.capability_mask = info.capability_mask;
  details.capability_mask2 = info.capability_mask2;
  details.link_speed_enabled_changed = what.link_speed_enabled;
  details.link_width_enabled_changed = what.link_width_enabled;
  details.node_description_changed = what.node_description;
  details.other_local_changes =
      what.link_speed_enabled || what.link_width_enabled || what.node_description;
  return notice_of(devices, port, mad::TrapNumber::LocalChanges, mad::NoticeType::Informational,
                   details);
}

void raise_local_changes(Devices& devices, PortIndex port, const LocalChange& what) {
  raise(devices, port, local_changes_notice(devices, port, what));
}

void raise_threshold_notice(Devices& devices, PortIndex port, Counter counter) {
  mad::TrapNumber trap{};
  const unsigned lane = static_cast<unsigned>(counter) -
                        static_cast<unsigned>(Counter::PortVLXmitFlowCtlUpdateErrors);
  if (counter == Counter::LocalLinkIntegrityErrors) {
    trap = mad::TrapNumber::LocalLinkIntegrity;
  } else if (counter == Counter::ExcessiveBufferOverrunErrors) {
    trap = mad::TrapNumber::ExcessiveBufferOverrun;
  } else if (lane < 16) {
    trap = mad::TrapNumber::FlowControlUpdateWatchdog;
  } else {
    return;
  }
  mad::PortThresholdNotice details;
  details.lid = devices.ports[devices.management_port(port)].info.lid;
  details.port = mad::PortNumber{devices.lines[port].number};
  raise(devices, port, notice_of(devices, port, trap, mad::NoticeType::Urgent, details));
}

void raise_system_image_guid_changed(Devices& devices, NodeIndex node) {
  const PortIndex port = devices.first_endpoint(node);
  mad::SystemImageGuidNotice details;
  details.lid = devices.ports[port].info.lid;
  details.system_image_guid = devices.nodes[node].info.system_image_guid;
  raise(devices, port,
        notice_of(devices, port, mad::TrapNumber::SystemImageGuidChange,
                  mad::NoticeType::Informational, details));
}

void raise_bad_p_key(Devices& devices, PortIndex port, const RefusedPacket& packet) {
  raise(devices, port,
        notice_of(devices, port, mad::TrapNumber::BadPKey, mad::NoticeType::Security,
                  bad_key_notice(packet)));
}

void raise_bad_q_key(Devices& devices, PortIndex port, const RefusedPacket& packet) {
  raise(devices, port,
        notice_of(devices, port, mad::TrapNumber::BadQKey, mad::NoticeType::Security,
                  bad_key_notice(packet)));
}

void raise_switch_bad_p_key(Devices& devices, PortIndex port, const RefusedPacket& packet) {
  // LIDs, P_Key, SL and QPs; there was no GRH to take GIDs from.
  constexpr std::uint16_t kAllButGids = 0x3F;
  mad::SwitchBadPKeyNotice details;
  details.data_valid = kAllButGids;
  details.lid1 = packet.slid;
  details.lid2 = packet.dlid;
  details.p_key = mad::PKey{static_cast<std::uint16_t>(packet.key)};
  details.sl = packet.sl;
  details.qp1 = details.qp2 = kManagementQueuePair;
  details.sw_lid = devices.ports[devices.management_port(port)].info.lid;
  details.port = mad::PortNumber{devices.lines[port].number};
  raise(
      devices, port,
      notice_of(devices, port, mad::TrapNumber::SwitchBadPKey, mad::NoticeType::Security, details));
}

void raise_bad_m_key(Devices& devices, PortIndex port, const mad::Smp& smp) {
  mad::BadMKeyNotice details;
  details.lid = devices.ports[devices.management_port(port)].info.lid;
  details.method = smp.method;
  details.attribute_id = smp.attribute_id;
  details.attribute_modifier = smp.attribute_modifier;
  details.m_key = smp.m_key;
  if (smp.management_class == mad::ManagementClass::SubnDirectedRoute) {
    details.dr_notice = true;
    details.dr_slid = smp.dr_slid;
    const std::size_t room = details.return_path.size();
    details.dr_path_truncated = smp.hop_count > room;
    details.dr_hop_count = smp.hop_count;
    for (std::size_t hop = 0; hop < std::min<std::size_t>(smp.hop_count, room); ++hop) {
      details.return_path[hop] = smp.return_path[hop + 1];
    }
  }
  raise(devices, port,
        notice_of(devices, port, mad::TrapNumber::BadMKey, mad::NoticeType::Security, details));
}

}  // namespace heddle::sim
