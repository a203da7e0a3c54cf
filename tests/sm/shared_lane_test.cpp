// SPDX-License-Identifier: BSD-3-Clause
// Multicast trees beside unicast routes: all their turns together, held against the judge of credit
// loops, who knows neither the trees' rule nor the order that it keeps.
#include "routing/shared_lane.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/verification.hpp"
#include "multicast/trees.hpp"
#include "routing/selection.hpp"
#include "tests/multicast/stage.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;
using fabric::SwitchIndex;
using multicast::Role;
using multicast::RoleChange;

class Rule final : public multicast::TurnRule {
 public:
  explicit Rule(SharedLane& lane) : lane_(lane) {}
  bool has(ChannelIndex held, ChannelIndex next) const override { return lane_.has(held, next); }
  bool take(ChannelIndex held, ChannelIndex next) override { return lane_.take(held, next); }
  std::size_t on_trial() const override { return lane_.on_trial(); }
  void undo(std::size_t upto) override { lane_.undo(upto); }
  void keep() override { lane_.keep(); }

 private:
  SharedLane& lane_;
};

using multicast::testing::stage_ports;
using multicast::testing::staged;

struct Case {
  const char* name;
  support::Recipe recipe;
  const char* engine;
};

std::vector<Case> cases() {
  return {{"fat tree by ftree", support::xgft({4, 4, 3}, {1, 2, 2}), "ftree"},
          {"fat tree by updn", support::xgft({4, 4, 3}, {1, 2, 2}), "updn"},
          {"torus by updn", support::torus({3, 3, 3}, 1), "updn"},
          {"torus by weave", support::torus({4, 4}, 1), "weave"},
          {"ring by updn", support::ring(7, 2), "updn"},
          {"random by weave", support::random_regular(20, 4, 2, 8), "weave"},
          {"random by updn", support::random_regular(24, 3, 2, 5), "updn"}};
}

// Routes, and trees that came to be by joins and leaves.
struct Fabric {
  explicit Fabric(const Case& made, bool by_rule)
      : topology(staged(made.recipe)), lids(support::number_lids(*topology)), trees(topology) {
    Policy policy;
    policy.engines = {made.engine};
    auto chosen = select_routes(*topology, lids, policy);
    if (!chosen) throw std::runtime_error(chosen.error().message);
    routes = std::move(*chosen);
    lane = SharedLane::make(*topology, routes);
    if (!lane) throw std::runtime_error("no lane");
    rule.emplace(*lane);
    trees.set_topology(topology, by_rule ? &*rule : nullptr);
  }
  void live(std::uint64_t seed, int changes) {
    base::Prng random(seed);
    const auto ports = stage_ports(*topology);
    for (int i = 0; i < changes; ++i) {
      const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + random.below(12))};
      const RoleChange change{mlid, ports[random.below(ports.size())],
                              random.below(4) == 0 ? Role::None : Role::Receiver};
      trees.apply({&change, 1});
    }
  }
  // All turns of packets on the lane.
  fabric::Dependencies turns() const {
    std::optional<fabric::Dependencies> graph;
    const auto proof = fabric::verify(*topology, lids, routes.routes.tables, routes.routes.lanes,
                                      base::inline_for, {}, &graph);
    EXPECT_TRUE(proof.proven());
    for (const mad::Lid mlid : trees.mlids()) {
      for (std::uint32_t s = 0; s < topology->switch_count(); ++s) add_turns(*graph, mlid, {s});
    }
    return std::move(*graph);
  }
  void add_turns(fabric::Dependencies& graph, mad::Lid mlid, SwitchIndex at) const {
    std::vector<ChannelIndex> links;
    trees.tables().entry(at, mlid).for_each([&](mad::PortNumber port) {
      const ChannelIndex link = topology->channel_by_port(at, port);
      if (link != fabric::kNoChannel) links.push_back(link);
    });
    for (const ChannelIndex by : links) {
      for (const ChannelIndex next : links) {
        if (by == next) continue;
        graph.add(topology->channels()[by.value].reverse,
                  next.value - topology->first_channel(at).value);
      }
    }
  }

  std::shared_ptr<const fabric::Topology> topology;
  fabric::LidMap lids;
  Selected routes;
  std::unique_ptr<SharedLane> lane;
  std::optional<Rule> rule;
  multicast::Trees trees;
};

TEST(SharedLane, TreesAndRoutesTogetherCloseNoLoop) {
  std::size_t loops_without = 0;
  std::uint64_t avoided = 0;
  for (const Case& made : cases()) {
    SCOPED_TRACE(made.name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Fabric with(made, true);
      with.live(seed, 300);
      EXPECT_EQ(with.trees.unsafe().size(), 0u);
      const auto cycle = with.turns().find_cycle();
      EXPECT_TRUE(cycle.empty()) << fabric::describe_cycle(*with.topology, cycle);
      avoided += with.trees.statistics().avoided;
      Fabric without(made, false);
      without.live(seed, 300);
      loops_without += !without.turns().find_cycle().empty();
    }
  }
  EXPECT_GT(loops_without, 0u) << "nothing was there to be avoided";
  EXPECT_GT(avoided, 0u);
}

// What cannot be had is told.
TEST(SharedLane, ATreeThatClosesALoopWhateverWayItTakesIsUnsafe) {
  const Case made{"ring", support::ring(5, 1), "updn"};
  Fabric fabric(made, true);
  class Never final : public multicast::TurnRule {
   public:
    bool has(ChannelIndex, ChannelIndex) const override { return false; }
    bool take(ChannelIndex, ChannelIndex) override { return false; }
    std::size_t on_trial() const override { return 0; }
    void undo(std::size_t) override {}
    void keep() override {}
  } never;
  fabric.trees.set_topology(fabric.topology, &never);
  std::vector<RoleChange> joins;
  for (const mad::Guid port : stage_ports(*fabric.topology)) {
    joins.push_back({mad::Lid{0xC003}, port, Role::Receiver});
  }
  fabric.trees.apply(joins);
  EXPECT_EQ(fabric.trees.unsafe(), std::vector<mad::Lid>{mad::Lid{0xC003}});
  EXPECT_EQ(fabric.trees.link_count(mad::Lid{0xC003}), 4u) << "it is there all the same";
  fabric.trees.set_topology(fabric.topology, &*fabric.rule);
  EXPECT_TRUE(fabric.trees.unsafe().empty()) << "asked anew";
}

TEST(SharedLane, RoutesOnSeveralLanesTellNothing) {
  const auto topology = staged(support::ring(7, 2));
  const auto lids = support::number_lids(*topology);
  Policy policy;
  policy.engines = {"dfsssp"};
  policy.max_vls = 4;
  const auto routes = select_routes(*topology, lids, policy);
  ASSERT_TRUE(routes) << routes.error().message;
  ASSERT_GT(routes->routes.lanes.vls, 1u);
  EXPECT_EQ(SharedLane::make(*topology, *routes), nullptr);
}

}  // namespace
}  // namespace heddle::routing
