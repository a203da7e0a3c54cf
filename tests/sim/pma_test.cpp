// SPDX-License-Identifier: BSD-3-Clause
// What devices answer on QP1, and what their counters say.
//
// The fabric is a star that is up: the prober on host-0001 at port 1 of the switch, host-0002 at
// port 2.
#include "sim/pma.hpp"

#include <string>

#include <gtest/gtest.h>

#include "mad/class_port_info.hpp"
#include "mad/port_congestion_counters.hpp"
#include "mad/port_counter_details.hpp"
#include "mad/port_counters.hpp"
#include "mad/port_extended_speeds_counters.hpp"
#include "mad/port_lane_counters.hpp"
#include "mad/port_samples.hpp"
#include "mad/port_sl_counters.hpp"
#include "sim/counters.hpp"
#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::ManagementClass;
using mad::Method;
using PerfId = mad::PerfAttributeId;

template <class T>
constexpr PerfId kIdOf{};
template <>
constexpr PerfId kIdOf<mad::PortCounters> = PerfId::PortCounters;
template <>
constexpr PerfId kIdOf<mad::PortCountersExtended> = PerfId::PortCountersExtended;
template <>
constexpr PerfId kIdOf<mad::PortXmitDiscardDetails> = PerfId::PortXmitDiscardDetails;
template <>
constexpr PerfId kIdOf<mad::PortRcvErrorDetails> = PerfId::PortRcvErrorDetails;
template <>
constexpr PerfId kIdOf<mad::PortXmitDataSL> = PerfId::PortXmitDataSL;
template <>
constexpr PerfId kIdOf<mad::PortVLOpPackets> = PerfId::PortVLOpPackets;
template <>
constexpr PerfId kIdOf<mad::PortVLXmitFlowCtlUpdateErrors> = PerfId::PortVLXmitFlowCtlUpdateErrors;
template <>
constexpr PerfId kIdOf<mad::PortExtendedSpeedsCounters> = PerfId::PortExtendedSpeedsCounters;
template <>
constexpr PerfId kIdOf<mad::PortExtendedSpeedsCountersRSFEC> = PerfId::PortExtendedSpeedsCounters;

class Pma : public ::testing::Test {
 protected:
  Pma() : Pma("star:4") {}
  explicit Pma(const char* fabric)
      : world(make_world(fabric)), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
  }

  mad::Lid lid_of(std::string_view node) { return manager.lids.at(*world.find_endpoint(node)); }

  mad::Status status_of(PerfId attribute, Method method, std::string_view node,
                        std::uint8_t port = 1) {
    Gmp gmp = question_of(ManagementClass::Perf, method, static_cast<unsigned>(attribute));
    gmp.data[1] = std::byte{port};
    const auto answer = ask(manager.probe, gmp, lid_of(node));
    EXPECT_TRUE(answer);
    return answer ? answer->header.status : mad::kStatusBusy;
  }

  template <class T>
  T exchange(Method method, std::string_view node, const T& request) {
    Gmp gmp = question_of(ManagementClass::Perf, method, static_cast<unsigned>(kIdOf<T>));
    mad::encode(request, std::span(gmp.data));
    const auto answer = ask(manager.probe, gmp, lid_of(node));
    EXPECT_TRUE(answer);
    if (!answer) return {};
    EXPECT_EQ(answer->header.status, mad::kStatusOk);
    EXPECT_EQ(answer->header.method, Method::GetResp);
    EXPECT_EQ(answer->header.transaction_id.value, 77u);
    return mad::decode<T>(answer->data);
  }

  template <class T>
  T get(std::string_view node, std::uint8_t port) {
    T request;
    request.port_select = port;
    return exchange(Method::Get, node, request);
  }

  void inject(std::string_view node, std::uint8_t port, std::string_view counter,
              std::uint64_t amount) {
    const auto done = world.inject(*world.find_node(node), port, counter, amount);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }

  World world;
  TinyManager manager;
};

// --- who answers --------------------------------------------------------------------------------

TEST_F(Pma, TellsWhatItCan) {
  const auto answer =
      ask(manager.probe, question_of(ManagementClass::Perf, Method::Get, 1), lid_of("switch-1"));
  ASSERT_TRUE(answer);
  std::array<std::byte, mad::kBytes<mad::ClassPortInfo>> bytes{};
  std::copy_n(answer->data.begin(), bytes.size(), bytes.begin());
  const auto info = mad::decode<mad::ClassPortInfo>(bytes);
  EXPECT_EQ(info.base_version, 1);
  EXPECT_EQ(info.class_version, 1);
  EXPECT_EQ(info.capability_mask & 0x1300, 0x1300);  // all ports, extended width, PortXmitWait
  EXPECT_EQ(info.capability_mask2, 2u);              // the additional 64-bit counters
}

