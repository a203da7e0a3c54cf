// SPDX-License-Identifier: BSD-3-Clause
// What nobody asked for, at any moment of a sweep: noise of every length, answers that come again
// with bytes changed, requests that make no sense.
#include <chrono>
#include <cstddef>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

class StrayMads : public testing::TestWithParam<int> {
 protected:
  static BoxOptions slow(std::vector<mad::Datagram>& seen) {
    BoxOptions options;
    options.world.hop_delay = microseconds(10);
    options.world.agent_delay = microseconds(30);
    options.on_way_in = [&seen](mad::Datagram& datagram) { seen.push_back(datagram); };
    return options;
  }

  mad::Datagram noise() {
    mad::Datagram datagram;
    datagram.payload.resize(static_cast<std::size_t>(prng_.below(600)));
    for (auto& byte : datagram.payload) byte = static_cast<std::byte>(prng_.below(256));
    return datagram;
  }
  // A header that is believed, and nonsense behind it.
  mad::Datagram plausible() {
    mad::Smp smp;
    smp.method =
        prng_.chance(0.5) ? mad::Method::GetResp : static_cast<mad::Method>(prng_.below(256));
    smp.management_class = prng_.chance(0.5) ? mad::ManagementClass::SubnDirectedRoute
                                             : mad::ManagementClass::SubnLidRouted;
    smp.attribute_id = static_cast<mad::AttributeId>(0x10 + prng_.below(0x12));
    smp.attribute_modifier = static_cast<std::uint32_t>(prng_());
    smp.transaction_id = mad::TransactionId{prng_.below(1u << 20)};
    smp.hop_count = static_cast<std::uint8_t>(prng_.below(256));
    smp.hop_pointer = static_cast<std::uint8_t>(prng_.below(256));
    for (auto& byte : smp.data) byte = static_cast<std::byte>(prng_.below(256));
    return mad::make_datagram({}, smp);
  }
  // An answer of long ago or of just now, damaged, cut short or drawn out.
  mad::Datagram echo() {
    if (seen_.empty()) return noise();
    mad::Datagram datagram = seen_[static_cast<std::size_t>(prng_.below(seen_.size()))];
    // The transport has taken its half of the id by the time the machine sees it.
    for (std::size_t byte = 8; byte < 12; ++byte) datagram.payload[byte] = std::byte{0};
    for (std::uint64_t changes = prng_.below(4); changes > 0; --changes) {
      const auto at = static_cast<std::size_t>(prng_.below(datagram.payload.size()));
      datagram.payload[at] = static_cast<std::byte>(prng_.below(256));
    }
    if (prng_.chance(0.1)) datagram.payload.resize(static_cast<std::size_t>(prng_.below(512)));
    return datagram;
  }
  mad::Datagram stray() {
    switch (prng_.below(3)) {
      case 0:
        return noise();
      case 1:
        return plausible();
      default:
        return echo();
    }
  }

  std::vector<mad::Datagram> seen_;
  base::Prng prng_{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(StrayMads, NeitherStopNorCrashTheMachine) {
  Box box("fat-tree:3,6", slow(seen_));
  for (int i = 0; i < 1500; ++i) {
    box.run_for(microseconds(prng_.below(200)));
    box.input(sm::MadReceived{stray()});
    if (prng_.chance(0.05)) box.input(sm::SendFailed{stray()});
    if (prng_.chance(0.01)) box.input(sm::ResweepCommand{"in the middle of it all"});
  }
  ASSERT_TRUE(box.run_until_quiet());
  // Whatever the machine was made to believe, one look at the fabric puts it right.
  box.input(sm::ResweepCommand{"after the noise"});
  ASSERT_TRUE(box.run_until_quiet());
  box.run_for(seconds(30));
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.core().state(), mad::SMState::Master);
}

INSTANTIATE_TEST_SUITE_P(Seeds, StrayMads, testing::Range(1, 11));

}  // namespace
}  // namespace heddle::test
