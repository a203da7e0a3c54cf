// SPDX-License-Identifier: BSD-3-Clause
// Several subnet managers on one fabric, drawn by seed: cables are cut so that it falls apart and
// grows together again, managers die and come back, priorities change. When all is calm there is
// one master, everybody else who lives stands by, and the fabric is right.
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/breakage.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/membership_judging.hpp"
#include "tests/simulation/seeds.hpp"

namespace heddle::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Patience with a master that died, with a rival that will not yield, and a sweep for each.
constexpr auto kUntilRight = seconds(150);

struct Place {
  const char* fabric;
  std::vector<const char*> hosts;  // that a manager may sit on
};
const std::vector<Place>& places() {
  static const std::vector<Place> all{
      {"star:7", {"host-0001", "host-0004", "host-0007"}},
      {"fat-tree:3,6", {"host-0001", "host-0002", "host-0010", "host-0016"}},
      {"ring:6,hosts=2", {"host-0001", "host-0005", "host-0009", "host-0012"}},
      {"torus:3x3,hosts=1", {"host-0001", "host-0005", "host-0009"}},
  };
  return all;
}

// With All, cables lose and devices break, and the hosts without a manager join the broadcast group
// and leave it.
enum class Faults { OfManagers, All };

class Rivals {
 public:
  explicit Rivals(std::uint64_t seed, Faults faults = Faults::OfManagers)
      : prng_(seed),
        of_store_(seed ^ 0x5708E),
        of_members_(seed ^ 0x3E3BE),
        faults_(faults),
        place_(places()[prng_.below(places().size())]),
        box_(fabric(place_.fabric), first_options(seed)),
        breakage_(box_, seed) {
    living_.push_back(true);
    for (std::size_t i = 1; i < place_.hosts.size(); ++i) {
      SeatOptions options;
      options.sm = draw_sm();
      seats_.push_back(&box_.add_seat(place_.hosts[i], options));
      living_.push_back(true);
    }
    seats_.insert(seats_.begin(), &box_.seat());
    for (Seat* seat : seats_) {
      seat->shelf().delay = milliseconds(of_store_.below(of_store_.chance(0.5) ? 5 : 3000));
    }
    const sim::Devices& devices = box_.world().devices();
    for (const char* host : place_.hosts) spared_.insert(node(box_, host));
    for (std::uint32_t n = 0; n < devices.nodes.size(); ++n) {
      const bool is_host = devices.nodes[n].type == mad::NodeType::ChannelAdapter;
      if (is_host && spared_.count(n) == 0) members_.emplace_back(box_, devices.plan.nodes[n].name);
    }
  }

