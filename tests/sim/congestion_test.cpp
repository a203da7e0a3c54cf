// SPDX-License-Identifier: BSD-3-Clause
// Class 0x21 at devices: settings are kept where they belong, keys are checked.
#include "sim/congestion.hpp"

#include <gtest/gtest.h>

#include "mad/class_port_info.hpp"
#include "sim/congestion_log.hpp"
#include "sim/counters.hpp"
#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using Id = mad::CongestionAttributeId;
using mad::Method;

class Congestion : public ::testing::Test {
 protected:
  Congestion() : world(make_world("star:4")), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
  }

  std::optional<mad::Datagram> exchange(Method method, Id attribute, std::string_view node,
                                        const mad::PerfData& data = {},
                                        std::uint32_t modifier = 0) {
    Gmp gmp = question_of(mad::ManagementClass::CongestionControl, method,
                          static_cast<unsigned>(attribute));
    gmp.header.class_version = 2;
    gmp.header.attribute_modifier = modifier;
    gmp.data = data;
    mad::Datagram datagram = datagram_of(gmp, manager.lids.at(*world.find_endpoint(node)));
    const auto bytes = mad::encode(mad::CongestionKey{key});
    std::copy(bytes.begin(), bytes.end(), datagram.payload.begin() + mad::kCongestionKeyOffset);
    world.send(manager.probe.at, datagram, manager.probe.now);
    manager.probe.settle();
    const auto deliveries = world.take_deliveries();
    if (deliveries.empty()) return std::nullopt;
    return deliveries[0].datagram;
  }
  mad::Status status(Method method, Id attribute, std::string_view node,
                     const mad::PerfData& data = {}, std::uint32_t modifier = 0) {
    const auto answer = exchange(method, attribute, node, data, modifier);
    EXPECT_TRUE(answer);
    return answer ? gmp_of(*answer).header.status : mad::kStatusBusy;
  }
  mad::PerfData held(Id attribute, std::string_view node, std::uint32_t modifier = 0) {
    const auto answer = exchange(Method::Get, attribute, node, {}, modifier);
    EXPECT_TRUE(answer);
    return answer ? gmp_of(*answer).data : mad::PerfData{};
  }

  World world;
  TinyManager manager;
  mad::CCKey key{};
};

mad::PerfData congestion_data(std::uint8_t value) {
  mad::PerfData data;
  data.fill(std::byte{value});
  return data;
}

TEST_F(Congestion, SettingsStayWhereTheyWereWritten) {
  for (const auto& [attribute, node] : {std::pair{Id::SwitchCongestionSetting, "switch-1"},
                                        std::pair{Id::SwitchPortCongestionSetting, "switch-1"},
                                        std::pair{Id::CACongestionSetting, "host-0002"}}) {
    EXPECT_EQ(held(attribute, node), congestion_data(0));
    EXPECT_EQ(status(Method::Set, attribute, node, congestion_data(7)), mad::kStatusOk);
    EXPECT_EQ(held(attribute, node), congestion_data(7));
  }
  EXPECT_EQ(held(Id::CACongestionSetting, "host-0003"), congestion_data(0));
}

TEST_F(Congestion, EachKindOfDeviceHasItsOwnSettings) {
  EXPECT_EQ(status(Method::Get, Id::CACongestionSetting, "switch-1"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status(Method::Get, Id::SwitchCongestionSetting, "host-0002"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status(Method::Get, Id::SwitchPortCongestionSetting, "switch-1", {}, 1),
            mad::kStatusBadField);
  EXPECT_EQ(status(Method::Set, Id::CongestionInfo, "switch-1"), mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status(Method::Get, static_cast<Id>(0x99), "switch-1"), mad::kStatusBadMethodAttribute);
}

TEST_F(Congestion, TheControlTableEndsWhereItSays) {
  const auto info = mad::decode<mad::CongestionInfo>(held(Id::CongestionInfo, "host-0002"));
  ASSERT_EQ(info.control_table_cap, 2);
  mad::CongestionControlTable table;
  table.ccti_limit = 127;
  table.entries[5] = 0x4003;
  mad::PerfData data{};
  mad::encode(table, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::CongestionControlTable, "host-0002", data, 1), mad::kStatusOk);
  EXPECT_EQ(
      mad::decode<mad::CongestionControlTable>(held(Id::CongestionControlTable, "host-0002", 1)),
      table);
  EXPECT_EQ(held(Id::CongestionControlTable, "host-0002", 0), congestion_data(0));
  EXPECT_EQ(status(Method::Set, Id::CongestionControlTable, "host-0002", data, 2),
            mad::kStatusBadField);
  table.ccti_limit = 128;
  mad::encode(table, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::CongestionControlTable, "host-0002", data),
            mad::kStatusBadField);
}

