// SPDX-License-Identifier: BSD-3-Clause
#include "perf/counters.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "mad/perf_attribute.hpp"
#include "mad/port_extended_speeds_counters.hpp"

namespace heddle::perf {
namespace {

constexpr Capabilities kPlain{};
constexpr Capabilities kWide{true, true, false, true, true};
constexpr Capabilities kAllWide{true, true, true, true, true};

TEST(PerfCounters, HaveNamesOfTheirOwnThatAreFound) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const auto counter = static_cast<Counter>(i);
    EXPECT_TRUE(names.insert(name_of(counter)).second);
    EXPECT_EQ(find_counter(name_of(counter)), counter);
  }
  EXPECT_FALSE(find_counter("symbol_errors"));
}

TEST(PerfCounters, AreThoseThatTheAgentSaysItHas) {
  EXPECT_EQ(capabilities(0, 0), kPlain);
  const std::uint16_t wide = mad::kPerfExtendedWidth | mad::kPerfXmitWait | mad::kPerfQP1Dropped;
  EXPECT_EQ(capabilities(wide, 0), kWide);
  EXPECT_EQ(capabilities(wide, mad::kPerfAdditionalExtended), kAllWide);
  // Without the kinds of packets, which came later.
  const auto old = capabilities(mad::kPerfExtendedWidthNoIETF, 0);
  EXPECT_TRUE(old.wide);
  EXPECT_FALSE(old.wide_by_kind);
  // The additional ones live in an attribute that must be there.
  EXPECT_FALSE(capabilities(0, mad::kPerfAdditionalExtended).wide_errors);
}

TEST(PerfCounters, OfANarrowAgentSayWhatTheyHold) {
  mad::PortCounters answer;
  answer.symbol_error_counter = 7;
  answer.xmit_data = 1000;
  answer.xmit_wait = 5;
  const Counts counts = counts_of(answer, kPlain);
  EXPECT_EQ(counts.values[index(Counter::SymbolError)], 7u);
  EXPECT_EQ(counts.values[index(Counter::TransmitData)], 1000u);
  EXPECT_EQ(counts.known & bit(Counter::TransmitWait), 0u);  // it did not say that it counts this
  EXPECT_EQ(counts.known & bit(Counter::QP1Dropped), 0u);
  EXPECT_EQ(counts.known & bit(Counter::MulticastReceivePackets), 0u);
  EXPECT_EQ(counts.filling, 0u);
}

TEST(PerfCounters, OfAWideAgentLeaveTheDataToTheWideOnes) {
  mad::PortCounters answer;
  answer.xmit_data = 0xFFFF'FFFF;
  answer.xmit_wait = 5;
  const Counts counts = counts_of(answer, kWide);
  EXPECT_EQ(counts.known & bit(Counter::TransmitData), 0u);
  EXPECT_EQ(counts.values[index(Counter::TransmitWait)], 5u);
  EXPECT_EQ(counts.saturated, 0u);
  // Of one that has them all wide, nothing is left.
  EXPECT_EQ(counts_of(answer, kAllWide).known, 0u);
}

TEST(PerfCounters, ThatAreNearlyFullAreSelectedByTheirBits) {
  mad::PortCounters answer;
  answer.link_downed_counter = 255;            // bit 2
  answer.local_link_integrity_errors = 13;     // bit 9
  answer.excessive_buffer_overrun_errors = 9;  // three quarters are 9
  answer.xmit_wait = 0xF000'0000;              // bit 0 of the second word
  const Counts counts = counts_of(answer, kWide);
  EXPECT_EQ(counts.saturated, bit(Counter::LinkDowned));
  EXPECT_EQ(counts.filling, bit(Counter::LinkDowned) | bit(Counter::LocalLinkIntegrityErrors) |
                                bit(Counter::TransmitWait));
  EXPECT_EQ(counts.select, 1u << 2 | 1u << 9);
  EXPECT_EQ(counts.select2, 1u);
}

template <class T>
Counts coding(const T& answer, bool rs_fec) {
  mad::PerfData data{};
  mad::encode(answer, std::span(data));
  return coding_counts(data, rs_fec);
}

TEST(PerfCounters, OfErrorCorrectionAreSummedOverLanes) {
  mad::PortExtendedSpeedsCounters answer;
  answer.sync_header_error_counter = 3;
  answer.unknown_block_counter = 0xFFFF;
  answer.error_detection_counter_lanes = {1, 2, 3, 4};
  answer.fec_correctable_block_lanes = {100, 200, 0, 0xC000'0000};
  answer.fec_uncorrectable_block_lanes = {0, 5};
  const Counts counts = coding(answer, false);
  EXPECT_EQ(counts.values[index(Counter::SyncHeaderError)], 3u);
  EXPECT_EQ(counts.values[index(Counter::ErrorDetection)], 10u);
  EXPECT_EQ(counts.values[index(Counter::FECCorrectedBlocks)], 0xC000'012Cu);
  EXPECT_EQ(counts.values[index(Counter::FECUncorrectedBlocks)], 5u);
  EXPECT_EQ(counts.known & bit(Counter::FECCorrectedSymbols), 0u);
  EXPECT_EQ(counts.saturated, bit(Counter::UnknownBlock));
  // CounterSelect: the counter itself, or all its twelve lanes.
  EXPECT_EQ(counts.filling, bit(Counter::UnknownBlock) | bit(Counter::FECCorrectedBlocks));
  EXPECT_EQ(counts.select, 1ull << 1 | 0xFFFull << 14);
}

TEST(PerfCounters, OfRsFecAreKnownByThemselves) {
  mad::PortExtendedSpeedsCountersRSFEC answer;
  answer.fec_correctable_symbol_lanes = {7, 8};
  answer.fec_correctable_blocks = 12;
  answer.fec_corrected_symbols = 15;
  for (const bool known : {false, true}) {
    const Counts counts = coding(answer, known);
    EXPECT_EQ(counts.values[index(Counter::FECCorrectedBlocks)], 12u);
    EXPECT_EQ(counts.values[index(Counter::FECCorrectedSymbols)], 15u);
    EXPECT_EQ(counts.known & bit(Counter::ErrorDetection), 0u);
  }
  const mad::PortExtendedSpeedsCountersRSFEC none;
  EXPECT_NE(coding(none, true).known & bit(Counter::FECCorrectedSymbols), 0u);
  EXPECT_EQ(coding(none, false).known & bit(Counter::FECCorrectedSymbols), 0u);
}

}  // namespace
}  // namespace heddle::perf
