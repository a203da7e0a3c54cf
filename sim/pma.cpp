// SPDX-License-Identifier: BSD-3-Clause
#include "sim/pma.hpp"

#include <optional>

#include "mad/class_port_info.hpp"
#include "mad/port_congestion_counters.hpp"
#include "mad/port_counter_details.hpp"
#include "mad/port_counters.hpp"
#include "mad/port_extended_speeds_counters.hpp"
#include "mad/port_lane_counters.hpp"
#include "mad/port_samples.hpp"
#include "mad/port_sl_counters.hpp"
#include "sim/counter_attribute.hpp"
#include "sim/link_kind.hpp"
#include "sim/sampling.hpp"

namespace heddle::sim {

template <>
struct ShownRows<mad::PortCounters> {
  using T = mad::PortCounters;
  static constexpr Register which = Register::Narrow;
  static constexpr auto rows = base::Pack{
      shown<&T::symbol_error_counter>(Counter::SymbolErrorCounter, 0),
      shown<&T::link_error_recovery_counter>(Counter::LinkErrorRecoveryCounter, 1),
      shown<&T::link_downed_counter>(Counter::LinkDownedCounter, 2),
      shown<&T::rcv_errors>(Counter::PortRcvErrors, 3),
      shown<&T::rcv_remote_physical_errors>(Counter::PortRcvRemotePhysicalErrors, 4),
      shown<&T::rcv_switch_relay_errors>(Counter::PortRcvSwitchRelayErrors, 5),
      shown<&T::xmit_discards>(Counter::PortXmitDiscards, 6),
      shown<&T::xmit_constraint_errors>(Counter::PortXmitConstraintErrors, 7),
      shown<&T::rcv_constraint_errors>(Counter::PortRcvConstraintErrors, 8),
      shown<&T::local_link_integrity_errors>(Counter::LocalLinkIntegrityErrors, 9),
      shown<&T::excessive_buffer_overrun_errors>(Counter::ExcessiveBufferOverrunErrors, 10),
      shown<&T::vl15_dropped>(Counter::VL15Dropped, 11),
      shown<&T::xmit_data>(Counter::PortXmitData, 12),
      shown<&T::rcv_data>(Counter::PortRcvData, 13),
      shown<&T::xmit_packets>(Counter::PortXmitPkts, 14),
      shown<&T::rcv_packets>(Counter::PortRcvPkts, 15),
      shown<&T::xmit_wait>(Counter::PortXmitWait, 16),
      shown<&T::qp1_dropped>(Counter::QP1Dropped, 17),
  };
};

template <>
struct ShownRows<mad::PortCountersExtended> {
  using T = mad::PortCountersExtended;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::xmit_data>(Counter::PortXmitData, 0),
      shown<&T::rcv_data>(Counter::PortRcvData, 1),
      shown<&T::xmit_packets>(Counter::PortXmitPkts, 2),
      shown<&T::rcv_packets>(Counter::PortRcvPkts, 3),
      shown<&T::unicast_xmit_packets>(Counter::PortUnicastXmitPkts, 4),
      shown<&T::unicast_rcv_packets>(Counter::PortUnicastRcvPkts, 5),
      shown<&T::multicast_xmit_packets>(Counter::PortMulticastXmitPkts, 6),
      shown<&T::multicast_rcv_packets>(Counter::PortMulticastRcvPkts, 7),
      shown<&T::symbol_error_counter>(Counter::SymbolErrorCounter, 16),
      shown<&T::link_error_recovery_counter>(Counter::LinkErrorRecoveryCounter, 17),
      shown<&T::link_downed_counter>(Counter::LinkDownedCounter, 18),
      shown<&T::rcv_errors>(Counter::PortRcvErrors, 19),
      shown<&T::rcv_remote_physical_errors>(Counter::PortRcvRemotePhysicalErrors, 20),
      shown<&T::rcv_switch_relay_errors>(Counter::PortRcvSwitchRelayErrors, 21),
      shown<&T::xmit_discards>(Counter::PortXmitDiscards, 22),
      shown<&T::xmit_constraint_errors>(Counter::PortXmitConstraintErrors, 23),
      shown<&T::rcv_constraint_errors>(Counter::PortRcvConstraintErrors, 24),
      shown<&T::local_link_integrity_errors>(Counter::LocalLinkIntegrityErrors, 25),
      shown<&T::excessive_buffer_overrun_errors>(Counter::ExcessiveBufferOverrunErrors, 26),
      shown<&T::vl15_dropped>(Counter::VL15Dropped, 27),
      shown<&T::xmit_wait>(Counter::PortXmitWait, 28),
      shown<&T::qp1_dropped>(Counter::QP1Dropped, 29),
  };
};

