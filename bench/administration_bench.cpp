// SPDX-License-Identifier: BSD-3-Clause
// Answers of subnet administration, from the bytes of a request to the bytes of its answer, on one
// core, for pairs of hosts chosen at random.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/prng.hpp"
#include "fabric/verification.hpp"
#include "mad/guid_info_record.hpp"
#include "mad/path_record.hpp"
#include "sa/desk.hpp"
#include "tests/sa/client.hpp"
#include "tests/support/administration.hpp"

namespace heddle::sa {
namespace {

// As the subnet manager tells of it.
Subnet proven(Subnet subnet) {
  subnet.proven_routes = fabric::verify(*subnet.topology, *subnet.lids, *subnet.tables).routes;
  return subnet;
}

const std::shared_ptr<const View>& fat_tree() {
  static const auto view = std::make_shared<const View>(
      proven(support::administered(support::xgft({18, 18, 36}, {1, 18, 18}))));
  return view;
}
// As long as a switch does not hold its table.
const std::shared_ptr<const View>& unproven_fat_tree() {
  static const auto view = [] {
    Subnet subnet = fat_tree()->subnet();
    subnet.proven_routes = 0;
    return std::make_shared<const View>(std::move(subnet));
  }();
  return view;
}

Server open_server(const std::shared_ptr<const View>& view = fat_tree()) {
  Server server;
  server.set_key(kOurKey);
  server.renew({}, view);
  return server;
}

// One question after the other, each about a pair drawn anew: only its bytes are where a request
// that has just been received would be, in the cache.
class PathQuestions {
 public:
  explicit PathQuestions(const View& view) {
    constexpr std::uint64_t mask = mad::component<&mad::PathRecord::sgid>() |
                                   mad::component<&mad::PathRecord::dgid>() |
                                   mad::component<&mad::PathRecord::reversible>() |
                                   mad::component<&mad::PathRecord::numb_path>();
    mad::PathRecord wanted;
    wanted.reversible = true;
    wanted.numb_path = 1;
    request_ = make_query({mad::Method::Get, 0x35, 0, mask, {}}, wanted, mad::Lid{1});
    for (const auto host : view.topology().endports().subspan(view.topology().switch_count())) {
      hosts_.push_back({mad::encode(view.gid(host)), view.lids().base(host)});
    }
  }

  const mad::Datagram& next() {
    const Host& from = any();
    request_.peer.lid = from.lid;
    put(from, kSgid);
    put(any(), kDgid);
    return request_;
  }

 private:
  struct Host {
    decltype(mad::encode(mad::Gid{})) gid;
    mad::Lid lid;
  };
  static constexpr std::ptrdiff_t kDgid = mad::kSAHeaderBytes + 8;  // behind the ServiceID
  static constexpr std::ptrdiff_t kSgid = kDgid + 16;

  const Host& any() { return hosts_[static_cast<std::size_t>(prng_.below(hosts_.size()))]; }
  void put(const Host& host, std::ptrdiff_t at) {
    std::copy(host.gid.begin(), host.gid.end(), request_.payload.begin() + at);
  }

  std::vector<Host> hosts_;
  mad::Datagram request_;
  base::Prng prng_{1};
};

void ask_for_paths(benchmark::State& state, Server server) {
  PathQuestions questions(*fat_tree());
  std::size_t found = 0;
  for (auto _ : state) {
    server.on_mad({}, questions.next());
    const auto replies = server.take_outgoing();
    found += replies[0].payload[4] == std::byte{0} && replies[0].payload[5] == std::byte{0};
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}

void bench_path_get(benchmark::State& state) {
  ask_for_paths(state, open_server());
}

// Each way is followed from switch to switch.
void bench_path_get_by_tables(benchmark::State& state) {
  ask_for_paths(state, open_server(unproven_fat_tree()));
}

// As the thread that receives answers it.
void bench_path_get_at_desk(benchmark::State& state) {
  Desk desk;
  desk.open(fat_tree(), kOurKey);
  PathQuestions questions(*fat_tree());
  std::size_t found = 0;
  std::chrono::nanoseconds now{};
  for (auto _ : state) {
    now += kTalkWindow;  // nobody is put off
    std::optional<mad::Datagram> reply;
    desk.take(base::Instant(now), questions.next(), reply);
    const auto& payload = reply->payload;
    found += payload[4] == std::byte{0} && payload[5] == std::byte{0};
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["found"] =
      benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}

void bench_node_table(benchmark::State& state) {
  Server server = open_server();
  const auto request = make_query({mad::Method::GetTable, 0x11}, mad::NodeRecord{}, mad::Lid{1});
  std::size_t bytes = 0;
  for (auto _ : state) {
    server.on_mad({}, request);
    bytes = server.take_outgoing()[0].payload.size();
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

// One more alias GUID where every host has eight: from the request to the answer, the device's own
// time left out.
void bench_alias_round(benchmark::State& state) {
  constexpr std::size_t kAliases = 8;
  const View& view = *fat_tree();
  Registrations registrations;
  const auto hosts = view.topology().endports().subspan(view.topology().switch_count());
  for (const auto host : hosts) {
    const mad::Guid own = view.topology().port(host).guid;
    for (std::size_t entry = 1; entry <= kAliases; ++entry) {
      registrations.alias_guids.set(own, entry, make_alias(own, entry, 0));
    }
  }
  Server server = open_server();
  server.restore(std::move(registrations));
  mad::GUIDInfoRecord wanted;
  wanted.block_num = 1;
  std::size_t next = 0;
  std::size_t answered = 0;
  for (auto _ : state) {
    const auto host = hosts[next++ / 2 % hosts.size()];
    wanted.lid = view.lids().base(host);
    wanted.guid_info.guids[2] = make_alias(view.topology().port(host).guid, 10, 0);
    // Each is given, then taken away again.
    const auto method = next % 2 == 1 ? mad::Method::Set : mad::Method::Delete;
    constexpr std::uint64_t kSecond = 1u << 6;  // GUID0 to GUID7 are bits 4 to 11
    constexpr auto mask = mad::component<&mad::GUIDInfoRecord::lid>() |
                          mad::component<&mad::GUIDInfoRecord::block_num>() | kSecond;
    server.on_mad({}, make_query({method, 0x30, 0, mask, {}}, wanted, wanted.lid));
    for (const AliasWrite& write : server.take_alias_writes()) {
      const AliasOutcome outcome{write.ticket, write.guids, false};
      server.on_aliases_written({}, {&outcome, 1});
    }
    answered += server.take_outgoing().size();
  }
  state.counters["answered"] =
      benchmark::Counter(static_cast<double>(answered), benchmark::Counter::kAvgIterations);
}

BENCHMARK(bench_path_get);
BENCHMARK(bench_path_get_by_tables);
BENCHMARK(bench_path_get_at_desk);
BENCHMARK(bench_alias_round)->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_node_table)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::sa

BENCHMARK_MAIN();
