// SPDX-License-Identifier: BSD-3-Clause
// Multicast at the size of a large fabric: joins to one group, many groups, the loss of a switch.
// Memory is what the heap holds more than before (mallinfo2), blocks are Sets of
// MulticastForwardingTable that the switches would get.
#include <algorithm>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "base/prng.hpp"
#include "multicast/change.hpp"
#include "multicast/groups.hpp"
#include "multicast/trees.hpp"
#include "multicast/verification.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

using testing::plain_mgid;
using testing::request;

const support::Recipe& big_recipe() {
  static const support::Recipe recipe = support::xgft({18, 18, 18}, {1, 18, 18});
  return recipe;
}

// 5,832 hosts, 972 switches.
const std::shared_ptr<const fabric::Topology>& big_fabric() {
  static const auto topology = testing::staged(big_recipe(), kMaxMlids);
  return topology;
}

double heap_mb() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

void report_proof(benchmark::State& state, const Trees& trees, const Groups& groups) {
  const auto proof = verify(trees.topology(), trees.tables(), groups.roles());
  if (!proof.proven()) state.SkipWithError("the tables are wrong");
  state.counters["deliveries"] = static_cast<double>(proof.deliveries);
}

// As an IPoIB broadcast group of a fabric larger than any that is built here: the table alone.
void bench_joins_table_only(benchmark::State& state) {
  const auto members = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    const double before = heap_mb();
    Groups groups;
    for (std::uint64_t port = 1; port <= members; ++port) {
      benchmark::DoNotOptimize(groups.join(request(plain_mgid(1), port)));
    }
    state.counters["MB"] = heap_mb() - before;
  }
  state.counters["joins/s"] = benchmark::Counter(static_cast<double>(members),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// Groups and trees, and what the switches hold: each join with its plan of writes, as it happens.
struct Joined {
  void join(const Request& wanted) {
    trees.apply(groups.join(wanted).changes.roles);
    std::size_t now = 0;
    for (const auto& stage : plan_change(*big_fabric(), standing, trees.tables())) {
      now += stage.size();
    }
    standing = trees.tables();
    writes += now;
    most = std::max(most, now);
  }
  void tell(benchmark::State& state) const {
    state.counters["blocks"] = static_cast<double>(writes);
    state.counters["blocks_at_most"] = static_cast<double>(most);
  }

  Groups groups;
  Trees trees{big_fabric()};
  Tables standing = trees.tables();
  std::size_t writes = 0;
  std::size_t most = 0;
};

// Every host of the fabric, in random order, by so many GIDs each: its own, and aliases as virtual
// machines have them.
void bench_joins_one_by_one(benchmark::State& state) {
  auto ports = testing::stage_ports(*big_fabric());
  std::vector<Request> joins;
  for (const mad::Guid port : ports) {
    for (std::int64_t alias = 0; alias < state.range(0); ++alias) {
      joins.push_back(request(plain_mgid(1), port.value));
      joins.back().wanted.port_gid.guid.value += static_cast<std::uint64_t>(alias) << 48;
    }
  }
  base::Prng(1).shuffle(joins);
  for (auto _ : state) {
    const double before = heap_mb();
    Joined all;
    for (const Request& join : joins) all.join(join);
    state.PauseTiming();
    state.counters["MB"] = heap_mb() - before;
    state.counters["members"] = static_cast<double>(joins.size());
    state.counters["hosts"] = static_cast<double>(ports.size());
    state.counters["links"] = static_cast<double>(all.trees.link_count(mad::Lid{0xC000}));
    all.tell(state);
    report_proof(state, all.trees, all.groups);
    state.ResumeTiming();
  }
}

// So many random hosts join each of 10,000 groups, a member of each group after the other.
void bench_groups_one_by_one(benchmark::State& state) {
  constexpr std::uint64_t kGroups = 10'000;
  const auto ports = testing::stage_ports(*big_fabric());
  base::Prng prng(2);
  for (auto _ : state) {
    const double before = heap_mb();
    Joined all;
    for (std::int64_t member = 0; member < state.range(0); ++member) {
      for (std::uint64_t group = 0; group < kGroups; ++group) {
        all.join(request(plain_mgid(group), ports[prng.below(ports.size())].value));
      }
    }
    state.PauseTiming();
    state.counters["MB"] = heap_mb() - before;
    all.tell(state);
    report_proof(state, all.trees, all.groups);
    state.ResumeTiming();
  }
}

struct Populated {
  Groups groups;
  Trees trees{big_fabric()};
};

// Groups of `members` random hosts each.
std::unique_ptr<Populated> populated(std::uint64_t groups, unsigned members) {
  auto all = std::make_unique<Populated>();
  const auto ports = testing::stage_ports(*big_fabric());
  base::Prng prng(2);
  for (std::uint64_t group = 0; group < groups; ++group) {
    for (unsigned i = 0; i < members; ++i) {
      const auto port = ports[prng.below(ports.size())];
      all->trees.apply(all->groups.join(request(plain_mgid(group), port.value)).changes.roles);
    }
  }
  return all;
}

void bench_many_groups(benchmark::State& state) {
  const auto members = static_cast<unsigned>(state.range(0));
  constexpr std::uint64_t kGroups = 10'000;
  for (auto _ : state) {
    const double before = heap_mb();
    const auto all = populated(kGroups, members);
    state.counters["MB"] = heap_mb() - before;
    state.PauseTiming();
    const auto load = all->trees.load();
    state.counters["blocks"] = static_cast<double>(all->trees.tables().blocks_in_use());
    state.counters["least_load"] = *std::min_element(load.begin(), load.end());
    state.counters["most_load"] = *std::max_element(load.begin(), load.end());
    report_proof(state, all->trees, all->groups);
    state.ResumeTiming();
  }
}

// What planning, proving and a snapshot cost with so many groups.
void bench_plan_from_nothing(benchmark::State& state) {
  const auto all = populated(10'000, 20);
  const Tables nothing(big_fabric()->switch_count());
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_change(*big_fabric(), nothing, all->trees.tables()));
  }
}

