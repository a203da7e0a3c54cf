// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/port_set.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"

namespace heddle::fabric {
namespace {

PortSet set_of(const std::set<std::uint8_t>& ports) {
  PortSet set;
  for (const std::uint8_t port : ports) set.add(port);
  return set;
}

TEST(PortSet, HoldsNothingUntilSomethingIsAdded) {
  PortSet set;
  const std::vector<std::uint8_t> entries(100, 0);
  EXPECT_FALSE(set.holds_all(entries.data(), entries.size()));
  EXPECT_TRUE(set.holds_all(entries.data(), 0));
  set.add(0);
  EXPECT_TRUE(set.holds_all(entries.data(), entries.size()));
  set.clear();
  EXPECT_FALSE(set.holds_all(entries.data(), entries.size()));
}

// One range of ports or dozens of them; the one entry that is of no port of the set stands
// anywhere.
TEST(PortSet, FindsTheOneEntryThatIsNotOfIt) {
  base::Prng prng(1);
  for (int round = 0; round < 2000; ++round) {
    std::set<std::uint8_t> ports;
    for (std::uint64_t ranges = 1 + prng.below(12); ranges > 0; --ranges) {
      const std::uint64_t first = prng.below(250);
      for (std::uint64_t i = 0, count = 1 + prng.below(6); i < count; ++i) {
        ports.insert(static_cast<std::uint8_t>(first + i));
      }
    }
    const PortSet set = set_of(ports);
    std::vector<std::uint8_t> entries(1 + prng.below(200));
    const std::vector<std::uint8_t> held(ports.begin(), ports.end());
    for (auto& entry : entries) entry = held[prng.below(held.size())];
    EXPECT_TRUE(set.holds_all(entries.data(), entries.size()));
    std::uint8_t& harmed = entries[prng.below(entries.size())];
    harmed = static_cast<std::uint8_t>(prng.below(256));
    const bool holds = ports.count(harmed) != 0;
    EXPECT_EQ(set.has(harmed), holds);
    EXPECT_EQ(set.holds_all(entries.data(), entries.size()), holds);
  }
}

}  // namespace
}  // namespace heddle::fabric
