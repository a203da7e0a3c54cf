// SPDX-License-Identifier: BSD-3-Clause
// How many SMPs a simulated fabric answers per second on one core, and what a large one costs.
#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/check.hpp"
#include "mad/port_info.hpp"
#include "mad/switch_info.hpp"
#include "sim/agent.hpp"
#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle {
namespace {

constexpr int kBatch = 256;
// 3,840 switches of 64 ports, at most, and 45,056 hosts.
constexpr const char* kLarge = "xgft:32,32,44;1,32,32";
constexpr std::uint32_t kLargeBlocks = 765;
constexpr std::uint16_t kTargets = 63;

using Route = std::vector<std::uint8_t>;

mad::Smp question(const Route& route) {
  mad::Smp smp;
  smp.attribute_id = mad::AttributeId::NodeInfo;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  for (const std::uint8_t port : route) {
    smp.initial_path[++smp.hop_count] = mad::PortNumber{port};
  }
  return smp;
}

// A world and as much management as LID-routed questions need.
class Subject {
 public:
  explicit Subject(const char* fabric)
      : world(sim::generate_fabric(fabric).value(), {}),
        devices(world.devices()),
        at(*world.default_endpoint()) {
    explore();
  }

  // The way to each node from the first host.
  std::vector<Route> routes;
  sim::World world;
  const sim::Devices& devices;
  sim::EndpointId at;

  std::uint64_t answer(const std::vector<mad::Datagram>& questions) {
    for (int i = 0; i < kBatch; ++i) world.send(at, questions[next_++ % questions.size()], {});
    world.advance({});
    return world.take_deliveries().size();
  }

  // LID 1 for the first host, 2 and more for others all over the fabric, and the table entries of
  // every switch for all of them.
  std::vector<mad::Datagram> lid_questions() {
    std::vector<std::vector<std::byte>> tables(devices.nodes.size());
    std::vector<mad::Datagram> questions;
    const sim::PortIndex home = devices.lines[at].peer;
    const auto step = static_cast<sim::NodeIndex>(devices.nodes.size() / kTargets);
    give_lid(devices.lines[at].node, 1);
    fill(tables, at, 1);
    std::uint16_t lid = 1;
    for (sim::NodeIndex node = 0; node < devices.nodes.size() && lid < kTargets; node += step) {
      const sim::PortIndex port = devices.first_endpoint(node);
      if (devices.is_switch(node) || devices.lines[port].peer == home || port == at) continue;
      give_lid(node, ++lid);
      fill(tables, port, lid);
      mad::Smp smp = question({});
      smp.management_class = mad::ManagementClass::SubnLidRouted;
      smp.dr_slid = smp.dr_dlid = {};
      mad::Address peer;
      peer.lid = mad::Lid{lid};
      questions.push_back(mad::make_datagram(peer, smp));
    }
    for (sim::NodeIndex node = 0; node < devices.nodes.size(); ++node) {
      if (devices.is_switch(node)) write_table(node, tables[node]);
    }
    return questions;
  }

 private:
  // Breadth first: calls `meet` with each node and the port by which it is entered.
  void spread(sim::NodeIndex from,
              const std::function<void(sim::PortIndex, sim::PortIndex)>& meet) {
    std::vector<bool> seen(devices.nodes.size());
    std::deque<sim::NodeIndex> open{from};
    seen[from] = true;
    while (!open.empty()) {
      const sim::NodeIndex here = open.front();
      open.pop_front();
      if (here != from && !devices.is_switch(here)) continue;
      for (unsigned number = 1; number <= devices.nodes[here].port_count; ++number) {
        const auto port = devices.port_at(here, static_cast<std::uint8_t>(number));
        const sim::PortIndex peer = devices.lines[port].peer;
        if (peer == sim::kNone || seen[devices.lines[peer].node]) continue;
        seen[devices.lines[peer].node] = true;
        meet(port, peer);
        open.push_back(devices.lines[peer].node);
      }
    }
  }

  void explore() {
    routes.resize(devices.nodes.size());
    spread(devices.lines[at].node, [this](sim::PortIndex port, sim::PortIndex peer) {
      Route route = routes[devices.lines[port].node];
      route.push_back(devices.lines[port].number);
      routes[devices.lines[peer].node] = std::move(route);
    });
  }