template <>
struct ShownRows<mad::PortRcvErrorDetails> {
  using T = mad::PortRcvErrorDetails;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::local_physical_errors>(Counter::PortLocalPhysicalErrors, 0),
      shown<&T::malformed_packet_errors>(Counter::PortMalformedPktErrors, 1),
      shown<&T::buffer_overrun_errors>(Counter::PortBufferOverrunErrors, 2),
      shown<&T::dlid_mapping_errors>(Counter::PortDLIDMappingErrors, 3),
      shown<&T::vl_mapping_errors>(Counter::PortVLMappingErrors, 4),
      shown<&T::looping_errors>(Counter::PortLoopingErrors, 5),
  };
};

template <>
struct ShownRows<mad::PortXmitDiscardDetails> {
  using T = mad::PortXmitDiscardDetails;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::inactive_discards>(Counter::PortInactiveDiscards, 0),
      shown<&T::neighbor_mtu_discards>(Counter::PortNeighborMTUDiscards, 1),
      shown<&T::sw_lifetime_limit_discards>(Counter::PortSwLifetimeLimitDiscards, 2),
      shown<&T::sw_hoq_lifetime_limit_discards>(Counter::PortSwHOQLifetimeLimitDiscards, 3),
  };
};

template <>
struct ShownRows<mad::PortOpRcvCounters> {
  using T = mad::PortOpRcvCounters;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::op_rcv_packets>(Counter::PortOpRcvPkts, 0),
      shown<&T::op_rcv_data>(Counter::PortOpRcvData, 1),
  };
};

template <>
struct ShownRows<mad::PortFlowCtlCounters> {
  using T = mad::PortFlowCtlCounters;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::xmit_flow_packets>(Counter::PortXmitFlowPkts, 0),
      shown<&T::rcv_flow_packets>(Counter::PortRcvFlowPkts, 1),
  };
};

template <>
struct ShownRows<mad::PortRcvConCtrl> {
  using T = mad::PortRcvConCtrl;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::packets_rcv_fecn>(Counter::PortPktRcvFECN, 0),
      shown<&T::packets_rcv_becn>(Counter::PortPktRcvBECN, 1),
  };
};

template <>
struct ShownRows<mad::PortXmitConCtrl> {
  using T = mad::PortXmitConCtrl;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{shown<&T::xmit_time_cong>(Counter::PortXmitTimeCong, 0)};
};

template <class T>
constexpr Counter kFirstOf{};
template <>
constexpr Counter kFirstOf<mad::PortVLOpPackets> = Counter::PortVLOpPackets;
template <>
constexpr Counter kFirstOf<mad::PortVLOpData> = Counter::PortVLOpData;
template <>
constexpr Counter kFirstOf<mad::PortVLXmitFlowCtlUpdateErrors> =
    Counter::PortVLXmitFlowCtlUpdateErrors;
template <>
constexpr Counter kFirstOf<mad::PortVLXmitWaitCounters> = Counter::PortVLXmitWait;
template <>
constexpr Counter kFirstOf<mad::SwPortVLCongestion> = Counter::SWPortVLCongestion;
template <>
constexpr Counter kFirstOf<mad::PortSLRcvFECN> = Counter::PortSLRcvFECN;
template <>
constexpr Counter kFirstOf<mad::PortSLRcvBECN> = Counter::PortSLRcvBECN;
template <>
constexpr Counter kFirstOf<mad::PortVLXmitTimeCong> = Counter::PortVLXmitTimeCong;
template <>
constexpr Counter kFirstOf<mad::PortXmitDataSL> = Counter::PortXmitDataSL;
template <>
constexpr Counter kFirstOf<mad::PortRcvDataSL> = Counter::PortRcvDataSL;

