// SPDX-License-Identifier: BSD-3-Clause
// Congestion that arises from traffic: settings are written into the registers as a Set leaves them
// there, and a queue that is counted packet by packet is the judge of the shares.
#include "sim/overload.hpp"

#include <gtest/gtest.h>

#include "sim/congestion_log.hpp"
#include "sim/counters.hpp"
#include "tests/sim/stage.hpp"

namespace heddle::sim {
namespace {

using Id = mad::CongestionAttributeId;

constexpr std::uint32_t kWords = 512;

class Crowd : public ::testing::Test {
 protected:
  explicit Crowd(std::string_view fabric = "star:4") : stage(fabric) {}

  Devices& devices() { return stage.devices(); }
  Driven all_to(std::uint64_t host, std::uint64_t packets, base::Instant now = {}) {
    const auto flows = flows_of(devices(), active_hosts(devices()), Pattern::Incast, host);
    return drive(devices(), flows, packets, kWords, now);
  }
  std::uint64_t counted(PortIndex port, Counter counter) {
    return count_of(devices(), port, counter);
  }

  template <class T>
  void write(PortIndex port, Id attribute, const T& value, std::size_t offset = 0,
             std::uint32_t block = 0) {
    auto& data =
        devices().congestion[port].settings[{static_cast<std::uint16_t>(attribute), block}];
    const auto bytes = mad::encode(value);
    std::copy(bytes.begin(), bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  mad::SwitchCongestionSetting marking(std::uint8_t threshold, std::uint16_t rate = 0) {
    mad::SwitchCongestionSetting setting;
    setting.control_map = 0x1F;
    setting.threshold = threshold;
    setting.marking_rate = rate;
    return setting;
  }
  void set_switch(std::string_view name, const mad::SwitchCongestionSetting& setting) {
    write(stage.port(name, 0), Id::SwitchCongestionSetting, setting);
  }
  // CCTI rises by one for each notification and falls by one each 10 ms; entry i of the table
  // waits i packets after each. Notifications are logged from 100 on.
  void set_adapter(PortIndex port) {
    write(port, Id::CACongestionSetting, mad::CACongestionSetting{1, 1});
    write(port, Id::CACongestionSetting, mad::CACongestionEntry{9765, 1, 100, 0}, 4);
    for (std::uint32_t block = 0; block < 2; ++block) {
      mad::CongestionControlTable table;
      table.ccti_limit = 127;
      for (std::uint16_t i = 0; i < 64; ++i) {
        table.entries[i] = static_cast<std::uint16_t>(block * 64 + i);
      }
      write(port, Id::CongestionControlTable, table, 0, block);
    }
  }
  CongestionLog& log_of(PortIndex port) { return devices().congestion[port].log; }

  Stage stage;
};

class CrowdOnATree : public Crowd {
 protected:
  CrowdOnATree() : Crowd("fat-tree:2,4") {}
};

// Of `packets` that come to a port `crowd` times as fast as they leave: those that find more than
// `level` waiting.
std::uint64_t above(std::uint64_t packets, unsigned crowd, std::uint64_t level) {
  std::uint64_t waiting = 0;
  std::uint64_t found = 0;
  for (std::uint64_t packet = 1; packet <= packets; ++packet) {
    found += waiting > level ? 1 : 0;
    ++waiting;
    if (packet % crowd == 0) --waiting;
  }
  return found;
}

TEST_F(Crowd, WithoutSettingsIsWaitedForAndNotMarked) {
  const Driven driven = all_to(1, 1000);
  EXPECT_EQ(driven.arrived, 3000u);
  EXPECT_EQ(driven.marked, 0u);
  EXPECT_EQ(driven.worst.port, stage.port("switch-1", 1));
  EXPECT_NEAR(driven.worst.times, 3, 1e-6);
  // 1000 packets of 2 KiB on a 4x HDR link, 2.5 per 206 ns, and all must wait as long twice over.
  const double alone = 1000 * kWords * 32 / (4 * 53125.0 * 64 / 66);
  for (const char* host : {"host-0002", "host-0003", "host-0004"}) {
    EXPECT_NEAR(static_cast<double>(counted(stage.port(host), Counter::PortXmitWait)), 2 * alone, 2)
        << host;
  }
  EXPECT_EQ(counted(stage.port("switch-1", 1), Counter::PortXmitWait), 0u) << "it never rests";
  EXPECT_EQ(counted(stage.port("host-0001"), Counter::PortPktRcvFECN), 0u);
  EXPECT_EQ(log_of(stage.port("switch-1", 0)).count, 0u);
}

TEST_F(Crowd, IsNoCrowdWhenEachSendsToAnother) {
  set_switch("switch-1", marking(15));
  const auto flows = flows_of(devices(), active_hosts(devices()), Pattern::Shift, 1);
  const Driven driven = drive(devices(), flows, 1000, kWords, {});
  EXPECT_EQ(driven.marked, 0u);
  EXPECT_EQ(driven.worst.times, 0);
  EXPECT_EQ(counted(stage.port("host-0002"), Counter::PortXmitWait), 0u);
}

TEST_F(Crowd, IsMarkedOnceTheBufferIsAboveTheThreshold) {
  for (const unsigned threshold : {1u, 8u, 15u}) {
    set_switch("switch-1", marking(static_cast<std::uint8_t>(threshold)));
    const std::uint64_t expected = above(3000, 3, 64 * (16 - threshold) / 16);
    EXPECT_NEAR(static_cast<double>(all_to(1, 1000).marked), static_cast<double>(expected), 4)
        << threshold;
  }
  set_switch("switch-1", marking(1));
  EXPECT_EQ(all_to(1, 25).marked, 0u) << "a short burst fits";
  set_switch("switch-1", marking(15));
  EXPECT_GT(all_to(1, 25).marked, 50u);
  set_switch("switch-1", marking(0));
  EXPECT_EQ(all_to(1, 1000).marked, 0u);
}

TEST_F(Crowd, CountsAndLogsWhatWasMarked) {
  set_switch("switch-1", marking(15));
  const PortIndex out = stage.port("switch-1", 1);
  const Driven driven = all_to(1, 1000, base::Instant(std::chrono::milliseconds(3)));
  EXPECT_EQ(counted(stage.port("host-0001"), Counter::PortPktRcvFECN), driven.marked);
  std::uint64_t back = 0;
  for (const char* host : {"host-0002", "host-0003", "host-0004"}) {
    back += counted(stage.port(host), element(Counter::PortSLRcvBECN, 0));
  }
  EXPECT_EQ(back, driven.marked);
  EXPECT_EQ(counted(out, element(Counter::SWPortVLCongestion, 0)), 1u);
  EXPECT_GT(counted(out, Counter::PortXmitTimeCong), 0u);
  const CongestionLog& log = log_of(stage.port("switch-1", 0));
  EXPECT_EQ(log.count, 3u);
  EXPECT_EQ(log.ports.count(), 1u);
  EXPECT_TRUE(log.ports.test(1));
  EXPECT_EQ(log.events.back().to, stage.lid(stage.port("host-0001")));
  EXPECT_EQ(log.events.back().when, base::Instant(std::chrono::milliseconds(3)));
  EXPECT_EQ(log_of(stage.port("host-0002")).count, 0u) << "its settings do not ask for a log";
}

TEST_F(Crowd, IsMarkedAtTheRateOfThePortsOwnElement) {
  set_switch("switch-1", marking(15, 9));
  const std::uint64_t tenth = all_to(1, 1000).marked;
  EXPECT_NEAR(static_cast<double>(tenth), 300, 1);
  mad::SwitchPortCongestionSettingElement own;
  own.valid = true;
  own.threshold = 15;
  own.marking_rate = 99;
  const PortIndex manager = stage.port("switch-1", 0);
  write(manager, Id::SwitchPortCongestionSetting, own, 4);  // port 1
  EXPECT_NEAR(static_cast<double>(all_to(1, 1000).marked), 30, 1);
  EXPECT_EQ(all_to(2, 1000).marked, tenth) << "port 2 has none";
  own.packet_size = 33;  // 2112 bytes
  write(manager, Id::SwitchPortCongestionSetting, own, 4);
  EXPECT_EQ(all_to(1, 1000).marked, 0u);
  own.control_type = true;  // of credit starvation
  write(manager, Id::SwitchPortCongestionSetting, own, 4);
  EXPECT_EQ(all_to(1, 1000).marked, tenth);
}

TEST_F(Crowd, ArisesBeforeASlowLink) {
  set_switch("switch-1", marking(15));
  for (const PortIndex end : {stage.port("switch-1", 1), stage.port("host-0001")}) {
    devices().ports[end].info.link_width_active = 1;
  }
  const Flow flow{stage.port("host-0002"), stage.to("host-0001").dlid, {}, kDefaultPKey};
  const Driven driven = drive(devices(), {flow}, 1000, kWords, {});
  EXPECT_NEAR(driven.worst.times, 4, 1e-6);
  EXPECT_GT(driven.marked, 900u);
}

TEST_F(Crowd, ThinsOutWhenSendersHeed) {
  set_switch("switch-1", marking(15));
  const std::array senders{stage.port("host-0002"), stage.port("host-0003"),
                           stage.port("host-0004")};
  for (const PortIndex port : senders) set_adapter(port);
  const base::Instant begin(std::chrono::seconds(1));
  const std::uint64_t few = all_to(1, 30, begin).marked;
  EXPECT_GT(few, 30u);
  EXPECT_EQ(congestion_index(devices(), senders[0], {}, begin),
            counted(senders[0], Counter::PortPktRcvBECN));
  EXPECT_EQ(log_of(senders[0]).count, 0u) << "below the threshold of its setting";
  // Three that wait two packets' time after each are no crowd any more.
  EXPECT_EQ(all_to(1, 1000, begin).marked, 0u);
  EXPECT_EQ(congestion_index(devices(), senders[0], {}, begin + std::chrono::milliseconds(100)),
            counted(senders[0], Counter::PortPktRcvBECN) - 10);
  const base::Instant later = begin + std::chrono::seconds(10);
  EXPECT_EQ(congestion_index(devices(), senders[0], {}, later), 0);
  EXPECT_GT(all_to(1, 1000, later).marked, 2900u);
  EXPECT_EQ(congestion_index(devices(), senders[0], {}, later), 127) << "the table's end";
  ASSERT_EQ(log_of(senders[0]).count, 1u);
  EXPECT_EQ(log_of(senders[0]).levels, 1u);
}

TEST_F(CrowdOnATree, SpreadsToThePortsBefore) {
  const PortIndex receiver = stage.port("host-0001");
  const Walk way = stage.go("host-0008", stage.to("host-0001"));
  ASSERT_EQ(way.steps.size(), 5u);
  const PortIndex up = devices().port_at(way.steps[1].node, way.steps[1].out_port);
  const PortIndex down = devices().port_at(way.steps[2].node, way.steps[2].out_port);
  const PortIndex last = devices().port_at(way.steps[3].node, way.steps[3].out_port);
  for (const char* name : {"leaf-1", "leaf-2", "leaf-3", "leaf-4", "spine-1", "spine-2"}) {
    set_switch(name, marking(15));
  }
  const std::uint64_t marked = all_to(1, 1000).marked;
  EXPECT_GT(counted(up, Counter::PortXmitWait), 0u);
  EXPECT_EQ(counted(last, Counter::PortXmitWait), 0u);
  EXPECT_EQ(counted(last, element(Counter::SWPortVLCongestion, 0)), 1u);
  const PortIndex leaf = devices().management_port(up);
  const bool leaf_is_root = counted(up, element(Counter::SWPortVLCongestion, 0)) != 0;
  EXPECT_FALSE(leaf_is_root) << "it is held back by the ports further on";
  EXPECT_EQ(log_of(leaf).count, 0u);

  mad::SwitchCongestionSetting setting = marking(15);
  const std::uint8_t number = devices().lines[up].number;
  setting.victim_mask[31 - number / 8] = static_cast<std::uint8_t>(1u << (number % 8));
  write(leaf, Id::SwitchCongestionSetting, setting);
  const std::uint64_t again = all_to(1, 1000).marked;
  EXPECT_EQ(counted(up, element(Counter::SWPortVLCongestion, 0)), 1u);
  EXPECT_TRUE(log_of(leaf).ports.test(number));
  EXPECT_LE(again, 7000u) << "no packet is marked twice";
  EXPECT_NEAR(static_cast<double>(again), static_cast<double>(marked), 10);
  EXPECT_EQ(counted(receiver, Counter::PortPktRcvFECN), marked + again);
  EXPECT_EQ(devices().lines[down].node, way.steps[2].node);
}

}  // namespace
}  // namespace heddle::sim
