// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/changed_ports.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fabric/observed.hpp"

namespace heddle::fabric {
namespace {

bool has(const std::vector<PortIndex>& ports, PortIndex port) {
  return std::binary_search(ports.begin(), ports.end(), port);
}

TEST(ChangedPorts, OfAllOthersNothingHasChanged) {
  unsigned looks = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Observation observation;
    for (std::uint32_t n = 0; n < 200; ++n) add_switch(observation, 100 + n, 3);
    for (unsigned i = 0; i < 100; ++i) move_cables(observation, prng);
    KnownRegisters known;
    Frozen frozen = freeze(observation);
    auto registers = known.of(observation, frozen);
    for (unsigned step = 0; step < 20; ++step) {
      if (prng.chance(0.7)) change_a_port(observation, prng);
      if (prng.chance(0.7)) move_cables(observation, prng);
      const Frozen now = freeze(observation, {}, &frozen);
      const auto read = known.of(observation, now);
      const Frozen then = std::exchange(frozen, now);
      const auto read_then = std::exchange(registers, read);
      // A switch that tells nothing of port 0 is in no topology.
      if (!now.topology->shares_nodes_with(*then.topology)) continue;
      ++looks;
      const auto changed = changed_ports(*now.topology, *read, *then.topology, *read_then);
      EXPECT_TRUE(std::is_sorted(changed.begin(), changed.end()));
      EXPECT_LT(changed.size(), now.topology->port_count());
      for (std::uint32_t p = 0; p < now.topology->port_count(); ++p) {
        const PortIndex peer = now.topology->peer({p}), before = then.topology->peer({p});
        const bool is_same = read->ports[p] == read_then->ports[p] && peer == before;
        if (!is_same) {
          EXPECT_TRUE(has(changed, {p})) << p;
        }
        for (const PortIndex other : {peer, before}) {
          if (!is_same && other != kNoPort) {
            EXPECT_TRUE(has(changed, other)) << p;
          }
        }
      }
    }
  }
  EXPECT_GT(looks, 600u);
}

TEST(ChangedPorts, AreNoneWhereNothingWasHeard) {
  Observation observation;
  for (std::uint32_t n = 0; n < 9; ++n) add_switch(observation, 100 + n, 3);
  see(observation, {{0}, {1}}, {{5}, {2}});
  KnownRegisters known;
  const Frozen frozen = freeze(observation);
  const auto registers = known.of(observation, frozen);
  EXPECT_TRUE(changed_ports(*frozen.topology, *registers, *frozen.topology, *registers).empty());
}

}  // namespace
}  // namespace heddle::fabric
