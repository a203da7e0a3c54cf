// SPDX-License-Identifier: BSD-3-Clause
// Multicast trees beside unicast routes: all their turns together, held against the judge of credit
// loops, who knows neither the trees' rule nor the order that it keeps.
#include "routing/shared_lanes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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
#include "tests/support/networks.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;
using fabric::SwitchIndex;
using multicast::Role;
using multicast::RoleChange;

// Two groups of three have other levels than 0: one LID is shared by groups of two levels.
std::uint16_t levels_of(mad::Lid mlid) {
  static constexpr std::array<std::uint16_t, 3> kLevels{0x0001, 0x0002, 0x0009};
  return kLevels[mlid.value % 3];
}

class Rule final : public multicast::TurnRule {
 public:
  explicit Rule(SharedLanes& lane) : lane_(lane) {}
  unsigned packets_to(mad::Lid mlid) override {
    lane_.set_levels(levels_of(mlid));
    return levels_of(mlid);
  }
  bool has(ChannelIndex held, ChannelIndex next) const override { return lane_.has(held, next); }
  bool take(ChannelIndex held, ChannelIndex next) override { return lane_.take(held, next); }
  std::size_t on_trial() const override { return lane_.on_trial(); }
  void undo(std::size_t upto) override { lane_.undo(upto); }
  void keep() override { lane_.keep(); }
  void begin_anew() override { lane_.begin_anew(); }

 private:
  SharedLanes& lane_;
};

using multicast::testing::stage_ports;
using multicast::testing::staged;

struct Case {
  const char* name;
  support::Recipe recipe;
  const char* engine;
  bool first_lane_alone = false;  // has room for trees
};

std::vector<Case> cases() {
  return {{"fat tree by ftree", support::xgft({4, 4, 3}, {1, 2, 2}), "ftree"},
          {"fat tree by updn", support::xgft({4, 4, 3}, {1, 2, 2}), "updn"},
          {"torus by updn", support::torus({3, 3, 3}, 1), "updn"},
          {"torus by weave", support::torus({4, 4}, 1), "weave"},
          {"ring by updn", support::ring(7, 2), "updn"},
          {"random by weave", support::random_regular(20, 4, 2, 8), "weave"},
          {"random by updn", support::random_regular(24, 3, 2, 5), "updn"},
          {"ring on lanes", support::ring(7, 2), "dfsssp", true},
          {"torus on lanes", support::torus({4, 4}, 1), "dfsssp", true},
          {"torus by service levels", support::torus({4, 3, 3}, 1), "torus-2QoS"},
          {"dragonfly", support::dragonfly(9, 4, 2, 2), "dragonfly"},
          {"random on lanes", support::random_regular(20, 4, 2, 8), "lash", true},
          {"random on more lanes", support::random_regular(24, 3, 2, 5), "weave"},
          {"rings by weave", support::torus({5, 4, 3}, 1), "weave"},
          {"cube by weave", support::torus({6, 6, 6}, 1), "weave", true},
          {"HyperX by weave", support::hyperx({4, 3}, 2), "weave"},
          {"larger random by weave", support::random_regular(60, 8, 2, 1), "weave"}};
}