TEST_F(Pma, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(status_of(static_cast<PerfId>(0x0099), Method::Get, "switch-1"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::GetTable, "switch-1"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status_of(PerfId::ClassPortInfo, Method::Set, "switch-1"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status_of(PerfId::SwPortVLCongestion, Method::Get, "host-0002"),
            mad::kStatusBadMethodAttribute);
  EXPECT_EQ(status_of(PerfId::SwPortVLCongestion, Method::Get, "switch-1"), mad::kStatusOk);
  Gmp gmp = question_of(ManagementClass::Perf, Method::Get, 1);
  gmp.header.class_version = 2;
  EXPECT_EQ(ask(manager.probe, gmp, lid_of("switch-1"))->header.status, mad::kStatusBadVersion);
}

TEST_F(Pma, AnswersEveryAttributeOfItsClass) {
  for (const int attribute : {0x10, 0x11, 0x12, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B,
                              0x1C, 0x1D, 0x1F, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37}) {
    for (const char* node : {"switch-1", "host-0002"}) {
      EXPECT_EQ(status_of(static_cast<PerfId>(attribute), Method::Get, node), mad::kStatusOk)
          << attribute << " at " << node;
    }
  }
}

TEST_F(Pma, PortsThatDoNotExistAreRefused) {
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::Get, "switch-1", 5), mad::kStatusBadField);
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::Get, "switch-1", 0), mad::kStatusOk);
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::Get, "host-0002", 0), mad::kStatusBadField);
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::Get, "host-0002", 2), mad::kStatusBadField);
  EXPECT_EQ(status_of(PerfId::PortCounters, Method::Get, "host-0002", 255), mad::kStatusOk);
}

TEST_F(Pma, ASilentDeviceIsSilentHereTooAndABusyOneSaysSo) {
  const Gmp gmp = question_of(ManagementClass::Perf, Method::Get, 1);
  world.make_busy(*world.find_node("host-0002"), true);
  EXPECT_EQ(ask(manager.probe, gmp, lid_of("host-0002"))->header.status, mad::kStatusBusy);
  world.silence(*world.find_node("host-0002"), true);
  EXPECT_FALSE(ask(manager.probe, gmp, lid_of("host-0002")));
}

TEST_F(Pma, ClassesOfFirmwareThatIsNotThereAreRefused) {
  for (const unsigned number : {0x05u, 0x0Au}) {
    const auto answer =
        ask(manager.probe, question_of(static_cast<ManagementClass>(number), Method::Get, 0x10),
            lid_of("host-0002"));
    ASSERT_TRUE(answer) << number;
    EXPECT_EQ(answer->header.status, mad::kStatusBadVersion);
  }
}

TEST_F(Pma, ClassesOfSoftwareReachIt) {
  for (const unsigned number : {0x03u, 0x06u, 0x07u, 0x32u, 0x33u}) {
    world.send(manager.probe.at,
               datagram_of(question_of(static_cast<ManagementClass>(number), Method::Get, 0x10),
                           lid_of("host-0002")),
               manager.probe.now);
    manager.probe.settle();
    const auto deliveries = world.take_deliveries();
    ASSERT_EQ(deliveries.size(), 1u) << number;
    EXPECT_EQ(deliveries[0].to, *world.find_endpoint("host-0002"));
    EXPECT_EQ(deliveries[0].datagram.peer.lid, lid_of("host-0001"));
  }
}

TEST_F(Pma, AnswersThatNobodyAskedForReachSoftwareToo) {
  Gmp gmp = question_of(ManagementClass::Perf, Method::GetResp, 0x12);
  world.send(manager.probe.at, datagram_of(gmp, lid_of("host-0002")), manager.probe.now);
  manager.probe.settle();
  EXPECT_EQ(world.take_deliveries().size(), 1u);
}

// --- what moves counters ------------------------------------------------------------------------

// 288 bytes on the wire: LRH, BTH, DETH, the MAD and the ICRC.
TEST_F(Pma, EveryMadThatPassesALinkCountsAtBothEnds) {
  const auto before_host = get<mad::PortCountersExtended>("host-0002", 1);
  const auto before_switch = get<mad::PortCountersExtended>("switch-1", 2);
  for (int i = 0; i < 5; ++i) manager.probe.get(mad::AttributeId::NodeInfo, {1, 2});
  const auto after_switch = get<mad::PortCountersExtended>("switch-1", 2);
  const auto after_host = get<mad::PortCountersExtended>("host-0002", 1);
  // Between its two answers the host sent the first of them, and received the second question.
  EXPECT_EQ(after_host.xmit_packets - before_host.xmit_packets, 5u + 1);
  EXPECT_EQ(after_host.rcv_packets - before_host.rcv_packets, 5u + 1);
  EXPECT_EQ(after_host.rcv_data - before_host.rcv_data, 6u * 288 / 4);
  EXPECT_EQ(after_switch.xmit_packets - before_switch.xmit_packets, 5u);
  EXPECT_EQ(after_switch.xmit_data - before_switch.xmit_data, 5u * 288 / 4);
  EXPECT_EQ(after_switch.rcv_packets - before_switch.rcv_packets, 5u);
  EXPECT_EQ(after_switch.unicast_xmit_packets, after_switch.xmit_packets);
  EXPECT_EQ(after_switch.multicast_xmit_packets, 0u);
}

