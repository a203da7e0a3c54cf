// SPDX-License-Identifier: BSD-3-Clause
// M_Keys: who has them writes, who has not keeps away.
#include "sm/keys.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/memory.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr mad::MKey kOurs{0xA1B2'C3D4'E5F6'0718}, kTheirs{0x77};

class MKeys : public testing::Test {
 protected:
  void bring_up(mad::MKey key, std::uint8_t protection = 1, bool per_port = false) {
    options_.sm.m_key = key;
    options_.sm.m_key_protection = protection;
    options_.sm.m_key_per_port = per_port;
    box_ = std::make_unique<Box>("fat-tree:2,4", options_);
    ASSERT_TRUE(box().run_until_quiet());
    ASSERT_EQ(trouble(box()), "");
  }
  void reload(const sm::Options& options) {
    box().input(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
    box().run_for(10s);
  }
  // Another manager, which knows nothing of the first.
  Seat& successor(const SeatOptions& options) {
    box().seat().die();
    box().run_for(1s);
    return box().add_seat("host-0002", options);
  }
  // Every host's port and every switch: the key is what `of` says.
  template <class Of>
  void expect_keys(const Of& of) {
    const auto& topology = box().snapshot().topology;
    for (const auto port : topology.endports()) {
      const auto& node = topology.node(topology.node_of(port));
      const auto number = topology.number_of(port).value;
      EXPECT_EQ(registers(box(), base_name(node.description), number).m_key,
                of(topology.port(port).guid))
          << node.description;
    }
  }
  mad::Guid guid_of(const std::string& host) {
    const auto& devices = box().world().devices();
    return devices.port_guid(devices.port_at(node(box(), host), 1));
  }
  // Counts what is refused by ports that have the key that `of` says.
  template <class Of>
  void count_refused_to(const Of& of) {
    refused_ = 0;
    box().world().set_watcher([this, of](const sim::Sighting& sighting) {
      if (sighting.what != sim::Sighting::What::Discarded || sighting.smp == nullptr) return;
      const auto& devices = box().world().devices();
      const bool is_switch = devices.nodes[sighting.node].type == mad::NodeType::Switch;
      const auto port = devices.port_at(sighting.node, is_switch ? 0 : 1);
      refused_ += devices.ports[port].info.m_key == of(devices.port_guid(port));
    });
  }
  // host-0003 gets the key of another port, as when cables change places under a sweep.
  void write_as(mad::Guid owner, mad::Lid lid) {
    auto info = registers(box(), "host-0003", 1);
    info.lid = lid;
    info.m_key = sm::derive_m_key(kOurs, owner);
    info.port_state = mad::PortState::NoChange;
    info.port_physical_state = mad::PortPhysicalState::NoChange;
    mad::Smp smp;
    smp.method = mad::Method::Set;
    smp.attribute_id = mad::AttributeId::PortInfo;
    smp.attribute_modifier = 1;
    smp.m_key = registers(box(), "host-0003", 1).m_key;
    smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
    mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(smp.data));
    box().world().send(*box().world().find_endpoint("host-0003"), mad::make_datagram({}, smp),
                       box().now());
    box().run_for(1ms);
    ASSERT_EQ(registers(box(), "host-0003", 1).m_key, info.m_key);
  }
  static std::string base_name(const std::string& description) {
    return description.substr(0, description.find(' '));
  }
  Box& box() { return *box_; }

  BoxOptions options_;
  unsigned refused_ = 0;
  std::unique_ptr<Box> box_;
};

TEST_F(MKeys, GuardEveryPort) {
  bring_up(kOurs);
  expect_keys([](mad::Guid) { return kOurs; });
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key_protect_bits, 1);
  EXPECT_EQ(registers(box(), "leaf-1", 0).m_key_protect_bits, 1);
}

