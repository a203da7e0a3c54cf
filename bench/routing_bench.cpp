// SPDX-License-Identifier: BSD-3-Clause
// Time to route and to prove, and the quality of what comes out. Arguments: fabric, threads.
// Counters: EFI is the edge forwarding index, routes between hosts over one channel.
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "bench/fabrics.hpp"
#include "fabric/verification.hpp"
#include "routing/engine.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"

namespace heddle {
namespace {

using bench::tbb_for;

constexpr bench::Fabric kFabrics[] = {
    bench::kTree648,
    {"XGFT(3;18,18,18;1,18,18) 5832 hosts",
     [] {
       return support::xgft({18, 18, 18}, {1, 18, 18});
     }},
    bench::kTree11664,
    bench::kTree45056,
    {"XGFT(3;18,18,36;1,18,18) with GUIDs and ports at random",
     [] {
       return support::relabelled(support::xgft({18, 18, 36}, {1, 18, 18}), 1);
     }},
    {"XGFT(3;18,18,36;1,18,18) without 233 links (1 %)",
     [] {
       return support::degraded(support::xgft({18, 18, 36}, {1, 18, 18}), 233, 1);
     }},
    {"torus 8x8x8, 4 hosts each",
     [] {
       return support::torus({8, 8, 8}, 4);
     }},
    bench::kRandom16,
    {"random 512 switches of degree 24, 12 hosts each",
     [] { return support::random_regular(512, 24, 12, 1); }},
    bench::kTorus10,
    {"slim fly q=17, 13 hosts each", [] { return support::slim_fly(17, 13); }},
    bench::kDragonfly,
    {"HyperX 12x8, 7 hosts each",
     [] {
       return support::hyperx({12, 8}, 7);
     }},
    {"Kautz graph of 150 switches, 7 hosts each", [] { return support::kautz(5, 3, 7); }},
    {"dragonfly+ of 9 groups of 16 and 16, 16 hosts each",
     [] { return support::dragonfly_plus(9, 16, 16, 8, 16); }},
    {"hypercube of 10 dimensions, 4 hosts each",
     [] { return support::torus(std::vector<unsigned>(10, 2), 4); }},
    {"torus 8x8x8 without a link",
     [] {
       return support::degraded(support::torus({8, 8, 8}, 1), 1, 1);
     }},
    {"torus 8x8x8 without 15 links (1 %)",
     [] {
       return support::degraded(support::torus({8, 8, 8}, 1), 15, 1);
     }},
    {"torus 8x8x8 without 77 links (5 %)",
     [] {
       return support::degraded(support::torus({8, 8, 8}, 1), 77, 1);
     }},
    {"torus 10x10x10 without a link, 4 hosts each",
     [] {
       return support::degraded(support::torus({10, 10, 10}, 4), 1, 1);
     }},
    {"torus 12x12x12 without 52 links (1 %)",
     [] {
       return support::degraded(support::torus({12, 12, 12}, 1), 52, 1);
     }},
    {"dragonfly of 33 groups without 73 links (5 %), 4 hosts each",
     [] { return support::degraded(support::dragonfly(33, 8, 4, 4), 73, 1); }},
    {"random 300 switches of degree 8, 4 hosts each",
     [] { return support::random_regular(300, 8, 4, 1); }},
    {"random 100 switches of degree 5, 4 hosts each",
     [] { return support::random_regular(100, 5, 4, 1); }},
    {"random 50 switches of degree 3, 4 hosts each",
     [] { return support::random_regular(50, 3, 4, 1); }},
    {"random 200 switches of degree 4, 2 hosts each",
     [] { return support::random_regular(200, 4, 2, 1); }},
    {"slim fly q=17 without 361 links (5 %), 13 hosts each",
     [] { return support::degraded(support::slim_fly(17, 13), 361, 1); }},
    {"HyperX 12x8 without 43 links (5 %), 7 hosts each",
     [] {
       return support::degraded(support::hyperx({12, 8}, 7), 43, 1);
     }},
};

// From here on there are no fat trees.
constexpr std::int64_t kOthers = 6;
// And from here on fabrics that lack something or have few cables, for weave and what it is held
// to.
constexpr std::size_t kHardOnes = 16;

struct Built {
  fabric::Topology topology;
  fabric::LidMap lids;
};

// Building takes longer than routing, so each fabric is built once; only one is kept.
const Built& built(std::size_t which) {
  static std::size_t kept = ~std::size_t{0};
  static std::unique_ptr<Built> fabric;
  if (kept != which) {
    fabric.reset();
    auto topology = support::build(kFabrics[which].recipe());
    auto lids = support::number_lids(topology);
    fabric = std::make_unique<Built>(Built{std::move(topology), std::move(lids)});
    kept = which;
  }
  return *fabric;
}

base::Result<routing::Routes> route(const Built& fabric, const char* engine) {
  const routing::Options options;
  return routing::find_engine(engine)->route({fabric.topology, fabric.lids, options, tbb_for});
}

// What random pairs get of their cables, on fabrics for which weave is made.
void count_bandwidth(benchmark::State& state, const Built& fabric,
                     const fabric::ForwardingTables& tables) {
  if (state.range(0) < kOthers) return;
  routing::PatternOptions options;
  options.bisections = 400;
  options.with_shifts = false;
  const auto patterns =
      routing::measure_patterns(fabric.topology, fabric.lids, tables, options, tbb_for);
  state.counters["EBB"] = patterns.effective_bandwidth;
}

void bench_route(benchmark::State& state, const char* engine) {
  const auto& fabric = built(static_cast<std::size_t>(state.range(0)));
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(1)));
  state.SetLabel(kFabrics[state.range(0)].name);
  if (const auto first = route(fabric, engine); first.has_error()) {
    state.SkipWithError(first.error().message.c_str());
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(route(fabric, engine));
  const auto routes = route(fabric, engine);
  const auto quality =
      routing::measure_quality(fabric.topology, fabric.lids, routes->tables, tbb_for);
  state.counters["EFI_min"] = static_cast<double>(quality.least_load);
  state.counters["EFI_mean"] = quality.mean_load;
  state.counters["EFI_max"] = static_cast<double>(quality.greatest_load);
  state.counters["hops"] = quality.mean_hops;
  state.counters["lost"] = static_cast<double>(quality.lost);
  count_bandwidth(state, fabric, routes->tables);
}

// Engines that part credit loops by lanes. Arguments besides: data VLs, and whether answers may
// ride the level of their request.
void bench_lanes(benchmark::State& state, const char* engine) {
  const auto& fabric = built(static_cast<std::size_t>(state.range(0)));
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(1)));
  state.SetLabel(kFabrics[state.range(0)].name);
  const routing::Options options;
  const routing::Request request{
      fabric.topology,    fabric.lids, options, tbb_for, static_cast<unsigned>(state.range(2)),
      state.range(3) != 0};
  auto routes = routing::find_engine(engine)->route(request);
  if (!routes) return state.SkipWithError(routes.error().message.c_str());
  for (auto _ : state) routes = routing::find_engine(engine)->route(request);
  const auto proof =
      fabric::verify(fabric.topology, fabric.lids, routes->tables, routes->lanes, tbb_for);
  const auto quality =
      routing::measure_quality(fabric.topology, fabric.lids, routes->tables, tbb_for);
  state.counters["VLs"] = routes->lanes.vls;
  state.counters["cycle"] = static_cast<double>(proof.credit_cycle.size());
  state.counters["EFI_mean"] = quality.mean_load;
  state.counters["EFI_max"] = static_cast<double>(quality.greatest_load);
  state.counters["hops"] = quality.mean_hops;
  count_bandwidth(state, fabric, routes->tables);
}

