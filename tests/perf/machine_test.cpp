// SPDX-License-Identifier: BSD-3-Clause
// The performance manager and simulated agents: what it asks, how fast, and what it makes of the
// answers. What ports really counted is read from the simulated devices.
#include "perf/machine.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mad/class_port_info.hpp"
#include "mad/gsi_datagram.hpp"
#include "mad/port_counters.hpp"
#include "tests/perf/stage.hpp"

namespace heddle::perf {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::PerfStage;
using Id = mad::PerfAttributeId;
using mad::Method;

bool is(const PerfMad& mad, Id attribute) {
  return mad.header.attribute_id == static_cast<std::uint16_t>(attribute);
}

// Agents with other capabilities than they say, by changing what they say.
auto claims(std::uint16_t mask, std::uint32_t mask2 = 0) {
  return [=](PerfMad& mad) {
    if (!is(mad, Id::ClassPortInfo)) return true;
    mad::ClassPortInfo info;
    info.capability_mask = mask;
    info.capability_mask2 = mask2;
    mad.data = {};
    const auto bytes = mad::encode(info);
    std::copy(bytes.begin(), bytes.end(), mad.data.begin());
    return true;
  };
}

Options every(base::Duration interval) {
  Options options;
  options.interval = interval;
  return options;
}

TEST(PerfMachine, DoesNothingWithoutAPicture) {
  PerfStage stage("star:4");
  stage.run_for(seconds(1000));
  EXPECT_TRUE(stage.sent.empty());
  EXPECT_EQ(stage.machine.deadline(), base::kNever);
}

TEST(PerfMachine, TellsWhatThePortsCounted) {
  PerfStage stage("star:4");
  stage.inject("switch-1", 2, "SymbolErrorCounter", 12);
  stage.inject("host-0002", 1, "LinkDownedCounter", 3);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().ports.size(), 8u);
  EXPECT_EQ(stage.port("switch-1", 2).total(Counter::SymbolError), 12u);
  EXPECT_EQ(stage.port("host-0002", 1).total(Counter::LinkDowned), 3u);
  EXPECT_TRUE(stage.port("switch-1", 2).wide);
  EXPECT_EQ(stage.port("switch-1", 2).interval, base::Duration{0});  // seen once
  EXPECT_EQ(stage.readings().find(mad::Guid{1}, mad::PortNumber{1}), nullptr);
}

TEST(PerfMachine, AsksOnceWhatAnAgentCanAndThenOncePerPort) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.give(stage.picture());
  stage.run_sweeps(1);
  EXPECT_EQ(stage.sent.size(), 5u + 8u);  // agents, and ports
  stage.run_sweeps(1);
  EXPECT_EQ(stage.sent.size(), 5u + 8u + 8u);
  EXPECT_EQ(stage.readings().sweep.sent, 8u);
  EXPECT_EQ(stage.readings().sweep.agents, 5u);
}

TEST(PerfMachine, LeavesHostsAloneThatAreNotInThePicture) {
  PerfStage stage("star:4");
  stage.give(stage.picture(/*with_hosts=*/false));
  stage.run_sweeps(1);
  std::set<mad::Lid> asked;
  for (const auto& sent : stage.sent) asked.insert(sent.to);
  EXPECT_EQ(asked.size(), 1u);
}

TEST(PerfMachine, TellsHowFastCountersGrew) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.give(stage.picture());
  stage.run_sweeps(1);
  const auto before = stage.port("switch-1", 3).total(Counter::TransmitData);
  stage.inject("switch-1", 3, "PortXmitData", 12'500'000'000);  // words: 400 Gbit in ten seconds
  stage.inject("switch-1", 3, "PortXmitWait", 700);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 3);
  EXPECT_NEAR(std::chrono::duration<double>(port.interval).count(), 10, 0.1);
  EXPECT_NEAR(port.rate(Counter::TransmitData), 1.25e9, 1e7);
  EXPECT_NEAR(port.utilisation(), 0.4, 0.01);
  EXPECT_NEAR(port.rate(Counter::TransmitWait), 70, 1);
  EXPECT_GE(port.total(Counter::TransmitData), before + 12'500'000'000);
  EXPECT_EQ(stage.port("switch-1", 4).rate(Counter::TransmitWait), 0);
}

