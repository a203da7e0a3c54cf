// SPDX-License-Identifier: BSD-3-Clause
// What is kept of ports from look to look is what it would be if all were looked at: over random
// histories of a fabric, and of what is wanted of it.
#include "sm/port_news.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sm/link_problems.hpp"
#include "sm/programming_lanes.hpp"
#include "tests/fabric/observed.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;

class History {
 public:
  explicit History(std::uint64_t seed) : prng_(seed) {
    for (std::uint32_t n = 0; n < 150; ++n) fabric::add_switch(picture.observation, 100 + n, 3);
    for (unsigned i = 0; i < 200; ++i) {
      fabric::change_a_port(picture.observation, prng_);
      fabric::move_cables(picture.observation, prng_);
    }
    freeze();
  }

  void go_on() {
    if (prng_.chance(0.6)) fabric::change_a_port(picture.observation, prng_);
    if (prng_.chance(0.3)) fabric::move_cables(picture.observation, prng_);
    if (prng_.chance(0.02)) fabric::change_a_node(picture.observation, prng_);
    if (prng_.chance(0.1)) wanted_.links.max_operational_vls ^= 7;
    freeze();
    if (prng_.chance(0.3)) wish();
  }

  Picture picture;

 private:
  void freeze() {
    picture.frozen = fabric::freeze(picture.observation, {}, &picture.frozen);
    const fabric::LidMap lids(picture.frozen.topology->port_count());
    picture.intent = fabric::plan_ports(picture.frozen.topology,
                                        picture.registers.of(picture.observation, picture.frozen),
                                        lids, wanted_, std::move(picture.intent));
  }
  void wish() {
    auto& ports = picture.intent.ports;
    const auto any = static_cast<std::size_t>(prng_.below(ports.size()));
    if (ports[any].link) ports.change(any).link->vl_high_limit = 5;
  }

  base::Prng prng_;
  fabric::PortSettings wanted_ = [] {
    fabric::PortSettings settings;
    settings.links.max_operational_vls = 5;
    return settings;
  }();
};

TEST(PortNews, OfAllOtherPortsNothingIsNew) {
  unsigned few = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    History history(seed);
    PortNews news;
    EXPECT_TRUE(news.since_last(history.picture).is_all);
    EXPECT_TRUE(news.since_last(history.picture).ports.empty()) << "nothing happened";
    for (unsigned step = 0; step < 30; ++step) {
      const auto topology = history.picture.frozen.topology;
      const auto registers =
          history.picture.registers.of(history.picture.observation, history.picture.frozen);
      const auto wishes = history.picture.intent.ports;
      history.go_on();
      const auto found = news.since_last(history.picture);
      const auto& now = *history.picture.frozen.topology;
      ASSERT_EQ(found.is_all, !now.shares_nodes_with(*topology));
      few += found.ports.size() < now.port_count() / 2;
      if (found.is_all) {
        EXPECT_EQ(found.ports.size(), now.port_count());
        continue;
      }
      const auto read =
          history.picture.registers.of(history.picture.observation, history.picture.frozen);
      for (std::uint32_t p = 0; p < now.port_count(); ++p) {
        if (std::binary_search(found.ports.begin(), found.ports.end(), PortIndex{p})) continue;
        EXPECT_TRUE(read->ports[p] == registers->ports[p]) << p;
        EXPECT_TRUE(history.picture.intent.ports[p] == wishes[p]) << p;
        EXPECT_EQ(now.peer({p}), topology->peer({p})) << p;
      }
    }
  }
  EXPECT_GT(few, 100u);
}

TEST(LinkProblems, AreThoseThatALookAtAllLinksFinds) {
  std::size_t told = 0, looks = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    History history(seed);
    LinkProblems known;
    for (unsigned step = 0; step < 30; ++step, ++looks) {
      history.go_on();
      const auto problems = [&](LinkProblems& of) {
        history.picture.problems.clear();
        of.tell(history.picture);
        return history.picture.problems;
      };
      LinkProblems anew;
      const auto all = problems(anew);
      EXPECT_EQ(problems(known), all);
      told += all.size();
    }
  }
  EXPECT_GT(told, 10 * looks);
}

TEST(DataVls, AreThoseThatALookAtAllLinksFinds) {
  std::vector<unsigned> seen(fabric::kMaxDataVls + 1);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    base::Prng prng(seed);
    Picture picture;
    fabric::Observation& observation = picture.observation;
    for (std::uint32_t n = 0; n < 60; ++n) {
      fabric::add_switch(observation, 100 + n, 3);
      auto& ports = observation.change(fabric::ObservedIndex{n}).ports;
      ports[0].info->capability_mask = mad::kIsSLMappingSupported;
      for (auto& port : ports) {
        port.info->port_state = mad::PortState::Active;
        port.info->operational_vls = port.info->vl_cap = 4;
      }
    }
    DataVls known;
    for (unsigned step = 0; step < 40; ++step) {
      fabric::move_cables(observation, prng);
      const auto node = static_cast<std::uint32_t>(prng.below(observation.size()));
      auto& info = *observation.change(fabric::end(node, 1)).info;
      info.operational_vls = static_cast<std::uint8_t>(prng.chance(0.8) ? 4 : 1 + prng.below(5));
      picture.frozen = fabric::freeze(observation, {}, &picture.frozen);
      fabric::PortSettings settings;
      settings.links.max_operational_vls = 5;
      picture.intent = fabric::plan_ports(picture.frozen.topology,
                                          picture.registers.of(observation, picture.frozen),
                                          fabric::LidMap(picture.frozen.topology->port_count()),
                                          settings, std::move(picture.intent));
      DataVls anew;
      const unsigned vls = anew.of(picture);
      EXPECT_EQ(known.of(picture), vls) << step;
      ++seen[vls];
    }
  }
  for (const unsigned vls : {1u, 2u, 4u, 8u}) EXPECT_GT(seen[vls], 10u) << vls;
}

}  // namespace
}  // namespace heddle::sm
