// SPDX-License-Identifier: BSD-3-Clause
// What the ports counted, in answers and metrics. The readings are made by hand.
#include "api/counters.hpp"

#include <chrono>
#include <ctime>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/metrics.hpp"
#include "base/text.hpp"
#include "tests/api/stage.hpp"
#include "tests/support/sanitized.hpp"

namespace heddle::test {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using nlohmann::json;
using perf::Counter;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kHundredGigabits = 100'000'000'000;

// Of the processor: how busy the machine is else is not asked.
double seconds_of_this_thread() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

// Of all linked ports of switches, ten seconds apart, nothing counted.
std::shared_ptr<perf::Readings> quiet_readings(const fabric::Topology& topology) {
  auto readings = std::make_shared<perf::Readings>();
  readings->sweep.number = 7;
  readings->hot_share = 0.8;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    const fabric::Node& node = topology.node(NodeIndex{s});
    perf::Readings::Node row{node.guid, true, static_cast<std::uint32_t>(readings->ports.size())};
    for (unsigned n = 1; n <= node.port_count; ++n) {
      const mad::PortNumber number{static_cast<std::uint8_t>(n)};
      if (topology.peer(topology.port_of(NodeIndex{s}, number)) == fabric::kNoPort) continue;
      perf::PortReading& port = readings->ports.emplace_back();
      port.number = number;
      port.wide = true;
      port.known = (1u << perf::kCounterCount) - 1;
      port.bits_per_second = kHundredGigabits;
      port.interval = std::chrono::seconds(10);
      ++row.count;
    }
    readings->nodes.push_back(row);
  }
  return readings;
}

class Counters : public testing::Test {
 protected:
  Counters() : stage("fat-tree:2,4") { give(quiet_readings(topology())); }

  const fabric::Topology& topology() const { return stage.state().fabric->topology; }
  void give(std::shared_ptr<perf::Readings> what) {
    readings = what;
    stage.state().take(std::shared_ptr<const perf::Readings>(what), stage.state().now);
  }
  perf::PortReading& port(std::size_t node, std::size_t at) {
    return readings->ports[readings->nodes[node].first + at];
  }
  std::string metrics() const { return text_of(stage.ask("/metrics")); }

  ApiStage stage;
  std::shared_ptr<perf::Readings> readings;
};

TEST_F(Counters, AreNotKnownBeforeTheyAreRead) {
  stage.state().readings = nullptr;
  EXPECT_EQ(stage.ask("/v1/counters").status, 503u);
  EXPECT_EQ(stage.ask("/v1/links/load").status, 503u);
  EXPECT_TRUE(stage.get("/v1/ports")["ports"][1]["errors"].is_null());
  EXPECT_THAT(metrics(), Not(HasSubstr("infiniband_")));
  EXPECT_TRUE(stage.get("/v1/status")["counter_sweep"].is_null());
}

TEST_F(Counters, AreToldWithTheirGrowth) {
  perf::PortReading& one = port(0, 0);
  one.totals[perf::index(Counter::TransmitData)] = 1000;  // words
  one.deltas[perf::index(Counter::TransmitData)] = 500;
  one.totals[perf::index(Counter::SymbolError)] = 3;
  one.exceeded = perf::bit(Counter::SymbolError);
  const json rows = stage.get("/v1/counters")["ports"];
  EXPECT_EQ(rows.size(), readings->ports.size());
  const json& row = rows[0];
  EXPECT_EQ(row["counters"]["transmit_data_bytes"]["total"], 4000);
  EXPECT_EQ(row["counters"]["transmit_data_bytes"]["per_second"], 200);
  EXPECT_EQ(row["counters"]["symbol_error"]["total"], 3);
  EXPECT_EQ(row["errors"], 3);
  EXPECT_EQ(row["exceeded"], json::parse(R"(["symbol_error"])"));
  EXPECT_EQ(row["interval_seconds"], 10);
  EXPECT_EQ(stage.get("/v1/counters?only=errors")["ports"].size(), 1u);
  EXPECT_EQ(stage.get("/v1/counters?only=hot")["ports"].size(), 0u);
  EXPECT_EQ(stage.ask("/v1/counters?only=odd").status, 400u);
  EXPECT_EQ(stage.get("/v1/counters?node=leaf-1")["ports"].size(), readings->nodes[0].count);
  EXPECT_EQ(stage.ask("/v1/counters?node=nobody").status, 404u);
}

