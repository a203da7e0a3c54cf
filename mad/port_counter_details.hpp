// SPDX-License-Identifier: BSD-3-Clause
// What is behind PortRcvErrors and PortXmitDiscards, and counters of operations and flow control
// (IBA vol. 1, 16.1.4.1 to 16.1.4.4). Bits of CounterSelect are in the order of the counters.
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

struct PortRcvErrorDetails {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint16_t local_physical_errors{};
  std::uint16_t malformed_packet_errors{};
  std::uint16_t buffer_overrun_errors{};
  std::uint16_t dlid_mapping_errors{};
  std::uint16_t vl_mapping_errors{};
  std::uint16_t looping_errors{};
  friend bool operator==(const PortRcvErrorDetails&, const PortRcvErrorDetails&) = default;
};

template <>
struct Layout<PortRcvErrorDetails> {
  static constexpr std::string_view name = "PortRcvErrorDetails";
  static constexpr unsigned bits = 128;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortRcvErrorDetails::port_select, 8, 8>("PortSelect"),
      row<&PortRcvErrorDetails::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortRcvErrorDetails::local_physical_errors, 32, 16>("PortLocalPhysicalErrors"),
      row<&PortRcvErrorDetails::malformed_packet_errors, 48, 16>("PortMalformedPktErrors"),
      row<&PortRcvErrorDetails::buffer_overrun_errors, 64, 16>("PortBufferOverrunErrors"),
      row<&PortRcvErrorDetails::dlid_mapping_errors, 80, 16>("PortDLIDMappingErrors"),
      row<&PortRcvErrorDetails::vl_mapping_errors, 96, 16>("PortVLMappingErrors"),
      row<&PortRcvErrorDetails::looping_errors, 112, 16>("PortLoopingErrors"),
  };
};

struct PortXmitDiscardDetails {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint16_t inactive_discards{};
  std::uint16_t neighbor_mtu_discards{};
  std::uint16_t sw_lifetime_limit_discards{};
  std::uint16_t sw_hoq_lifetime_limit_discards{};
  friend bool operator==(const PortXmitDiscardDetails&, const PortXmitDiscardDetails&) = default;
};

template <>
struct Layout<PortXmitDiscardDetails> {
  static constexpr std::string_view name = "PortXmitDiscardDetails";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortXmitDiscardDetails::port_select, 8, 8>("PortSelect"),
      row<&PortXmitDiscardDetails::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortXmitDiscardDetails::inactive_discards, 32, 16>("PortInactiveDiscards"),
      row<&PortXmitDiscardDetails::neighbor_mtu_discards, 48, 16>("PortNeighborMTUDiscards"),
      row<&PortXmitDiscardDetails::sw_lifetime_limit_discards, 64, 16>(
          "PortSwLifetimeLimitDiscards"),
      row<&PortXmitDiscardDetails::sw_hoq_lifetime_limit_discards, 80, 16>(
          "PortSwHOQLifetimeLimitDiscards"),
  };
};

struct PortOpRcvCounters {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t op_rcv_packets{};
  std::uint32_t op_rcv_data{};
  friend bool operator==(const PortOpRcvCounters&, const PortOpRcvCounters&) = default;
};

template <>
struct Layout<PortOpRcvCounters> {
  static constexpr std::string_view name = "PortOpRcvCounters";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortOpRcvCounters::port_select, 8, 8>("PortSelect"),
      row<&PortOpRcvCounters::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortOpRcvCounters::op_rcv_packets, 32, 32>("PortOpRcvPkts"),
      row<&PortOpRcvCounters::op_rcv_data, 64, 32>("PortOpRcvData"),
  };
};

struct PortFlowCtlCounters {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t xmit_flow_packets{};
  std::uint32_t rcv_flow_packets{};
  friend bool operator==(const PortFlowCtlCounters&, const PortFlowCtlCounters&) = default;
};

template <>
struct Layout<PortFlowCtlCounters> {
  static constexpr std::string_view name = "PortFlowCtlCounters";
  static constexpr unsigned bits = 96;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortFlowCtlCounters::port_select, 8, 8>("PortSelect"),
      row<&PortFlowCtlCounters::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortFlowCtlCounters::xmit_flow_packets, 32, 32>("PortXmitFlowPkts"),
      row<&PortFlowCtlCounters::rcv_flow_packets, 64, 32>("PortRcvFlowPkts"),
  };
};

}  // namespace heddle::mad
