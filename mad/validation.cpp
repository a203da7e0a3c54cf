// SPDX-License-Identifier: BSD-3-Clause
#include "mad/validation.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "mad/link.hpp"
#include "mad/names.hpp"
#include "mad/smp.hpp"

namespace heddle::mad {

namespace {

constexpr unsigned kMaxSwitchPorts = 254;  // 255 means "no port"

class Check {
 public:
  // Files the complaint when `broken`; its text is built only then.
  template <class... Args>
  void complain_if(bool broken, fmt::format_string<Args...> text, Args&&... args) {
    if (broken) complaints_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  Complaints take() { return std::move(complaints_); }

 private:
  Complaints complaints_;
};

bool is_one_bit(unsigned bits) {
  return std::has_single_bit(bits);
}

void check_lids(const PortInfo& info, Check& check) {
  check.complain_if(info.lmc > kMaxLmc, "LMC {} is above {}", info.lmc, kMaxLmc);
  const unsigned lid = info.lid.value;
  const unsigned span = 1u << std::min(info.lmc, kMaxLmc);
  check.complain_if(info.lid != kNoLid && !is_unicast(info.lid), "LID {:#06x} is not unicast", lid);
  if (is_unicast(info.lid)) {
    check.complain_if(lid % span != 0, "LID {} is not a multiple of {}, as LMC {} wants it", lid,
                      span, info.lmc);
    check.complain_if(lid + span - 1 > kLastUnicastLid.value,
                      "LID {} with LMC {} runs into the multicast LIDs", lid, info.lmc);
  }
  check.complain_if(info.master_sm_lid != kNoLid && !is_unicast(info.master_sm_lid),
                    "MasterSMLID {:#06x} is not unicast", info.master_sm_lid.value);
}

void check_states(const PortInfo& info, Check& check) {
  check.complain_if(name_of(info.port_state).empty(), "PortState {} does not exist",
                    to_raw(info.port_state));
  check.complain_if(info.port_state == PortState::NoChange, "PortState is NoChange in an answer");
  check.complain_if(name_of(info.port_physical_state).empty(),
                    "PortPhysicalState {} does not exist", to_raw(info.port_physical_state));
  const bool linked = info.port_state >= PortState::Init && info.port_state <= PortState::Active;
  check.complain_if(linked && info.port_physical_state < PortPhysicalState::LinkUp,
                    "PortState is {} but PortPhysicalState is {}", name_of(info.port_state),
                    name_of(info.port_physical_state));
}

void check_lanes(const PortInfo& info, Check& check) {
  check.complain_if(data_vl_count(info.vl_cap) == 0, "VLCap {} is not one of 1..5", info.vl_cap);
  check.complain_if(mtu_bytes(info.mtu_cap) == 0, "MTUCap {} is not one of 1..5",
                    to_raw(info.mtu_cap));
  if (info.port_state < PortState::Armed || info.port_state > PortState::Active) return;
  check.complain_if(data_vl_count(info.operational_vls) == 0 || info.operational_vls > info.vl_cap,
                    "OperationalVLs {} does not fit VLCap {}", info.operational_vls, info.vl_cap);
  check.complain_if(mtu_bytes(info.neighbor_mtu) == 0 || info.neighbor_mtu > info.mtu_cap,
                    "NeighborMTU {} does not fit MTUCap {}", to_raw(info.neighbor_mtu),
                    to_raw(info.mtu_cap));
}

void check_link(const PortInfo& info, Check& check) {
  if (info.port_state < PortState::Init || info.port_state > PortState::Active) return;
  check.complain_if(!active_width(info), "LinkWidthActive {:#04x} is not one known width",
                    info.link_width_active);
  check.complain_if(active_width(info) && (info.link_width_supported & info.link_width_active) == 0,
                    "LinkWidthActive {:#04x} is not among LinkWidthSupported {:#04x}",
                    info.link_width_active, info.link_width_supported);
  check.complain_if(info.link_speed_ext2_active != 0 && !is_one_bit(info.link_speed_ext2_active),
                    "LinkSpeedExtActive2 {:#x} is not one speed", info.link_speed_ext2_active);
  check.complain_if(info.link_speed_ext_active != 0 && !is_one_bit(info.link_speed_ext_active),
                    "LinkSpeedExtActive {:#x} is not one speed", info.link_speed_ext_active);
  check.complain_if(
      !active_speed(info) && info.link_speed_ext_active == 0 && info.link_speed_ext2_active == 0,
      "LinkSpeedActive {:#x} is not one known speed", info.link_speed_active);
}

}  // namespace

Complaints validate(const NodeInfo& info) {
  Check check;
  check.complain_if(info.base_version != kBaseVersion, "BaseVersion {} is not {}",
                    info.base_version, kBaseVersion);
  check.complain_if(info.class_version != kSmClassVersion, "ClassVersion {} is not {}",
                    info.class_version, kSmClassVersion);
  check.complain_if(name_of(info.node_type).empty(), "NodeType {} does not exist",
                    to_raw(info.node_type));
  check.complain_if(info.num_ports == 0, "NumPorts is 0");
  check.complain_if(info.num_ports > kMaxSwitchPorts, "NumPorts {} is above {}", info.num_ports,
                    kMaxSwitchPorts);
  check.complain_if(info.node_guid == Guid{}, "NodeGUID is zero");
  check.complain_if(info.port_guid == Guid{}, "PortGUID is zero");
  check.complain_if(info.local_port_num.value > info.num_ports,
                    "LocalPortNum {} is above NumPorts {}", info.local_port_num.value,
                    info.num_ports);
  check.complain_if(info.node_type != NodeType::Switch && info.local_port_num == PortNumber{},
                    "LocalPortNum is 0, which only a switch has");
  check.complain_if(info.partition_cap == 0, "PartitionCap is 0");
  return check.take();
}

Complaints validate(const PortInfo& info, PortKind kind) {
  Check check;
  if (kind != PortKind::SwitchExternal) check_lids(info, check);
  if (kind != PortKind::SwitchPort0) {
    check_states(info, check);
    check_link(info, check);
    check_lanes(info, check);
  }
  return check.take();
}

Complaints validate(const SwitchInfo& info) {
  Check check;
  const unsigned unicast_lids = kLastUnicastLid.value + 1u;
  const unsigned multicast_lids = kPermissiveLid.value - kFirstMulticastLid.value;
  check.complain_if(info.linear_fdb_cap == 0 && info.random_fdb_cap == 0,
                    "LinearFDBCap and RandomFDBCap are both 0");
  check.complain_if(info.linear_fdb_cap > unicast_lids, "LinearFDBCap {} is above {}",
                    info.linear_fdb_cap, unicast_lids);
  check.complain_if(info.linear_fdb_cap != 0 && info.linear_fdb_top >= info.linear_fdb_cap,
                    "LinearFDBTop {} is not below LinearFDBCap {}", info.linear_fdb_top,
                    info.linear_fdb_cap);
  check.complain_if(info.multicast_fdb_cap > multicast_lids, "MulticastFDBCap {} is above {}",
                    info.multicast_fdb_cap, multicast_lids);
  const Lid top{info.multicast_fdb_top};
  check.complain_if(top >= kFirstMulticastLid && top.value - kFirstMulticastLid.value >=
                                                     static_cast<int>(info.multicast_fdb_cap),
                    "MulticastFDBTop {:#06x} is beyond MulticastFDBCap {}", top.value,
                    info.multicast_fdb_cap);
  return check.take();
}

Complaints validate(const SMInfo& info) {
  Check check;
  check.complain_if(info.guid == Guid{}, "GUID is zero");
  check.complain_if(name_of(info.sm_state).empty(), "SMState {} does not exist",
                    to_raw(info.sm_state));
  return check.take();
}

Complaints validate(const LinearForwardingTable& block, std::uint8_t num_ports) {
  Check check;
  for (std::size_t i = 0; i < block.ports.size(); ++i) {
    const PortNumber port = block.ports[i];
    check.complain_if(port.value > num_ports && port != kNoPortNumber,
                      "entry {} names port {} of a switch with {}", i, port.value, num_ports);
  }
  return check.take();
}

Complaints validate(const Notice& notice) {
  Check check;
  if (notice.type == NoticeType::Empty) return check.take();
  check.complain_if(name_of(notice.type).empty(), "Type {} does not exist", to_raw(notice.type));
  check.complain_if(notice.is_generic &&
                        (notice.producer_type == 0 || notice.producer_type > kProducerClassManager),
                    "ProducerType {} does not exist", notice.producer_type);
  check.complain_if(notice.issuer_lid != kNoLid && notice.issuer_lid != kPermissiveLid &&
                        !is_unicast(notice.issuer_lid),
                    "IssuerLID {:#06x} is not unicast", notice.issuer_lid.value);
  return check.take();
}

}  // namespace heddle::mad
