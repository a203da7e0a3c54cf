// SPDX-License-Identifier: BSD-3-Clause
// The list of everything mad/ describes. Tests, fuzzing and traces loop over it, so an attribute
// that is added here is covered by all of them.
#pragma once

#include "mad/class_port_info.hpp"
#include "mad/congestion_control.hpp"
#include "mad/gid.hpp"
#include "mad/guid_info.hpp"
#include "mad/guid_info_record.hpp"
#include "mad/inform_info.hpp"
#include "mad/inform_info_record.hpp"
#include "mad/led_info.hpp"
#include "mad/linear_forwarding_table.hpp"
#include "mad/linear_forwarding_table_record.hpp"
#include "mad/link_record.hpp"
#include "mad/mad_header.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/mlnx_extended_port_info.hpp"
#include "mad/multi_path_record.hpp"
#include "mad/multicast_forwarding_table.hpp"
#include "mad/multicast_forwarding_table_record.hpp"
#include "mad/node_info.hpp"
#include "mad/node_record.hpp"
#include "mad/notice.hpp"
#include "mad/p_key_table.hpp"
#include "mad/p_key_table_record.hpp"
#include "mad/path_record.hpp"
#include "mad/pm_header.hpp"
#include "mad/port_congestion_counters.hpp"
#include "mad/port_counter_details.hpp"
#include "mad/port_counters.hpp"
#include "mad/port_extended_speeds_counters.hpp"
#include "mad/port_info.hpp"
#include "mad/port_info_extended.hpp"
#include "mad/port_info_record.hpp"
#include "mad/port_lane_counters.hpp"
#include "mad/port_samples.hpp"
#include "mad/port_sl_counters.hpp"
#include "mad/rmpp_header.hpp"
#include "mad/sa_header.hpp"
#include "mad/service_record.hpp"
#include "mad/sl_to_vl_mapping_table.hpp"
#include "mad/sl_to_vl_mapping_table_record.hpp"
#include "mad/sm_info.hpp"
#include "mad/sm_info_record.hpp"
#include "mad/smp.hpp"
#include "mad/switch_info.hpp"
#include "mad/switch_info_record.hpp"
#include "mad/switch_port_state_table.hpp"
#include "mad/trace_record.hpp"
#include "mad/vendor_header.hpp"
#include "mad/virtualization.hpp"
#include "mad/vl_arbitration_table.hpp"
#include "mad/vl_arbitration_table_record.hpp"

