// SPDX-License-Identifier: BSD-3-Clause
// A master and its standby, the connection between them, and the fabric: each of them fails alone
// or together with the others, drawn by seed. What was promised is known to whoever is master in
// the end, or the clients have been asked.
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "mad/port_info.hpp"
#include "mad/smp.hpp"
#include "sim/devices.hpp"
#include "sm/memory.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/judging.hpp"
#include "tests/simulation/seeds.hpp"
#include "tests/support/wire.hpp"

namespace heddle::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Partners : public testing::Test {
 protected:
  void begin(sim::Blueprint blueprint, const std::string& master, const std::string& standby,
             base::Duration delay) {
    wire_.reset();
    clients_.clear();
    joined_.clear();
    unknown_.clear();
    BoxOptions options;
    options.at = master;
    options.sm.durable = true;
    options.sm.poll_interval = milliseconds(300);
    options.sm.sweep_interval = seconds(2);
    options.on_way_out = [this](mad::Datagram& leaving) { note(leaving); };
    box_ = std::make_unique<Box>(std::move(blueprint), options);
    SeatOptions other;
    other.sm = options.sm;
    other.on_way_out = [this](mad::Datagram& leaving) { note(leaving); };
    standby_ = &box_->add_seat(standby, other);
    wire_ = std::make_unique<Wire>(*box_, box_->seat(), *standby_, delay);
    ASSERT_TRUE(box_->run_until_quiet());
    wire_->run_for(seconds(10));
    ASSERT_EQ(standby_->core().state(), mad::SMState::Standby);
    wire_->cut();  // what was written before it came
    wire_->mend();
    wire_->run_for(seconds(1));
    asked_anew_ = 0;
    for (auto& client : clients_of(*box_)) {
      if (client.gid().guid != box_->world().port_guid(standby_->endpoint())) {
        clients_.push_back(client);
      }
    }
  }
  static bool ok(const sa::Reply<mad::MCMemberRecord>& reply) {
    return reply.came && reply.status() == mad::kStatusOk;
  }
  // A client joins, or leaves. Of one that gets no answer nobody knows what is so.
  void turn(IpoibClient& client) {
    const bool joins = !joined_[client.host()];
    const auto reply = joins ? client.join(kIpv4Broadcast) : client.leave(kIpv4Broadcast);
    if (ok(reply)) joined_[client.host()] = joins;
    if (!ok(reply)) unknown_[client.host()] = true;
  }
  static bool is_member(const sm::Core& core, const IpoibClient& client) {
    std::string name = "\nmember ";
    for (const mad::Gid& gid : {kIpv4Broadcast, client.gid()}) {
      for (const std::uint64_t half : {gid.prefix.value, gid.guid.value}) {
        name += fmt::format("{:016x}", half);
      }
    }
    return core.registrations().find(name) != std::string::npos;
  }
  // Clients of whom the master does not know what they were promised.
  std::vector<std::string> missing(const sm::Core& master) {
    std::vector<std::string> wrong;
    for (auto& client : clients_) {
      if (unknown_.count(client.host()) != 0) continue;
      const bool joined = joined_[client.host()];
      if (is_member(master, client) == joined) continue;
      wrong.push_back(fmt::format("host {} {}", client.host(), joined ? "joined" : "left"));
    }
    return wrong;
  }
  void until_master() {
    for (int n = 0; n < 600 && standby_->core().state() != mad::SMState::Master; ++n) {
      wire_->run_for(milliseconds(50));
    }
  }

  std::unique_ptr<Box> box_;
  Seat* standby_ = nullptr;
  std::unique_ptr<Wire> wire_;
  std::vector<IpoibClient> clients_;
  std::map<std::uint32_t, bool> joined_, unknown_;  // by host
  std::uint64_t asked_anew_ = 0;

