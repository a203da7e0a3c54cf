// SPDX-License-Identifier: BSD-3-Clause
// The counters of a port (IBA vol. 1, 16.1.3.5 and 16.1.4.11). Data counts words of four bytes. The
// narrow ones stop at their highest value. A Set writes the counters that are selected.
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

// CounterSelect: bit 0 is SymbolErrorCounter, on in the order of the specification (VL15Dropped is
// 11); CounterSelect2: bit 0 PortXmitWait, bit 1 QP1Dropped.
struct PortCounters {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint16_t symbol_error_counter{};
  std::uint8_t link_error_recovery_counter{};
  std::uint8_t link_downed_counter{};
  std::uint16_t rcv_errors{};
  std::uint16_t rcv_remote_physical_errors{};
  std::uint16_t rcv_switch_relay_errors{};
  std::uint16_t xmit_discards{};
  std::uint8_t xmit_constraint_errors{};
  std::uint8_t rcv_constraint_errors{};
  std::uint8_t counter_select2{};
  std::uint8_t local_link_integrity_errors{};
  std::uint8_t excessive_buffer_overrun_errors{};
  std::uint16_t qp1_dropped{};
  std::uint16_t vl15_dropped{};
  std::uint32_t xmit_data{};
  std::uint32_t rcv_data{};
  std::uint32_t xmit_packets{};
  std::uint32_t rcv_packets{};
  std::uint32_t xmit_wait{};
  friend bool operator==(const PortCounters&, const PortCounters&) = default;
};

template <>
struct Layout<PortCounters> {
  static constexpr std::string_view name = "PortCounters";
  static constexpr unsigned bits = 352;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortCounters::port_select, 8, 8>("PortSelect"),
      row<&PortCounters::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortCounters::symbol_error_counter, 32, 16>("SymbolErrorCounter"),
      row<&PortCounters::link_error_recovery_counter, 48, 8>("LinkErrorRecoveryCounter"),
      row<&PortCounters::link_downed_counter, 56, 8>("LinkDownedCounter"),
      row<&PortCounters::rcv_errors, 64, 16>("PortRcvErrors"),
      row<&PortCounters::rcv_remote_physical_errors, 80, 16>("PortRcvRemotePhysicalErrors"),
      row<&PortCounters::rcv_switch_relay_errors, 96, 16>("PortRcvSwitchRelayErrors"),
      row<&PortCounters::xmit_discards, 112, 16>("PortXmitDiscards"),
      row<&PortCounters::xmit_constraint_errors, 128, 8>("PortXmitConstraintErrors"),
      row<&PortCounters::rcv_constraint_errors, 136, 8>("PortRcvConstraintErrors"),
      row<&PortCounters::counter_select2, 144, 8>("CounterSelect2", Show::Hex),
      row<&PortCounters::local_link_integrity_errors, 152, 4>("LocalLinkIntegrityErrors"),
      row<&PortCounters::excessive_buffer_overrun_errors, 156, 4>("ExcessiveBufferOverrunErrors"),
      row<&PortCounters::qp1_dropped, 160, 16>("QP1Dropped"),
      row<&PortCounters::vl15_dropped, 176, 16>("VL15Dropped"),
      row<&PortCounters::xmit_data, 192, 32>("PortXmitData"),
      row<&PortCounters::rcv_data, 224, 32>("PortRcvData"),
      row<&PortCounters::xmit_packets, 256, 32>("PortXmitPkts"),
      row<&PortCounters::rcv_packets, 288, 32>("PortRcvPkts"),
      row<&PortCounters::xmit_wait, 320, 32>("PortXmitWait"),
  };
};

