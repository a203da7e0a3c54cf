// SPDX-License-Identifier: BSD-3-Clause
// What becomes of partitions that programs have made, between a master's keeper and a standby's.
#include "app/keeper.hpp"

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "app/partition_records.hpp"
#include "store/database.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using partitions::BaseKey;
using partitions::Managed;
using std::chrono::milliseconds;
using Shared = std::shared_ptr<const Managed>;

constexpr BaseKey kBlue{0x12}, kRed{0x34};

Shared generation(std::uint64_t number, std::initializer_list<BaseKey> keys) {
  Managed managed;
  managed.generation = number;
  for (const BaseKey key : keys) managed.partitions[key].members[mad::Guid{number}] = {};
  return std::make_shared<const Managed>(std::move(managed));
}

class KeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    auto log = Log::open({"info", "text", (folder_.path() / "log").string()});
    ASSERT_TRUE(log);
    log_ = std::move(*log);
    boost::asio::ip::tcp::acceptor free(loop_, {boost::asio::ip::address_v4::loopback(), 0});
    place_ = "127.0.0.1:" + std::to_string(free.local_endpoint().port());
  }
  void TearDown() override {
    master_.reset();
    keeper_.reset();
    loop_.poll();
  }
  void open_keeper(const Shared& managed) {
    Keeper::Found found;
    keeper_ = std::make_unique<Keeper>(database(), loop_, *log_, found);
    keeper_->share_partitions(managed, [this](Shared told) { told_.push_back(std::move(told)); });
  }
  Partner::Options options(const std::string& listen, const std::string& peer) const {
    return {listen, peer, {"a secret of some length", {}, {}, {}}, "f00d"};
  }
  // Whoever says what all() is.
  void open_master() {
    Partner::Events events;
    events.now = [] { return store::Beat{store::Role::Master, 5}; };
    events.everything = [this]() -> std::optional<store::State> {
      ++asked_for_all_;
      return store::State{number_, {5, true, whole_}};
    };
    events.told = [](store::State&) { return false; };
    events.silent = events.taken = [] {};
    events.overtaken = events.behind = [](std::uint64_t) {};
    auto master = Partner::open(loop_, *log_, options(place_, ""), std::move(events));
    ASSERT_TRUE(master) << master.error().message;
    master_ = std::move(*master);
  }
  void say(std::vector<base::Record> records) {
    master_->publish({++number_, {5, false, std::move(records)}});
  }
  bool until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!done() && std::chrono::steady_clock::now() < end) loop_.run_for(milliseconds(5));
    return done();
  }
  std::filesystem::path database() const { return folder_.path() / "lids.db"; }
  std::vector<std::string> stored() {
    std::vector<std::string> names;
    const auto database = store::Database::open_to_read(this->database(), Keeper::wall_clock);
    EXPECT_TRUE(database);
    const auto records = (*database)->read();
    for (const auto& record : *records) names.push_back(record.name);
    return names;
  }

  test::Folder folder_;
  std::unique_ptr<Log> log_;
  boost::asio::io_context loop_;
  // It goes on although nothing is to be done at the moment.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::string place_;
  std::unique_ptr<Keeper> keeper_;
  std::vector<Shared> told_;
  std::unique_ptr<Partner> master_;
  std::vector<base::Record> whole_;
  std::uint64_t number_ = 1, asked_for_all_ = 0;
};

// They have a file, which has them before the keeper hears of it.
TEST_F(KeeperTest, KeepsNoSecondCopyOfPartitions) {
  const Shared first = generation(1, {kBlue});
  open_keeper(first);
  bool stored_all = false;
  keeper_->set_listener(
      [&](const sm::Input& input) { stored_all |= std::holds_alternative<sm::Stored>(input); });
  keeper_->store(sm::Store{1, 5, true, {{"office", "0x10 1 5"}}});
  keeper_->store(generation(2, {kBlue, kRed}));
  ASSERT_TRUE(until([&] { return stored_all; }));
  keeper_->set_listener({});  // all is written
  EXPECT_EQ(stored(), std::vector<std::string>{"office"});
}

// What comes after it builds upon something else than what is there, so everything is told anew.
TEST_F(KeeperTest, AStandbyThatDidNotUnderstandAChangeIsToldAll) {
  const Shared first = generation(1, {kBlue}), second = generation(2, {kBlue, kRed}),
               third = generation(3, {kBlue, kRed});
  open_keeper(std::make_shared<const Managed>());
  whole_ = partition_changes({}, *first);
  ASSERT_FALSE(keeper_->join(options("", place_)).has_error());
  keeper_->set_state(mad::SMState::Standby);
  open_master();
  ASSERT_TRUE(until([&] { return !told_.empty(); }));
  EXPECT_EQ(*told_.back(), *first);
  auto spoilt = partition_changes(*first, *second);
  for (base::Record& record : spoilt) {
    if (record.name == "partition 0x0034") record.value = "no json";
  }
  whole_ = partition_changes({}, *third);
  say(spoilt);
  say(partition_changes(*second, *third));
  ASSERT_TRUE(until([&] { return told_.size() > 1; }));
  EXPECT_EQ(asked_for_all_, 2u);
  EXPECT_EQ(told_.size(), 2u) << "the second change counts for nothing without the first";
  EXPECT_EQ(*told_.back(), *third);
  EXPECT_EQ(stored(), std::vector<std::string>{}) << "of partitions";
}

}  // namespace
}  // namespace heddle::app
