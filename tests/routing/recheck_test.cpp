// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/recheck.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/loss.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// A repair of some links, to be spoilt.
struct Case {
  Loss loss;
  std::optional<Repair> repair;

  Case(const support::Recipe& recipe, const std::vector<std::size_t>& links) : loss(recipe) {
    if (loss.link_count() != 0 && loss.home().selected->certificate) {
      repair = loss.without_links(links);
    }
  }
  fabric::ForwardingTables tables() const {
    return repaired(loss.home(), loss.departure(), loss.now(), *repair).routes.tables;
  }
  bool is_proven(const fabric::ForwardingTables& tables) const {
    return fabric::verify(loss.now(), loss.lids(), tables).proven();
  }
};

// The two judges share nothing, so each can be held against the other.
TEST(Recheck, NeverAgreesToWhatTheWholeJudgeRefuses) {
  base::Prng dice(5);
  std::size_t refused = 0, agreed = 0;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    const Case one(recipe, {dice.below(1000), dice.below(1000)});
    if (!one.repair) continue;
    for (int i = 0; i < 40; ++i) {
      auto tables = one.tables();
      for (int spoilt = 0; spoilt <= i % 3; ++spoilt) {
        const SwitchIndex at{static_cast<std::uint32_t>(dice.below(tables.switch_count()))};
        const auto lid = static_cast<std::uint16_t>(1 + dice.below(one.loss.lids().top().value));
        const auto ports = one.loss.now().node(at).port_count + 1u;
        tables.set(at, mad::Lid{lid}, {static_cast<std::uint8_t>(dice.below(ports))});
      }
      const bool shown = one.loss.is_shown(tables, one.repair->places);
      const bool proven = one.is_proven(tables);
      ASSERT_TRUE(proven || !shown);
      refused += proven ? 0 : 1;
      agreed += shown ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 500u);
  EXPECT_GT(agreed, 100u);
}

TEST(Recheck, SeesAnEntryThatStillLeadsToWhatIsGone) {
  const Case one(support::xgft({4, 4, 4}, {1, 4, 4}), {3});
  ASSERT_TRUE(one.repair);
  ASSERT_TRUE(one.loss.is_shown(one.tables(), one.repair->places));
  for (const Repair::Entry& entry : one.repair->entries) {
    auto tables = one.tables();
    tables.set(entry.at, entry.lid, entry.was);
    EXPECT_EQ(one.loss.is_shown(tables, one.repair->places), one.is_proven(tables));
  }
}

// To some switch from all others by any way there is: most of these lead hosts' packets into turns
// that close a loop, and there are too many to ask of each who comes by.
void lay_anew(const fabric::Topology& topology, const fabric::LidMap& lids, SwitchIndex target,
              base::Prng& dice, fabric::ForwardingTables& tables) {
  const auto own = topology.port_of(target, mad::PortNumber{0});
  std::vector<SwitchIndex> found{target};
  std::vector<std::uint8_t> is_found(topology.switch_count());
  is_found[target.value] = 1;
  while (found.size() < topology.switch_count()) {
    const SwitchIndex from = found[dice.below(found.size())];
    const auto channels = topology.channels_from(from);
    const fabric::Channel& back = channels[dice.below(channels.size())];
    if (is_found[back.to.value] != 0) continue;
    is_found[back.to.value] = 1;
    found.push_back(back.to);
    tables.set(back.to, lids.base(own), back.in);
  }
}

TEST(Recheck, NeverAgreesToManyNewEntriesThatTheWholeJudgeRefuses) {
  const Case one(support::xgft({5, 5, 5}, {1, 5, 5}), {3});
  ASSERT_TRUE(one.repair);
  base::Prng dice(7);
  std::size_t refused = 0;
  for (int i = 0; i < 40; ++i) {
    auto tables = one.tables();
    const auto target = dice.below(one.loss.now().switch_count());
    lay_anew(one.loss.now(), one.loss.lids(), SwitchIndex{static_cast<std::uint32_t>(target)}, dice,
             tables);
    const bool proven = one.is_proven(tables);
    ASSERT_TRUE(proven || !one.loss.is_shown(tables, one.repair->places));
    refused += proven ? 0 : 1;
  }
  EXPECT_GT(refused, 10u);
}