namespace heddle::mad {

// What a requester may send with an attribute (IBA vol. 1, table of 14.2.5).
struct RequestMethods {
  bool get{};
  bool set{};
  bool trap{};
};
inline constexpr RequestMethods kGetOnly{.get = true};
inline constexpr RequestMethods kGetSet{.get = true, .set = true};
inline constexpr RequestMethods kGetSetTrap{.get = true, .set = true, .trap = true};

// An attribute that fits the data of an SMP.
template <Described T>
struct SmpAttribute {
  using Type = T;
  AttributeId id;
  RequestMethods methods;
};

inline constexpr auto kSmpAttributes = base::Pack{
    SmpAttribute<Notice>{AttributeId::Notice, kGetSetTrap},
    SmpAttribute<NodeDescription>{AttributeId::NodeDescription, kGetSet},
    SmpAttribute<NodeInfo>{AttributeId::NodeInfo, kGetOnly},
    SmpAttribute<SwitchInfo>{AttributeId::SwitchInfo, kGetSet},
    SmpAttribute<GUIDInfo>{AttributeId::GUIDInfo, kGetSet},
    SmpAttribute<PortInfo>{AttributeId::PortInfo, kGetSet},
    SmpAttribute<PKeyTable>{AttributeId::PKeyTable, kGetSet},
    SmpAttribute<SLtoVLMappingTable>{AttributeId::SLtoVLMappingTable, kGetSet},
    SmpAttribute<VLArbitrationTable>{AttributeId::VLArbitrationTable, kGetSet},
    SmpAttribute<LinearForwardingTable>{AttributeId::LinearForwardingTable, kGetSet},
    SmpAttribute<MulticastForwardingTable>{AttributeId::MulticastForwardingTable, kGetSet},
    SmpAttribute<SMInfo>{AttributeId::SMInfo, kGetSet},
    SmpAttribute<LedInfo>{AttributeId::LedInfo, kGetSet},
    SmpAttribute<PortInfoExtended>{AttributeId::PortInfoExtended, kGetSet},
    SmpAttribute<SwitchPortStateTable>{AttributeId::SwitchPortStateTable, kGetOnly},
    SmpAttribute<MlnxExtendedPortInfo>{AttributeId::MlnxExtendedPortInfo, kGetSet},
    SmpAttribute<VirtualizationInfo>{AttributeId::VirtualizationInfo, kGetSet},
    SmpAttribute<VPortInfo>{AttributeId::VPortInfo, kGetSet},
    SmpAttribute<VNodeInfo>{AttributeId::VNodeInfo, kGetOnly},
    SmpAttribute<VPortState>{AttributeId::VPortState, kGetOnly},
    SmpAttribute<VNodeDescription>{AttributeId::VNodeDescription, kGetOnly},
    SmpAttribute<VPortGUIDInfo>{AttributeId::VPortGUIDInfo, kGetSet},
    SmpAttribute<VPortPKeyTable>{AttributeId::VPortPKeyTable, kGetSet},
};

// Calls visit(SmpAttribute<T>) for each.
template <class Visit>
constexpr void for_each_smp_attribute(Visit&& visit) {
  kSmpAttributes.apply([&](const auto&... attribute) { (visit(attribute), ...); });
}

template <class... T>
struct TypeList {};

// Headers, details of notices, and attributes of other classes.
using OtherDescribed =
    TypeList<Smp, MADHeader, RMPPHeader, SAHeader, PMHeader, VendorHeader, ClassPortInfo,
             IssuedNotice, GidNotice, LinkStateNotice, PortThresholdNotice, LocalChangesNotice,
             SystemImageGuidNotice, BadMKeyNotice, BadKeyNotice, SwitchBadPKeyNotice, Gid,
             VLArbitrationEntry, PortCounters, PortCountersExtended, PortRcvErrorDetails,
             PortXmitDiscardDetails, PortOpRcvCounters, PortFlowCtlCounters, PortVLOpPackets,
             PortVLOpData, PortVLXmitFlowCtlUpdateErrors, PortVLXmitWaitCounters, PortXmitDataSL,
             PortRcvDataSL, SwPortVLCongestion, PortRcvConCtrl, PortSLRcvFECN, PortSLRcvBECN,
             PortXmitConCtrl, PortVLXmitTimeCong, PortExtendedSpeedsCounters,
             PortExtendedSpeedsCountersRSFEC, PortSamplesControl, PortSamplesResult, CongestionInfo,
             CongestionKeyInfo, CongestionLogSwitch, CongestionLogCA, CongestionEntrySwitch,
             CongestionEventCA, SwitchCongestionSetting, SwitchPortCongestionSettingElement,
             CACongestionSetting, CACongestionEntry, CongestionControlTable, BadCCKeyNotice,
             TimeStamp, NodeRecord, PortInfoRecord, SLtoVLMappingTableRecord, SwitchInfoRecord,
             LinearForwardingTableRecord, MulticastForwardingTableRecord, SMInfoRecord, LinkRecord,
             GUIDInfoRecord, ServiceRecord, PKeyTableRecord, PathRecord, VLArbitrationTableRecord,
             MCMemberRecord, MultiPathRecord, TraceRecord, InformInfo, InformInfoRecord>;

// Calls visit.template operator()<T>() for everything described: the attributes above and these.
template <class Visit>
constexpr void for_each_described(Visit&& visit) {
  for_each_smp_attribute([&]<class T>(const SmpAttribute<T>&) { visit.template operator()<T>(); });
  [&]<class... T>(TypeList<T...>) { (visit.template operator()<T>(), ...); }(OtherDescribed{});
}

}  // namespace heddle::mad
