// SPDX-License-Identifier: BSD-3-Clause
// How many SMPs a simulated fabric answers per second on one core, and what a large one costs.
#include <fstream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "sim/agent.hpp"
#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle {
namespace {

constexpr int kBatch = 256;

mad::Smp question(std::initializer_list<std::uint8_t> route) {
  mad::Smp smp;
  smp.attribute_id = mad::AttributeId::NodeInfo;
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  for (const std::uint8_t port : route) {
    smp.initial_path[++smp.hop_count] = mad::PortNumber{port};
  }
  return smp;
}

// Questions to switches and hosts, up to four links away, as a discovery asks them.
void answer_smps(benchmark::State& state) {
  sim::World world(sim::generate_fabric("fat-tree:18,36").value(), {});
  const auto at = *world.default_endpoint();
  const mad::Datagram questions[] = {mad::make_datagram({}, question({1})),
                                     mad::make_datagram({}, question({1, 20})),
                                     mad::make_datagram({}, question({1, 20, 5})),
                                     mad::make_datagram({}, question({1, 20, 5, 2}))};
  std::size_t next = 0;
  std::uint64_t answered = 0;
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) world.send(at, questions[next++ % 4], {});
    world.advance({});
    answered += world.take_deliveries().size();
  }
  state.counters["SMPs/s"] =
      benchmark::Counter(static_cast<double>(answered), benchmark::Counter::kIsRate);
  if (answered == 0) state.SkipWithError("nothing was answered");
}
BENCHMARK(answer_smps);

// 3,840 switches of 64 ports, at most, and 45,056 hosts.
constexpr const char* kLarge = "xgft:32,32,44;1,32,32";
constexpr std::uint32_t kLargeBlocks = 765;

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