// Cables may have changed places: a host that gets what was meant for a switch keeps a key.
TEST_F(MKeys, AreInWhatIsWrittenToPortsThatHaveNoneToo) {
  std::size_t outer = 0;
  options_.on_way_out = [&outer](mad::Datagram& datagram) {
    const auto smp = mad::decode_smp(datagram.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    EXPECT_EQ(mad::decode<mad::PortInfo>(smp->data).m_key, kOurs);
    outer += smp->hop_count == 1 && (smp->attribute_modifier & 0xFF) != 0;
  };
  bring_up(kOurs);
  EXPECT_GT(outer, 0u) << "ports of the first switch";
}

TEST_F(MKeys, OfOnePortTellNothingOfAnother) {
  bring_up(kOurs, 1, true);
  expect_keys([](mad::Guid port) { return sm::derive_m_key(kOurs, port); });
  const auto sets = sets_during(box(), [&] {
    box().restart(box().stored());
    box().run_for(10s);
  });
  EXPECT_EQ(trouble(box()), "");
  EXPECT_LE(sets, 20u) << "after a restart all are known again; clients are asked to register";
}

TEST_F(MKeys, AreChangedWhileTheFabricRuns) {
  for (const std::uint8_t protection : {std::uint8_t{1}, std::uint8_t{2}}) {
    for (const bool per_port : {false, true}) {
      bring_up(kOurs, protection, per_port);
      auto options = options_.sm;
      options.m_key = mad::MKey{0x1234};
      count_refused_to([&](mad::Guid port) {
        return per_port ? sm::derive_m_key(options.m_key, port) : options.m_key;
      });
      reload(options);
      box().world().set_watcher({});
      EXPECT_EQ(refused_, 0u) << "from the moment on that a port has the new one it is shown";
      EXPECT_EQ(trouble(box()), "");
      expect_keys([&](mad::Guid port) {
        return per_port ? sm::derive_m_key(options.m_key, port) : options.m_key;
      });
      EXPECT_EQ(box().count<sm::PortLocked>(), 0u);
    }
  }
}

// A port without a key that is protected all the same would look locked from then on.
TEST_F(MKeys, AreTakenAwayWithTheirProtection) {
  options_.sm.m_key_lease = 60;
  bring_up(kOurs);
  auto options = options_.sm;
  options.m_key = mad::MKey{};
  reload(options);
  box().input(sm::ResweepCommand{"a test asked for it"});
  box().run_for(10s);
  expect_keys([](mad::Guid) { return mad::MKey{}; });
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key_protect_bits, 0);
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key_lease_period, 0);
  EXPECT_EQ(box().count<sm::PortLocked>(), 0u);
  EXPECT_EQ(trouble(box()), "");
}

// What was written to another port when two cables changed places under a sweep.
TEST_F(MKeys, OfAnotherPortAreFound) {
  bring_up(kOurs, 1, true);
  write_as(guid_of("host-0004"), registers(box(), "host-0004", 1).lid);
  box().input(sm::ResweepCommand{"a test asked for it"});
  box().run_for(10s);
  EXPECT_EQ(trouble(box()), "");
  expect_keys([](mad::Guid port) { return sm::derive_m_key(kOurs, port); });
}

