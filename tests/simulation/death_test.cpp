// SPDX-License-Identifier: BSD-3-Clause
// A master dies in the middle of its writing: after each of its Sets in turn, while it brings a
// fabric up, while it leads routes around a cable, while clients join. Whoever comes after it, its
// standby or itself again, finds a fabric half written and leaves one that is whole.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mad/port_info.hpp"
#include "mad/smp.hpp"
#include "sim/devices.hpp"
#include "sm/memory.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/support/wire.hpp"

namespace heddle::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Death : public testing::Test {
 protected:
  static constexpr const char* kFabric = "fat-tree:3,4";

  void begin() {
    clients_.clear();
    promised_.clear();
    BoxOptions options;
    options.sm.durable = true;
    options.sm.poll_interval = milliseconds(300);
    options.sm.sweep_interval = seconds(2);
    options.on_way_out = [this](mad::Datagram& leaving) { note(leaving); };
    box_ = std::make_unique<Box>(fabric(kFabric), options);
    sets_ = asked_anew_ = 0;
  }
  // With a standby, and some clients that have joined.
  void begin_in_pairs() {
    wire_.reset();
    begin();
    ASSERT_TRUE(box_->run_until_quiet());
    SeatOptions other;
    other.sm.durable = true;
    other.sm.poll_interval = milliseconds(300);
    other.on_way_out = [this](mad::Datagram& leaving) { note(leaving); };
    standby_ = &box_->add_seat("host-0002", other);
    wire_ = std::make_unique<Wire>(*box_, box_->seat(), *standby_, milliseconds(1));
    wire_->run_for(seconds(10));
    ASSERT_EQ(standby_->core().state(), mad::SMState::Standby);
    wire_->cut();  // and is told all
    wire_->mend();
    wire_->run_for(seconds(1));
    for (auto& client : clients_of(*box_)) {
      if (client.gid().guid != box_->world().port_guid(standby_->endpoint())) {
        clients_.push_back(client);
      }
    }
    for (std::size_t i = 0; i < clients_.size(); i += 2) join(clients_[i]);
    sets_ = asked_anew_ = 0;
  }
  bool join(IpoibClient& client) {
    const auto reply = client.join(kIpv4Broadcast);
    const bool joined = reply.came && reply.status() == mad::kStatusOk;
    if (joined) promised_.push_back(client);
    return joined;
  }
  // Until so many Sets have left; false when no more come.
  bool run_until_sets(std::uint64_t wanted, base::Duration limit) {
    for (const auto end = box_->now() + limit; box_->now() < end;) {
      if (sets_ >= wanted) return true;
      box_->run_for(microseconds(5));
    }
    return false;
  }
  void expect_heir_to_be_master() {
    asked_anew_ = 0;
    box_->seat().die();
    for (int n = 0; n < 600 && standby_->core().state() != mad::SMState::Master; ++n) {
      wire_->run_for(milliseconds(50));
    }
    wire_->run_for(seconds(10));
    ASSERT_EQ(standby_->core().state(), mad::SMState::Master);
    EXPECT_EQ(trouble_for(*box_, standby_->endpoint()), "");
    EXPECT_EQ(asked_anew_, 0u);
    const auto registrations = standby_->core().registrations();
    for (auto& client : promised_) {
      EXPECT_NE(registrations.find(fmt::format("{:016x}", client.gid().guid.value)),
                registrations.npos)
          << client.host();
    }
  }

  std::unique_ptr<Box> box_;
  Seat* standby_ = nullptr;
  std::unique_ptr<Wire> wire_;
  std::vector<IpoibClient> clients_, promised_;
  std::uint64_t sets_ = 0, asked_anew_ = 0;

 private:
  void note(const mad::Datagram& leaving) {
    const auto smp = mad::decode_smp(leaving.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    if (smp->attribute_id == mad::AttributeId::SMInfo) return;
    ++sets_;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    asked_anew_ += mad::decode<mad::PortInfo>(smp->data).client_reregister;
  }
};

TEST_F(Death, WhileAFabricIsBroughtUpIsMadeGoodByTheNextRun) {
  std::uint64_t deaths = 0;
  for (std::uint64_t n = 1; !HasFailure(); n += 3) {
    SCOPED_TRACE(fmt::format("after Set {}", n));
    begin();
    if (!run_until_sets(n, seconds(3))) break;
    ++deaths;
    box_->seat().die();
    box_->run_for(seconds(1));
    box_->seat().restart_from_shelf();
    ASSERT_TRUE(box_->run_until_quiet());
    EXPECT_EQ(trouble(*box_), "");
  }
  EXPECT_GT(deaths, 30u);
}

TEST_F(Death, WhileRoutesAreLedAroundACableIsMadeGoodByTheStandby) {
  std::uint64_t deaths = 0;
  for (std::uint64_t n = 1; !HasFailure(); ++n) {
    SCOPED_TRACE(fmt::format("after Set {}", n));
    begin_in_pairs();
    box_->world().cut(cable(*box_, "leaf-1", 4));
    if (!run_until_sets(n, seconds(5))) break;
    ++deaths;
    expect_heir_to_be_master();
  }
  EXPECT_GT(deaths, 3u);
}

// Joins write multicast tables; the answer comes before or after that.
TEST_F(Death, WhileClientsJoinIsMadeGoodByTheStandby) {
  std::uint64_t deaths = 0;
  for (std::uint64_t n = 1; !HasFailure(); ++n) {
    SCOPED_TRACE(fmt::format("after Set {}", n));
    begin_in_pairs();
    for (std::size_t i = 1; i < clients_.size() && sets_ < n; i += 2) join(clients_[i]);
    if (!run_until_sets(n, seconds(1))) break;
    ++deaths;
    expect_heir_to_be_master();
  }
  EXPECT_GT(deaths, 3u);
}

}  // namespace
}  // namespace heddle::test
