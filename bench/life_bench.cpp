// SPDX-License-Identifier: BSD-3-Clause
// What the SM does when a fabric changes: SMPs sent and time worked, against those of a full sweep
// of the same fabric in the same run. The fabric answers at once and in virtual time, so that only
// the machine's own work is measured; routing runs on all cores.
//
// Some of it has a limit. One that is missed is named at the end, and the exit code is 1: counts
// are the same everywhere, times are for the machine that is to run the fabric, with nothing
// beside.
//
//   bench_life [FABRIC]        default: 11,664 hosts
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "base/text.hpp"
#include "sim/checker.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// Time between on_work(true) and on_work(false).
struct Meter {
  Clock::duration worked{};
  Clock::time_point began{};
  void on_work(bool begins) {
    if (begins) {
      began = Clock::now();
    } else {
      worked += Clock::now() - began;
    }
  }
};

void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<std::size_t>(0, count),
      [&](const oneapi::tbb::blocked_range<std::size_t>& part) { body(part.begin(), part.end()); });
}

// What must hold of a measurement.
struct Limit {
  double share = 0;         // of the SMPs of a full sweep, per cent; 0: any
  double ms_to_tables = 0;  // work until the tables are repaired; 0: any
  double per_switch = 0;    // SMPs; 0: any
};
constexpr Limit kRepair{1.0, 50.0, 0};
constexpr Limit kLook{0, 0, 2.0};
constexpr double kTakeoverMs = 2000;

class Life {
 public:
  explicit Life(const std::string& fabric) : box_(fabric, options()) {}

  void measure(const std::string& what, const std::function<void()>& change,
               base::Duration time = seconds(9), const Limit& limit = {}) {
    meter_ = routing_ = {};
    box_.forget_events();
    tables_ = {};
    sets_.clear();
    watch_sets();
    const auto before = box_.world().counters();
    change();
    box_.run_for(time);
    const auto& after = box_.world().counters();
    const auto gets = after.gets - before.gets, sets = after.sets - before.sets;
    if (smps_of_all_ == 0) smps_of_all_ = gets + sets;
    const double share =
        100.0 * static_cast<double>(gets + sets) / static_cast<double>(smps_of_all_);
    fmt::print("{:<34} {:>8} {:>7} {:>7.2f}% {:>9.1f} {:>9.1f} {:>9.1f} {:>7}\n", what, gets, sets,
               share, ms(tables_), ms(meter_.worked), ms(routing_.worked),
               box_.count<sm::SweepFinished>());
    std::fflush(stdout);
    const auto switches = static_cast<double>(box_.snapshot().topology.switch_count());
    expect(what, "per cent of a full sweep's SMPs", share, limit.share);
    expect(what, "ms of work until the tables are repaired", ms(tables_), limit.ms_to_tables);
    expect(what, "SMPs for each switch", static_cast<double>(gets + sets) / switches,
           limit.per_switch);
  }
  // Of the last measurement.
  double worked_ms() const { return ms(meter_.worked); }
  // 0 limits nothing.
  void expect(const std::string& what, const std::string& unit, double value, double limit) {
    if (limit > 0 && value > limit) {
      missed_.push_back(fmt::format("{}: {:.2f} {}, not {:.2f} at most", what, value, unit, limit));
    }
  }
  void expect_right(const std::string& what, sim::EndpointId sm) {
    const auto complaints = sim::judge(box_.world(), sm);
    if (!complaints.empty()) missed_.push_back(what + ": " + complaints.front());
  }
  void miss(std::string what) { missed_.push_back(std::move(what)); }
  const std::vector<std::string>& missed() const { return missed_; }
  Box& box() { return box_; }
  // Of the last measurement.
  std::map<mad::AttributeId, std::uint64_t> sets() const { return sets_; }

  // Another manager on that host, which stands by.
  Seat& add_standby(const std::string& host) {
    const auto same = options();
    SeatOptions standby;
    standby.on_work = same.on_work;
    standby.routes = same.routes;
    return box_.add_seat(host, standby);
  }

 private:
  static double ms(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  }
  BoxOptions options() {
    BoxOptions options;
    options.on_work = [this](bool begins) { meter_.on_work(begins); };
    options.routes = [this](const sm::ComputeRoutes& work) {
      routing_.on_work(true);
      auto selected =
          routing::select_near_home(*work.topology, *work.lids, work.policy, work.home.get(),
                                    in_parallel, work.in_place.selected.get());
      routing_.on_work(false);
      return selected;
    };
    return options;
  }
  void watch_sets() {
    box_.world().set_watcher([this](const sim::Sighting& sighting) {
      const bool is_set = sighting.what == sim::Sighting::What::Sent && sighting.smp != nullptr &&
                          sighting.smp->method == mad::Method::Set;
      if (!is_set) return;
      const auto attribute = sighting.smp->attribute_id;
      ++sets_[attribute];
      if (attribute == mad::AttributeId::LinearForwardingTable) tables_ = meter_.worked;
    });
  }

  Meter meter_, routing_;
  Clock::duration tables_{};  // worked until the last Set of a forwarding table
  std::map<mad::AttributeId, std::uint64_t> sets_;
  std::uint64_t smps_of_all_ = 0;
  std::vector<std::string> missed_;
  Box box_;
};