template <class Kind>
struct ShownRows<mad::PerfCounterArray<Kind>> {
  using T = mad::PerfCounterArray<Kind>;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{shown<&T::counters>(kFirstOf<T>, 0)};
};

template <>
struct ShownRows<mad::PortExtendedSpeedsCounters> {
  using T = mad::PortExtendedSpeedsCounters;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::sync_header_error_counter>(Counter::SyncHeaderErrorCounter, 0),
      shown<&T::unknown_block_counter>(Counter::UnknownBlockCounter, 1),
      shown<&T::error_detection_counter_lanes>(Counter::ErrorDetectionCounterLane, 2),
      shown<&T::fec_correctable_block_lanes>(Counter::FECCorrectableBlockCtrLane, 14),
      shown<&T::fec_uncorrectable_block_lanes>(Counter::FECUncorrectableBlockCtrLane, 26),
  };
};

template <>
struct ShownRows<mad::PortExtendedSpeedsCountersRSFEC> {
  using T = mad::PortExtendedSpeedsCountersRSFEC;
  static constexpr Register which = Register::Wide;
  static constexpr auto rows = base::Pack{
      shown<&T::sync_header_error_counter>(Counter::SyncHeaderErrorCounter, 0),
      shown<&T::unknown_block_counter>(Counter::UnknownBlockCounter, 1),
      shown<&T::fec_correctable_symbol_lanes>(Counter::FECCorrectableSymbolCtrLane, 14),
      shown<&T::fec_correctable_blocks>(Counter::PortFECCorrectableBlockCtr, 38),
      shown<&T::fec_uncorrectable_blocks>(Counter::PortFECUncorrectableBlockCtr, 39),
      shown<&T::fec_corrected_symbols>(Counter::PortFECCorrectedSymbolCtr, 40),
  };
};