TEST(PerfMachine, GoesOnCountingWhenSomebodySetsCountersBack) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.inject("switch-1", 1, "SymbolErrorCounter", 40);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  stage.set_counter("switch-1", 1, "SymbolErrorCounter", 2);
  stage.run_sweeps(1);
  EXPECT_EQ(stage.port("switch-1", 1).total(Counter::SymbolError), 42u);
  EXPECT_EQ(stage.port("switch-1", 1).resets, 1u);
  EXPECT_EQ(stage.port("switch-1", 2).resets, 0u);
}

TEST(PerfMachine, TakesAFullCounterOf64BitsForOneThatGoesOnFromZero) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.set_counter("switch-1", 1, "PortXmitData", ~0ull - 99);
  stage.give(stage.picture(false));
  stage.run_sweeps(1);
  const auto before = stage.port("switch-1", 1).total(Counter::TransmitData);
  const std::uint64_t raw = before;
  stage.set_counter("switch-1", 1, "PortXmitData", 1000);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 1);
  // What it carried of our own questions comes to it.
  EXPECT_GE(port.deltas[index(Counter::TransmitData)], static_cast<float>(1000 + ~raw));
  EXPECT_LT(port.deltas[index(Counter::TransmitData)], 5000.0f);
  EXPECT_EQ(port.resets, 0u);
}

// --- agents of other kinds ----------------------------------------------------------------------

TEST(PerfMachine, AsksAnAgentWithNarrowCountersForThoseAlone) {
  PerfStage stage("star:4");
  stage.on_answer = claims(0);
  stage.inject("switch-1", 1, "SymbolErrorCounter", 70'000);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  for (const auto& sent : stage.sent) EXPECT_FALSE(is(sent.mad, Id::PortCountersExtended));
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_FALSE(port.wide);
  EXPECT_EQ(port.total(Counter::SymbolError), 65'535u);
  EXPECT_EQ(port.saturated, bit(Counter::SymbolError));
  EXPECT_FALSE(port.knows(Counter::TransmitWait));
}

TEST(PerfMachine, AsksOneWithWideDataForBoth) {
  PerfStage stage("star:4");
  stage.on_answer = claims(mad::kPerfExtendedWidthNoIETF | mad::kPerfXmitWait);
  stage.inject("switch-1", 1, "PortXmitData", 0x1'0000'0000);
  stage.inject("switch-1", 1, "SymbolErrorCounter", 9);
  stage.give(stage.picture(false));
  stage.run_sweeps(1);
  EXPECT_EQ(stage.sent.size(), 1u + 2 * 4u);
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_GE(port.total(Counter::TransmitData), 0x1'0000'0000u);
  EXPECT_EQ(port.total(Counter::SymbolError), 9u);
  EXPECT_TRUE(port.knows(Counter::TransmitWait));
  EXPECT_FALSE(port.knows(Counter::UnicastReceivePackets));
}

TEST(PerfMachine, TakesNarrowCountersOfOneThatCannotDoWhatItSays) {
  PerfStage stage("star:4");
  stage.on_answer = [](PerfMad& mad) {
    if (is(mad, Id::PortCountersExtended)) mad.header.status = mad::kStatusBadMethodAttribute;
    return true;
  };
  stage.inject("switch-1", 1, "SymbolErrorCounter", 5);
  stage.give(stage.picture(false));
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().sweep.refusing, 1u);
  EXPECT_EQ(stage.port("switch-1", 1).total(Counter::SymbolError), 5u);
  EXPECT_FALSE(stage.port("switch-1", 1).wide);
}

TEST(PerfMachine, AsksNobodyWhatHeCanIfItIsToldNotTo) {
  Options options;
  options.ask_capabilities = false;
  PerfStage stage("star:4", options);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  for (const auto& sent : stage.sent) EXPECT_TRUE(is(sent.mad, Id::PortCounters));
}

// --- what is written ----------------------------------------------------------------------------

TEST(PerfMachine, WritesNothing) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.on_answer = claims(0);
  stage.inject("switch-1", 1, "SymbolErrorCounter", 65'535);
  stage.give(stage.picture());
  stage.run_sweeps(3);
  for (const auto& sent : stage.sent) EXPECT_EQ(sent.mad.header.method, mad::Method::Get);
}

TEST(PerfMachine, SetsFullCountersBackIfItMayAndLosesNothing) {
  Options options = every(seconds(10));
  options.clear_full = true;
  PerfStage stage("star:4", options);
  stage.on_answer = claims(0);
  stage.inject("switch-1", 1, "LinkDownedCounter", 200);
  stage.inject("switch-1", 1, "SymbolErrorCounter", 10);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().sweep.cleared, 1u);
  stage.inject("switch-1", 1, "LinkDownedCounter", 100);
  stage.run_sweeps(1);
  const PortReading& port = stage.port("switch-1", 1);
  EXPECT_EQ(port.total(Counter::LinkDowned), 300u);  // more than the counter can hold
  EXPECT_EQ(port.resets, 0u);
  EXPECT_EQ(port.total(Counter::SymbolError), 10u);  // not nearly full, so it was left
  unsigned sets = 0;
  for (const auto& sent : stage.sent) sets += sent.mad.header.method == mad::Method::Set;
  EXPECT_EQ(sets, 1u);
}