// A cable between two switches that are not the SM's own; another one each time, as one that comes
// and goes is held back.
std::uint32_t inner_cable(Box& box, const fabric::Topology& topology, int number) {
  const auto& channels = topology.channels();
  const auto& channel =
      channels[(channels.size() / 2 + static_cast<std::size_t>(number) * 101) % channels.size()];
  const auto node = box.world().find_node(topology.node(channel.from).description).value();
  return box.world().find_cable(node, channel.out.value).value();
}

// The master dies, and the fabric is as it was.
void take_over(Life& life, const std::string& host) {
  Box& box = life.box();
  Seat& heir = life.add_standby(host);
  box.run_for(seconds(30));
  life.measure(
      "a standby takes over", [&] { box.seat().die(); }, seconds(40));
  auto sets = life.sets();
  fmt::print("its Sets: {} of forwarding tables, {} of multicast tables, {} of PortInfo\n",
             sets[mad::AttributeId::LinearForwardingTable],
             sets[mad::AttributeId::MulticastForwardingTable], sets[mad::AttributeId::PortInfo]);
  if (sets[mad::AttributeId::LinearForwardingTable] != 0 ||
      sets[mad::AttributeId::MulticastForwardingTable] != 0) {
    life.miss("a takeover writes tables");
  }
  life.expect("a standby takes over", "ms of work", life.worked_ms(), kTakeoverMs);
  life.expect_right("a standby takes over", heir.endpoint());
}

// Empty if all limits were kept.
std::vector<std::string> run(const std::string& fabric, int times) {
  Life life(fabric);
  Box& box = life.box();
  fmt::print("{}\n{:<34} {:>8} {:>7} {:>8} {:>9} {:>9} {:>9} {:>7}\n", fabric, "", "Get", "Set",
             "share", "to tables", "work ms", "routes ms", "sweeps");
  life.measure(
      "full sweep", [] {}, seconds(9));
  life.measure(
      "light sweep, thorough", [] {}, seconds(10));
  life.measure(
      "light sweep", [] {}, seconds(10), kLook);
  const fabric::Topology topology = box.snapshot().topology;  // snapshots come and go
  const auto middle = fabric::SwitchIndex{static_cast<std::uint32_t>(topology.switch_count() / 2)};
  const auto leaf = [&] {
    const auto hosts = topology.endports();
    const auto at = topology.attachment(hosts[hosts.size() * 3 / 4]);
    return box.world().find_node(topology.node(at->at).description).value();
  }();
  const auto inner = box.world().find_node(topology.node(middle).description).value();
  const auto pause = [&] { box.run_for(seconds(21)); };
  for (int i = 0; i < times; ++i) {
    const auto cable = inner_cable(box, topology, i);
    pause();
    life.measure(
        "a link goes", [&] { box.world().cut(cable); }, seconds(9), kRepair);
    pause();
    life.measure(
        "and comes back", [&] { box.world().restore(cable); }, seconds(9), kRepair);
  }
  const auto host = [&] {
    const fabric::NodeIndex last{static_cast<std::uint32_t>(topology.node_count() - 1)};
    return box.world().find_node(topology.node(last).description).value();
  }();
  pause();
  life.measure("a host goes", [&] { box.world().power_off(host); });
  pause();
  life.measure("and comes back", [&] { box.world().power_on(host); });
  pause();
  life.measure(
      "a leaf switch goes", [&] { box.world().power_off(leaf); }, seconds(9), kRepair);
  pause();
  life.measure(
      "and comes back", [&] { box.world().power_on(leaf); }, seconds(9), kRepair);
  pause();
  life.measure("another switch goes", [&] { box.world().power_off(inner); });
  pause();
  life.measure("and comes back", [&] { box.world().power_on(inner); });
  pause();
  // 1,000 traps a second for a minute, and three links that go meanwhile.
  box.world().storm(host, std::chrono::milliseconds(1), 60'000);
  life.measure(
      "three links go in a storm of traps",
      [&] {
        const auto& channels = topology.channels();
        for (const std::size_t part : {3u, 4u, 5u}) {
          box.run_for(seconds(15));
          const auto& channel = channels[channels.size() * part / 8];
          const auto node = box.world().find_node(topology.node(channel.from).description).value();
          box.world().cut(box.world().find_cable(node, channel.out.value).value());
        }
      },
      seconds(20));
  life.expect_right("three links go in a storm of traps", box.endpoint());
  take_over(life, topology.node(topology.node_of(topology.endports().back())).description);
  return life.missed();
}

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  // A second argument: how many links go, for whoever looks on with a profiler.
  const auto times = heddle::base::parse_number(argc > 2 ? argv[2] : "1").value_or(1);
  const auto missed =
      heddle::test::run(argc > 1 ? argv[1] : "xgft:18,18,36;1,18,18", static_cast<int>(times));
  for (const auto& limit : missed) fmt::print("MISSED: {}\n", limit);
  if (missed.empty()) fmt::print("All is right in the end, and no limit was missed.\n");
  return missed.empty() ? 0 : 1;
}