void bench_verify(benchmark::State& state, const char* engine) {
  const auto& fabric = built(static_cast<std::size_t>(state.range(0)));
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(1)));
  state.SetLabel(kFabrics[state.range(0)].name);
  const auto routes = route(fabric, engine);
  if (routes.has_error()) {
    state.SkipWithError(routes.error().message.c_str());
    return;
  }
  fabric::Verification proof;
  for (auto _ : state) {
    proof = fabric::verify(fabric.topology, fabric.lids, routes->tables, routes->lanes, tbb_for);
  }
  state.counters["faulty"] = static_cast<double>(proof.faulty_routes);
  state.counters["dependencies"] = static_cast<double>(proof.dependencies);
  state.counters["cycle"] = static_cast<double>(proof.credit_cycle.size());
}

void fabrics_and_threads(benchmark::internal::Benchmark* bench) {
  for (std::size_t fabric = 0; fabric < kHardOnes; ++fabric) {
    for (const int threads : {1, 2}) bench->Args({static_cast<std::int64_t>(fabric), threads});
  }
  bench->ArgNames({"fabric", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

void fabrics_and_lanes(benchmark::internal::Benchmark* bench) {
  for (std::size_t fabric = 2; fabric < kHardOnes; ++fabric) {
    if (fabric == 3 || fabric == 4) continue;
    for (const int vls : {1, 4, 8}) {
      for (const int cover : {0, 1})
        bench->Args({static_cast<std::int64_t>(fabric), 2, vls, cover});
    }
  }
  bench->ArgNames({"fabric", "threads", "vls", "replies"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void hard_ones(benchmark::internal::Benchmark* bench) {
  for (std::size_t fabric = kHardOnes; fabric < std::size(kFabrics); ++fabric) {
    for (const int cover : {0, 1}) bench->Args({static_cast<std::int64_t>(fabric), 2, 4, cover});
  }
}
void hard_ones_without_lanes(benchmark::internal::Benchmark* bench) {
  for (std::size_t fabric = kHardOnes; fabric < std::size(kFabrics); ++fabric) {
    bench->Args({static_cast<std::int64_t>(fabric), 2});
  }
}

// Engines that know a shape, on the fabrics that have it, and auto on all. Arguments as before; one
// of the lists of fabrics for each engine.
void shapes(benchmark::internal::Benchmark* bench, std::initializer_list<int> fabrics) {
  for (const int fabric : fabrics) {
    for (const int threads : {1, 2}) bench->Args({fabric, threads, 4, 1});
  }
  bench->ArgNames({"fabric", "threads", "vls", "replies"})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}
void grids(benchmark::internal::Benchmark* bench) {
  shapes(bench, {6, 9, 15});
}
void hyperxes(benchmark::internal::Benchmark* bench) {
  shapes(bench, {12, 15});
}
void dragonflies(benchmark::internal::Benchmark* bench) {
  shapes(bench, {11});
}
void dragonflies_plus(benchmark::internal::Benchmark* bench) {
  shapes(bench, {14});
}
void all_shapes(benchmark::internal::Benchmark* bench) {
  shapes(bench, {0, 1, 2, 3, 4, 5, 6, 9, 11, 12, 14, 15});
}

BENCHMARK_CAPTURE(bench_lanes, dor, "dor")->Apply(grids);
BENCHMARK_CAPTURE(bench_lanes, torus_2QoS, "torus-2QoS")->Apply(grids);
BENCHMARK_CAPTURE(bench_lanes, hyperx, "hyperx")->Apply(hyperxes);
BENCHMARK_CAPTURE(bench_lanes, dragonfly, "dragonfly")->Apply(dragonflies);
BENCHMARK_CAPTURE(bench_lanes, dragonfly_plus, "dragonfly+")->Apply(dragonflies_plus);
BENCHMARK_CAPTURE(bench_lanes, auto, "auto") -> Apply(all_shapes);
BENCHMARK_CAPTURE(bench_lanes, dfsssp, "dfsssp")->Apply(fabrics_and_lanes)->Apply(hard_ones);
BENCHMARK_CAPTURE(bench_lanes, lash, "lash")->Apply(fabrics_and_lanes);
BENCHMARK_CAPTURE(bench_lanes, nue, "nue")->Apply(fabrics_and_lanes);
BENCHMARK_CAPTURE(bench_lanes, weave, "weave")->Apply(fabrics_and_lanes)->Apply(hard_ones);
BENCHMARK_CAPTURE(bench_route, minhop, "minhop")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_route, updn, "updn")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_route, dnup, "dnup")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_route, ftree, "ftree")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_route, sssp, "sssp")
    ->Apply(fabrics_and_threads)
    ->Apply(hard_ones_without_lanes);
BENCHMARK_CAPTURE(bench_verify, minhop, "minhop")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_verify, updn, "updn")->Apply(fabrics_and_threads);
BENCHMARK_CAPTURE(bench_verify, ftree, "ftree")->Apply(fabrics_and_threads);

}  // namespace
}  // namespace heddle

BENCHMARK_MAIN();
