// SPDX-License-Identifier: BSD-3-Clause
// Chaos, then calm, then judgement: a seed draws the fabric and the faults. HEDDLE_SEEDS=n tries n
// seeds instead of the few of every run; the failing seed is in the test's message.
#include <array>
#include <chrono>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "sim/checker.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr std::uint64_t kSeeds = 25;
constexpr std::array kFabrics{"star:6",
                              "fat-tree:2,4",
                              "fat-tree:2,2,4",
                              "ring:5,hosts=2",
                              "torus:3x3,hosts=1",
                              "hyperx:3x3,hosts=1",
                              "xgft:3,3;1,3",
                              "random:switches=10,degree=3,hosts=2,seed=9"};

std::uint64_t seeds_to_try() {
  const char* asked = std::getenv("HEDDLE_SEEDS");
  return asked != nullptr ? base::parse_number(asked).value_or(kSeeds) : kSeeds;
}

class Chaos {
 public:
  explicit Chaos(std::uint64_t seed)
      : prng_(seed),
        plan_(*sim::generate_fabric(kFabrics[prng_.below(kFabrics.size())])),
        cables_(static_cast<std::uint32_t>(plan_.cables.size())),
        nodes_(static_cast<std::uint32_t>(plan_.nodes.size())),
        box_(plan_, options(seed)) {}

  void run() {
    for (int fault = 0; fault < 12; ++fault) {
      strike();
      box_.run_for(std::chrono::milliseconds(prng_.below(8000)));
    }
    heal();
    box_.run_for(120s);
    EXPECT_THAT(sim::judge(box_.world(), box_.endpoint()), IsEmpty());
    const sim::Quiescence quiescence(box_.world());
    box_.run_for(60s);
    EXPECT_EQ(quiescence.sets_since(box_.world()), 0u) << "after calm, no further Set";
  }

 private:
  BoxOptions options(std::uint64_t seed) {
    BoxOptions chosen;
    chosen.world.seed = seed;
    chosen.world.hop_delay = std::chrono::nanoseconds(prng_.below(20'000));
    chosen.sm.lmc = static_cast<std::uint8_t>(prng_.below(3));
    return chosen;
  }

  std::uint32_t any_cable() { return static_cast<std::uint32_t>(prng_.below(cables_)); }
  // Not the SM's own host: it would take the SM with it.
  std::uint32_t any_node() {
    for (;;) {
      const auto node = static_cast<std::uint32_t>(prng_.below(nodes_));
      if (box_.world().find_endpoint(plan_.nodes[node].name) != box_.endpoint()) return node;
    }
  }

  void strike() {
    sim::World& world = box_.world();
    switch (prng_.below(8)) {
      case 0:
        return world.cut(any_cable());
      case 1:
        return world.restore(any_cable());
      case 2:
        return world.power_off(any_node());
      case 3:
        return world.power_on(any_node());
      case 4:
        return world.silence(any_node(), prng_.chance(0.5));
      case 5:
        return world.make_busy(any_node(), prng_.chance(0.5));
      case 6:
        return world.set_loss(any_cable(), prng_.chance(0.5) ? 0.3 : 0);
      default:
        return box_.input(sm::ResweepCommand{"chaos"});
    }
  }

  void heal() {
    sim::World& world = box_.world();
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      world.power_on(node);
      world.silence(node, false);
      world.make_busy(node, false);
    }
    for (std::uint32_t cable = 0; cable < cables_; ++cable) {
      world.restore(cable);
      world.set_loss(cable, 0);
    }
  }

  base::Prng prng_;
  sim::Blueprint plan_;
  std::uint32_t cables_;
  std::uint32_t nodes_;
  Box box_;
};

TEST(ChaosThenCalm, EndsInAFabricThatIsRightAndAtRest) {
  const std::uint64_t seeds = seeds_to_try();
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chaos(seed).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace heddle::test