TEST_F(Pma, DataCountsForItsServiceLevelAndLane) {
  Gmp gmp = question_of(static_cast<ManagementClass>(0x32), Method::Send, 0);
  mad::Datagram datagram = datagram_of(gmp, lid_of("host-0002"));
  datagram.peer.sl = mad::ServiceLevel{3};
  for (int i = 0; i < 4; ++i) world.send(manager.probe.at, datagram, manager.probe.now);
  manager.probe.settle();
  EXPECT_EQ(world.take_deliveries().size(), 4u);
  EXPECT_EQ(get<mad::PortXmitDataSL>("switch-1", 2).counters[3], 4u * 288 / 4);
  EXPECT_EQ(get<mad::PortVLOpPackets>("host-0002", 1).counters[3], 4u);
  EXPECT_EQ(get<mad::PortVLOpPackets>("host-0002", 1).counters[4], 0u);
}

TEST_F(Pma, ALinkThatGoesDownAndAPacketForItAreCounted) {
  const auto cable = *world.find_cable(*world.find_node("host-0002"), 1);
  world.cut(cable);
  EXPECT_FALSE(
      ask(manager.probe, question_of(ManagementClass::Perf, Method::Get, 1), lid_of("host-0002")));
  const auto counters = get<mad::PortCounters>("switch-1", 2);
  EXPECT_EQ(counters.link_downed_counter, 1);
  EXPECT_EQ(counters.xmit_discards, 1);
  EXPECT_EQ(get<mad::PortXmitDiscardDetails>("switch-1", 2).inactive_discards, 1);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 3).link_downed_counter, 0);
}

TEST_F(Pma, ALossyCableShowsAtItsReceiver) {
  world.set_loss(*world.find_cable(*world.find_node("host-0002"), 1), 1.0);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(manager.probe.get(mad::AttributeId::NodeInfo, {1, 2}));
  world.set_loss(*world.find_cable(*world.find_node("host-0002"), 1), 0.0);
  EXPECT_EQ(get<mad::PortCounters>("host-0002", 1).symbol_error_counter, 3);
  EXPECT_EQ(get<mad::PortCounters>("host-0002", 1).rcv_errors, 3);
  EXPECT_EQ(get<mad::PortRcvErrorDetails>("host-0002", 1).local_physical_errors, 3);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 0);
}

// --- what is written ----------------------------------------------------------------------------

TEST_F(Pma, OnlySelectedCountersAreWritten) {
  inject("switch-1", 2, "SymbolErrorCounter", 10);
  inject("switch-1", 2, "PortRcvErrors", 11);
  inject("switch-1", 2, "PortXmitWait", 12);
  inject("switch-1", 3, "SymbolErrorCounter", 13);
  mad::PortCounters request;
  request.port_select = 2;
  request.counter_select = 1u << 3;
  EXPECT_EQ(exchange(Method::Set, "switch-1", request).rcv_errors, 0);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 10);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).xmit_wait, 12u);
  request.counter_select = 1;
  request.counter_select2 = 1;
  request.symbol_error_counter = 4;
  exchange(Method::Set, "switch-1", request);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 4);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).xmit_wait, 0u);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 3).symbol_error_counter, 13);
  inject("switch-1", 2, "SymbolErrorCounter", 3);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 7);
}

TEST_F(Pma, NarrowAndWideRegistersAreWrittenApart) {
  inject("switch-1", 2, "SymbolErrorCounter", 10);
  mad::PortCounters narrow;
  narrow.port_select = 2;
  narrow.counter_select = 0xFFFF;
  exchange(Method::Set, "switch-1", narrow);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 0);
  EXPECT_EQ(get<mad::PortCountersExtended>("switch-1", 2).symbol_error_counter, 10u);
  inject("switch-1", 2, "SymbolErrorCounter", 5);
  mad::PortCountersExtended wide;
  wide.port_select = 2;
  wide.counter_select2 = 1;
  exchange(Method::Set, "switch-1", wide);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).symbol_error_counter, 5);
  EXPECT_EQ(get<mad::PortCountersExtended>("switch-1", 2).symbol_error_counter, 0u);
  EXPECT_GT(get<mad::PortCountersExtended>("switch-1", 2).xmit_packets, 0u);
}

