// SPDX-License-Identifier: BSD-3-Clause
// Errors of the 64b/66b links and their error correction (IBA vol. 1, 16.1.4.12). The attribute has
// two forms: PortInfoExtended.FECModeActive says whether RS-FEC runs and the second one counts.
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

inline constexpr std::size_t kMaxLanes = 12;

struct PortExtendedSpeedsCounters {
  std::uint8_t port_select{};
  std::uint64_t counter_select{};
  std::uint16_t sync_header_error_counter{};
  std::uint16_t unknown_block_counter{};
  std::array<std::uint16_t, kMaxLanes> error_detection_counter_lanes{};
  std::array<std::uint32_t, kMaxLanes> fec_correctable_block_lanes{};
  std::array<std::uint32_t, kMaxLanes> fec_uncorrectable_block_lanes{};
  friend bool operator==(const PortExtendedSpeedsCounters&,
                         const PortExtendedSpeedsCounters&) = default;
};

template <>
struct Layout<PortExtendedSpeedsCounters> {
  static constexpr std::string_view name = "PortExtendedSpeedsCounters";
  static constexpr unsigned bits = 1120;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortExtendedSpeedsCounters::port_select, 8, 8>("PortSelect"),
      reserved<16, 48>,
      row<&PortExtendedSpeedsCounters::counter_select, 64, 64>("CounterSelect", Show::Hex),
      row<&PortExtendedSpeedsCounters::sync_header_error_counter, 128, 16>(
          "SyncHeaderErrorCounter"),
      row<&PortExtendedSpeedsCounters::unknown_block_counter, 144, 16>("UnknownBlockCounter"),
      row<&PortExtendedSpeedsCounters::error_detection_counter_lanes, 160, 192>(
          "ErrorDetectionCounterLane"),
      row<&PortExtendedSpeedsCounters::fec_correctable_block_lanes, 352, 384>(
          "FECCorrectableBlockCtrLane"),
      row<&PortExtendedSpeedsCounters::fec_uncorrectable_block_lanes, 736, 384>(
          "FECUncorrectableBlockCtrLane"),
  };
};

struct PortExtendedSpeedsCountersRSFEC {
  std::uint8_t port_select{};
  std::uint64_t counter_select{};
  std::uint16_t sync_header_error_counter{};
  std::uint16_t unknown_block_counter{};
  std::array<std::uint32_t, kMaxLanes> fec_correctable_symbol_lanes{};
  std::uint32_t fec_correctable_blocks{};
  std::uint32_t fec_uncorrectable_blocks{};
  std::uint32_t fec_corrected_symbols{};
  friend bool operator==(const PortExtendedSpeedsCountersRSFEC&,
                         const PortExtendedSpeedsCountersRSFEC&) = default;
};

template <>
struct Layout<PortExtendedSpeedsCountersRSFEC> {
  static constexpr std::string_view name = "PortExtendedSpeedsCountersRSFEC";
  static constexpr unsigned bits = 1216;
  static constexpr auto rows = base::Pack{
      reserved<0, 8>,
      row<&PortExtendedSpeedsCountersRSFEC::port_select, 8, 8>("PortSelect"),
      reserved<16, 48>,
      row<&PortExtendedSpeedsCountersRSFEC::counter_select, 64, 64>("CounterSelect", Show::Hex),
      row<&PortExtendedSpeedsCountersRSFEC::sync_header_error_counter, 128, 16>(
          "SyncHeaderErrorCounter"),
      row<&PortExtendedSpeedsCountersRSFEC::unknown_block_counter, 144, 16>("UnknownBlockCounter"),
      reserved<160, 192>,
      row<&PortExtendedSpeedsCountersRSFEC::fec_correctable_symbol_lanes, 352, 384>(
          "FECCorrectableSymbolCtrLane"),
      reserved<736, 384>,
      row<&PortExtendedSpeedsCountersRSFEC::fec_correctable_blocks, 1120, 32>(
          "PortFECCorrectableBlockCtr"),
      row<&PortExtendedSpeedsCountersRSFEC::fec_uncorrectable_blocks, 1152, 32>(
          "PortFECUncorrectableBlockCtr"),
      row<&PortExtendedSpeedsCountersRSFEC::fec_corrected_symbols, 1184, 32>(
          "PortFECCorrectedSymbolCtr"),
  };
};

}  // namespace heddle::mad