namespace {

// 4.096 us * 2^value: as PortInfo.RespTimeValue of these devices.
constexpr std::uint8_t kResponseTime = 16;

struct PortRange {
  PortIndex first = 0;
  PortIndex last = 0;
};

// The ports that PortSelect means: 1 to the last, 0 on switches, or all that have a cable's socket.
std::optional<PortRange> ports_selected(const AgentContext& context, std::uint8_t select) {
  const Device& device = context.devices.nodes[context.node()];
  if (select == mad::kAllPorts)
    return PortRange{device.first_port + 1, device.first_port + device.port_count};
  const bool exists =
      select <= device.port_count && (select != 0 || context.devices.is_switch(context.node()));
  if (!exists) return std::nullopt;
  return PortRange{device.first_port + select, device.first_port + select};
}

template <class T>
mad::Status on_counters(const AgentContext& context, mad::Method method, mad::PerfData& data) {
  const auto request = mad::decode<T>(data);
  const auto ports = ports_selected(context, request.port_select);
  if (!ports) return mad::kStatusBadField;
  if (method == mad::Method::Set) {
    for (PortIndex port = ports->first; port <= ports->last; ++port) {
      write_counters(context.devices, port, request);
    }
  }
  T answer;
  answer.port_select = request.port_select;
  answer.counter_select = request.counter_select;
  if constexpr (requires { answer.counter_select2; }) {
    answer.counter_select2 = request.counter_select2;
  }
  for (PortIndex port = ports->first; port <= ports->last; ++port) {
    add_counters(context.devices, port, answer);
  }
  mad::encode(answer, std::span(data));
  return mad::kStatusOk;
}

mad::Status on_class_port_info(mad::Method method, mad::PerfData& data) {
  if (method == mad::Method::Set) return mad::kStatusBadMethodAttribute;
  mad::ClassPortInfo info;
  info.base_version = mad::kBaseVersion;
  info.class_version = mad::kPerfClassVersion;
  info.capability_mask = mad::kPerfAllPortSelect | mad::kPerfExtendedWidth | mad::kPerfXmitWait |
                         mad::kPerfRSFECMode | mad::kPerfQP1Dropped;
  info.capability_mask2 = mad::kPerfAdditionalExtended;
  info.resp_time_value = kResponseTime;
  mad::encode(info, std::span(data));
  return mad::kStatusOk;
}

mad::Status on_samples_control(const AgentContext& context, mad::Method method,
                               mad::PerfData& data) {
  const auto request = mad::decode<mad::PortSamplesControl>(data);
  const auto ports = ports_selected(context, request.port_select);
  if (!ports || request.port_select == mad::kAllPorts) return mad::kStatusBadField;
  if (method == mad::Method::Set) start_sample(context.devices, ports->first, request);
  mad::encode(samples_control(context.devices, ports->first), std::span(data));
  return mad::kStatusOk;
}

mad::Status on_samples_result(const AgentContext& context, mad::Method method,
                              mad::PerfData& data) {
  if (method == mad::Method::Set) return mad::kStatusBadMethodAttribute;
  const PortIndex port = context.devices.management_port(context.port);
  mad::encode(samples_result(context.devices, port), std::span(data));
  return mad::kStatusOk;
}

// Which of its two forms the attribute has is the link's affair: those from HDR on need RS-FEC.
mad::Status on_extended_speeds(const AgentContext& context, mad::Method method,
                               mad::PerfData& data) {
  const auto request = mad::decode<mad::PortExtendedSpeedsCounters>(data);
  const auto ports = ports_selected(context, request.port_select);
  if (!ports) return mad::kStatusBadField;
  return runs_rs_fec(context.devices.ports[ports->first].info)
             ? on_counters<mad::PortExtendedSpeedsCountersRSFEC>(context, method, data)
             : on_counters<mad::PortExtendedSpeedsCounters>(context, method, data);
}

using Handler = mad::Status (*)(const AgentContext&, mad::Method, mad::PerfData&);

// Null for attributes that are not simply counters.
Handler handler_of(mad::PerfAttributeId attribute, bool is_switch) {
  using Id = mad::PerfAttributeId;
  switch (attribute) {
    case Id::PortCounters:
      return on_counters<mad::PortCounters>;
    case Id::PortCountersExtended:
      return on_counters<mad::PortCountersExtended>;
    case Id::PortRcvErrorDetails:
      return on_counters<mad::PortRcvErrorDetails>;
    case Id::PortXmitDiscardDetails:
      return on_counters<mad::PortXmitDiscardDetails>;
    case Id::PortOpRcvCounters:
      return on_counters<mad::PortOpRcvCounters>;
    case Id::PortFlowCtlCounters:
      return on_counters<mad::PortFlowCtlCounters>;
    case Id::PortVLOpPackets:
      return on_counters<mad::PortVLOpPackets>;
    case Id::PortVLOpData:
      return on_counters<mad::PortVLOpData>;
    case Id::PortVLXmitFlowCtlUpdateErrors:
      return on_counters<mad::PortVLXmitFlowCtlUpdateErrors>;
    case Id::PortVLXmitWaitCounters:
      return on_counters<mad::PortVLXmitWaitCounters>;
    case Id::PortExtendedSpeedsCounters:
      return on_extended_speeds;
    case Id::SwPortVLCongestion:
      return is_switch ? on_counters<mad::SwPortVLCongestion> : nullptr;
    case Id::PortRcvConCtrl:
      return on_counters<mad::PortRcvConCtrl>;
    case Id::PortSLRcvFECN:
      return on_counters<mad::PortSLRcvFECN>;
    case Id::PortSLRcvBECN:
      return on_counters<mad::PortSLRcvBECN>;
    case Id::PortXmitConCtrl:
      return on_counters<mad::PortXmitConCtrl>;
    case Id::PortVLXmitTimeCong:
      return on_counters<mad::PortVLXmitTimeCong>;
    case Id::PortXmitDataSL:
      return on_counters<mad::PortXmitDataSL>;
    case Id::PortRcvDataSL:
      return on_counters<mad::PortRcvDataSL>;
    case Id::PortSamplesControl:
      return on_samples_control;
    case Id::PortSamplesResult:
      return on_samples_result;
    default:
      return nullptr;
  }
}

}  // namespace

mad::Status answer_perf(const AgentContext& context, mad::Method method, std::uint16_t attribute,
                        mad::PerfData& data) {
  const auto id = static_cast<mad::PerfAttributeId>(attribute);
  if (id == mad::PerfAttributeId::ClassPortInfo) return on_class_port_info(method, data);
  const Handler handler = handler_of(id, context.devices.is_switch(context.node()));
  return handler == nullptr ? mad::kStatusBadMethodAttribute : handler(context, method, data);
}

}  // namespace heddle::sim