  void make_trouble() {
    if (faults_ == Faults::All && breakage_.chance(0.5)) lose_some();
    for (std::uint64_t faults = 3 + prng_.below(12); faults > 0; --faults) {
      box_.run_for(prng_.chance(0.3) ? base::Duration(milliseconds(prng_.below(200)))
                                     : base::Duration(milliseconds(prng_.below(25'000))));
      if (faults_ == Faults::All) one_membership();
      if (faults_ == Faults::All && breakage_.chance(0.4)) {
        tell_now(breakage_.strike(spared_));
      } else {
        one_fault();
      }
    }
  }
  void calm() {
    for (std::uint32_t cable = 0; cable < box_.world().devices().cables.size(); ++cable) {
      box_.world().restore(cable);
      box_.world().set_loss(cable, 0);
    }
    breakage_.mend();
    if (living() == 0) revive(0);
    box_.run_for(kUntilRight);
  }
  // All of them join once more, as whoever was told to register anew does. Of those that do not, a
  // new master believes for five minutes what it finds in the switches.
  std::string verdict_on_groups() {
    for (IpoibClient& member : members_) {
      if (member.join(kIpv4Broadcast).status() != mad::kStatusOk) {
        return name_of(member) + " cannot join";
      }
    }
    box_.run_for(std::chrono::minutes(6));
    const auto verdict = judge_group(box_, members_, kIpv4Broadcast);
    for (const IpoibClient& member : members_) {
      if (verdict.members.count(member.port()) == 0) return name_of(member) + " is no member";
    }
    return verdict.complaint;
  }
  // Empty when there is one master, and the fabric is right.
  std::string verdict() {
    std::vector<std::size_t> masters;
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      if (!living_[i]) continue;
      const auto state = seats_[i]->core().state();
      if (state == mad::SMState::Master) {
        masters.push_back(i);
      } else if (state != mad::SMState::Standby) {
        return std::string(place_.hosts[i]) + " neither is master nor stands by";
      }
    }
    if (masters.size() != 1) return std::to_string(masters.size()) + " masters";
    return trouble_for(box_, seats_[masters.front()]->endpoint());
  }
  std::uint64_t sets_in_a_minute() {
    return sets_during(box_, [this] { box_.run_for(seconds(60)); });
  }
  const std::string& story() const { return story_; }

 private:
  BoxOptions first_options(std::uint64_t seed) {
    BoxOptions options;
    options.at = place_.hosts.front();
    options.sm = draw_sm();
    options.world.seed = seed;
    options.world.traps = prng_.chance(0.7);
    tell(place_.fabric);
    return options;
  }
  sm::Options draw_sm() {
    sm::Options options;
    options.priority = static_cast<std::uint8_t>(prng_.below(4));
    options.sticky_master = prng_.chance(0.3);
    constexpr const char* kEngines[] = {"auto", "updn", "minhop"};
    options.flap_hold = seconds(20);
    options.routing.engines = {kEngines[prng_.below(std::size(kEngines))]};
    options.durable = of_store_.chance(0.5);
    tell("priority " + std::to_string(options.priority) +
         (options.sticky_master ? ", sticky" : "") + (options.durable ? ", with a store" : ""));
    options_.push_back(options);
    return options;
  }

  void one_fault() {
    const auto which = static_cast<std::size_t>(prng_.below(seats_.size()));
    switch (prng_.below(6)) {
      case 0:
      case 1:
      case 2: {
        const auto cable =
            static_cast<std::uint32_t>(prng_.below(box_.world().devices().cables.size()));
        const bool cut = prng_.chance(0.5);
        tell_of(cut ? "cut cable" : "restore cable", cable);
        return cut ? box_.world().cut(cable) : box_.world().restore(cable);
      }
      case 3:
        if (!living_[which] || living() == 1) return;
        tell_of("manager dies:", which);
        living_[which] = false;
        return seats_[which]->die();
      case 4:
        if (!living_[which]) return revive(which);
        tell_of("manager restarts:", which);
        if (of_store_.chance(0.5)) return seats_[which]->restart_from_shelf();
        return seats_[which]->restart(seats_[which]->stored());
      default:
        if (!living_[which]) return;
        options_[which].priority = static_cast<std::uint8_t>(prng_.below(6));
        tell_of("priority " + std::to_string(options_[which].priority) + " for manager", which);
        return seats_[which]->input(
            sm::OptionsChanged{std::make_shared<const sm::Options>(options_[which])});
    }
  }
  void lose_some() {
    tell("every cable loses 1 %");
    for (std::uint32_t cable = 0; cable < box_.world().devices().cables.size(); ++cable) {
      box_.world().set_loss(cable, 0.01);
    }
  }
  // What becomes of the answer shows in the end.
  void one_membership() {
    IpoibClient& member = members_[of_members_.below(members_.size())];
    if (!mad::is_unicast(member.port_info().master_sm_lid)) return;
    of_members_.chance(0.7) ? member.join(kIpv4Broadcast) : member.leave(kIpv4Broadcast);
  }
  std::string name_of(const IpoibClient& member) {
    return box_.world().devices().plan.nodes[member.host()].name;
  }
  void revive(std::size_t which) {
    tell_of("manager comes back:", which);
    living_[which] = true;
    seats_[which]->restart({});
  }
  std::size_t living() const {
    return static_cast<std::size_t>(std::count(living_.begin(), living_.end(), true));
  }
  void tell(const std::string& what) { story_ += "  " + what + '\n'; }
  void tell_now(const std::string& what) {
    const auto when = std::chrono::duration_cast<milliseconds>(box_.now().time_since_epoch());
    tell(std::to_string(when.count()) + " ms: " + what);
  }
  void tell_of(const std::string& what, std::size_t which) {
    tell_now(what + ' ' + std::to_string(which));
  }

  std::string story_;
  base::Prng prng_;
  base::Prng of_store_;  // drawn apart: what is added here changes no other draw of a seed
  base::Prng of_members_;
  Faults faults_;
  const Place& place_;
  std::vector<sm::Options> options_;
  Box box_;
  Breakage breakage_;
  std::set<std::uint32_t> spared_;  // nodes that managers sit on
  std::vector<IpoibClient> members_;
  std::vector<Seat*> seats_;
  std::vector<bool> living_;
};

class RivalsBySeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RivalsBySeed, EndWithOneMaster) {
  Rivals rivals(GetParam());
  rivals.make_trouble();
  rivals.calm();
  EXPECT_EQ(rivals.verdict(), "") << "seed " << GetParam() << ":\n" << rivals.story();
  EXPECT_EQ(rivals.sets_in_a_minute(), 0u) << "seed " << GetParam() << ":\n" << rivals.story();
}

class BrokenRivalsBySeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BrokenRivalsBySeed, EndWithOneMasterToo) {
  Rivals rivals(GetParam(), Faults::All);
  rivals.make_trouble();
  rivals.calm();
  EXPECT_EQ(rivals.verdict(), "") << "seed " << GetParam() << ":\n" << rivals.story();
  EXPECT_EQ(rivals.verdict_on_groups(), "") << "seed " << GetParam() << ":\n" << rivals.story();
}

// 615692901447: a master gave its office away after a sweep that had made no routes. What clients
// had registered stayed, and when it was master again the broadcast group was gone for good.
// 620761385999: a master gave its office to a standby while another manager, which had read the
// switches before that master wrote to them, took it. The standby kept the gift to itself.
// 622387524404: two became master at once, and one died after it had written tables that the other
// one had read before.
// 626139417549: the same, and the one that died had been seen standing by.
// 627123253337: a master that was to sweep at once, and had asked another one for something first,
// did neither, and never slept.
// 625433967609: two were master, and the one of lower rank never met the other, whose writes
// stayed.
// 679350916210: two became master at once, and one began anew after it had written; the other had
// not met it as master, and found it standing by.
// 687278000733: a standby was master of an island between two looks of the master, and died.
INSTANTIATE_TEST_SUITE_P(OnceBad, BrokenRivalsBySeed,
                         testing::Values(615'692'901'447u, 620'761'385'999u, 622'387'524'404u,
                                         625'433'967'609u, 626'139'417'549u, 627'123'253'337u,
                                         679'350'916'210u, 687'278'000'733u));
INSTANTIATE_TEST_SUITE_P(ChaosSeeds, BrokenRivalsBySeed,
                         testing::Range(seeds(40).first, seeds(40).end));

// 600100004420: the master's own cable was out for as long as another one needed to take over and
// to write tables without the hosts that it did not see. Back again, it believed that its own
// stood.
// 91500000457: the same, and a full sweep was asked for before a light one saw the own port.
// 734115953648: one that nobody knew of any more was master of an island for 40 ms between two
// looks, and died; its tables stayed there.
INSTANTIATE_TEST_SUITE_P(OnceBad, RivalsBySeed,
                         testing::Values(600'100'004'420u, 91'500'000'457u, 734'115'953'648u));
INSTANTIATE_TEST_SUITE_P(ChaosSeeds, RivalsBySeed, testing::Range(seeds(40).first, seeds(40).end));

}  // namespace
}  // namespace heddle::test