// --- pace, windows, silence ---------------------------------------------------------------------

TEST(PerfMachine, SendsNoFasterThanItMay) {
  Options options;
  options.per_second = 100;
  options.window = 1000;
  options.window_per_agent = 100;
  PerfStage stage("fat-tree:4,2");
  stage.change(options);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  ASSERT_GT(stage.sent.size(), 20u);
  const auto took = stage.sent.back().when - stage.sent.front().when;
  EXPECT_GE(took, (stage.sent.size() - 3) * milliseconds(10));
  EXPECT_LE(took, stage.sent.size() * milliseconds(10) + milliseconds(100));
}

TEST(PerfMachine, KeepsItsWindows) {
  Options options;
  options.window = 5;
  options.timeout = milliseconds(100);
  PerfStage stage("fat-tree:4,2", options);
  stage.on_answer = [](PerfMad&) { return false; };  // nobody answers
  stage.give(stage.picture());
  stage.run_sweeps(1);
  std::map<base::Instant, std::size_t> at;
  for (const auto& sent : stage.sent) ++at[sent.when];
  for (auto first = stage.sent.begin(); first != stage.sent.end(); ++first) {
    const auto within = std::count_if(first, stage.sent.end(), [&](const auto& sent) {
      return sent.when < first->when + options.timeout;
    });
    EXPECT_LE(within, 5);
  }
}

TEST(PerfMachine, GivesADeadAgentOneQuestionAndGoesOn) {
  Options options = every(seconds(10));
  options.timeout = milliseconds(200);
  PerfStage stage("star:4", options);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  stage.sent.clear();
  stage.world.power_off(stage.node("host-0003"));
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().sweep.silent, 1u);
  EXPECT_EQ(stage.readings().silent.size(), 1u);
  EXPECT_EQ(stage.readings().sweep.retries, 2u);
  EXPECT_LE(stage.readings().sweep.took, seconds(1));
  // What it said before is kept; nothing is said of how fast it grows.
  EXPECT_EQ(stage.port("host-0003", 1).interval, base::Duration{0});
  EXPECT_NE(stage.port("host-0002", 1).interval, base::Duration{0});
}

