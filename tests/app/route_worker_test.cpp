// SPDX-License-Identifier: BSD-3-Clause
#include "app/route_worker.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/topologies.hpp"

namespace heddle::app {
namespace {

sm::ComputeRoutes request(std::uint64_t ticket) {
  const auto topology =
      std::make_shared<const fabric::Topology>(support::build(support::xgft({2, 2}, {1, 2})));
  return {ticket,
          topology,
          std::make_shared<const fabric::LidMap>(support::number_lids(*topology)),
          {}};
}

// A worker whose parallel work has to wait until it is let go on.
class Routes : public testing::Test {
 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool at_work_ = false, held_ = true;
  std::vector<std::uint64_t> heard_;

 protected:
  // The first to go: it uses the others.
  std::optional<RouteWorker> worker_{
      std::in_place, [this](std::size_t count, const base::RangeWork& work) { run(count, work); },
      [this](sm::RoutesReady ready) { hear(ready); }};

  void await_work() {
    await([&] { return at_work_; });
  }
  void let_go_on() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  std::vector<std::uint64_t> await_routes() {
    std::vector<std::uint64_t> heard;
    await([&] { return !(heard = heard_).empty(); });
    return heard;
  }
  std::vector<std::uint64_t> heard_at_the_end() {
    worker_.reset();
    return heard_;
  }

 private:
  template <class Condition>
  void await(const Condition& condition) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(60), condition));
  }
  void run(std::size_t count, const base::RangeWork& work) {
    {
      std::unique_lock lock(mutex_);
      at_work_ = true;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !held_; });
    }
    base::inline_for(count, work);
  }
  void hear(const sm::RoutesReady& ready) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(ready.selected);
    heard_.push_back(ready.ticket);
    changed_.notify_all();
  }
};

TEST_F(Routes, ComeOneAfterTheOther) {
  let_go_on();
  worker_->compute(request(1));
  EXPECT_EQ(await_routes(), (std::vector<std::uint64_t>{1}));
}

TEST_F(Routes, AreNotMadeToTheEndWhenOthersAreWanted) {
  worker_->compute(request(1));
  await_work();
  worker_->compute(request(2));  // waits behind the first
  worker_->compute(request(3));
  let_go_on();
  EXPECT_EQ(await_routes(), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(heard_at_the_end(), (std::vector<std::uint64_t>{3}));
}

TEST_F(Routes, AreNotMadeToTheEndWhenTheWorkerGoes) {
  worker_->compute(request(1));
  await_work();
  worker_->give_up();
  let_go_on();
  EXPECT_TRUE(heard_at_the_end().empty());
}

TEST_F(Routes, AreMadeAnewBehindSomeThatWereGivenUp) {
  worker_->give_up();  // of none
  worker_->compute(request(1));
  await_work();
  worker_->give_up();
  worker_->compute(request(2));
  let_go_on();
  EXPECT_EQ(await_routes(), (std::vector<std::uint64_t>{2}));
}

}  // namespace
}  // namespace heddle::app