// Of a host's own port nothing was read: what the switch received, the host has sent.
TEST_F(Counters, SayHowMuchOfALinkIsUsedEachWay) {
  const auto name = [&](std::size_t s) {
    return topology().node(NodeIndex{static_cast<std::uint32_t>(s)}).description;
  };
  perf::PortReading* to_host = nullptr;
  std::string host;
  for (std::size_t i = 0; i < readings->nodes[0].count && to_host == nullptr; ++i) {
    const PortIndex here = topology().port_of(NodeIndex{0}, port(0, i).number);
    const NodeIndex there = topology().node_of(topology().peer(here));
    if (topology().is_switch(there)) continue;
    to_host = &port(0, i);
    host = topology().node(there).description;
  }
  ASSERT_NE(to_host, nullptr) << name(0);
  to_host->deltas[perf::index(Counter::TransmitData)] = 2.75e10F;  // 88 Gbit/s
  to_host->deltas[perf::index(Counter::ReceiveData)] = 3.125e9F;   // 10 Gbit/s
  const json loads = stage.get("/v1/links/load")["links"];
  EXPECT_EQ(loads.size(), topology().link_count());
  const json hot = stage.get("/v1/links/load?only=hot")["links"];
  ASSERT_EQ(hot.size(), 1u);
  const bool from_switch = hot[0]["a"]["node"] == name(0);
  EXPECT_EQ(hot[0][from_switch ? "b" : "a"]["node"], host);
  EXPECT_NEAR(hot[0][from_switch ? "utilisation" : "utilisation_back"], 0.88, 1e-6);
  EXPECT_NEAR(hot[0][from_switch ? "utilisation_back" : "utilisation"], 0.1, 1e-6);
}

TEST_F(Counters, HaveTheNamesThatDashboardsUse) {
  perf::PortReading& one = port(0, 1);
  one.totals[perf::index(Counter::ReceiveData)] = 25;
  one.totals[perf::index(Counter::LinkDowned)] = 2;
  const std::string guid = base::hex(topology().node(NodeIndex{0}).guid.value);
  const std::string text = metrics();
  const std::string labels =
      "{guid=\"" + guid + "\",port=\"" + std::to_string(unsigned{one.number.value}) + "\"} ";
  EXPECT_THAT(text,
              HasSubstr("infiniband_switch_port_receive_data_bytes_total" + labels + "100\n"));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_port_link_downed_total" + labels + "2\n"));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_port_symbol_error_total" + labels + "0\n"));
  EXPECT_THAT(text,
              HasSubstr("infiniband_switch_port_rate_bytes_per_second" + labels + "12500000000\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE infiniband_switch_port_transmit_wait_total counter\n"));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_info{guid=\"" + guid + "\",switch=\""));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_uplink_info{guid=\"" + guid + "\",port=\"1\""));
  EXPECT_THAT(text, HasSubstr("heddle_counter_sweeps_total 7"));
  EXPECT_THAT(text, HasSubstr("heddle_ports_with_errors{counter=\"symbol_error\"} 0"));
}