// Whichever dependency of the proven tables would lead backward, also where nothing has changed.
TEST(Recheck, BelievesNoLine) {
  const Case one(support::xgft({4, 4, 4}, {1, 4, 4}), {3});
  ASSERT_TRUE(one.repair);
  const auto& home = one.loss.home();
  const auto& certificate = *home.selected->certificate;
  const auto tables = one.tables();
  const auto right = certificate.by_topology(one.repair->places);
  const fabric::Proven proven{*home.topology, *home.lids, home.selected->routes.tables,
                              certificate.witness()};
  const auto is_believed = [&](const std::vector<std::uint32_t>& places) {
    return follows(proven, {one.loss.now(), one.loss.lids(), one.loss.departure().at_home},
                   {tables, places});
  };
  ASSERT_TRUE(is_believed(right));
  std::size_t tried = 0;
  for (std::uint32_t held = 0; held < right.size(); ++held) {
    const auto via = home.topology->channels()[held].to;
    const auto first = home.topology->first_channel(via).value;
    for (std::uint32_t i = 0; i < home.topology->channels_from(via).size(); ++i) {
      if ((certificate.witness().word({held}, i / 64) >> (i % 64) & 1) == 0) continue;
      auto swapped = right, held_last = right, next_first = right;
      std::swap(swapped[held], swapped[first + i]);
      held_last[held] = static_cast<std::uint32_t>(right.size());
      next_first[first + i] = 0;
      for (const auto& wrong : {swapped, held_last, next_first}) {
        ASSERT_FALSE(is_believed(wrong)) << held << " before " << first + i;
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 500u);
}

TEST(Recheck, TellsWhatDiffers) {
  const Case one(support::xgft({4, 4, 4}, {1, 4, 4}), {3});
  ASSERT_TRUE(one.repair);
  const auto tables = one.tables();
  std::vector<fabric::TableChange> changes;
  ASSERT_TRUE(one.loss.is_shown(tables, one.repair->places, &changes));
  EXPECT_EQ(changes.size(), one.repair->entries.size());
  std::size_t found = 0;
  for (std::uint16_t lid = 1; lid < tables.row_size(); ++lid) {
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
      const std::uint8_t now = tables.entry({s}, lid);
      const std::uint8_t old =
          one.loss.home().selected->routes.tables.entry(one.loss.departure().at_home[s], lid);
      if (now == old) continue;
      ASSERT_LT(found, changes.size());
      EXPECT_EQ(changes[found++], (fabric::TableChange{lid, s, old, now}));
    }
  }
  EXPECT_GT(found, 10u);
}

TEST(Recheck, NothingNewFollows) {
  const Case one(support::xgft({4, 4}, {1, 4}), {3});
  ASSERT_TRUE(one.repair);
  const auto& home = one.loss.home();
  const auto& certificate = *home.selected->certificate;
  const auto tables = one.tables();
  const auto places = certificate.by_topology(one.repair->places);
  // Judged as if it were the whole fabric that follows from the damaged one.
  std::optional<fabric::Dependencies> dependencies;
  fabric::verify(one.loss.now(), one.loss.lids(), tables, {}, base::inline_for, {}, &dependencies);
  const auto witness = fabric::Witness::make(one.loss.now(), *dependencies);
  ASSERT_TRUE(witness);
  const fabric::Proven proven{one.loss.now(), one.loss.lids(), tables, *witness};
  EXPECT_FALSE(follows(proven, {*home.topology, *home.lids, one.loss.departure().at_home},
                       {home.selected->routes.tables, witness->places()}));
  // With the witness of a fabric of more channels.
  EXPECT_FALSE(follows({one.loss.now(), one.loss.lids(), tables, certificate.witness()},
                       {one.loss.now(), one.loss.lids(), one.loss.departure().at_home},
                       {tables, witness->places()}));
  // A switch that stands for two.
  auto twice = one.loss.departure().at_home;
  twice[1] = twice[0];
  EXPECT_FALSE(
      follows({*home.topology, *home.lids, home.selected->routes.tables, certificate.witness()},
              {one.loss.now(), one.loss.lids(), twice}, {tables, places}));
}

TEST(Recheck, ALidThatMovedDoesNotFollow) {
  const Case one(support::xgft({4, 4}, {1, 4}), {3});
  ASSERT_TRUE(one.repair);
  const auto& home = one.loss.home();
  const auto& now = one.loss.now();
  // Two hosts of different leaves change their LIDs.
  const auto first = one.loss.lids().owner(mad::Lid{1});
  const auto last = one.loss.lids().owner(mad::Lid{16});
  ASSERT_NE(now.attachment(first)->at, now.attachment(last)->at);
  fabric::LidMap moved(now.port_count());
  for (const fabric::PortIndex port : now.endports()) {
    const auto from = port == first ? last : port == last ? first : port;
    ASSERT_TRUE(moved.assign(port, one.loss.lids().range(from)));
  }
  const auto& certificate = *home.selected->certificate;
  const auto tables = one.tables();
  EXPECT_FALSE(
      follows({*home.topology, *home.lids, home.selected->routes.tables, certificate.witness()},
              {now, moved, one.loss.departure().at_home},
              {tables, certificate.by_topology(one.repair->places)}));
}

}  // namespace
}  // namespace heddle::routing