// The agent of one host says that another one's should be asked instead: by a status, or by its
// ClassPortInfo. So what that one counted is taken for it.
class PerfRedirection : public testing::TestWithParam<bool> {
 protected:
  PerfRedirection() : stage_("star:4", options()) {
    from_ = lid_of("host-0002");
    to_ = lid_of("host-0003");
    stage_.on_answer = [this](PerfMad& mad) { return redirect(mad); };
  }
  static Options options() {
    Options options = every(seconds(10));
    options.timeout = milliseconds(200);
    return options;
  }
  mad::Lid lid_of(const char* host) {
    for (const auto& [port, lid] : stage_.manager.lids) {
      if (stage_.world.devices().lines[port].node == stage_.node(host)) return lid;
    }
    return mad::kNoLid;
  }
  bool redirect(PerfMad& mad) {
    const auto asked =
        std::find_if(stage_.sent.rbegin(), stage_.sent.rend(), [&](const PerfStage::Sent& each) {
          return each.mad.header.transaction_id == mad.header.transaction_id;
        });
    if (!redirects_ || asked == stage_.sent.rend() || asked->to != from_) return true;
    if (!GetParam() && !is(mad, Id::ClassPortInfo)) return true;
    mad::ClassPortInfo info;
    info.redirect_lid = to_;
    info.redirect_qp = 1;
    info.redirect_q_key = mad::kManagementQKey;
    mad.data = {};
    const auto bytes = mad::encode(info);
    std::copy(bytes.begin(), bytes.end(), mad.data.begin());
    if (GetParam()) mad.header.status = mad::kStatusRedirect;
    return true;
  }
  std::size_t asked_at(mad::Lid lid) const {
    return static_cast<std::size_t>(
        std::count_if(stage_.sent.begin(), stage_.sent.end(),
                      [lid](const PerfStage::Sent& each) { return each.to == lid; }));
  }
  std::uint64_t symbol_errors(const char* host) const {
    return stage_.port(host, 1).total(Counter::SymbolError);
  }

  PerfStage stage_;
  mad::Lid from_{}, to_{};
  bool redirects_ = true;
};

TEST_P(PerfRedirection, IsFollowedAndRemembered) {
  stage_.inject("host-0002", 1, "SymbolErrorCounter", 3);
  stage_.inject("host-0003", 1, "SymbolErrorCounter", 40);
  stage_.give(stage_.picture());
  stage_.run_sweeps(1);
  EXPECT_EQ(symbol_errors("host-0002"), 40u) << "it is the other agent that was asked";
  EXPECT_EQ(symbol_errors("host-0003"), 40u);
  EXPECT_EQ(stage_.readings().sweep.refusing, 0u);
  stage_.sent.clear();
  stage_.run_sweeps(2);
  EXPECT_EQ(asked_at(from_), 0u);
  // Nobody answers there any more: the agent itself is asked in the sweep after that.
  stage_.world.power_off(stage_.node("host-0003"));
  redirects_ = false;
  stage_.run_sweeps(1);
  EXPECT_EQ(stage_.readings().sweep.silent, 2u);
  stage_.run_sweeps(1);
  EXPECT_EQ(stage_.readings().sweep.silent, 1u);
  EXPECT_NE(asked_at(from_), 0u);
}

TEST_P(PerfRedirection, IsNotFollowedWhereThatIsNotWanted) {
  Options staying = options();
  staying.follow_redirects = false;
  stage_.change(staying);
  stage_.inject("host-0002", 1, "SymbolErrorCounter", 3);
  stage_.inject("host-0003", 1, "SymbolErrorCounter", 40);
  stage_.give(stage_.picture());
  stage_.run_sweeps(1);
  const bool refuses = GetParam();
  if (!refuses) {
    EXPECT_EQ(symbol_errors("host-0002"), 3u);
  }
  EXPECT_EQ(stage_.readings().sweep.refusing, refuses ? 1u : 0u);
  stage_.change(options());
  stage_.run_sweeps(2);
  EXPECT_EQ(stage_.readings().sweep.refusing, 0u);
  stage_.sent.clear();
  stage_.run_sweeps(1);
  EXPECT_EQ(asked_at(from_), 0u);
  stage_.change(staying);
  stage_.run_sweeps(1);
  stage_.sent.clear();
  stage_.run_sweeps(1);
  EXPECT_NE(asked_at(from_), 0u) << "where it sent us before is forgotten";
}

TEST_P(PerfRedirection, InACircleEndsAsARefusal) {
  to_ = from_;
  stage_.give(stage_.picture());
  stage_.run_sweeps(2);
  EXPECT_LE(asked_at(from_), 64u);
  EXPECT_EQ(stage_.readings().sweep.silent, 0u);
  EXPECT_EQ(stage_.readings().sweep.refusing, GetParam() ? 1u : 0u);
}