TEST_F(Pma, NarrowCountersStopAtTheirHighestValue) {
  inject("switch-1", 2, "SymbolErrorCounter", 0x12345);
  inject("switch-1", 2, "LinkDownedCounter", 300);
  inject("switch-1", 2, "LocalLinkIntegrityErrors", 17);
  inject("switch-1", 2, "PortXmitData", 0x1'0000'0000);
  inject("switch-1", 2, "PortVLXmitFlowCtlUpdateErrors[5]", 9);
  const auto counters = get<mad::PortCounters>("switch-1", 2);
  EXPECT_EQ(counters.symbol_error_counter, 0xFFFF);
  EXPECT_EQ(counters.link_downed_counter, 0xFF);
  EXPECT_EQ(counters.local_link_integrity_errors, 0xF);
  EXPECT_EQ(counters.xmit_data, 0xFFFF'FFFF);
  EXPECT_EQ(get<mad::PortVLXmitFlowCtlUpdateErrors>("switch-1", 2).counters[5], 3);
  EXPECT_EQ(get<mad::PortCountersExtended>("switch-1", 2).symbol_error_counter, 0x12345u);
  inject("switch-1", 2, "SymbolErrorCounter", ~std::uint64_t{0});
  EXPECT_EQ(get<mad::PortCountersExtended>("switch-1", 2).symbol_error_counter, ~std::uint64_t{0});
}

TEST_F(Pma, AllPortsAreReadAsOneAndWrittenTogether) {
  inject("switch-1", 1, "PortXmitDiscards", 0xFFF0);
  inject("switch-1", 2, "PortXmitDiscards", 0x20);
  inject("switch-1", 1, "PortRcvErrors", 3);
  inject("switch-1", 2, "PortRcvErrors", 4);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", mad::kAllPorts).xmit_discards, 0xFFFF);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", mad::kAllPorts).rcv_errors, 7);
  mad::PortCounters request;
  request.port_select = mad::kAllPorts;
  request.counter_select = 0xFFFF;
  exchange(Method::Set, "switch-1", request);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 1).rcv_errors, 0);
  EXPECT_EQ(get<mad::PortCounters>("switch-1", 2).xmit_discards, 0);
}

TEST_F(Pma, EachCounterHasANameThatSetsIt) {
  inject("host-0002", 1, "PortXmitDataSL[15]", 7);
  inject("host-0002", 1, "PortXmitDataSL2", 6);
  inject("host-0002", 1, "PortRcvErrorDetails.PortLoopingErrors", 5);
  EXPECT_EQ(get<mad::PortXmitDataSL>("host-0002", 1).counters[15], 7u);
  EXPECT_EQ(get<mad::PortXmitDataSL>("host-0002", 1).counters[2], 6u);
  EXPECT_EQ(get<mad::PortRcvErrorDetails>("host-0002", 1).looping_errors, 5);
  for (const char* wrong : {"", "Nonsense", "PortXmitDataSL", "PortXmitDataSL[16]",
                            "PortXmitDataSL[x]", "PortUnicastXmitPkts", "SymbolErrorCounter1"}) {
    EXPECT_FALSE(world.inject(1, 1, wrong, 1)) << wrong;
  }
  EXPECT_FALSE(world.inject(99, 1, "SymbolErrorCounter", 1));
  EXPECT_FALSE(world.inject(1, 2, "SymbolErrorCounter", 1));
}

TEST_F(Pma, HdrLinksCountByRsFec) {
  inject("host-0002", 1, "PortFECCorrectedSymbolCtr", 8);
  EXPECT_EQ(get<mad::PortExtendedSpeedsCountersRSFEC>("host-0002", 1).fec_corrected_symbols, 8u);
}

class EdrPma : public Pma {
 protected:
  EdrPma() : Pma("star:3,speed=EDR") {}
};

TEST_F(EdrPma, SlowerLinksCountByLane) {
  inject("host-0002", 1, "FECCorrectableBlockCtrLane[2]", 8);
  const auto counters = get<mad::PortExtendedSpeedsCounters>("host-0002", 1);
  EXPECT_EQ(counters.fec_correctable_block_lanes[2], 8u);
}

TEST_F(Pma, ADeviceThatWasOffCountsFromZero) {
  inject("host-0002", 1, "SymbolErrorCounter", 8);
  const auto node = *world.find_node("host-0002");
  world.power_off(node);
  world.power_on(node);
  const PortIndex port = *world.find_endpoint("host-0002");
  EXPECT_EQ(count_of(world.devices(), port, Counter::SymbolErrorCounter), 0u);
  EXPECT_EQ(count_of(world.devices(), port, Counter::PortXmitPkts), 0u);
}

}  // namespace
}  // namespace heddle::sim
