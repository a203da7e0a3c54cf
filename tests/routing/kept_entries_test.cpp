// SPDX-License-Identifier: BSD-3-Clause
#include "routing/kept_entries.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

using fabric::ForwardingTables;
using fabric::SwitchIndex;

bool comes_back(const Subnet& subnet, const ForwardingTables& tables, mad::Lid lid,
                SwitchIndex from) {
  for (std::size_t hops = 0; hops <= tables.switch_count(); ++hops) {
    const auto out = tables.out_port(from, lid);
    if (out.value > subnet.topology.node(from).port_count) return false;
    const auto channel = subnet.topology.channel_by_port(from, out);
    if (channel == fabric::kNoChannel) return false;
    from = subnet.topology.channels()[channel.value].to;
  }
  return true;
}

// One switch keeps all it has. What it should have changed has been emptied everywhere else.
struct Stubborn {
  Stubborn(const Subnet& subnet, const ForwardingTables& before, const ForwardingTables& wanted,
           SwitchIndex keeper)
      : now(wanted), in_the_end(wanted) {
    subnet.for_each_lid([&](mad::Lid lid, SwitchIndex, mad::PortNumber) {
      const auto kept = before.out_port(keeper, lid);
      if (kept == wanted.out_port(keeper, lid)) return;
      in_the_end.set(keeper, lid, kept);
      const bool goes_round = comes_back(subnet, in_the_end, lid, keeper);
      if (!goes_round) candidates.push_back(lid);
      for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
        const SwitchIndex at{s};
        now.set(at, lid, at == keeper ? kept : mad::kNoPortNumber);
        if (goes_round) in_the_end.set(at, lid, now.out_port(at, lid));
      }
    });
  }
  // In the end, but for these.
  ForwardingTables without(const std::vector<mad::Lid>& lids) const {
    ForwardingTables tables = in_the_end;
    for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
      for (const mad::Lid lid : lids) {
        tables.set(SwitchIndex{s}, lid, now.out_port(SwitchIndex{s}, lid));
      }
    }
    return tables;
  }

  ForwardingTables now, in_the_end;
  std::vector<mad::Lid> candidates;
};

TEST(KeptEntries, GetOnWithAllButThoseThatAreNamed) {
  base::Prng dice(5);
  std::size_t locking_count = 0, getting_on = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    const Subnet subnet(recipe);
    const auto switches = static_cast<std::uint32_t>(subnet.topology.switch_count());
    if (switches == 0) continue;
    const auto before = subnet.route("dnup").tables;
    const auto wanted = subnet.route("updn").tables;
    const SwitchIndex keeper{static_cast<std::uint32_t>(dice.below(switches))};
    const Stubborn change(subnet, before, wanted, keeper);
    const fabric::Lanes one;
    const auto withheld = change.without(change.candidates);
    const auto locking =
        lids_that_lock(subnet.topology, subnet.lids, {change.now, change.in_the_end, withheld, one},
                       change.candidates);
    const auto rest = change.without(locking);
    EXPECT_TRUE(fabric::verify(subnet.topology, subnet.lids, rest).deadlock_free());
    locking_count += locking.size();
    getting_on += change.candidates.size() - locking.size();
    if (locking.empty()) continue;
    // The first that is named is so for a reason: those before it do not get on with it.
    const auto first =
        std::find(change.candidates.begin(), change.candidates.end(), locking.front());
    const auto loop = change.without({first + 1, change.candidates.end()});
    EXPECT_FALSE(fabric::verify(subnet.topology, subnet.lids, loop).deadlock_free());
  }
  EXPECT_GT(locking_count, 0u);
  EXPECT_GT(getting_on, 0u);
}

// On one lane nothing of these routes would get on with anything.
TEST(KeptEntries, AreJudgedOnTheLanesOfTheRoutes) {
  const Subnet subnet(support::ring(7, 2));
  const Request request{subnet.topology, subnet.lids, subnet.options, base::inline_for, 4};
  const auto routes = *find_engine("dfsssp")->route(request);
  ASSERT_GT(routes.lanes.vls, 1);
  ForwardingTables now = routes.tables;
  const auto lid = subnet.lids.base(subnet.topology.endports().back());
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    now.set(SwitchIndex{s}, lid, mad::kNoPortNumber);
  }
  const auto locking = [&](const fabric::Lanes& lanes) {
    return lids_that_lock(subnet.topology, subnet.lids, {now, routes.tables, now, lanes}, {lid});
  };
  EXPECT_TRUE(locking(routes.lanes).empty());
  EXPECT_EQ(locking({}), std::vector<mad::Lid>{lid});
}

}  // namespace
}  // namespace heddle::routing
