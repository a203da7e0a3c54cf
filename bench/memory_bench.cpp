// SPDX-License-Identifier: BSD-3-Clause
// How many registrations a second become durable, one record each, with so many under way at once:
// what subnet administration can acknowledge. The database is where TMPDIR says; on a file system
// in memory the figure says nothing of a disk.
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>

#include "store/database.hpp"
#include "store/writer.hpp"
#include "tests/support/folder.hpp"

namespace heddle::store {
namespace {

std::uint64_t some_clock() {
  return 1'700'000'000;
}

// As long as that of a member of a group.
base::Record member(std::uint64_t number) {
  const std::string digits = std::to_string(10'000'000'000 + number);
  return {"member " + std::string(53, 'f') + digits, std::string(104, '0') + " " + digits};
}

void BM_Acknowledge(benchmark::State& state) {
  const auto window = static_cast<std::uint64_t>(state.range(0));
  const test::Folder folder;
  const std::filesystem::path file = folder.path() / "memory.db";
  {
    auto opened = Database::open(file, some_clock);
    std::atomic<std::uint64_t> done{0};
    Writer writer(
        std::move(opened->database),
        []() -> base::Result<std::unique_ptr<Database>> { return base::error("failed"); },
        [&](const Writer::Outcome& outcome) { done = outcome.ticket; });
    std::uint64_t given = 0;
    for (auto step : state) {
      (void)step;
      while (given >= done + window) std::this_thread::yield();
      ++given;
      writer.write(given, {1, given == 1, {member(given % 50'000)}});
      writer.begin();
    }
    writer.drain();
    state.SetItemsProcessed(static_cast<std::int64_t>(given));
    state.counters["commits"] =
        benchmark::Counter(static_cast<double>(writer.commits()), benchmark::Counter::kIsRate);
  }
}
BENCHMARK(BM_Acknowledge)->Arg(1)->Arg(8)->Arg(64)->Arg(1024)->UseRealTime();

// A manager that starts: all that is remembered of 11,664 hosts in two groups each.
void BM_Read(benchmark::State& state) {
  const test::Folder folder;
  const std::filesystem::path file = folder.path() / "memory.db";
  {
    auto opened = Database::open(file, some_clock);
    Batch all{1, true, {}};
    for (std::uint64_t n = 0; n < 35'000; ++n) all.records.push_back(member(n));
    if (opened->database->write({all}).has_error()) return state.SkipWithError("not written");
  }
  for (auto step : state) {
    (void)step;
    auto opened = Database::open(file, some_clock);
    benchmark::DoNotOptimize(opened->database->read());
  }
}
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::store

BENCHMARK_MAIN();