  void fill(std::vector<std::vector<std::byte>>& tables, sim::PortIndex port, std::uint16_t lid) {
    spread(devices.lines[port].node, [&](sim::PortIndex, sim::PortIndex peer) {
      auto& table = tables[devices.lines[peer].node];
      table.resize(mad::kSmpDataBytes, std::byte{255});
      table[lid] = std::byte{devices.lines[peer].number};
    });
  }

  void set(const Route& route, mad::AttributeId attribute, const mad::SmpData& data) {
    mad::Smp smp = question(route);
    smp.method = mad::Method::Set;
    smp.attribute_id = attribute;
    smp.data = data;
    world.send(at, mad::make_datagram({}, smp), {});
    world.advance({});
    const auto answers = world.take_deliveries();
    HEDDLE_CHECK(answers.size() == 1);
    HEDDLE_CHECK(mad::decode_smp(answers[0].datagram.payload)->status == mad::kStatusOk);
  }

  void give_lid(sim::NodeIndex node, std::uint16_t lid) {
    mad::PortInfo info = devices.ports[devices.first_endpoint(node)].info;
    info.lid = mad::Lid{lid};
    info.master_sm_lid = mad::Lid{1};
    info.port_state = mad::PortState::NoChange;
    info.port_physical_state = mad::PortPhysicalState::NoChange;
    mad::SmpData data{};
    mad::encode(info, std::span(data));
    set(routes[node], mad::AttributeId::PortInfo, data);
  }

  void write_table(sim::NodeIndex node, const std::vector<std::byte>& table) {
    mad::SwitchInfo info = devices.switch_at(node).info;
    info.linear_fdb_top = kTargets;
    info.port_state_change = false;
    mad::SmpData data{};
    mad::encode(info, std::span(data));
    set(routes[node], mad::AttributeId::SwitchInfo, data);
    std::copy(table.begin(), table.end(), data.begin());
    set(routes[node], mad::AttributeId::LinearForwardingTable, data);
  }

  std::size_t next_ = 0;
};

void measure(benchmark::State& state, Subject& subject,
             const std::vector<mad::Datagram>& questions) {
  std::uint64_t answered = 0;
  std::uint64_t asked = 0;
  for (auto _ : state) {
    answered += subject.answer(questions);
    asked += kBatch;
  }
  state.counters["SMPs/s"] =
      benchmark::Counter(static_cast<double>(answered), benchmark::Counter::kIsRate);
  if (answered != asked) state.SkipWithError("not every question was answered");
}

// Questions to switches and hosts, up to four links away, as a discovery asks them.
void directed_route(benchmark::State& state, const char* fabric) {
  Subject subject(fabric);
  std::vector<mad::Datagram> questions;
  for (std::size_t node = 1; node < subject.routes.size(); node += subject.routes.size() / 100) {
    questions.push_back(mad::make_datagram({}, question(subject.routes[node])));
  }
  measure(state, subject, questions);
}
BENCHMARK_CAPTURE(directed_route, 648_hosts, "fat-tree:18,36");
BENCHMARK_CAPTURE(directed_route, 45056_hosts, kLarge);

// To hosts all over the fabric, by the switches' tables.
void lid_routed(benchmark::State& state, const char* fabric) {
  Subject subject(fabric);
  const auto questions = subject.lid_questions();
  measure(state, subject, questions);
}
BENCHMARK_CAPTURE(lid_routed, 648_hosts, "fat-tree:18,36");
BENCHMARK_CAPTURE(lid_routed, 45056_hosts, kLarge);

long resident_megabytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmRSS:") {
  }
  long kilobytes = 0;
  status >> kilobytes;
  return kilobytes / 1024;
}

// Blueprint and world, up to the first question; then every block of every forwarding table.
void load_and_write(benchmark::State& state) {
  for (auto _ : state) {
    auto devices = std::make_unique<sim::Devices>(sim::generate_fabric(kLarge).value());
    state.counters["MB loaded"] = static_cast<double>(resident_megabytes());
    state.PauseTiming();
    for (sim::NodeIndex node = 0; node < devices->nodes.size(); ++node) {
      if (!devices->is_switch(node)) continue;
      for (std::uint32_t block = 0; block < kLargeBlocks; ++block) {
        mad::Smp smp;
        smp.method = mad::Method::Set;
        smp.attribute_id = mad::AttributeId::LinearForwardingTable;
        smp.attribute_modifier = block;
        sim::answer_smp({*devices, devices->nodes[node].first_port, {}}, smp);
      }
    }
    state.counters["MB written"] = static_cast<double>(resident_megabytes());
    devices.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(load_and_write)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