// Who answers instead may answer of ports of its own. Its counters stay as they are, and so do
// those of the agent itself, which nobody has read.
TEST_P(PerfRedirection, NeverClearsAnothersCounters) {
  Options clearing = options();
  clearing.clear_full = true;
  stage_.change(clearing);
  auto inner = stage_.on_answer;
  const auto narrow = claims(0);
  // Told by its agents that they have narrow counters, and by one that another should be asked.
  stage_.on_answer = [&](PerfMad& mad) {
    narrow(mad);
    return inner(mad);
  };
  for (const char* host : {"host-0002", "host-0003"}) {
    stage_.inject(host, 1, "LinkDownedCounter", 200);
  }
  const auto sets = [&] {
    std::map<mad::Lid, unsigned> all;
    for (const auto& each : stage_.sent) all[each.to] += each.mad.header.method == Method::Set;
    return all;
  };
  stage_.give(stage_.picture());
  stage_.run_sweeps(1);
  EXPECT_EQ(stage_.port("host-0002", 1).total(Counter::LinkDowned), 200u);
  EXPECT_EQ(sets()[from_], 0u);
  EXPECT_EQ(sets()[to_], 1u) << "by its own port's reading";
  redirects_ = false;
  stage_.sent.clear();
  stage_.inject("host-0002", 1, "LinkDownedCounter", 1);
  stage_.run_sweeps(1);
  EXPECT_EQ(sets()[from_] + sets()[to_], 0u) << "it is still the other one that is asked";
}

TEST(PerfMachine, DropsAClearingThatIsSentElsewhere) {
  Options options = every(seconds(10));
  options.clear_full = true;
  PerfStage stage("star:4", options);
  const mad::Lid other = stage.manager.lids.rbegin()->second;
  const auto narrow = claims(0);
  stage.on_answer = [&](PerfMad& mad) {
    narrow(mad);
    if (mad.header.method != Method::GetResp) return true;
    const auto asked =
        std::find_if(stage.sent.rbegin(), stage.sent.rend(), [&](const PerfStage::Sent& each) {
          return each.mad.header.transaction_id == mad.header.transaction_id;
        });
    if (asked == stage.sent.rend() || asked->mad.header.method != Method::Set) return true;
    mad::ClassPortInfo info;
    info.redirect_lid = other;
    info.redirect_qp = 1;
    mad.data = {};
    const auto bytes = mad::encode(info);
    std::copy(bytes.begin(), bytes.end(), mad.data.begin());
    mad.header.status = mad::kStatusRedirect;
    return true;
  };
  stage.inject("switch-1", 1, "LinkDownedCounter", 200);
  stage.give(stage.picture());
  stage.run_sweeps(3);
  std::vector<mad::Lid> sets;
  for (const auto& each : stage.sent) {
    if (each.mad.header.method == Method::Set) sets.push_back(each.to);
  }
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_NE(sets[0], other);
}

INSTANTIATE_TEST_SUITE_P(ByStatusOrInfo, PerfRedirection, testing::Bool());

TEST(PerfMachine, AsksAgainWhenAnAnswerWasLostOrTheAgentBusy) {
  Options options = every(seconds(10));
  options.timeout = milliseconds(200);
  PerfStage stage("star:4", options);
  unsigned answers = 0;
  stage.on_answer = [&](PerfMad& mad) {
    ++answers;
    if (answers % 7 == 0) return false;
    if (answers % 5 == 0) mad.header.status = mad::kStatusBusy;
    return true;
  };
  stage.give(stage.picture());
  stage.run_sweeps(1);
  EXPECT_GT(stage.readings().sweep.retries, 0u);
  EXPECT_EQ(stage.readings().sweep.silent, 0u);
  for (const PortReading& port : stage.readings().ports) EXPECT_NE(port.known, 0u);
}

TEST(PerfMachine, IgnoresWhatItDidNotAskFor) {
  PerfStage stage("star:4");
  stage.give(stage.picture());
  stage.run_sweeps(1);
  const auto totals = stage.port("switch-1", 1).totals;
  PerfMad lie = request(mad::Method::GetResp, Id::PortCountersExtended, 4711);
  stage.machine.step(stage.now, MadReceived{to_datagram(lie, mad::Lid{1}, {})});
  mad::Datagram stub;
  stub.payload.resize(3);
  stage.machine.step(stage.now, MadReceived{stub});
  stage.run_sweeps(1);
  EXPECT_GE(stage.port("switch-1", 1).totals, totals);
}

