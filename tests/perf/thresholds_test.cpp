// SPDX-License-Identifier: BSD-3-Clause
#include "perf/thresholds.hpp"

#include <gtest/gtest.h>

namespace heddle::perf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

PortReading grown(Counter counter, unsigned by, base::Duration in) {
  PortReading reading;
  reading.interval = in;
  reading.deltas[index(counter)] = static_cast<float>(by);
  return reading;
}

TEST(PerfThreshold, IsACountPerTime) {
  const auto parsed = parse_threshold("symbol_error 120/h");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (Threshold{Counter::SymbolError, 120, std::chrono::hours(1)}));
  EXPECT_EQ(text(*parsed), "symbol_error 120/h");
  EXPECT_EQ(parse_threshold("vl15_dropped 100/min")->per, minutes(1));
  EXPECT_EQ(parse_threshold("link_downed 1/d")->per, std::chrono::hours(24));
}

TEST(PerfThreshold, MayBeARateOfBitErrors) {
  const auto parsed = parse_threshold("fec_uncorrected_blocks 1e-14/bit");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->counter, Counter::FECUncorrectedBlocks);
  EXPECT_DOUBLE_EQ(parsed->per_bit, 1e-14);
  EXPECT_EQ(text(*parsed), "fec_uncorrected_blocks 1e-14/bit");
  for (const char* wrong :
       {"symbol_error 2/bit", "symbol_error 0/bit", "symbol_error -1e-9/bit",
        "symbol_error 1e-9x/bit", "symbol_error /bit", "symbol_error nan/bit"}) {
    EXPECT_TRUE(parse_threshold(wrong).has_error()) << wrong;
  }
}

TEST(PerfThreshold, ThatIsNoneIsRefused) {
  for (const char* wrong :
       {"", "symbol_error", "symbol_error 12", "symbol_error 12/", "12/h", "symbol_error 12/year",
        "symbol_error -1/h", "symbol_error 1e-12/h", "symbol_error 1/h 2", "symbol_error x/h"}) {
    const auto parsed = parse_threshold(wrong);
    ASSERT_TRUE(parsed.has_error()) << wrong;
    EXPECT_NE(parsed.error().message.find("is no threshold"), std::string::npos) << wrong;
  }
  EXPECT_EQ(parse_threshold("symbols 1/h").error().message, "there is no counter 'symbols'");
}

TEST(PerfWatchman, SaysNothingOfWhatStaysBelow) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 60/min")});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(watchman.judge(0, grown(Counter::SymbolError, 10, seconds(10))), 0u);
  }
}

// 1e-12 of 100 Gb/s are 360 in an hour.
TEST(PerfWatchman, HoldsBitErrorsAgainstWhatTheLinkCarries) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 1e-12/bit")});
  PortReading reading = grown(Counter::SymbolError, 400, seconds(60));
  EXPECT_EQ(watchman.judge(0, reading), 0u) << "nobody knows what the link carries";
  reading.bits_per_second = 400'000'000'000;
  EXPECT_EQ(watchman.judge(1, reading), 0u);
  reading.bits_per_second = 100'000'000'000;
  EXPECT_EQ(watchman.judge(2, reading), bit(Counter::SymbolError));
}

TEST(PerfWatchman, DoesNotTakeOneErrorInAShortIntervalForMany) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 10/h")});
  // One in ten seconds would be 360 in an hour; but it was one.
  EXPECT_EQ(watchman.judge(0, grown(Counter::SymbolError, 1, seconds(10))), 0u);
}

TEST(PerfWatchman, NamesWhatGrowsTooFastUntilItIsQuiet) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 60/min"), *parse_threshold("link_downed 5/h")});
  std::uint32_t exceeded = 0;
  for (int i = 0; i < 12; ++i) {
    exceeded = watchman.judge(3, grown(Counter::SymbolError, 20, seconds(10)));
  }
  EXPECT_EQ(exceeded, bit(Counter::SymbolError));
  EXPECT_EQ(watchman.judge(4, grown(Counter::SymbolError, 1, seconds(10))), 0u);  // another port
  for (int i = 0; i < 7; ++i) {
    exceeded = watchman.judge(3, grown(Counter::SymbolError, 0, seconds(10)));
  }
  EXPECT_EQ(exceeded, 0u);
}

TEST(PerfWatchman, ForgetsABurstInTwiceTheTime) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 60/min")});
  EXPECT_NE(watchman.judge(0, grown(Counter::SymbolError, 1'000'000, seconds(10))), 0u);
  EXPECT_EQ(watchman.judge(0, grown(Counter::SymbolError, 0, seconds(62))), 0u);
}

TEST(PerfWatchman, NeedsTwoReadings) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 0/s")});
  EXPECT_EQ(watchman.judge(0, grown(Counter::SymbolError, 5, seconds(0))), 0u);
  EXPECT_NE(watchman.judge(0, grown(Counter::SymbolError, 5, seconds(1))), 0u);
}

TEST(PerfWatchman, TakesTheLastWordOnACounter) {
  Watchman watchman;
  watchman.set({*parse_threshold("symbol_error 1/h"), *parse_threshold("symbol_error 1000/s")});
  EXPECT_EQ(watchman.judge(0, grown(Counter::SymbolError, 50, seconds(1))), 0u);
}

}  // namespace
}  // namespace heddle::perf
