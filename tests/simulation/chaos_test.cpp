// SPDX-License-Identifier: BSD-3-Clause
// Everything at once, drawn by seed: a fabric, its options, a while of trouble, then calm. Some
// time after the trouble has ended all must be right, and rest. seeds.hpp says which seeds.
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "sim/devices.hpp"
#include "sm/keys.hpp"
#include "tests/simulation/breakage.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/seeds.hpp"

namespace heddle::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A sweep interval, a full sweep with a few dead devices in it, and once more; and links that are
// held back must stand for 20 s.
constexpr auto kUntilRight = seconds(120);

constexpr mad::MKey kKey{0x5EC2E7};

// What troubles a fabric of people, and what broken devices and cables do besides.
enum class Faults { Common, All };
// Routes are there at once, or late, when the fabric may be another already.
enum class Router { Quick, Slow };

class Chaos {
 public:
  explicit Chaos(std::uint64_t seed, Faults faults = Faults::Common, Router router = Router::Quick)
      : prng_(seed),
        of_store_(seed ^ 0x5708E),
        faults_(faults),
        box_(draw_fabric(), draw_options(seed, router)),
        breakage_(box_, seed) {
    box_.seat().shelf().delay = microseconds(of_store_.below(30'000));
    if (of_store_.chance(0.2)) box_.seat().shelf().trouble = "database or disk is full";
  }

  void make_trouble() {
    box_.run_for(milliseconds(prng_.below(3000)));
    for (std::uint64_t faults = 5 + prng_.below(25); faults > 0; --faults) {
      if (faults_ == Faults::All && breakage_.chance(0.4)) {
        tell_now(breakage_.strike({box_.world().devices().lines[box_.endpoint()].node}));
      } else {
        one_fault();
      }
      disturb_store();
      // Often while a sweep runs, sometimes after it.
      box_.run_for(prng_.chance(0.6) ? base::Duration(microseconds(prng_.below(3000)))
                                     : base::Duration(milliseconds(prng_.below(15000))));
    }
  }

  void calm() {
    const sim::Devices& devices = box_.world().devices();
    for (std::uint32_t cable = 0; cable < devices.cables.size(); ++cable) {
      box_.world().set_loss(cable, 0);
      box_.world().restore(cable);
    }
    for (std::uint32_t node = 0; node < devices.nodes.size(); ++node) {
      box_.world().power_on(node);
      box_.world().silence(node, false);
      box_.world().make_busy(node, false);
    }
    breakage_.mend();
    box_.seat().shelf().trouble.clear();
    box_.seat().shelf().hangs = false;
  }

  // Devices that changed places while they were written to may hold each other's keys. If one of
  // the two is gone for good, and the manager that knew it too, nobody can tell the other's key:
  // all that is left is to restart it. True if any was.
  bool restart_those_without_hope() {
    if (!box_.published()) return false;
    const auto known = known_ports();
    const auto strangers = keys_of_others(known);
    const sim::Devices& devices = box_.world().devices();
    bool any = false;
    for (std::uint32_t node = 0; node < devices.nodes.size(); ++node) {
      if (known.count(devices.port_guid(devices.first_endpoint(node))) == 0) continue;
      bool locked = false;
      for (unsigned port = 0; port <= devices.nodes[node].port_count; ++port) {
        const auto line = devices.port_at(node, static_cast<std::uint8_t>(port));
        locked = locked || strangers.count(devices.ports[line].info.m_key.value) != 0;
      }
      if (!locked) continue;
      box_.world().power_off(node);
      box_.world().power_on(node);
      any = true;
    }
    return any;
  }
  std::uint64_t sets_in_a_minute() {
    return sets_during(box_, [this] { box_.run_for(seconds(60)); });
  }
  bool lossy() const { return loss_ > 0; }
  Box& box() { return box_; }
  const std::string& story() const { return story_; }

 private:
  sim::Blueprint draw_fabric() {
    constexpr const char* kFabrics[] = {"pair",
                                        "star:7",
                                        "fat-tree:3,6",
                                        "fat-tree:2,4,4",
                                        "ring:6,hosts=2",
                                        "torus:3x3,hosts=1",
                                        "mesh:3x3,hosts=1",
                                        "hypercube:3,hosts=2",
                                        "dragonfly:2,2,1"};
    constexpr std::size_t kKinds = std::size(kFabrics);
    const auto kind = static_cast<std::size_t>(prng_.below(kKinds + 2));
    const std::string chosen = kind < kKinds
                                   ? kFabrics[kind]
                                   : "random:switches=" + std::to_string(3 + prng_.below(10)) +
                                         ",degree=" + std::to_string(3 + prng_.below(4)) +
                                         ",hosts=2,seed=" + std::to_string(prng_.below(1000));
    tell(chosen);
    return fabric(chosen);
  }

  BoxOptions draw_options(std::uint64_t seed, Router router) {
    BoxOptions options;
    options.sm.lmc = static_cast<std::uint8_t>(prng_.below(3));
    options.world.seed = seed;
    options.world.traps = prng_.chance(0.5);
    options.world.hop_delay = microseconds(prng_.below(20));
    options.world.agent_delay = microseconds(prng_.below(200));
    constexpr double kLosses[] = {0, 0, 0.005, 0.03};
    options.world.loss = loss_ = kLosses[prng_.below(std::size(kLosses))];
    // From a source of its own: what is added here changes no other draw of a seed.
    base::Prng of_routing(~seed);
    constexpr const char* kEngines[] = {"auto", "minhop", "updn", "weave"};
    const std::string engine = kEngines[of_routing.below(std::size(kEngines))];
    options.sm.routing.engines = {engine};
    options.sm.routing.cover_replies = of_routing.chance(0.5);
    options.sm.routing.max_vls = of_routing.chance(0.5) ? 1 : 8;
    if (router == Router::Slow) options.routing_takes = microseconds(1 + of_routing.below(20'000));
    tell("LMC " + std::to_string(options.sm.lmc) + ", loss " + std::to_string(loss_) + ", " +
         engine + " on " + std::to_string(options.sm.routing.max_vls) + " VLs" +
         (options.sm.routing.cover_replies ? "" : ", answers on levels of their own"));
    draw_care(seed, options.sm);
    return options;
  }

  // How the SM treats what is neither well nor gone, and whether it has a key; drawn apart too.
  void draw_care(std::uint64_t seed, sm::Options& options) {
    base::Prng dice(seed ^ 0xCA4E);
    options.node_misses = 1 + static_cast<std::uint32_t>(dice.below(3));
    options.flap_limit = static_cast<std::uint32_t>(dice.below(4));
    options.flap_hold = seconds(20);
    if (dice.chance(0.4)) options.m_key = kKey;
    options.m_key_per_port = dice.chance(0.5);
    tell(std::to_string(options.node_misses) + " misses, " + std::to_string(options.flap_limit) +
         " losses" + (options.m_key == mad::MKey{} ? "" : ", with an M_Key") +
         (options.m_key_per_port ? " for each port" : ""));
    options.durable = of_store_.chance(0.5);
    if (options.durable) tell("with a store");
  }

  void tell(const std::string& what) { story_ += "  " + what + '\n'; }
  void tell_now(const std::string& what) {
    const auto when = std::chrono::duration_cast<milliseconds>(box_.now().time_since_epoch());
    tell(std::to_string(when.count()) + " ms: " + what);
  }
  void tell_fault(const std::string& what, std::uint32_t which) {
    tell_now(what + ' ' + std::to_string(which));
  }

  std::set<mad::Guid> known_ports() {
    std::set<mad::Guid> known;
    const auto& topology = box_.snapshot().topology;
    for (const auto port : topology.endports()) known.insert(topology.port(port).guid);
    return known;
  }
  std::set<std::uint64_t> keys_of_others(const std::set<mad::Guid>& known) {
    std::set<std::uint64_t> keys;
    const sim::Devices& devices = box_.world().devices();
    for (sim::PortIndex port = 0; port < devices.ports.size(); ++port) {
      const mad::Guid guid = devices.port_guid(port);
      if (known.count(guid) == 0) keys.insert(sm::derive_m_key(kKey, guid).value);
    }
    return keys;
  }

  std::uint32_t any_cable() {
    return static_cast<std::uint32_t>(prng_.below(box_.world().devices().cables.size()));
  }
  // Any but the SM's own.
  std::uint32_t any_node() {
    const sim::Devices& devices = box_.world().devices();
    for (;;) {
      const auto node = static_cast<std::uint32_t>(prng_.below(devices.nodes.size()));
      if (node != devices.lines[box_.endpoint()].node) return node;
    }
  }

  void one_fault() {
    switch (prng_.below(8)) {
      case 0:
      case 1:
        return cable_fault();
      case 2:
        return node_fault();
      case 3: {
        const auto node = any_node();
        const bool silent = prng_.chance(0.6);
        tell_fault(silent ? "silence node" : "wake node", node);
        return box_.world().silence(node, silent);
      }
      case 4: {
        const auto node = any_node();
        tell_fault("restart node", node);
        box_.world().power_off(node);
        return box_.world().power_on(node);
      }
      case 5:
        return swap();
      case 6: {
        const auto cable = any_cable();
        const double loss = prng_.chance(0.5) ? 1 : 0.1;
        tell_fault("lose on cable", cable);
        return box_.world().set_loss(cable, loss);
      }
      default:
        return odd_fault();
    }
  }

  void cable_fault() {
    const auto cable = any_cable();
    const bool cut = prng_.chance(0.6);
    tell_fault(cut ? "cut cable" : "restore cable", cable);
    cut ? box_.world().cut(cable) : box_.world().restore(cable);
  }

  void node_fault() {
    const auto node = any_node();
    const bool off = prng_.chance(0.6);
    tell_fault(off ? "power off node" : "power on node", node);
    off ? box_.world().power_off(node) : box_.world().power_on(node);
  }

  void swap() {
    const auto first = any_cable();
    const auto second = any_cable();
    if (first == second) return;
    tell_fault("swap with cable " + std::to_string(first) + " cable", second);
    box_.world().swap_cables(first, second);
  }

  // A store hears nothing of a machine without a memory.
  void disturb_store() {
    Shelf& shelf = box_.seat().shelf();
    if (!of_store_.chance(0.1)) return;
    if (of_store_.chance(0.5)) {
      shelf.hangs = !shelf.hangs;
    } else {
      shelf.trouble = shelf.trouble.empty() ? "database or disk is full" : "";
    }
  }

  void odd_fault() {
    if (prng_.chance(0.3)) {
      tell_fault("start a new process, memory", prng_.chance(0.5) ? 1u : 0u);
      if (of_store_.chance(0.5)) return box_.seat().restart_from_shelf();
      return box_.restart(prng_.chance(0.5) ? box_.stored() : std::vector<sm::RememberedLids>{});
    }
    const auto node = any_node();
    tell_fault("busy node", node);
    box_.world().make_busy(node, true);
  }

  base::Prng prng_;
  base::Prng of_store_;  // drawn apart too
  Faults faults_;
  std::string story_;
  double loss_ = 0;
  Box box_;
  Breakage breakage_;
};

class ChaosBySeed : public testing::TestWithParam<std::uint64_t> {};

void play(Chaos& chaos, std::uint64_t seed) {
  chaos.make_trouble();
  chaos.calm();
  chaos.box().run_for(kUntilRight);
  if (chaos.restart_those_without_hope()) chaos.box().run_for(kUntilRight);
  EXPECT_EQ(trouble(chaos.box()), "") << "seed " << seed << ":\n" << chaos.story();
  if (chaos.lossy()) return;
  chaos.box().forget_events();
  EXPECT_EQ(chaos.sets_in_a_minute(), 0u) << "seed " << seed << ":\n"
                                          << chaos.story() << "in which the SM said:\n"
                                          << said(chaos.box());
}

TEST_P(ChaosBySeed, EndsInOrder) {
  Chaos chaos(GetParam());
  play(chaos, GetParam());
}

class BrokenBySeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BrokenBySeed, EndsInOrderToo) {
  Chaos chaos(GetParam(), Faults::All);
  play(chaos, GetParam());
}

class SlowlyBySeed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SlowlyBySeed, EndsInOrderToo) {
  Chaos chaos(GetParam(), Faults::All, Router::Slow);
  play(chaos, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SlowlyBySeed, testing::Range(seeds(24).first, seeds(24).end));
INSTANTIATE_TEST_SUITE_P(Seeds, BrokenBySeed, testing::Range(seeds(40).first, seeds(40).end));
// Others that it found have a scene of their own: identity_test.cpp, Links, Flaps, LidAssignment.
//  98000038322: a host that had told of a smaller MTU than it has was Active with it, and its
//      switch with another.
//  622968718511: the like, by a host that fell while it was written to.
//  623911447689: the last cable that a look found moved led ways to other switches, whose tables
//      were written by these.
//  624229218464: a host that answered again was not read, since all cables in front of it had
//      changed, and nobody missed it any more.
//  624665479549: what was written to a port of a switch reached a host, and took away its key.
//  684935102965: a wrong bit in the first answer of a switch made it a router: what it said by
//      all other ways was taken for that of a second one.
//  718892065459: a block was written by a sweep that had been broken off, when the one begun anew
//      had read it.
//  731112965804: a host restarted while the other end of its link was raised by the third of three
//      Sets, and stayed without a LID. 732795409094: the same, between those.
INSTANTIATE_TEST_SUITE_P(OnceBad, BrokenBySeed,
                         testing::Values(98000038322u, 622968718511u, 623911447689u, 624229218464u,
                                         624665479549u, 684935102965u, 718892065459u, 731112965804u,
                                         732795409094u));

INSTANTIATE_TEST_SUITE_P(Seeds, ChaosBySeed, testing::Range(seeds(24).first, seeds(24).end));
// Seeds that once ended in disorder.
//  3494: tables written while cables moved were doubted only up to the highest LID of that moment.
//  2239: every route to a switch died in mid-sweep, and each of its ports was asked beyond in turn.
//  342746800291: without traps, a sweep waited in every phase for all whose ways had died.
//  358057026497: the same, and none of them was asked twice.
//  356432450755: the own link was lost while clients were yet to be told, and the machine, which
//  could not tell them, never slept again.
//  358137832821: a dozen that were cut off and kept as silent came back one by one, each with a
//  look of its own.
//  358163714938: a switch was mistaken for another while cables changed places, got that one's
//  M_Key, and the process that had done it was gone.
//  358195538970: a sweep wrote while cables changed places, and the doubts about it were forgotten
//  by the one after it, which was begun anew before it wrote.
//  179536524035: on a lossy fabric every look ended at the first device that began to answer.
//  179536622690: a silent switch answered just when it was given up, and was not written to.
//  179536607307: what was written astray went along a way that died, and later led elsewhere.
//  179536524301: the keys of others were tried along ways that led elsewhere meanwhile.
//  179536619359: the own cable was exchanged in mid-sweep on a fabric that loses 3 %, three sweeps
//      having been begun anew. Which change mended it is not known; what it showed OwnCable tests.
//  610100000388: the own cable was exchanged during the first discovery, which went on asking along
//      ways that had died, one device after another.
//  2523417071: a host restarted in mid-sweep, between the reading of its link's two ends; the
//      end at the switch was raised, and the host, which had lost its LID, was believed well.
//  71700431: the own cable led to another switch, and what was asked of a third one came to a host,
//      which refused it; every look ended with that, for ever.
//  71705700: a switch got another one's table while cables changed places, and was not asked for it
//      because its SwitchInfo had to be written besides.
//  583482273908: the test was wrong. A host had the key of one that was cut off for good, and the
//      manager that knew both was gone: it has to be restarted by hand.
//  604016203821: a switch took a block and its answer was lost, so the sweep began anew to read all
//      tables; it was kept as silent meanwhile, and then believed to hold what it held before.
//  595831681491: a host had the key of one that was cut off, and was not tried again when that one
//      came back.
INSTANTIATE_TEST_SUITE_P(OnceBad, ChaosBySeed,
                         testing::Values(2239, 3494, 342746800291, 356432450755, 358057026497,
                                         358137832821, 358163714938, 358195538970, 179536524035,
                                         179536524301, 179536607307, 179536622690, 179536619359,
                                         610100000388, 2523417071, 71700431, 71705700, 583482273908,
                                         595831681491, 604016203821));

}  // namespace
}  // namespace heddle::test
