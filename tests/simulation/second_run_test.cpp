// SPDX-License-Identifier: BSD-3-Clause
// What stands already right is left alone: by the same process, by the next one, and by one on
// another machine that remembers nothing.
#include <gtest/gtest.h>

#include "mad/capability.hpp"
#include "sim/checker.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

class SecondRun : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(box_.run_until_quiet());
    ASSERT_EQ(trouble(box_), "");
    lids_ = lids();
  }
  std::vector<std::uint16_t> lids() {
    std::vector<std::uint16_t> all;
    for (const auto& port : box_.world().devices().ports) all.push_back(port.info.lid.value);
    return all;
  }
  // Ports whose programs can be asked to register anew.
  std::size_t clients() {
    const auto& topology = box_.snapshot().topology;
    std::size_t count = 0;
    for (const auto port : topology.endports()) {
      const auto& info = box_.snapshot().registers->ports[port.value];
      count += (info.capability_mask & mad::kIsClientReregistrationSupported) != 0 ? 1u : 0u;
    }
    return count;
  }
  void expect_nothing_touched(const sim::Quiescence& quiescence) {
    EXPECT_EQ(quiescence.sets_since(box_.world()), 0u);
    EXPECT_EQ(lids(), lids_);
    EXPECT_EQ(trouble(box_), "");
    EXPECT_EQ(box_.count<sm::SubnetUp>(), 1u);
    EXPECT_EQ(box_.last<sm::SweepFinished>()->statistics.sets_sent, 0u);
    EXPECT_GT(box_.last<sm::SweepFinished>()->statistics.gets_sent, 0u);
  }

  Box box_{GetParam()};
  std::vector<std::uint16_t> lids_;
};

TEST_P(SecondRun, OfTheSameProcess) {
  const sim::Quiescence quiescence(box_.world());
  box_.forget_events();
  box_.input(sm::ResweepCommand{"asked to"});
  ASSERT_TRUE(box_.run_until_quiet());
  EXPECT_EQ(box_.core().sweeps_finished(), 2u);
  expect_nothing_touched(quiescence);
}

TEST_P(SecondRun, OfANewProcessWithItsMemory) {
  const sim::Quiescence quiescence(box_.world());
  box_.restart(box_.stored(), box_.core().registrations());
  ASSERT_TRUE(box_.run_until_quiet());
  expect_nothing_touched(quiescence);
}

TEST_P(SecondRun, OfANewProcessWithoutMemory) {
  const sim::Quiescence quiescence(box_.world());
  box_.restart({});
  ASSERT_TRUE(box_.run_until_quiet());
  // Nobody knows any more who had registered for what, so everybody is asked, and that is all.
  EXPECT_EQ(quiescence.sets_since(box_.world()), clients());
  EXPECT_EQ(box_.last<sm::SweepFinished>()->statistics.sets_sent, 0u) << "that is done afterwards";
  EXPECT_EQ(lids(), lids_);
  EXPECT_EQ(trouble(box_), "");
}

INSTANTIATE_TEST_SUITE_P(Fabrics, SecondRun,
                         testing::Values("pair", "star:5", "fat-tree:3,6", "ring:6,hosts=2",
                                         "random:switches=15,degree=5,hosts=3,seed=4"));

}  // namespace
}  // namespace heddle::test