TEST_F(Congestion, TheKeyKeepsStrangersFromWritingAndIfItSaysSoFromReading) {
  mad::PerfData data{};
  mad::encode(mad::CongestionKeyInfo{mad::CCKey{0x55}, false, 0, 0}, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::CongestionKeyInfo, "host-0002", data), mad::kStatusOk);
  EXPECT_FALSE(exchange(Method::Set, Id::CACongestionSetting, "host-0002", congestion_data(1)));
  EXPECT_EQ(held(Id::CACongestionSetting, "host-0002"), congestion_data(0));
  const auto seen = mad::decode<mad::CongestionKeyInfo>(held(Id::CongestionKeyInfo, "host-0002"));
  EXPECT_EQ(seen.cc_key, mad::CCKey{0x55}) << "without the protect bit it is no secret";
  EXPECT_EQ(seen.cc_key_violations, 1);
  key = mad::CCKey{0x55};
  EXPECT_EQ(status(Method::Set, Id::CACongestionSetting, "host-0002", congestion_data(1)),
            mad::kStatusOk);
  mad::encode(mad::CongestionKeyInfo{key, true, 0, 0}, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::CongestionKeyInfo, "host-0002", data), mad::kStatusOk);
  EXPECT_EQ(mad::decode<mad::CongestionKeyInfo>(held(Id::CongestionKeyInfo, "host-0002")).cc_key,
            key);
  key = {};
  EXPECT_FALSE(exchange(Method::Get, Id::CACongestionSetting, "host-0002"));
}

TEST_F(Congestion, AWrongKeyIsToldToWhoeverWantsTraps) {
  const mad::Lid manager_lid = manager.lids.at(manager.probe.at);
  mad::ClassPortInfo wanted;
  wanted.trap_lid = manager_lid;
  wanted.trap_qp = 1;
  wanted.trap_q_key = mad::kManagementQKey;
  wanted.redirect_lid = mad::Lid{99};
  wanted.capability_mask = 0xFFFF;
  mad::PerfData data{};
  mad::encode(wanted, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::ClassPortInfo, "host-0002", data), mad::kStatusOk);
  const auto kept = mad::decode<mad::ClassPortInfo>(held(Id::ClassPortInfo, "host-0002"));
  EXPECT_EQ(kept.trap_lid, manager_lid);
  EXPECT_EQ(kept.redirect_lid, mad::kNoLid) << "nobody redirects this class";
  EXPECT_EQ(kept.capability_mask, mad::kSendsTraps);
  data = {};
  mad::encode(mad::CongestionKeyInfo{mad::CCKey{0x55}, false, 0, 0}, std::span(data));
  ASSERT_EQ(status(Method::Set, Id::CongestionKeyInfo, "host-0002", data), mad::kStatusOk);
  key = mad::CCKey{0x1234};
  const auto trap = exchange(Method::Set, Id::CACongestionSetting, "host-0002", {}, 3);
  ASSERT_TRUE(trap);
  const mad::Lid host = manager.lids.at(*world.find_endpoint("host-0002"));
  EXPECT_EQ(trap->peer.lid, host);
  const Gmp gmp = gmp_of(*trap);
  EXPECT_EQ(gmp.header.method, Method::Trap);
  EXPECT_EQ(gmp.header.attribute_id, 2);
  const auto told =
      mad::decode<mad::IssuedNotice>(std::span<const std::byte, 80>(gmp.data.data(), 80));
  EXPECT_TRUE(told.notice.is_generic);
  EXPECT_EQ(told.notice.trap_number, 0);
  EXPECT_EQ(told.notice.type, mad::NoticeType::Security);
  EXPECT_EQ(told.notice.issuer_lid, host);
  EXPECT_EQ(told.issuer_gid.guid, world.port_guid(*world.find_endpoint("host-0002")));
  EXPECT_EQ(mad::decode<mad::BadCCKeyNotice>(told.notice.data_details),
            (mad::BadCCKeyNotice{manager_lid, Method::Set, 0x16, 3, 1, key, {}}));
  EXPECT_TRUE(world.take_deliveries().empty()) << "once";
}