TEST_F(Counters, OfNoInterestCanBeLeftOutOfMetrics) {
  port(0, 1).totals[perf::index(Counter::LinkDowned)] = 2;
  stage.state().seat.metrics = api::PortMetrics::NonZero;
  const std::string some = metrics();
  EXPECT_THAT(some, HasSubstr("infiniband_switch_port_link_downed_total{"));
  EXPECT_THAT(some, Not(HasSubstr("infiniband_switch_port_symbol_error_total{")));
  stage.state().seat.metrics = api::PortMetrics::None;
  EXPECT_THAT(metrics(), Not(HasSubstr("infiniband_")));
  EXPECT_THAT(metrics(), HasSubstr("heddle_counter_sweeps_total"));
}

// A thousandth of what the link carries in the interval, and a millionth.
TEST_F(Counters, TellRatesOfBitErrors) {
  perf::PortReading& one = port(0, 1);
  const double bits = static_cast<double>(one.bits_per_second) *
                      std::chrono::duration<double>(one.interval).count();
  one.known |= perf::bit(Counter::FECCorrectedSymbols);
  one.deltas[perf::index(Counter::FECCorrectedSymbols)] = static_cast<float>(bits * 1e-3);
  one.deltas[perf::index(Counter::SymbolError)] = static_cast<float>(bits * 1e-6);
  const std::string guid = base::hex(topology().node(NodeIndex{0}).guid.value);
  const std::string labels =
      "{guid=\"" + guid + "\",port=\"" + std::to_string(unsigned{one.number.value}) + "\"} ";
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("infiniband_switch_port_raw_bit_error_ratio" + labels + "0.001001"));
  EXPECT_THAT(text,
              HasSubstr("infiniband_switch_port_effective_bit_error_ratio" + labels + "1e-06"));
  const json counters = stage.get("/v1/counters");
  for (const json& row : counters["ports"]) {
    const bool here = row["guid"] == guid && row["port"] == one.number.value;
    if (!here && !row["raw_ber"].is_null()) {
      EXPECT_EQ(row["raw_ber"], 0.0);
    }
    if (here) {
      EXPECT_NEAR(row["effective_ber"].get<double>(), 1e-6, 1e-9);
    }
  }
}

// Each switch's port n to port n of its neighbour: as many ports as wanted, and no SM.
std::shared_ptr<const sm::Snapshot> large_fabric(unsigned switches, unsigned ports) {
  fabric::TopologyBuilder builder;
  for (unsigned s = 0; s < switches; ++s) {
    fabric::Node node;
    node.guid = mad::Guid{0x1000u + s};
    node.type = mad::NodeType::Switch;
    node.port_count = static_cast<std::uint8_t>(ports);
    node.description = "switch-" + std::to_string(s);
    builder.add_node(node);
  }
  for (unsigned s = 0; s + 1 < switches; s += 2) {
    for (unsigned p = 1; p <= ports; ++p) {
      const mad::PortNumber number{static_cast<std::uint8_t>(p)};
      builder.add_link({mad::Guid{0x1000u + s}, number}, {mad::Guid{0x1001u + s}, number});
    }
  }
  auto fabric = std::make_shared<sm::Snapshot>();
  fabric->topology = std::move(builder).build().value();
  fabric->registers =
      std::make_shared<const fabric::Registers>(fabric::Registers::room_for(fabric->topology));
  return fabric;
}

TEST(CounterMetrics, OfTenThousandPortsAreScrapedWithinASecond) {
  api::State state;
  state.fabric = large_fabric(160, 64);
  auto readings = quiet_readings(state.fabric->topology);
  ASSERT_EQ(readings->ports.size(), 10'240u);
  for (perf::PortReading& port : readings->ports) port.totals.fill(123'456'789'012);
  state.readings = readings;
  const double began = seconds_of_this_thread();
  const std::string text =
      text_of(api::handle({"GET", "/metrics", {}, {}, api::Role::Reader}, state));
  const double took = seconds_of_this_thread() - began;
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 10'240 * 22);
  EXPECT_LT(took, kSanitized ? 10 : 1);
  RecordProperty("milliseconds", static_cast<int>(took * 1000));
}

}  // namespace
}  // namespace heddle::test
