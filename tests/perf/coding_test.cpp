// SPDX-License-Identifier: BSD-3-Clause
// What ports count about error correction, read in the sweeps from simulated agents.
#include <gtest/gtest.h>

#include "mad/port_extended_speeds_counters.hpp"
#include "tests/perf/stage.hpp"

namespace heddle::perf {
namespace {

using std::chrono::seconds;
using test::PerfStage;
using Id = mad::PerfAttributeId;

constexpr double kSecond = 10 * 100e9;  // bits of an interval, at the stage's rate

struct Stage : PerfStage {
  Stage(std::string_view fabric, Coding of_links, Options options = {})
      : PerfStage(fabric, slower(std::move(options))) {
    coding = of_links;
    give(picture());
    run_sweeps(1);
  }
  static Options slower(Options options) {
    options.interval = seconds(10);
    return options;
  }
  std::size_t asked(mad::Method method = mad::Method::Get) const {
    std::size_t count = 0;
    for (const auto& each : sent) {
      const bool is_it = each.mad.header.attribute_id ==
                         static_cast<std::uint16_t>(Id::PortExtendedSpeedsCounters);
      count += is_it && each.mad.header.method == method;
    }
    return count;
  }
};

TEST(PerfCoding, OfRsFecGivesRatesOfBitErrors) {
  Stage stage("star:4", Coding::RSFEC);
  EXPECT_EQ(stage.asked(), 8u) << "once for each end of four cables";
  EXPECT_EQ(stage.port("switch-1", 1).raw_ber(), 0) << "that takes two readings";
  stage.inject("switch-1", 1, "PortFECCorrectedSymbolCtr", 5000);
  stage.inject("switch-1", 1, "PortFECCorrectableBlockCtr", 4000);
  stage.inject("switch-1", 1, "PortFECUncorrectableBlockCtr", 7);
  stage.inject("switch-1", 1, "SymbolErrorCounter", 3);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_EQ(port.total(Counter::FECCorrectedSymbols), 5000u);
  EXPECT_EQ(port.total(Counter::FECCorrectedBlocks), 4000u);
  EXPECT_EQ(port.total(Counter::FECUncorrectedBlocks), 7u);
  EXPECT_NEAR(port.raw_ber() * kSecond, 5010, 1);
  EXPECT_NEAR(port.effective_ber() * kSecond, 10, 0.1);
  EXPECT_EQ(stage.port("switch-1", 2).raw_ber(), 0);
  EXPECT_FALSE(is_error(Counter::FECCorrectedSymbols));
  EXPECT_TRUE(is_error(Counter::FECUncorrectedBlocks));
}

TEST(PerfCoding, OfBlocksIsReadByLane) {
  Stage stage("star:4,speed=EDR", Coding::Blocks);
  stage.inject("switch-1", 1, "FECCorrectableBlockCtrLane[0]", 30);
  stage.inject("switch-1", 1, "FECCorrectableBlockCtrLane[3]", 12);
  stage.inject("switch-1", 1, "ErrorDetectionCounterLane[1]", 4);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_EQ(port.total(Counter::FECCorrectedBlocks), 42u);
  EXPECT_EQ(port.total(Counter::ErrorDetection), 4u);
  EXPECT_FALSE(port.knows(Counter::FECCorrectedSymbols));
  EXPECT_NEAR(port.raw_ber() * kSecond, 42, 0.5);
}

TEST(PerfCoding, IsAskedOfLinksThatHaveItAndIfWanted) {
  EXPECT_EQ(Stage("star:4", Coding::Bytes).asked(), 0u);
  Options options;
  options.coding = false;
  EXPECT_EQ(Stage("star:4", Coding::RSFEC, options).asked(), 0u);
}

// Nothing but the speed says that an agent knows the attribute.
TEST(PerfCoding, IsNotAskedAgainOfWhoDoesNotKnowIt) {
  Stage stage("star:4", Coding::RSFEC);
  stage.on_answer = [](PerfMad& mad) {
    if (mad.header.attribute_id == static_cast<std::uint16_t>(Id::PortExtendedSpeedsCounters)) {
      mad.header.status = mad::kStatusBadMethodAttribute;
    }
    return true;
  };
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().sweep.refusing, 0u) << "everything that it must know it told";
  stage.sent.clear();
  stage.run_sweeps(2);
  EXPECT_EQ(stage.asked(), 0u);
  EXPECT_GT(stage.port("switch-1", 1).interval, base::Duration{0});
}

TEST(PerfCoding, IsNotAskedAgainOfWhoSaysNothingToIt) {
  Stage stage("star:4", Coding::Bytes);
  const auto is_coding = [](const PerfMad& mad) {
    return mad.header.attribute_id == static_cast<std::uint16_t>(Id::PortExtendedSpeedsCounters);
  };
  stage.on_answer = [&](PerfMad& mad) { return !is_coding(mad); };
  stage.coding = Coding::RSFEC;
  stage.give(stage.picture());
  for (int sweep = 0; sweep < 3; ++sweep) {  // it may have been lost
    stage.sent.clear();
    stage.run_sweeps(1);
    EXPECT_GT(stage.asked(), 0u);
    EXPECT_EQ(stage.readings().sweep.silent, 0u) << "they answer all else";
  }
  stage.inject("switch-1", 4, "SymbolErrorCounter", 3);
  stage.sent.clear();
  stage.run_sweeps(1);
  EXPECT_EQ(stage.asked(), 0u);
  EXPECT_EQ(stage.port("switch-1", 4).total(Counter::SymbolError), 3u) << "the last one's too";
  stage.run_sweeps(59);
  EXPECT_GT(stage.asked(), 0u) << "once in a while";
}

// On a fabric that loses packets nobody loses these counters by that.
TEST(PerfCoding, IsAskedAgainOfWhoseAnswerWasLost) {
  Stage stage("star:4", Coding::Bytes);
  bool loses = true;
  stage.on_answer = [&](PerfMad& mad) {
    return !loses ||
           mad.header.attribute_id != static_cast<std::uint16_t>(Id::PortExtendedSpeedsCounters);
  };
  stage.coding = Coding::RSFEC;
  stage.give(stage.picture());
  stage.run_sweeps(2);
  loses = false;
  stage.sent.clear();
  stage.run_sweeps(1);
  EXPECT_EQ(stage.asked(), 8u);
  loses = true;
  stage.run_sweeps(2);
  loses = false;
  stage.sent.clear();
  stage.run_sweeps(1);
  EXPECT_EQ(stage.asked(), 8u) << "silences long ago count no more";
}

// Who has answered it once has lost what is not answered now: one timeout, as for all else.
TEST(PerfCoding, IsAskedAgainOfWhoKnewIt) {
  Stage stage("star:4", Coding::RSFEC);
  bool mute = true;
  stage.on_answer = [&](PerfMad& mad) {
    return !mute ||
           mad.header.attribute_id != static_cast<std::uint16_t>(Id::PortExtendedSpeedsCounters);
  };
  stage.run_sweeps(1);
  EXPECT_GT(stage.readings().sweep.silent, 0u);
  mute = false;
  stage.sent.clear();
  stage.run_sweeps(1);
  EXPECT_EQ(stage.asked(), 8u);
}

TEST(PerfCoding, HasThresholdsInErrorsForEachBit) {
  Options options;
  options.thresholds = {*parse_threshold("fec_uncorrected_blocks 1e-14/bit")};  // 3.6 an hour
  Stage stage("star:4", Coding::RSFEC, options);
  stage.inject("switch-1", 1, "PortFECUncorrectableBlockCtr", 3);
  stage.inject("switch-1", 2, "PortFECUncorrectableBlockCtr", 5);
  stage.run_sweeps(1);
  EXPECT_EQ(stage.port("switch-1", 1).exceeded, 0u);
  EXPECT_EQ(stage.port("switch-1", 2).exceeded, bit(Counter::FECUncorrectedBlocks));
}

TEST(PerfCoding, IsClearedWhenNearlyFullIfItMay) {
  Options options;
  options.clear_full = true;
  Stage stage("star:4", Coding::RSFEC, options);
  stage.inject("switch-1", 1, "PortFECCorrectedSymbolCtr", 0xF000'0000);
  stage.inject("switch-1", 1, "PortFECCorrectableBlockCtr", 100);
  stage.run_sweeps(1);
  EXPECT_EQ(stage.asked(mad::Method::Set), 1u);
  stage.inject("switch-1", 1, "PortFECCorrectedSymbolCtr", 0x2000'0000);
  stage.inject("switch-1", 1, "PortFECCorrectableBlockCtr", 1);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_EQ(port.total(Counter::FECCorrectedSymbols), 0x1'1000'0000u);
  EXPECT_EQ(port.total(Counter::FECCorrectedBlocks), 101u) << "it was left as it was";
  EXPECT_EQ(port.resets, 0u);
}

}  // namespace
}  // namespace heddle::perf
