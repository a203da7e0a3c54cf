// SPDX-License-Identifier: BSD-3-Clause
// Class 0x21 at devices: settings are kept where they belong, keys are checked.
#include "sim/congestion.hpp"

#include <gtest/gtest.h>

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

mad::PerfData filled(std::uint8_t value) {
  mad::PerfData data;
  data.fill(std::byte{value});
  return data;
}

TEST_F(Congestion, SettingsStayWhereTheyWereWritten) {
  for (const auto& [attribute, node] : {std::pair{Id::SwitchCongestionSetting, "switch-1"},
                                        std::pair{Id::SwitchPortCongestionSetting, "switch-1"},
                                        std::pair{Id::CACongestionSetting, "host-0002"}}) {
    EXPECT_EQ(held(attribute, node), filled(0));
    EXPECT_EQ(status(Method::Set, attribute, node, filled(7)), mad::kStatusOk);
    EXPECT_EQ(held(attribute, node), filled(7));
  }
  EXPECT_EQ(held(Id::CACongestionSetting, "host-0003"), filled(0));
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
  EXPECT_EQ(held(Id::CongestionControlTable, "host-0002", 0), filled(0));
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
  EXPECT_FALSE(exchange(Method::Set, Id::CACongestionSetting, "host-0002", filled(1)));
  EXPECT_EQ(held(Id::CACongestionSetting, "host-0002"), filled(0));
  const auto seen = mad::decode<mad::CongestionKeyInfo>(held(Id::CongestionKeyInfo, "host-0002"));
  EXPECT_EQ(seen.cc_key, mad::CCKey{});
  EXPECT_EQ(seen.cc_key_violations, 1);
  key = mad::CCKey{0x55};
  EXPECT_EQ(status(Method::Set, Id::CACongestionSetting, "host-0002", filled(1)), mad::kStatusOk);
  mad::encode(mad::CongestionKeyInfo{key, true, 0, 0}, std::span(data));
  EXPECT_EQ(status(Method::Set, Id::CongestionKeyInfo, "host-0002", data), mad::kStatusOk);
  EXPECT_EQ(mad::decode<mad::CongestionKeyInfo>(held(Id::CongestionKeyInfo, "host-0002")).cc_key,
            key);
  key = {};
  EXPECT_FALSE(exchange(Method::Get, Id::CACongestionSetting, "host-0002"));
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
