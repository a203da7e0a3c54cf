// SPDX-License-Identifier: BSD-3-Clause
#include "app/summary.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/text.hpp"
#include "tests/app/small_fabric.hpp"

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr mad::SMState kMaster = mad::SMState::Master;

base::Instant at(base::Duration since_start) {
  return base::Instant{since_start};
}

PhaseTimes times() {
  PhaseTimes out;
  out.on_event({sm::SweepStarted{1, true, "start"}}, at(0ms));
  out.on_event({sm::PhaseStarted{sm::Phase::Discovery, 0}}, at(0ms));
  out.on_event({sm::PhaseStarted{sm::Phase::Lids, 4}}, at(120ms));
  out.on_event({sm::PhaseStarted{sm::Phase::Routing, 0}}, at(130ms));
  out.on_event({sm::PhaseStarted{sm::Phase::Tables, 4}}, at(131ms));
  out.on_event({sm::PhaseStarted{sm::Phase::Links, 4}}, at(151ms));
  out.on_event({sm::SweepFinished{}}, at(1251ms));
  return out;
}

std::string summary_of(const sm::Snapshot& snapshot) {
  return summary_text({"two-leaves", snapshot, times(), kMaster, "wall time", {}});
}

TEST(Summary, TellsAFabricOnOneScreen) {
  EXPECT_EQ(summary_of(small_fabric()),
            "The fabric is up.\n"
            "  Fabric    two-leaves\n"
            "  Nodes     2 switches, 4 channel adapters\n"
            "  Links     6 (1 at 1x SDR, 5 at 4x HDR)\n"
            "  Ports     12 ACTIVE\n"
            "  LIDs      6 in use, LMC 0, highest 6\n"
            "  Routing   minhop\n"
            "  Routes    12 proven to arrive: at most 1 hop, 0.50 in the mean; no credit loop\n"
            "  SMPs      1,234 sent: 1,200 Get, 34 Set; 2 of them repeated, 0 unanswered\n"
            "  Time      1.25 s (wall time)\n"
            "            discovery 120 ms, LIDs 10.0 ms, routing 1.00 ms, tables 20.0 ms, links "
            "1.10 s\n"
            "  Problems  none\n");
}

TEST(Summary, ProblemsComeLastAndChangeTheVerdict) {
  auto snapshot = small_fabric();
  snapshot.problems = {"leaf-1/3 stays in INIT"};
  snapshot.inactive_ports = 1;
  EXPECT_FALSE(wholly_up(snapshot, kMaster));
  const std::string text = summary_of(snapshot);
  EXPECT_THAT(text, HasSubstr("The fabric is not wholly up.\n"));
  EXPECT_THAT(text, HasSubstr("12 ACTIVE, 1 have a link and are not\n"));
  EXPECT_THAT(text, HasSubstr("  Problems  1:\n            leaf-1/3 stays in INIT\n"));
}

TEST(Summary, AThousandProblemsDoNotFloodTheScreen) {
  auto snapshot = small_fabric();
  for (int i = 0; i < 1000; ++i) snapshot.problems.push_back("problem");
  EXPECT_THAT(summary_of(snapshot), HasSubstr("and 980 more\n"));
}

TEST(Summary, WhyOtherEnginesWereNotTakenIsTold) {
  auto snapshot = small_fabric();
  auto routes = *snapshot.routes;
  routes.rejected.push_back({"fancy", "the fabric is no tree"});
  routes.proof.credit_cycle = {fabric::LaneChannel{fabric::ChannelIndex{0}, 0}};
  snapshot.routes = std::make_shared<const routing::Selected>(routes);
  const std::string text = summary_of(snapshot);
  EXPECT_THAT(text, HasSubstr("not fancy: the fabric is no tree\n"));
  EXPECT_THAT(text, HasSubstr("A CREDIT LOOP IS POSSIBLE"));
}

TEST(Summary, AFabricThatCouldNotBeRoutedIsNotUp) {
  auto snapshot = small_fabric();
  snapshot.routes.reset();
  EXPECT_FALSE(wholly_up(snapshot, kMaster));
  EXPECT_THAT(summary_of(snapshot), HasSubstr("none: the fabric could not be routed"));
}

TEST(Summary, TwoHostsAndACableNeedNoRoutes) {
  EXPECT_TRUE(wholly_up(sm::Snapshot{}, kMaster));
  EXPECT_THAT(summary_of(sm::Snapshot{}), HasSubstr("none needed: no switch"));
}

// Discovery is over, but no LID was given out: the map of the snapshot is empty.
sm::Snapshot without_lids() {
  auto snapshot = small_fabric();
  snapshot.lids = fabric::LidMap{};
  snapshot.routes.reset();
  return snapshot;
}

TEST(Summary, AStandbySaysWhoseFabricItIsAndIsNoSuccess) {
  const auto snapshot = without_lids();
  EXPECT_FALSE(wholly_up(snapshot, mad::SMState::Standby));
  const std::string text =
      summary_text({"f", snapshot, times(), mad::SMState::Standby, "wall time", {}});
  EXPECT_THAT(text, HasSubstr("Another subnet manager is master"));
  EXPECT_THAT(text, HasSubstr("LIDs      none given out\n"));
  EXPECT_THAT(text, HasSubstr("Routing   left to the master\n"));
}

TEST(Summary, RemarksOfTheImporterAreShownOnlyIfThereAreSome) {
  const auto snapshot = small_fabric();
  EXPECT_THAT(summary_of(snapshot), Not(HasSubstr("Remarks")));
  EXPECT_THAT(summary_text({"f", snapshot, times(), kMaster, "wall time", {"line 3: no speed"}}),
              HasSubstr("  Remarks   1:\n            line 3: no speed\n"));
}

TEST(PhaseTimes, ASecondSweepStartsFromZero) {
  PhaseTimes sweep = times();
  sweep.on_event({sm::SweepStarted{2, true, "change"}}, at(5s));
  sweep.on_event({sm::PhaseStarted{sm::Phase::Links, 0}}, at(6s));
  sweep.on_event({sm::SweepFinished{}}, at(7s));
  EXPECT_EQ(sweep.of(sm::Phase::Discovery), 0s);
  EXPECT_EQ(sweep.of(sm::Phase::Links), 1s);
  EXPECT_EQ(sweep.total(), 2s);
}

TEST(Text, NumbersAndTimesAreReadable) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "node", "nodes"), "1 node");
  EXPECT_EQ(counted(0, "node", "nodes"), "0 nodes");
  EXPECT_EQ(short_duration(412us), "412 us");
  EXPECT_EQ(short_duration(3456us), "3.46 ms");
  EXPECT_EQ(short_duration(12345ms), "12.3 s");
  EXPECT_EQ(short_duration(999600us), "1.00 s");
}

}  // namespace
}  // namespace heddle::app
