// SPDX-License-Identifier: BSD-3-Clause
// Who moves after a loss: nobody who could stay, because whoever is ahead has a way beside. Judged
// by home's tables alone.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "routing/repair.hpp"
#include "tests/routing/fabrics.hpp"
#include "tests/routing/loss.hpp"
#include "tests/support/topologies.hpp"

namespace heddle::routing {
namespace {

using Switches = std::set<std::uint32_t>;

// A switch has a way beside if one of its links leads to a switch that is nearer to the target, and
// from there home's entries lead past nobody who may have to move; and if hosts' packets made the
// turns at both ends of that link before: from whoever sends here into it, and from it onward. To a
// switch's own LID any such link will do for who sends no host's packets on; for others no look at
// one switch can tell, and they count as without.
class WaysBeside {
 public:
  explicit WaysBeside(const Loss& loss)
      : home_(loss.home()), topology_(*home_.topology), tables_(home_.selected->routes.tables) {
    for (const auto& port : loss.departure().lost) {
      lost_.insert({loss.departure().at_home[port.at.value].value, port.out.value});
    }
    for (unsigned number = 1; number <= home_.lids->top().value; ++number) {
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      if (is_of_host(lid)) find_turns(lid);
    }
    for (const fabric::PortIndex port : topology_.endports()) {
      const auto place = topology_.attachment(port);
      if (place && place->out.value != 0) with_hosts_.insert(place->at.value);
    }
  }

  bool is_of_host(mad::Lid lid) const {
    const auto owner = home_.lids->owner(lid);
    return owner != fabric::kNoPort && !topology_.is_switch(topology_.node_of(owner));
  }

  // Whose own way is lost, and all who come by somebody that has no way beside. These may move.
  Switches movable(mad::Lid lid) {
    Switches movable;
    for (const auto& [at, out] : lost_) {
      if (tables_.out_port({at}, lid).value == out) movable.insert(at);
    }
    for (std::size_t before = 0; before != movable.size();) {
      before = movable.size();
      for (const std::uint32_t at : Switches(movable)) {
        const bool beside = has_way_beside(at, lid, movable);
        ++(beside ? with_ : without_);
        if (beside) continue;
        for (const std::uint32_t channel : arrivals(at, lid)) movable.insert(from(channel));
      }
    }
    return movable;
  }
  // Where those pass who may move. `out`: of new tables, by switch, where they differ.
  Switches passed(mad::Lid lid, const Switches& movable,
                  const std::map<std::uint32_t, mad::PortNumber>& out) const {
    Switches passed;
    for (std::uint32_t at : movable) {
      while (at != target(lid) && passed.insert(at).second) {
        const auto changed = out.find(at);
        const auto next = changed == out.end() ? tables_.out_port({at}, lid) : changed->second;
        const auto held = topology_.channel_by_entry({at}, next.value);
        if (held == fabric::kNoChannel) break;
        at = channel(held.value).to.value;
      }
    }
    return passed;
  }
  // How often a switch was found to have one, and to have none.
  std::size_t with() const { return with_; }
  std::size_t without() const { return without_; }

 private:
  static constexpr std::uint32_t kNone = fabric::kNoChannel.value;

  const fabric::Channel& channel(std::uint32_t index) const { return topology_.channels()[index]; }
  std::uint32_t from(std::uint32_t index) const { return channel(index).from.value; }
  std::uint32_t target(mad::Lid lid) const {
    return topology_.attachment(home_.lids->owner(lid))->at.value;
  }
  std::uint32_t onward(std::uint32_t at, mad::Lid lid) const {
    return topology_.channel_by_entry({at}, tables_.out_port({at}, lid).value).value;
  }
  bool is_lost(std::uint32_t index) const {
    return lost_.contains({from(index), channel(index).out.value});
  }

  void find_turns(mad::Lid lid) {
    for (std::uint32_t at = 0; at < topology_.switch_count(); ++at) {
      const std::uint32_t held = at == target(lid) ? kNone : onward(at, lid);
      if (held == kNone || channel(held).to.value == target(lid)) continue;
      turns_.insert({held, onward(channel(held).to.value, lid)});
    }
  }

  // Those by which a neighbour's packets come here.
  std::vector<std::uint32_t> arrivals(std::uint32_t at, mad::Lid lid) const {
    std::vector<std::uint32_t> found;
    for (const fabric::Channel& back : topology_.channels_from({at})) {
      const std::uint32_t before = back.to.value;
      if (before == target(lid) || tables_.out_port({before}, lid) != back.in) continue;
      found.push_back(onward(before, lid));
    }
    return found;
  }