// The same, found by a manager that knows nothing of what was before.
TEST_F(MKeys, OfAnotherPortAreFoundByAManagerThatRemembersNothing) {
  bring_up(kOurs, 1, true);
  write_as(guid_of("host-0004"), mad::Lid{0x1234});
  ASSERT_EQ(registers(box(), "host-0003", 1).m_key, sm::derive_m_key(kOurs, guid_of("host-0004")));
  box().restart({});
  box().run_for(10s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(box().count<sm::PortLocked>(), 0u);
  expect_keys([](mad::Guid port) { return sm::derive_m_key(kOurs, port); });
}

// Its owner was not there when the port was found locked.
TEST_F(MKeys, OfAnotherPortAreFoundOnceThatOneIsThere) {
  bring_up(kOurs, 1, true);
  write_as(guid_of("host-0004"), mad::Lid{0x1234});
  const auto host = node(box(), "host-0004");
  box().world().power_off(host);
  box().restart({});
  box().run_for(10s);
  EXPECT_EQ(box().count<sm::PortLocked>(), 1u);
  EXPECT_THAT(box().snapshot().problems, Contains(HasSubstr("locked by an M_Key")));
  box().world().power_on(host);
  box().run_for(10s);
  box().input(sm::ResweepCommand{"a test asked for it"});
  box().run_for(10s);
  EXPECT_EQ(trouble(box()), "");
  EXPECT_EQ(box().count<sm::PortLocked>(), 1u) << "told of once";
  expect_keys([](mad::Guid port) { return sm::derive_m_key(kOurs, port); });
}

TEST_F(MKeys, GoFromOneForAllToOneForEachAndBack) {
  bring_up(kOurs);
  auto options = options_.sm;
  options.m_key_per_port = true;
  reload(options);
  expect_keys([](mad::Guid port) { return sm::derive_m_key(kOurs, port); });
  options.m_key_per_port = false;
  reload(options);
  expect_keys([](mad::Guid) { return kOurs; });
}

TEST_F(MKeys, AreFoundAmongFormerOnesAfterARestart) {
  for (const std::uint8_t protection : {std::uint8_t{1}, std::uint8_t{2}}) {
    bring_up(kTheirs, protection);
    SeatOptions options;
    options.sm = options_.sm;
    options.sm.m_key = kOurs;
    options.sm.former_m_keys = {mad::MKey{0x55}, kTheirs};
    Seat& next = successor(options);
    box().run_for(60s);
    EXPECT_EQ(trouble_for(box(), next.endpoint()), "") << "protection " << int{protection};
    expect_keys([](mad::Guid) { return kOurs; });
  }
}

// As a manager that is restarted with another key, before every host was there to be told of it.
TEST_F(MKeys, OfTheRunBeforeAreRemembered) {
  options_.sm.durable = true;
  bring_up(kTheirs);
  box().run_for(1s);  // until it is written
  const auto recalled = sm::recall(box().seat().shelf().records());
  SeatOptions options;
  options.sm = options_.sm;
  options.sm.m_key = kOurs;
  Seat& next = successor(options);
  next.restart(recalled.lids, recalled.registrations);
  box().run_for(60s);
  EXPECT_EQ(trouble_for(box(), next.endpoint()), "");
  expect_keys([](mad::Guid) { return kOurs; });
}

// As OpenSM's guid2mkey tells of.
TEST_F(MKeys, ThatAnotherManagerGaveToEachPortAreTaken) {
  bring_up(kTheirs, 1, true);
  sm::RememberedKeys known;
  const auto& topology = box().snapshot().topology;
  for (const auto port : topology.endports()) {
    const auto guid = topology.port(port).guid;
    known.by_port[guid] = sm::derive_m_key(kTheirs, guid);
  }
  SeatOptions options;
  options.sm = options_.sm;
  options.sm.m_key = kOurs;
  options.sm.m_key_per_port = false;
  Seat& next = successor(options);
  next.restart({}, sm::to_text(known));
  box().run_for(60s);
  EXPECT_EQ(trouble_for(box(), next.endpoint()), "");
  expect_keys([](mad::Guid) { return kOurs; });
}

// A link is to be brought up, which takes several Sets, and the first of them changes the key.
TEST_F(MKeys, AreShownFromTheMomentOnThatTheyAreWritten) {
  bring_up(kTheirs);
  SeatOptions options;
  options.sm = options_.sm;
  options.sm.m_key = kOurs;
  options.sm.former_m_keys = {kTheirs};
  const auto bounced = cable(box(), "host-0003", 1);
  box().seat().die();
  box().world().cut(bounced);
  box().run_for(1s);
  box().world().restore(bounced);
  ASSERT_EQ(registers(box(), "host-0003", 1).m_key, kTheirs);
  ASSERT_EQ(state(box(), "host-0003", 1), mad::PortState::Init);
  count_refused_to([](mad::Guid) { return kOurs; });
  Seat& next = box().add_seat("host-0002", options);
  box().run_for(60s);
  box().world().set_watcher({});
  EXPECT_EQ(refused_, 0u);
  EXPECT_EQ(trouble_for(box(), next.endpoint()), "");
  expect_keys([](mad::Guid) { return kOurs; });
}

TEST_F(MKeys, OfSomebodyElseAreReportedAndLeftAlone) {
  bring_up(kTheirs);
  SeatOptions options;
  options.sm = options_.sm;
  options.sm.m_key = kOurs;
  Seat& next = successor(options);
  const auto sets = sets_during(box(), [&] { box().run_for(5min); });
  EXPECT_EQ(sets, 0u);
  EXPECT_EQ(next.count<sm::PortLocked>(), next.snapshot().topology.endports().size())
      << "each is told of once";
  EXPECT_THAT(next.snapshot().problems, Contains(HasSubstr("locked by an M_Key")));
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key_violations, 0u);
}

TEST_F(MKeys, ThatAnybodyCanReadAreTaken) {
  bring_up(kTheirs, 0);
  SeatOptions options;
  options.sm = options_.sm;
  options.sm.m_key = kOurs;
  options.sm.m_key_protection = 1;
  Seat& next = successor(options);
  box().run_for(60s);
  EXPECT_EQ(trouble_for(box(), next.endpoint()), "");
  expect_keys([](mad::Guid) { return kOurs; });
}

// Who tries keys starts the clock of the port he tries them on.
TEST_F(MKeys, WithALeaseTheRightOneIsShownInTime) {
  options_.sm.m_key_lease = 5;
  bring_up(kOurs);
  const auto stranger = *box().world().find_endpoint("host-0004");
  mad::Smp smp;
  smp.method = mad::Method::Set;
  smp.attribute_id = mad::AttributeId::PortInfo;
  smp.attribute_modifier = 1;
  smp.management_class = mad::ManagementClass::SubnLidRouted;
  smp.m_key = mad::MKey{0xBAD};
  smp.transaction_id = {1};
  mad::Address to;
  to.lid = registers(box(), "host-0003", 1).lid;
  box().world().send(stranger, mad::make_datagram(to, smp), box().now());
  box().run_for(1s);
  ASSERT_GT(registers(box(), "host-0003", 1).m_key_violations, 0u);
  box().run_for(1min);
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key, kOurs);
  EXPECT_EQ(registers(box(), "host-0003", 1).m_key_protect_bits, 1);
}

}  // namespace
}  // namespace heddle::test
