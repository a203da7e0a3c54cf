// SPDX-License-Identifier: BSD-3-Clause
// Links between switches are lost: time until there are new tables, proven, and a plan to write
// them. Arguments: fabric, links, threads, whether the links are those of switches with hosts.
// Counters: what each step took, in milliseconds; LIDs with other entries; whether it was a repair,
// or engines had to compute anew. On several VLs also what they take for that, and the share of
// paths from a switch to a LID that got another level.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "bench/fabrics.hpp"
#include "routing/home.hpp"
#include "routing/transition.hpp"

namespace heddle {
namespace {

using bench::tbb_for;

constexpr bench::Fabric kFabrics[] = {
    bench::kTree648, bench::kTree11664, bench::kTree45056,
    bench::kTorus10, bench::kRandom16,  bench::kDragonfly,
};

double milliseconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
      .count();
}

std::vector<mad::Guid> switches_with_hosts(const fabric::Topology& whole) {
  std::vector<mad::Guid> found;
  for (const fabric::PortIndex port : whole.endports()) {
    const auto at = whole.attachment(port);
    if (whole.is_switch(whole.node_of(port)) || !at) continue;
    found.push_back(whole.node(at->at).guid);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Without so many of the cables between switches, evenly from all over their list.
support::Recipe without_links(support::Recipe recipe, const fabric::Topology& whole,
                              std::size_t count, bool of_leaves) {
  const auto leaves = switches_with_hosts(whole);
  const auto is_leaf = [&](mad::Guid guid) {
    return std::binary_search(leaves.begin(), leaves.end(), guid);
  };
  std::vector<std::ptrdiff_t> inner;
  for (std::size_t i = 0; i < recipe.links.size(); ++i) {
    const auto& [a, b] = recipe.links[i];
    if (of_leaves && !is_leaf(a.node) && !is_leaf(b.node)) continue;
    if (whole.is_switch(*whole.find_node(a.node)) && whole.is_switch(*whole.find_node(b.node))) {
      inner.push_back(static_cast<std::ptrdiff_t>(i));
    }
  }
  for (std::size_t i = count; i > 0; --i) {
    recipe.links.erase(recipe.links.begin() + inner[i * inner.size() / (count + 1)]);
  }
  return recipe;
}

// The same LIDs as at home.
fabric::LidMap same_lids(const routing::Home& home, const fabric::Topology& now) {
  fabric::LidMap lids(now.port_count());
  for (const fabric::PortIndex port : now.endports()) {
    const auto node = home.topology->find_node(now.node(now.node_of(port)).guid);
    const auto old = home.topology->port_of(*node, now.number_of(port));
    lids.assign(port, home.lids->range(old));
  }
  return lids;
}

routing::Home home_of(const support::Recipe& recipe, const char* engine, unsigned vls) {
  routing::Home home;
  home.policy.engines = {engine};
  home.policy.max_vls = vls;
  home.policy.fallback = false;  // or it would be about others' tables
  auto topology = support::build(recipe);
  home.lids = std::make_shared<const fabric::LidMap>(support::number_lids(topology));
  home.topology = std::make_shared<const fabric::Topology>(std::move(topology));
  auto selected = routing::select_routes(*home.topology, *home.lids, home.policy, tbb_for);
  if (selected) home.selected = std::make_shared<const routing::Selected>(std::move(*selected));
  return home;
}

double changed_levels(const routing::Home& home, const fabric::Topology& now,
                      const fabric::LidMap& lids, const routing::Selected& selected) {
  double changed = 0;
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    const auto was = home.topology->find_node(now.node(fabric::SwitchIndex{s}).guid);
    for (std::uint16_t number = 1; number <= lids.top().value; ++number) {
      const mad::Lid lid{number};
      changed += selected.routes.lanes.levels.level({s}, lid) !=
                 home.selected->routes.lanes.levels.level({was->value}, lid);
    }
  }
  return changed / (static_cast<double>(now.switch_count()) * lids.top().value);
}

void bench_links_lost(benchmark::State& state, const char* engine, unsigned vls = 1) {
  const bench::Fabric& fabric = kFabrics[state.range(0)];
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(2)));
  state.SetLabel(fabric.name);
  const support::Recipe recipe = fabric.recipe();
  const routing::Home home = home_of(recipe, engine, vls);
  if (!home.selected) return state.SkipWithError("no tables");
  const auto now = support::build(without_links(
      recipe, *home.topology, static_cast<std::size_t>(state.range(1)), state.range(3) != 0));
  const fabric::LidMap lids = same_lids(home, now);
  const auto& tables = home.selected->routes.tables;
  const routing::InPlace in_place{
      home.topology, std::shared_ptr<const fabric::ForwardingTables>(home.selected, &tables),
      home.selected};
  double routing = 0, planning = 0;
  bool repaired = false;
  double levels = 0;
  std::size_t changed = 0, late = 0, emptied = 0;
  for (auto _ : state) {
    const auto begun = std::chrono::steady_clock::now();
    const auto selected = routing::select_near_home(now, lids, home.policy, &home, tbb_for);
    routing += milliseconds_since(begun);
    if (!selected) return state.SkipWithError(selected.error().message.c_str());
    repaired = (*selected)->kin != nullptr || (*selected)->lane_kin != nullptr;
    const auto routed = std::chrono::steady_clock::now();
    const auto plan = routing::plan_transition(now, lids, **selected, in_place, tbb_for);
    planning += milliseconds_since(routed);
    changed = plan.changed;
    late = plan.late.size();
    emptied = plan.emptied_count();
    if (vls > 1) levels = changed_levels(home, now, lids, **selected);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["routing"] = routing / rounds;
  state.counters["planning"] = planning / rounds;
  state.counters["LIDs"] = static_cast<double>(changed);
  state.counters["late"] = static_cast<double>(late);
  state.counters["emptied"] = static_cast<double>(emptied);
  state.counters["repaired"] = repaired ? 1 : 0;
  if (vls == 1) return;
  state.counters["levels"] = levels;
  const auto begun = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(routing::select_routes(now, lids, home.policy, tbb_for));
  state.counters["anew"] = milliseconds_since(begun);
}

void fabrics_and_links(benchmark::internal::Benchmark* bench) {
  for (std::size_t fabric = 0; fabric < std::size(kFabrics); ++fabric) {
    for (const int links : {1, 3}) bench->Args({static_cast<std::int64_t>(fabric), links, 2, 0});
    // Where every switch has hosts it would be the same.
    if (fabric < 3) bench->Args({static_cast<std::int64_t>(fabric), 1, 2, 1});
  }
  bench->ArgNames({"fabric", "links", "threads", "leaves"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

// The other engines, on the one fabric that all of them route.
void one_link(benchmark::internal::Benchmark* bench) {
  for (const int leaves : {0, 1}) bench->Args({1, 1, 2, leaves});
  bench->ArgNames({"fabric", "links", "threads", "leaves"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

// On fabrics that need several VLs, or spread their load better by them, from one on.
void on_lanes(benchmark::internal::Benchmark* bench, std::size_t first) {
  for (std::size_t fabric = first; fabric < std::size(kFabrics); ++fabric) {
    for (const int links : {1, 3}) bench->Args({static_cast<std::int64_t>(fabric), links, 2, 0});
  }
  bench->ArgNames({"fabric", "links", "threads", "leaves"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

BENCHMARK_CAPTURE(bench_links_lost, auto, "auto") -> Apply(fabrics_and_links);
BENCHMARK_CAPTURE(bench_links_lost, minhop, "minhop")->Apply(fabrics_and_links);
BENCHMARK_CAPTURE(bench_links_lost, updn, "updn")->Apply(fabrics_and_links);
BENCHMARK_CAPTURE(bench_links_lost, sssp, "sssp")->Apply(fabrics_and_links);
BENCHMARK_CAPTURE(bench_links_lost, ftree, "ftree")->Apply(one_link);
BENCHMARK_CAPTURE(bench_links_lost, dnup, "dnup")->Apply(one_link);
BENCHMARK_CAPTURE(bench_links_lost, dfsssp, "dfsssp")->Apply(one_link);
BENCHMARK_CAPTURE(bench_links_lost, weave, "weave")->Apply(one_link);
BENCHMARK_CAPTURE(bench_links_lost, nue, "nue")->Apply(one_link);
BENCHMARK_CAPTURE(bench_links_lost, weave_on_lanes, "weave", 4)->Apply([](auto* bench) {
  on_lanes(bench, 3);
});
// The others need more VLs.
BENCHMARK_CAPTURE(bench_links_lost, dfsssp_on_lanes, "dfsssp", 8)->Apply([](auto* bench) {
  on_lanes(bench, 5);
});

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