TEST_F(Congestion, ALeaseThatNobodyRenewsEndsTheProtection) {
  const auto milliseconds = [](int count) {
    return base::Instant(std::chrono::milliseconds(count));
  };
  mad::PerfData data{};
  mad::encode(mad::CongestionKeyInfo{mad::CCKey{0x55}, true, 2, 0}, std::span(data));
  ASSERT_EQ(status(Method::Set, Id::CongestionKeyInfo, "host-0002", data), mad::kStatusOk);
  manager.probe.now = milliseconds(1000);
  EXPECT_FALSE(exchange(Method::Get, Id::CongestionKeyInfo, "host-0002")) << "begins the lease";
  manager.probe.now = milliseconds(2900);
  key = mad::CCKey{0x55};
  const auto log = exchange(Method::Get, Id::CongestionLog, "host-0002");
  ASSERT_TRUE(log) << "the right key renews it";
  EXPECT_EQ(std::to_integer<int>(log->payload[mad::kCongestionLogOffset + 1]), 0);
  key = {};
  EXPECT_FALSE(exchange(Method::Get, Id::CongestionKeyInfo, "host-0002")) << "begins it again";
  manager.probe.now = milliseconds(4800);
  EXPECT_FALSE(exchange(Method::Get, Id::CongestionKeyInfo, "host-0002"));
  manager.probe.now = milliseconds(4950);
  const auto seen = mad::decode<mad::CongestionKeyInfo>(held(Id::CongestionKeyInfo, "host-0002"));
  EXPECT_FALSE(seen.cc_key_protect_bit);
  EXPECT_EQ(seen.cc_key, mad::CCKey{0x55});
  EXPECT_EQ(seen.cc_key_violations, 3);
  EXPECT_FALSE(exchange(Method::Set, Id::CACongestionSetting, "host-0002", congestion_data(1)))
      << "writing still needs it";
}

TEST_F(Congestion, AMarkIsInTheLogsOfTheSwitchAndOfTheSenderOnce) {
  manager.probe.now = base::Instant(std::chrono::milliseconds(1));
  manager.probe.settle();
  const auto lid = [&](const char* node) { return manager.lids.at(*world.find_endpoint(node)); };
  const Flow flow{*world.find_endpoint("host-0002"), lid("host-0003"), mad::ServiceLevel{4},
                  kDefaultPKey};
  const std::uint32_t star = *world.find_node("switch-1");
  ASSERT_FALSE(world.mark(star, 3, flow, 7).has_error());
  const auto of_switch = exchange(Method::Get, Id::CongestionLog, "switch-1");
  ASSERT_TRUE(of_switch);
  const std::span<const std::byte> log =
      std::span<const std::byte>(of_switch->payload).subspan(mad::kCongestionLogOffset);
  const auto head = mad::decode<mad::CongestionLogSwitch>(log.first<8>());
  EXPECT_EQ(head.log_events_counter, 1);
  EXPECT_EQ(log[8 + 31], std::byte{1 << 3});
  const auto entry = mad::decode<mad::CongestionEntrySwitch>(log.subspan(40).first<12>());
  EXPECT_EQ(entry, (mad::CongestionEntrySwitch{lid("host-0002"), lid("host-0003"),
                                               mad::ServiceLevel{4}, 976}));
  const auto of_sender = exchange(Method::Get, Id::CongestionLog, "host-0002");
  ASSERT_TRUE(of_sender);
  const auto theirs =
      std::span<const std::byte>(of_sender->payload).subspan(mad::kCongestionLogOffset);
  const auto their_head = mad::decode<mad::CongestionLogCA>(theirs.first<12>());
  EXPECT_EQ(their_head.threshold_event_counter, 1);
  EXPECT_EQ(their_head.threshold_congestion_event_map, 1 << 4);
  const auto event = mad::decode<mad::CongestionEventCA>(theirs.subspan(12).first<16>());
  EXPECT_EQ(event.local_lid, lid("host-0002"));
  EXPECT_EQ(event.remote_lid, lid("host-0003"));
  EXPECT_EQ(event.sl, mad::ServiceLevel{4});
  const auto again = exchange(Method::Get, Id::CongestionLog, "switch-1");
  for (std::size_t at = 8; at < 220; ++at) {
    ASSERT_EQ(again->payload[mad::kCongestionLogOffset + at], std::byte{0}) << at;
  }
  const Devices& devices = world.devices();
  EXPECT_EQ(count_of(devices, *world.find_endpoint("host-0003"), Counter::PortPktRcvFECN), 7u);
  EXPECT_EQ(
      count_of(devices, *world.find_endpoint("host-0002"), element(Counter::PortSLRcvBECN, 4)), 7u);
}

