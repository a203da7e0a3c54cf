// SPDX-License-Identifier: BSD-3-Clause
// What a replicated store costs, against members of etcd that run already (bench/replica starts
// some): all of 35,000 records written, a standby that catches up with them, and registrations that
// are on a majority, with so many under way at once.
//
//   replica_load ENDPOINT...
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "app/replica.hpp"

namespace heddle::app {
namespace {

using Clock = std::chrono::steady_clock;
using store::Quorum;

constexpr std::uint64_t kRecords = 35'000;

// As long as that of a member of a group.
base::Record member(std::uint64_t number) {
  const std::string digits = std::to_string(10'000'000'000 + number);
  return {"member " + std::string(53, 'f') + digits, std::string(104, '0') + " " + digits};
}

struct Side {
  std::unique_ptr<Replica> replica;
  bool whole = false, live = false;

  Side(boost::asio::io_context& loop, const std::vector<std::string>& endpoints) {
    Replica::Options options;
    options.link.endpoints = endpoints;
    options.prefix = "/heddle-bench";
    auto opened = Replica::open(loop, options, [this](const std::vector<Quorum::Event>& events) {
      for (const Quorum::Event& event : events) {
        whole |= std::holds_alternative<Quorum::Whole>(event);
        const auto* told = std::get_if<Quorum::Told>(&event);
        live |= told != nullptr && told->live;
        if (const auto* lost = std::get_if<Quorum::Lost>(&event)) {
          fmt::print("lost: {}\n", lost->why);
        }
      }
    });
    if (opened) replica = std::move(*opened);
  }
};

double seconds_until(boost::asio::io_context& loop, const std::function<bool()>& done) {
  const auto began = Clock::now();
  while (!done()) loop.run_one_for(std::chrono::milliseconds(1));
  return std::chrono::duration<double>(Clock::now() - began).count();
}

int measure(const std::vector<std::string>& endpoints) {
  boost::asio::io_context loop;
  const auto work = boost::asio::make_work_guard(loop);
  Side master(loop, endpoints);
  if (!master.replica) return 1;
  store::State all{1, {1, true, {}}};
  for (std::uint64_t n = 0; n < kRecords; ++n) all.batch.records.push_back(member(n));
  master.replica->publish(all);
  fmt::print("{} records written in {:.2f} s\n", kRecords,
             seconds_until(loop, [&] { return master.whole; }));
  Side standby(loop, endpoints);
  if (!standby.replica) return 1;
  fmt::print("a standby has them after {:.2f} s\n",
             seconds_until(loop, [&] { return standby.live; }));
  std::uint64_t number = 1;
  for (const std::uint64_t window : {1u, 8u, 64u, 1024u}) {
    const std::uint64_t first = number;
    const auto end = Clock::now() + std::chrono::seconds(3);
    const double took = seconds_until(loop, [&] {
      const bool over = Clock::now() >= end;
      const std::uint64_t taken = std::min(master.replica->taken(), number);
      while (!over && number < taken + window) {
        ++number;
        master.replica->publish({number, {1, false, {member(number % kRecords)}}});
      }
      return over && master.replica->taken() >= number;
    });
    fmt::print("{} under way: {:.0f} a second\n", window,
               static_cast<double>(number - first) / took);
  }
  return 0;
}

}  // namespace
}  // namespace heddle::app

int main(int count, char** words) {
  return heddle::app::measure({words + 1, words + count});
}