void bench_verify(benchmark::State& state) {
  const auto all = populated(10'000, 20);
  const auto roles = all->groups.roles();
  for (auto _ : state) {
    benchmark::DoNotOptimize(verify(*big_fabric(), all->trees.tables(), roles));
  }
}

// Of the one LID that a join touched.
void bench_verify_one(benchmark::State& state) {
  const auto all = populated(10'000, 20);
  Verifier verifier(*big_fabric());
  for (auto _ : state) {
    const mad::Lid mlid{0xC123};
    const auto roles = all->groups.roles(mlid);
    benchmark::DoNotOptimize(verifier.verify(all->trees.tables(), roles, {&mlid, 1}));
  }
}

void bench_snapshot_and_join(benchmark::State& state) {
  const auto all = populated(10'000, 20);
  const auto ports = testing::stage_ports(*big_fabric());
  base::Prng prng(5);
  for (auto _ : state) {
    const Tables snapshot = all->trees.tables();
    const auto port = ports[prng.below(ports.size())];
    const auto answer = all->groups.join(request(plain_mgid(prng.below(10'000)), port.value));
    all->trees.apply(answer.changes.roles);
    benchmark::DoNotOptimize(plan_change(*big_fabric(), snapshot, all->trees.tables()));
  }
}

// A top switch goes: what is repaired, and what must be written.
void bench_switch_lost(benchmark::State& state) {
  auto all = populated(10'000, 20);
  support::Recipe damaged = big_recipe();
  const auto victim = [&] {
    for (std::size_t n = damaged.nodes.size(); n-- > 0;) {
      if (damaged.nodes[n].type == mad::NodeType::Switch) return damaged.nodes[n].guid;
    }
    return mad::Guid{};
  }();
  std::erase_if(damaged.links,
                [&](const auto& link) { return link.a.node == victim || link.b.node == victim; });
  const auto without = testing::staged(damaged, kMaxMlids);
  const Tables standing = all->trees.tables();
  for (auto _ : state) {
    all->trees.set_topology(without);
    std::size_t writes = 0;
    for (const auto& stage : plan_change(*without, standing, all->trees.tables())) {
      writes += stage.size();
    }
    state.counters["blocks"] = static_cast<double>(writes);
    state.counters["repaired"] = static_cast<double>(all->trees.statistics().repairs);
    state.PauseTiming();
    report_proof(state, all->trees, all->groups);
    all->trees.set_topology(big_fabric());
    state.ResumeTiming();
  }
}

// All trees at once, as after a time without a fabric.
void bench_all_anew(benchmark::State& state) {
  auto all = populated(10'000, 20);
  for (auto _ : state) {
    state.PauseTiming();
    all->trees.set_topology(std::make_shared<const fabric::Topology>());
    state.ResumeTiming();
    all->trees.set_topology(big_fabric());
  }
  const auto load = all->trees.load();
  state.counters["blocks"] = static_cast<double>(all->trees.tables().blocks_in_use());
  state.counters["least_load"] = *std::min_element(load.begin(), load.end());
  state.counters["most_load"] = *std::max_element(load.begin(), load.end());
  report_proof(state, all->trees, all->groups);
}

BENCHMARK(bench_joins_table_only)->Arg(40'000)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_joins_one_by_one)->Arg(1)->Arg(7)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_groups_one_by_one)->Arg(4)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_many_groups)->Arg(1)->Arg(4)->Arg(20)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_plan_from_nothing)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_verify)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_verify_one)->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_snapshot_and_join)->Iterations(2000)->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_all_anew)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(bench_switch_lost)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::multicast

BENCHMARK_MAIN();