TEST_F(Congestion, AMarkNeedsAFlowThatPassesThere) {
  Flow flow;
  flow.from = *world.find_endpoint("host-0002");
  flow.dlid = manager.lids.at(*world.find_endpoint("host-0003"));
  const std::uint32_t star = *world.find_node("switch-1");
  EXPECT_TRUE(world.mark(star, 4, flow, 1).has_error());
  EXPECT_TRUE(world.mark(star, 99, flow, 1).has_error());
  EXPECT_TRUE(world.mark(*world.find_node("host-0002"), 1, flow, 1).has_error());
  flow.dlid = mad::Lid{999};
  EXPECT_TRUE(world.mark(star, 3, flow, 1).has_error());
}

TEST_F(Congestion, LogsShowTheNewestEvents) {
  Flow flow;
  flow.from = *world.find_endpoint("host-0002");
  flow.dlid = manager.lids.at(*world.find_endpoint("host-0003"));
  for (unsigned i = 0; i < 20; ++i) {
    flow.sl = mad::ServiceLevel{static_cast<std::uint8_t>(i % 8)};
    ASSERT_FALSE(world.mark(*world.find_node("switch-1"), 3, flow, 1).has_error());
  }
  const auto of_switch = exchange(Method::Get, Id::CongestionLog, "switch-1");
  const auto of_sender = exchange(Method::Get, Id::CongestionLog, "host-0002");
  ASSERT_TRUE(of_switch && of_sender);
  EXPECT_EQ(of_switch->payload[32 + 3], std::byte{20});
  EXPECT_EQ(of_switch->payload[32 + 40 + 4], std::byte{5 << 4}) << "the sixth of twenty";
  EXPECT_EQ(of_switch->payload[32 + 40 + 14 * 12 + 4], std::byte{3 << 4});
  EXPECT_EQ(of_sender->payload[32 + 12 + 3], std::byte{7 << 4}) << "the eighth of twenty";
  EXPECT_EQ(of_sender->payload[32 + 12 + 12 * 16 + 3], std::byte{3 << 4});
}

TEST_F(Congestion, LogsAreOfTheirKindAndTellTheTime) {
  manager.probe.now = base::Instant(std::chrono::milliseconds(1));
  for (const auto& [node, kind] : {std::pair{"switch-1", 1}, std::pair{"host-0002", 2}}) {
    const auto answer = exchange(Method::Get, Id::CongestionLog, node);
    ASSERT_TRUE(answer);
    EXPECT_EQ(gmp_of(*answer).header.status, mad::kStatusOk);
    EXPECT_EQ(std::to_integer<int>(answer->payload[mad::kCongestionLogOffset]), kind);
  }
  EXPECT_EQ(mad::decode<mad::TimeStamp>(held(Id::TimeStamp, "switch-1")).value, 976u);
}

}  // namespace
}  // namespace heddle::sim
