// SPDX-License-Identifier: BSD-3-Clause
// What partitions cost: reading files, giving keys to ports, asking who may talk, planning tables.
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/prng.hpp"
#include "partitions/language.hpp"
#include "partitions/memberships.hpp"
#include "partitions/tables.hpp"
#include "tests/partitions/small_fabric.hpp"

namespace heddle {
namespace {

using partitions::Memberships;
using support::SmallFabric;

constexpr unsigned kManyPorts = 40'000;
constexpr unsigned kTenants = 100;

// Every port in a tenant's partition by its GUID, and in one for storage.
std::string tenants() {
  std::string text = "Default=0x7fff, ipoib : ALL=limited, SELF=full ;\nStorage=0x400 : ALL ;\n";
  for (unsigned tenant = 0; tenant < kTenants; ++tenant) {
    text += fmt::format("T{}={}, ipoib, defmember=full :\n", tenant, tenant + 1);
    for (unsigned i = tenant; i < kManyPorts; i += kTenants)
      text += fmt::format("{:#x}\n", 0x100 + i);
    text += ";\n";
  }
  return text;
}

// All keys there are, each with two members of eight.
std::string all_keys() {
  std::string text;
  for (unsigned i = 0; i + 1 < partitions::kMaxPartitions; ++i) {
    text += fmt::format(" : {:#x}=full, {:#x} ;\n", 0x100 + i % 8, 0x100 + (i / 8) % 8);
  }
  return text;
}

const SmallFabric& fabric(unsigned ports) {
  static const SmallFabric large(kManyPorts);
  static const SmallFabric small(8);
  return ports == kManyPorts ? large : small;
}

void read_file(benchmark::State& state, std::string (*text)()) {
  const std::string file = text();
  for (auto _ : state) benchmark::DoNotOptimize(partitions::parse(file, "bench").value());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}
BENCHMARK_CAPTURE(read_file, tenants, tenants)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, all_keys, all_keys)->Unit(benchmark::kMillisecond);

void give_keys(benchmark::State& state, std::string (*text)(), unsigned ports) {
  const partitions::Policy policy = partitions::parse(text(), "bench").value().policy;
  const SmallFabric& on = fabric(ports);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Memberships(policy, on.topology, on.adapter(0)));
  }
}
BENCHMARK_CAPTURE(give_keys, tenants_40000_ports, tenants, kManyPorts)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(give_keys, all_keys_8_ports, all_keys, 8u)->Unit(benchmark::kMillisecond);

void may_talk(benchmark::State& state, std::string (*text)(), unsigned ports) {
  const SmallFabric& on = fabric(ports);
  const Memberships memberships(partitions::parse(text(), "bench").value().policy, on.topology,
                                on.adapter(0));
  base::Prng random(1);
  for (auto _ : state) {
    const auto a = on.adapter(static_cast<unsigned>(random.below(ports)));
    const auto b = on.adapter(static_cast<unsigned>(random.below(ports)));
    benchmark::DoNotOptimize(memberships.best_common_key(a, b));
  }
}
BENCHMARK_CAPTURE(may_talk, tenants_40000_ports, tenants, kManyPorts);
BENCHMARK_CAPTURE(may_talk, all_keys_8_ports, all_keys, 8u);

// One sweep's look at tables that stand right.
void plan_tables(benchmark::State& state) {
  const SmallFabric& on = fabric(kManyPorts);
  const Memberships memberships(partitions::parse(tenants(), "bench").value().policy, on.topology,
                                on.adapter(0));
  const partitions::HeldTable fresh{128, {4, mad::PKeyTable{}}};
  std::vector<partitions::HeldTable> held;
  for (const fabric::PortIndex port : on.topology.endports()) {
    partitions::HeldTable& table = held.emplace_back(fresh);
    table.blocks[0] = partitions::plan_table(fresh, memberships.of(port)).blocks[0];
  }
  for (auto _ : state) {
    std::size_t writes = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto keys = memberships.of(on.topology.endports()[i]);
      writes += partitions::plan_table(held[i], keys).to_write.size();
    }
    if (writes != 0) state.SkipWithError("a table that stands right is written");
  }
}
BENCHMARK(plan_tables)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