// CounterSelect: bit 0 is PortXmitData, up to bit 7, PortMulticastRcvPkts; CounterSelect2: bit 0 is
// SymbolErrorCounter, on in this order.
struct PortCountersExtended {
  std::uint8_t port_select{};
  std::uint16_t counter_select{};
  std::uint32_t counter_select2{};
  std::uint64_t xmit_data{};
  std::uint64_t rcv_data{};
  std::uint64_t xmit_packets{};
  std::uint64_t rcv_packets{};
  std::uint64_t unicast_xmit_packets{};
  std::uint64_t unicast_rcv_packets{};
  std::uint64_t multicast_xmit_packets{};
  std::uint64_t multicast_rcv_packets{};
  std::uint64_t symbol_error_counter{};
  std::uint64_t link_error_recovery_counter{};
  std::uint64_t link_downed_counter{};
  std::uint64_t rcv_errors{};
  std::uint64_t rcv_remote_physical_errors{};
  std::uint64_t rcv_switch_relay_errors{};
  std::uint64_t xmit_discards{};
  std::uint64_t xmit_constraint_errors{};
  std::uint64_t rcv_constraint_errors{};
  std::uint64_t local_link_integrity_errors{};
  std::uint64_t excessive_buffer_overrun_errors{};
  std::uint64_t vl15_dropped{};
  std::uint64_t xmit_wait{};
  std::uint64_t qp1_dropped{};
  friend bool operator==(const PortCountersExtended&, const PortCountersExtended&) = default;
};

template <>
struct Layout<PortCountersExtended> {
  static constexpr std::string_view name = "PortCountersExtended";
  static constexpr unsigned bits = 1472;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortCountersExtended::port_select, 8, 8>("PortSelect"),
      row<&PortCountersExtended::counter_select, 16, 16>("CounterSelect", Show::Hex),
      row<&PortCountersExtended::counter_select2, 32, 32>("CounterSelect2", Show::Hex),
      row<&PortCountersExtended::xmit_data, 64, 64>("PortXmitData"),
      row<&PortCountersExtended::rcv_data, 128, 64>("PortRcvData"),
      row<&PortCountersExtended::xmit_packets, 192, 64>("PortXmitPkts"),
      row<&PortCountersExtended::rcv_packets, 256, 64>("PortRcvPkts"),
      row<&PortCountersExtended::unicast_xmit_packets, 320, 64>("PortUnicastXmitPkts"),
      row<&PortCountersExtended::unicast_rcv_packets, 384, 64>("PortUnicastRcvPkts"),
      row<&PortCountersExtended::multicast_xmit_packets, 448, 64>("PortMulticastXmitPkts"),
      row<&PortCountersExtended::multicast_rcv_packets, 512, 64>("PortMulticastRcvPkts"),
      row<&PortCountersExtended::symbol_error_counter, 576, 64>("SymbolErrorCounter"),
      row<&PortCountersExtended::link_error_recovery_counter, 640, 64>("LinkErrorRecoveryCounter"),
      row<&PortCountersExtended::link_downed_counter, 704, 64>("LinkDownedCounter"),
      row<&PortCountersExtended::rcv_errors, 768, 64>("PortRcvErrors"),
      row<&PortCountersExtended::rcv_remote_physical_errors, 832, 64>(
          "PortRcvRemotePhysicalErrors"),
      row<&PortCountersExtended::rcv_switch_relay_errors, 896, 64>("PortRcvSwitchRelayErrors"),
      row<&PortCountersExtended::xmit_discards, 960, 64>("PortXmitDiscards"),
      row<&PortCountersExtended::xmit_constraint_errors, 1024, 64>("PortXmitConstraintErrors"),
      row<&PortCountersExtended::rcv_constraint_errors, 1088, 64>("PortRcvConstraintErrors"),
      row<&PortCountersExtended::local_link_integrity_errors, 1152, 64>("LocalLinkIntegrityErrors"),
      row<&PortCountersExtended::excessive_buffer_overrun_errors, 1216, 64>(
          "ExcessiveBufferOverrunErrors"),
      row<&PortCountersExtended::vl15_dropped, 1280, 64>("VL15Dropped"),
      row<&PortCountersExtended::xmit_wait, 1344, 64>("PortXmitWait"),
      row<&PortCountersExtended::qp1_dropped, 1408, 64>("QP1Dropped"),
  };
};

}  // namespace heddle::mad