// --- a fabric that changes ----------------------------------------------------------------------

TEST(PerfMachine, KeepsWhatItKnowsOfPortsThatStay) {
  PerfStage stage("star:4", every(seconds(10)));
  stage.inject("host-0004", 1, "LinkDownedCounter", 3);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  stage.set_counter("host-0004", 1, "LinkDownedCounter", 1);
  auto smaller = std::make_shared<Picture>(*stage.picture());
  smaller->agents.erase(smaller->agents.begin());
  stage.give(smaller);
  stage.run_sweeps(1);
  EXPECT_EQ(stage.readings().nodes.size(), 4u);
  EXPECT_EQ(stage.port("host-0004", 1).total(Counter::LinkDowned), 4u);
}

TEST(PerfMachine, AsksAgentsThatStayNotAgainWhatTheyCan) {
  PerfStage stage("star:4", every(seconds(10)));
  const auto asked = [&] {
    return std::count_if(stage.sent.begin(), stage.sent.end(), [](const PerfStage::Sent& each) {
      return is(each.mad, Id::ClassPortInfo);
    });
  };
  const auto whole = stage.picture();
  const auto is_host = [](const Agent& agent) { return !agent.is_switch; };
  auto smaller = std::make_shared<Picture>(*whole);
  auto& agents = smaller->agents;
  agents.erase(std::find_if(agents.begin(), agents.end(), is_host));
  const auto hub = std::find_if_not(agents.begin(), agents.end(), is_host);
  hub->ports.erase(hub->ports.begin());
  stage.give(whole);
  stage.run_sweeps(1);
  ASSERT_EQ(asked(), 5);
  stage.give(smaller);
  stage.run_sweeps(1);
  EXPECT_EQ(asked(), 5) << "a switch that loses a link is no other one";
  stage.give(whole);
  stage.run_sweeps(1);
  EXPECT_EQ(asked(), 6) << "who was away may have restarted";
  auto exchanged = std::make_shared<Picture>(*whole);
  const auto one = std::find_if(exchanged->agents.begin(), exchanged->agents.end(), is_host);
  const auto other = std::find_if(one + 1, exchanged->agents.end(), is_host);
  std::swap(one->lid, other->lid);
  stage.give(exchanged);
  stage.run_sweeps(1);
  EXPECT_EQ(asked(), 8) << "somebody else may be there";
}

TEST(PerfMachine, DoesNotBeginAnewForAPictureThatSaysTheSame) {
  PerfStage stage("star:4", every(seconds(60)));
  stage.give(stage.picture());
  stage.run_sweeps(1);
  const std::size_t sent = stage.sent.size();
  for (int i = 0; i < 5; ++i) {
    stage.give(stage.picture());
    stage.run_for(seconds(5));
  }
  EXPECT_EQ(stage.sent.size(), sent);
}

TEST(PerfMachine, FallsSilentWhenAnotherIsMaster) {
  PerfStage stage("fat-tree:4,2", every(seconds(10)));
  stage.give(stage.picture());
  stage.run_for(milliseconds(3));
  stage.give(nullptr);
  const std::size_t sent = stage.sent.size();
  stage.run_for(seconds(100));
  EXPECT_EQ(stage.sent.size(), sent);
  stage.give(stage.picture());
  stage.run_sweeps(1);
  EXPECT_GT(stage.sent.size(), sent);
}

TEST(PerfMachine, NamesPortsWhoseErrorsGrowTooFast) {
  Options options = every(seconds(10));
  options.thresholds = {*parse_threshold("symbol_error 10/min")};
  PerfStage stage("star:4", options);
  stage.inject("switch-1", 2, "SymbolErrorCounter", 1'000'000);  // long ago
  stage.give(stage.picture());
  stage.run_sweeps(2);
  EXPECT_EQ(stage.port("switch-1", 2).exceeded, 0u);
  stage.inject("switch-1", 2, "SymbolErrorCounter", 11);
  stage.run_sweeps(1);
  EXPECT_EQ(stage.port("switch-1", 2).exceeded, bit(Counter::SymbolError));
  EXPECT_EQ(stage.port("switch-1", 1).exceeded, 0u);
}

}  // namespace
}  // namespace heddle::perf