 private:
  void note(const mad::Datagram& leaving) {
    const auto smp = mad::decode_smp(leaving.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    asked_anew_ += mad::decode<mad::PortInfo>(smp->data).client_reregister;
  }
};

TEST_F(Partners, NothingPromisedIsLostWhateverIsCutBeforeTheMasterDies) {
  const Seeds these = seeds(40);
  std::uint64_t believed = 0;
  for (std::uint64_t seed = these.first; seed != these.end && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    base::Prng prng(seed);
    begin(fabric(seed % 2 == 0 ? "star:7" : "fat-tree:3,4"), "host-0001", "host-0002",
          milliseconds(1 + prng.below(8)));
    const auto steps = 5 + prng.below(40);
    for (std::uint64_t step = 0; step < steps; ++step) {
      switch (prng.below(8)) {
        case 0:
          prng.chance(0.4) ? wire_->cut() : wire_->mend();
          break;
        case 1:
          box_->input(sm::ResweepCommand{"at random"});  // to die in a sweep
          break;
        default:
          turn(clients_[prng.below(clients_.size())]);
      }
      wire_->run_for(milliseconds(prng.below(prng.chance(0.2) ? 1500 : 100)));
    }
    EXPECT_EQ(wire_->rivalry(), 0u) << "the fabric was whole all the time";
    box_->seat().die();
    asked_anew_ = 0;
    until_master();
    wire_->run_for(seconds(5));
    ASSERT_EQ(standby_->core().state(), mad::SMState::Master);
    const bool asked_all = asked_anew_ >= clients_.size();
    EXPECT_TRUE(asked_all || missing(standby_->core()).empty());
    EXPECT_EQ(trouble_for(*box_, standby_->endpoint()), "");
    believed += asked_anew_ == 0;
  }
  EXPECT_GT(believed, these.count() / 4);
}

// Each side needs a master, whatever the managers could tell each other.
TEST_F(Partners, AFabricThatIsCutHasAMasterOnEitherSide) {
  begin(dumbbell().finish(), "left-a", "right-a", milliseconds(2));
  for (auto& client : clients_) turn(client);
  wire_->run_for(seconds(1));
  const std::vector<std::uint32_t> between{4, 5};  // of the dumbbell's cables
  for (const auto cable : between) box_->world().cut(cable);
  wire_->run_for(seconds(30));
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(standby_->core().state(), mad::SMState::Master);
  for (const auto cable : between) box_->world().restore(cable);
  wire_->run_for(seconds(60));
  const bool first = box_->core().state() == mad::SMState::Master;
  const bool second = standby_->core().state() == mad::SMState::Master;
  EXPECT_NE(first, second);
  Seat& master = first ? box_->seat() : *standby_;
  EXPECT_EQ(trouble_for(*box_, master.endpoint()), "");
  EXPECT_LE(missing(master.core()).size(), asked_anew_) << "no more than were asked";
}

// Each side of a cut fabric has a master, and their connection holds or comes back: who hears of a
// later one lays its office down, finds nobody, and goes on; and that is all, until the sides are
// joined again.
TEST_F(Partners, WhoeverIsOvertakenLaysItsOfficeDownOnce) {
  for (const bool holds : {false, true}) {
    SCOPED_TRACE(holds ? "the connection holds" : "it comes back");
    begin(dumbbell().finish(), "left-a", "right-a", milliseconds(2));
    Wire back(*box_, *standby_, box_->seat(), milliseconds(2));
    const auto run_for = [&](base::Duration time) {
      for (const auto end = box_->now() + time; box_->now() < end; back.pass()) {
        wire_->run_for(milliseconds(1));
      }
    };
    const std::vector<std::uint32_t> between{4, 5};  // of the dumbbell's cables
    for (const auto cable : between) box_->world().cut(cable);
    if (!holds) wire_->cut(), back.cut();
    run_for(seconds(20));
    ASSERT_EQ(box_->core().state(), mad::SMState::Master);
    ASSERT_EQ(standby_->core().state(), mad::SMState::Master);
    if (!holds) wire_->mend(), back.mend();
    run_for(seconds(120));
    const auto laid_down = [](const Seat& seat) {
      std::size_t times = 0;
      for (const auto& event : seat.events()) {
        const auto* change = std::get_if<sm::StateChanged>(&event.value);
        times += change != nullptr && change->from == mad::SMState::Master;
      }
      return times;
    };
    EXPECT_EQ(laid_down(box_->seat()), 1u);
    EXPECT_LE(laid_down(*standby_), 1u);
    EXPECT_EQ(box_->core().state(), mad::SMState::Master);
    EXPECT_EQ(standby_->core().state(), mad::SMState::Master);
    for (const auto cable : between) box_->world().restore(cable);
    run_for(seconds(60));
    const auto rivalry = wire_->rivalry();
    run_for(seconds(10));
    EXPECT_EQ(wire_->rivalry(), rivalry) << "one of them is left";
    const bool first = box_->core().state() == mad::SMState::Master;
    EXPECT_NE(first, standby_->core().state() == mad::SMState::Master);
    EXPECT_EQ(trouble_for(*box_, first ? box_->endpoint() : standby_->endpoint()), "");
  }
}

TEST_F(Partners, AnOldSnapshotIsABeginning) {
  begin(fabric("fat-tree:3,4"), "host-0001", "host-0002", milliseconds(2));
  turn(clients_[0]);
  wire_->run_for(seconds(1));
  auto old = box_->seat().shelf().records();
  for (auto& client : clients_) turn(client);
  wire_->run_for(seconds(1));
  standby_->die();
  box_->seat().die();
  for (auto& record : old) {
    record.age = 30 * 24 * 3600;
    if (record.name == "office") record = sm::to_record(sm::Office{{}, {}, 1});
  }
  const auto recalled = sm::recall(old);
  const auto lids = box_->stored();
  const std::uint64_t sets = sets_during(*box_, [&] {
    box_->restart(recalled.lids, recalled.registrations);
    box_->run_for(seconds(30));
  });
  EXPECT_EQ(box_->core().state(), mad::SMState::Master);
  EXPECT_EQ(trouble(*box_), "");
  EXPECT_EQ(box_->stored(), lids) << "they are what ports have";
  EXPECT_GE(sets, clients_.size()) << "every client is asked";
}

}  // namespace
}  // namespace heddle::test