// Routes, and trees that came to be by joins and leaves.
struct Fabric {
  explicit Fabric(const Case& made, bool by_rule)
      : topology(staged(made.recipe)), lids(support::number_lids(*topology)), trees(topology) {
    Policy policy;
    policy.engines = {made.engine};
    policy.fallback = false;
    policy.max_vls = 8;
    auto chosen = select_routes(*topology, lids, policy);
    if (!chosen) throw std::runtime_error(chosen.error().message);
    routes = std::move(*chosen);
    lane = SharedLanes::make(*topology, routes);
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
  // What all packets wait for, but those on trees that are known to be unsafe.
  fabric::Dependencies turns() const {
    std::optional<fabric::Dependencies> graph;
    const auto proof = fabric::verify(*topology, lids, routes.routes.tables, routes.routes.lanes,
                                      base::inline_for, {}, &graph);
    EXPECT_TRUE(proof.replies_safe());
    const auto unsafe = trees.unsafe();
    for (const mad::Lid mlid : trees.mlids()) {
      if (std::binary_search(unsafe.begin(), unsafe.end(), mlid)) continue;
      for (std::uint32_t s = 0; s < topology->switch_count(); ++s) {
        for (unsigned level = 0; level < fabric::kServiceLevels; ++level) {
          if ((levels_of(mlid) >> level & 1) != 0) send(*graph, mlid, {s}, level);
        }
      }
    }
    return std::move(*graph);
  }
  // A packet that a host on this switch sends, along the tree.
  void send(fabric::Dependencies& graph, mad::Lid mlid, SwitchIndex from, unsigned level) const {
    struct Copy {
      SwitchIndex at;
      fabric::LaneChannel held;
      mad::PortNumber in;
    };
    const auto& maps = routes.routes.lanes.maps;
    std::vector<Copy> copies{{from, {}, mad::PortNumber{0}}};
    while (!copies.empty()) {
      const Copy copy = copies.back();
      copies.pop_back();
      trees.tables().entry(copy.at, mlid).for_each([&](mad::PortNumber out) {
        const ChannelIndex next = topology->channel_by_port(copy.at, out);
        if (next == fabric::kNoChannel || out == copy.in) return;
        const std::uint8_t vl =
            routes.routes.lanes.vls == 1 ? std::uint8_t{0} : maps.at(copy.at, copy.in, out)[level];
        if (copy.held.channel != fabric::kNoChannel) {
          graph.add(copy.held, next.value - topology->first_channel(copy.at).value, vl);
        }
        const fabric::Channel& channel = topology->channels()[next.value];
        copies.push_back({channel.to, {next, vl}, channel.in});
      });
    }
  }

  std::shared_ptr<const fabric::Topology> topology;
  fabric::LidMap lids;
  Selected routes;
  std::unique_ptr<SharedLanes> lane;
  std::optional<Rule> rule;
  multicast::Trees trees;
};

TEST(SharedLanes, TreesAndRoutesTogetherCloseNoLoop) {
  std::size_t loops_without = 0;
  std::uint64_t avoided = 0;
  for (const Case& made : cases()) {
    SCOPED_TRACE(made.name);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Fabric with(made, true);
      with.live(seed, 300);
      for (const mad::Lid mlid : with.trees.unsafe()) {
        EXPECT_TRUE(made.first_lane_alone && levels_of(mlid) != 1) << mlid.value;
      }
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
TEST(SharedLanes, ATreeThatClosesALoopWhateverWayItTakesIsUnsafe) {
  const Case made{"ring", support::ring(5, 1), "updn"};
  Fabric fabric(made, true);
  class Never final : public multicast::TurnRule {
   public:
    unsigned packets_to(mad::Lid) override { return 1; }
    bool has(ChannelIndex, ChannelIndex) const override { return false; }
    bool take(ChannelIndex, ChannelIndex) override { return false; }
    std::size_t on_trial() const override { return 0; }
    void undo(std::size_t) override {}
    void keep() override {}
    void begin_anew() override {}
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

// Somebody who keeps to no lane is held to be on each that the map has for the level.
TEST(SharedLanes, TurnsOnOtherLevelsAreOnOtherLanes) {
  Fabric fabric({"ring", support::ring(7, 2), "dfsssp"}, false);
  ASSERT_GT(fabric.routes.routes.lanes.vls, 1u);
  const auto taken_by = [&](std::uint16_t levels) {
    const auto lanes = SharedLanes::make(*fabric.topology, fabric.routes);
    lanes->set_levels(levels);
    std::size_t taken = 0;
    for (std::uint32_t c = 0; c < fabric.topology->channels().size(); ++c) {
      const auto& channel = fabric.topology->channels()[c];
      const std::uint32_t first = fabric.topology->first_channel(channel.to).value;
      for (std::uint32_t i = 0; i < fabric.topology->channels_from(channel.to).size(); ++i) {
        if (ChannelIndex{first + i} != channel.reverse) taken += lanes->take({c}, {first + i});
      }
    }
    return taken;
  };
  // A ring has 14 turns; each way around must miss one in each lane.
  EXPECT_LE(taken_by(1), 12u);
  EXPECT_GE(taken_by(1), taken_by(3)) << "more must fit";
}

// What was found by other means than an engine is no worse known.
TEST(SharedLanes, RoutesThatSomebodyLeftAreKnown) {
  Fabric fabric({"ring", support::ring(7, 2), "updn"}, false);
  fabric.routes.certificate = nullptr;
  EXPECT_EQ(SharedLanes::make(*fabric.topology, fabric.routes), nullptr);
  std::optional<fabric::Dependencies> graph;
  fabric::verify(*fabric.topology, fabric.lids, fabric.routes.routes.tables, {}, base::inline_for,
                 {}, &graph);
  fabric.routes.lanes = LaneCertificate::make(*fabric.topology, *graph);
  const auto lanes = SharedLanes::make(*fabric.topology, fabric.routes);
  ASSERT_NE(lanes, nullptr);
  for (std::uint32_t c = 0; c < fabric.topology->channels().size(); ++c) {
    const auto& channel = fabric.topology->channels()[c];
    const std::uint32_t first = fabric.topology->first_channel(channel.to).value;
    for (std::uint32_t i = 0; i < fabric.topology->channels_from(channel.to).size(); ++i) {
      EXPECT_EQ(lanes->has({c}, {first + i}), fabric.lane->has({c}, {first + i}));
    }
  }
}

}  // namespace
}  // namespace heddle::routing
