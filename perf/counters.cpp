// SPDX-License-Identifier: BSD-3-Clause
#include "perf/counters.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "mad/perf_attribute.hpp"
#include "mad/port_extended_speeds_counters.hpp"

namespace heddle::perf {
namespace {

constexpr std::array<std::string_view, kCounterCount> kNames{
    "transmit_data",
    "receive_data",
    "transmit_packets",
    "receive_packets",
    "unicast_transmit_packets",
    "unicast_receive_packets",
    "multicast_transmit_packets",
    "multicast_receive_packets",
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "receive_errors",
    "receive_remote_physical_errors",
    "receive_switch_relay_errors",
    "transmit_discards",
    "transmit_constraint_errors",
    "receive_constraint_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
    "vl15_dropped",
    "transmit_wait",
    "qp1_dropped",
    "sync_header_error",
    "unknown_block",
    "error_detection",
    "fec_corrected_blocks",
    "fec_uncorrected_blocks",
    "fec_corrected_symbols",
};

// Where PortCounters has a counter: its end, and the bit that selects it in a Set.
struct Narrow {
  Counter counter;
  std::uint64_t (*read)(const mad::PortCounters&);
  std::uint64_t end;
  std::uint8_t select;  // 16 and on: CounterSelect2
};

template <auto Member>
std::uint64_t read(const mad::PortCounters& answer) {
  return answer.*Member;
}

using P = mad::PortCounters;
constexpr std::uint64_t kEnd4 = 0xF, kEnd8 = 0xFF, kEnd16 = 0xFFFF, kEnd32 = 0xFFFF'FFFF;
constexpr std::array<Narrow, 18> kNarrow{{
    {Counter::SymbolError, &read<&P::symbol_error_counter>, kEnd16, 0},
    {Counter::LinkErrorRecovery, &read<&P::link_error_recovery_counter>, kEnd8, 1},
    {Counter::LinkDowned, &read<&P::link_downed_counter>, kEnd8, 2},
    {Counter::ReceiveErrors, &read<&P::rcv_errors>, kEnd16, 3},
    {Counter::ReceiveRemotePhysicalErrors, &read<&P::rcv_remote_physical_errors>, kEnd16, 4},
    {Counter::ReceiveSwitchRelayErrors, &read<&P::rcv_switch_relay_errors>, kEnd16, 5},
    {Counter::TransmitDiscards, &read<&P::xmit_discards>, kEnd16, 6},
    {Counter::TransmitConstraintErrors, &read<&P::xmit_constraint_errors>, kEnd8, 7},
    {Counter::ReceiveConstraintErrors, &read<&P::rcv_constraint_errors>, kEnd8, 8},
    {Counter::LocalLinkIntegrityErrors, &read<&P::local_link_integrity_errors>, kEnd4, 9},
    {Counter::ExcessiveBufferOverrunErrors, &read<&P::excessive_buffer_overrun_errors>, kEnd4, 10},
    {Counter::VL15Dropped, &read<&P::vl15_dropped>, kEnd16, 11},
    {Counter::TransmitData, &read<&P::xmit_data>, kEnd32, 12},
    {Counter::ReceiveData, &read<&P::rcv_data>, kEnd32, 13},
    {Counter::TransmitPackets, &read<&P::xmit_packets>, kEnd32, 14},
    {Counter::ReceivePackets, &read<&P::rcv_packets>, kEnd32, 15},
    {Counter::TransmitWait, &read<&P::xmit_wait>, kEnd32, 16},
    {Counter::QP1Dropped, &read<&P::qp1_dropped>, kEnd16, 17},
}};

bool tells(const Capabilities& can, Counter counter) {
  if (counter == Counter::TransmitWait) return can.transmit_wait;
  if (counter == Counter::QP1Dropped) return can.qp1_dropped;
  return true;
}

void put(Counts& counts, Counter counter, std::uint64_t value) {
  counts.values[index(counter)] = value;
  counts.known |= bit(counter);
}

// The sum of a row of narrow counters, the first of which this bit selects.
template <class T, std::size_t N>
void put_all(Counts& counts, Counter counter, const std::array<T, N>& row, unsigned select) {
  constexpr T kEnd = std::numeric_limits<T>::max();
  std::uint64_t sum = 0;
  bool fills = false;
  for (const T value : row) {
    sum += value;
    if (value == kEnd) counts.saturated |= bit(counter);
    fills = fills || value > kEnd / 4 * 3;
  }
  put(counts, counter, sum);
  if (!fills) return;
  counts.filling |= bit(counter);
  counts.select |= ((std::uint64_t{1} << N) - 1) << select;
}

}  // namespace

std::string_view name_of(Counter counter) {
  return kNames[index(counter)];
}

std::optional<Counter> find_counter(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Counter>(found - kNames.begin());
}

Capabilities capabilities(std::uint16_t mask, std::uint32_t mask2) {
  Capabilities can;
  const bool no_kinds = (mask & mad::kPerfExtendedWidthNoIETF) != 0;
  can.wide_by_kind = (mask & mad::kPerfExtendedWidth) != 0;
  can.wide = can.wide_by_kind || no_kinds;
  can.wide_errors = can.wide && (mask2 & mad::kPerfAdditionalExtended) != 0;
  can.transmit_wait = (mask & mad::kPerfXmitWait) != 0;
  can.qp1_dropped = (mask & mad::kPerfQP1Dropped) != 0;
  return can;
}

Counts counts_of(const mad::PortCountersExtended& a, const Capabilities& can) {
  Counts counts;
  put(counts, Counter::TransmitData, a.xmit_data);
  put(counts, Counter::ReceiveData, a.rcv_data);
  put(counts, Counter::TransmitPackets, a.xmit_packets);
  put(counts, Counter::ReceivePackets, a.rcv_packets);
  if (can.wide_by_kind) {
    put(counts, Counter::UnicastTransmitPackets, a.unicast_xmit_packets);
    put(counts, Counter::UnicastReceivePackets, a.unicast_rcv_packets);
    put(counts, Counter::MulticastTransmitPackets, a.multicast_xmit_packets);
    put(counts, Counter::MulticastReceivePackets, a.multicast_rcv_packets);
  }
  if (!can.wide_errors) return counts;
  put(counts, Counter::SymbolError, a.symbol_error_counter);
  put(counts, Counter::LinkErrorRecovery, a.link_error_recovery_counter);
  put(counts, Counter::LinkDowned, a.link_downed_counter);
  put(counts, Counter::ReceiveErrors, a.rcv_errors);
  put(counts, Counter::ReceiveRemotePhysicalErrors, a.rcv_remote_physical_errors);
  put(counts, Counter::ReceiveSwitchRelayErrors, a.rcv_switch_relay_errors);
  put(counts, Counter::TransmitDiscards, a.xmit_discards);
  put(counts, Counter::TransmitConstraintErrors, a.xmit_constraint_errors);
  put(counts, Counter::ReceiveConstraintErrors, a.rcv_constraint_errors);
  put(counts, Counter::LocalLinkIntegrityErrors, a.local_link_integrity_errors);
  put(counts, Counter::ExcessiveBufferOverrunErrors, a.excessive_buffer_overrun_errors);
  put(counts, Counter::VL15Dropped, a.vl15_dropped);
  put(counts, Counter::TransmitWait, a.xmit_wait);
  if (can.qp1_dropped) put(counts, Counter::QP1Dropped, a.qp1_dropped);
  return counts;
}

Counts coding_counts(const mad::PerfData& data, bool rs_fec) {
  const auto by_symbol = mad::decode<mad::PortExtendedSpeedsCountersRSFEC>(data);
  Counts counts;
  // The bits of CounterSelect follow the counters of the attribute.
  put_all(counts, Counter::SyncHeaderError, std::array{by_symbol.sync_header_error_counter}, 0);
  put_all(counts, Counter::UnknownBlock, std::array{by_symbol.unknown_block_counter}, 1);
  const bool counted = (by_symbol.fec_correctable_blocks | by_symbol.fec_uncorrectable_blocks |
                        by_symbol.fec_corrected_symbols) != 0;
  if (rs_fec || counted) {
    put_all(counts, Counter::FECCorrectedBlocks, std::array{by_symbol.fec_correctable_blocks}, 38);
    put_all(counts, Counter::FECUncorrectedBlocks, std::array{by_symbol.fec_uncorrectable_blocks},
            39);
    put_all(counts, Counter::FECCorrectedSymbols, std::array{by_symbol.fec_corrected_symbols}, 40);
    return counts;
  }
  const auto by_block = mad::decode<mad::PortExtendedSpeedsCounters>(data);
  put_all(counts, Counter::ErrorDetection, by_block.error_detection_counter_lanes, 2);
  put_all(counts, Counter::FECCorrectedBlocks, by_block.fec_correctable_block_lanes, 14);
  put_all(counts, Counter::FECUncorrectedBlocks, by_block.fec_uncorrectable_block_lanes, 26);
  return counts;
}

Counts counts_of(const mad::PortCounters& answer, const Capabilities& can) {
  Counts counts;
  for (const Narrow& row : kNarrow) {
    const bool is_wide = row.counter < Counter::SymbolError ? can.wide : can.wide_errors;
    if (is_wide || !tells(can, row.counter)) continue;
    const std::uint64_t value = row.read(answer);
    put(counts, row.counter, value);
    if (value == row.end) counts.saturated |= bit(row.counter);
    if (value <= row.end / 4 * 3) continue;
    counts.filling |= bit(row.counter);
    if (row.select < 16) {
      counts.select |= std::uint64_t{1} << row.select;
    } else {
      counts.select2 = static_cast<std::uint8_t>(counts.select2 | 1u << (row.select - 16));
    }
  }
  return counts;
}

}  // namespace heddle::perf