  // Hops by home's entries; kNone if they pass one of these.
  std::uint32_t hops(std::uint32_t at, mad::Lid lid, const Switches& past) const {
    std::uint32_t count = 0;
    for (; at != target(lid); ++count) {
      const std::uint32_t held = onward(at, lid);
      if (held == kNone || past.contains(at)) return kNone;
      at = channel(held).to.value;
    }
    return count;
  }

  // Whether hosts' packets pass it at home.
  bool is_used(std::uint32_t at, mad::Lid lid) const {
    const auto before = arrivals(at, lid);
    return with_hosts_.contains(at) || std::any_of(before.begin(), before.end(), [&](auto held) {
             return is_used(from(held), lid);
           });
  }

  bool has_way_beside(std::uint32_t at, mad::Lid lid, const Switches& movable) const {
    const bool any_will_do = !is_of_host(lid);
    if (any_will_do && is_used(at, lid)) return false;
    const auto all = topology_.channels_from({at});
    return std::any_of(all.begin(), all.end(), [&](const fabric::Channel& way) {
      const std::uint32_t index = topology_.channel_by_port({at}, way.out).value;
      const std::uint32_t next = way.to.value;
      if (is_lost(index) || hops(next, lid, movable) >= hops(at, lid, {})) return false;
      if (any_will_do) return true;
      if (next != target(lid) && !turns_.contains({index, onward(next, lid)})) return false;
      const auto before = arrivals(at, lid);
      return std::all_of(before.begin(), before.end(), [&](std::uint32_t held) {
        return turns_.contains({held, index});
      });
    });
  }

  const Home& home_;
  const fabric::Topology& topology_;
  const fabric::ForwardingTables& tables_;
  Switches with_hosts_;
  std::set<std::pair<std::uint32_t, unsigned>> lost_;        // switch and port
  std::set<std::pair<std::uint32_t, std::uint32_t>> turns_;  // of packets to hosts
  std::size_t with_ = 0, without_ = 0;                       // looks at a switch, of one LID
};

struct Changed {
  std::size_t needed = 0, needless = 0;
};

// Entries of hosts' LIDs, and of switches' own.
std::array<Changed, 2> count(const Loss& loss, const Repair& repair, WaysBeside& ways) {
  std::map<mad::Lid, std::map<std::uint32_t, mad::PortNumber>> changed;  // at home
  for (const Repair::Entry& entry : repair.entries) {
    changed[entry.lid][loss.departure().at_home[entry.at.value].value] = entry.out;
  }
  std::array<Changed, 2> counts;
  for (const auto& [lid, out] : changed) {
    const bool own = !ways.is_of_host(lid);
    Switches movable = ways.movable(lid);
    // Entries that no host's packets pass may change where others' lead by.
    if (own) movable.merge(ways.passed(lid, movable, out));
    for (const auto& [at, port] : out) {
      ++(movable.contains(at) ? counts[own].needed : counts[own].needless);
    }
  }
  return counts;
}

TEST(WaysBeside, LetAllOthersStay) {
  std::size_t with = 0, without = 0;
  Changed own;
  for (const auto& [name, recipe] : all_kinds_of_fabrics()) {
    Loss loss(recipe);
    if (loss.link_count() == 0) continue;
    for (std::size_t n = 0; n < 12; ++n) {
      const auto repair =
          n % 2 == 0 ? loss.without_links({7 * n}) : loss.without_links({n, 5 * n + 1, 9 * n + 2});
      if (!repair) continue;
      WaysBeside ways(loss);
      const auto [of_hosts, of_switches] = count(loss, *repair, ways);
      EXPECT_EQ(of_hosts.needless, 0U) << name << ", loss " << n;
      own.needed += of_switches.needed;
      own.needless += of_switches.needless;
      with += ways.with();
      without += ways.without();
    }
  }
  // Where hosts find no way that is legal, everything is laid anew that no host's packets pass.
  EXPECT_LT(own.needless * 100, own.needed) << own.needless << " of " << own.needed;
  EXPECT_GT(with, 0U);
  EXPECT_GT(without, 0U);
}

// Where LIDs of switches lead through leaves, as they do by shortest ways.
TEST(WaysBeside, LetAllBehindALeafStay) {
  Policy policy;
  policy.engines = {"sssp"};
  Loss loss(support::xgft({4, 4, 4}, {1, 4, 4}), policy);
  std::size_t changed = 0;
  for (std::size_t link = 0; link < loss.link_count(); ++link) {
    const auto repair = loss.without_links({link});
    ASSERT_TRUE(repair);
    WaysBeside ways(loss);
    const auto [of_hosts, of_switches] = count(loss, *repair, ways);
    EXPECT_EQ(of_hosts.needless + of_switches.needless, 0U) << "link " << link;
    changed += of_switches.needed;
  }
  EXPECT_GT(changed, 100U);
}

}  // namespace
}  // namespace heddle::routing
