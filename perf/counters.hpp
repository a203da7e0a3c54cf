// SPDX-License-Identifier: BSD-3-Clause
// What a port counts, in the order of PortCountersExtended (IBA vol. 1, 16.1.4.11), then of
// PortExtendedSpeedsCounters (16.1.4.12), and the names that metrics, answers and thresholds have
// for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "mad/perf_attribute.hpp"
#include "mad/port_counters.hpp"

namespace heddle::perf {

enum class Counter : std::uint8_t {
  TransmitData,  // words of four bytes, as the wire has them
  ReceiveData,
  TransmitPackets,
  ReceivePackets,
  UnicastTransmitPackets,
  UnicastReceivePackets,
  MulticastTransmitPackets,
  MulticastReceivePackets,
  SymbolError,
  LinkErrorRecovery,
  LinkDowned,
  ReceiveErrors,
  ReceiveRemotePhysicalErrors,
  ReceiveSwitchRelayErrors,
  TransmitDiscards,
  TransmitConstraintErrors,
  ReceiveConstraintErrors,
  LocalLinkIntegrityErrors,
  ExcessiveBufferOverrunErrors,
  VL15Dropped,
  TransmitWait,
  QP1Dropped,
  SyncHeaderError,
  UnknownBlock,
  ErrorDetection,        // of all lanes
  FECCorrectedBlocks,    // likewise, or of the port
  FECUncorrectedBlocks,  // likewise
  FECCorrectedSymbols,   // of RS-FEC: ten bits each
};
inline constexpr std::size_t kCounterCount = 28;
inline constexpr std::uint64_t kBytesPerWord = 4;

constexpr std::size_t index(Counter counter) {
  return static_cast<std::size_t>(counter);
}
constexpr std::uint32_t bit(Counter counter) {
  return 1u << index(counter);
}
// What error correction mended: on a link that needs it, no error.
constexpr bool is_corrected(Counter counter) {
  return counter == Counter::FECCorrectedBlocks || counter == Counter::FECCorrectedSymbols;
}
// Counts of what went wrong: neither traffic nor waiting.
constexpr bool is_error(Counter counter) {
  return counter >= Counter::SymbolError && counter != Counter::TransmitWait &&
         !is_corrected(counter);
}
constexpr bool is_data(Counter counter) {
  return counter == Counter::TransmitData || counter == Counter::ReceiveData;
}

// "symbol_error"; of data "transmit_data".
std::string_view name_of(Counter counter);
std::optional<Counter> find_counter(std::string_view name);

// What an agent can, by its ClassPortInfo.
struct Capabilities {
  bool wide = false;           // PortCountersExtended
  bool wide_by_kind = false;   // and it tells unicast from multicast
  bool wide_errors = false;    // and has all else too: PortCounters need not be asked for
  bool transmit_wait = false;  // in PortCounters
  bool qp1_dropped = false;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};
Capabilities capabilities(std::uint16_t mask, std::uint32_t mask2);

// Counters as one answer tells them.
struct Counts {
  std::array<std::uint64_t, kCounterCount> values{};
  std::uint32_t known = 0;      // by bit()
  std::uint32_t saturated = 0;  // stand at their end: more may have happened
  std::uint32_t filling = 0;    // narrow ones beyond three quarters
  std::uint64_t select = 0;     // CounterSelect and CounterSelect2 of those that fill
  std::uint8_t select2 = 0;
};
Counts counts_of(const mad::PortCountersExtended& answer, const Capabilities& can);
// Of an agent with wide counters only what those do not have.
Counts counts_of(const mad::PortCounters& answer, const Capabilities& can);
// Of PortExtendedSpeedsCounters, whose form the data themselves tell: RS-FEC that has corrected
// anything counts it where the other form has nothing. `rs_fec`: it is known to be that one.
Counts coding_counts(const mad::PerfData& data, bool rs_fec);

}  // namespace heddle::perf
