// SPDX-License-Identifier: BSD-3-Clause
// PortSamplesControl and PortSamplesResult in the fabric's own time.
//
// The fabric is a star that is up: the prober on host-0001 at port 1 of the switch, host-0002 at
// port 2, whose counters the prober's own packets do not touch.
#include "sim/sampling.hpp"

#include <gtest/gtest.h>

#include "tests/sim/gmp_probe.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {
namespace {

using mad::Method;
using std::chrono::microseconds;
using Control = mad::PortSamplesControl;
using Result = mad::PortSamplesResult;

enum Select : std::uint16_t { kXmitData = 1, kRcvData, kXmitPkts, kRcvPkts, kXmitWait, kNothing };

class Sampling : public ::testing::Test {
 protected:
  Sampling() : world(make_world("star:4")), manager(world, *world.find_endpoint("host-0001")) {
    manager.bring_up();
    star = *world.find_node("switch-1");
  }

  Gmp ask_perf(Method method, mad::PerfAttributeId attribute, const mad::PerfData& data) {
    Gmp gmp = question_of(mad::ManagementClass::Perf, method, static_cast<unsigned>(attribute));
    gmp.data = data;
    const mad::Lid lid = manager.lids.at(*world.find_endpoint("switch-1"));
    world.send(manager.probe.at, datagram_of(gmp, lid), manager.probe.now);
    world.advance(manager.probe.now);  // not to rest, where every sample has ended
    const auto answers = world.take_deliveries();
    EXPECT_EQ(answers.size(), 1u);
    return answers.empty() ? Gmp{} : gmp_of(answers[0].datagram);
  }
  Control control(Method method, const Control& wanted) {
    mad::PerfData data{};
    mad::encode(wanted, std::span(data));
    const Gmp answer = ask_perf(method, mad::PerfAttributeId::PortSamplesControl, data);
    EXPECT_EQ(answer.header.status, mad::kStatusOk);
    return mad::decode<Control>(answer.data);
  }
  Control look(std::uint8_t port) {
    Control wanted;
    wanted.port_select = port;
    return control(Method::Get, wanted);
  }
  Result result() {
    const Gmp answer = ask_perf(Method::Get, mad::PerfAttributeId::PortSamplesResult, {});
    EXPECT_EQ(answer.header.status, mad::kStatusOk);
    return mad::decode<Result>(answer.data);
  }
  // Port 2, from 100 us on for 1000 us.
  Control usual() {
    Control wanted;
    wanted.port_select = 2;
    wanted.sample_start = 100;
    wanted.sample_interval = 1000;
    wanted.tag = 0xBEEF;
    wanted.counter_selects = {kXmitData, kRcvPkts, kXmitWait, kNothing};
    return wanted;
  }
  void inject(const char* counter, std::uint64_t amount) {
    ASSERT_FALSE(world.inject(star, 2, counter, amount).has_error());
  }
  // Lets time pass: what is due happens on the way.
  void pass(microseconds time) {
    manager.probe.now += time;
    world.advance(manager.probe.now);
  }

  World world;
  TinyManager manager;
  std::uint32_t star = 0;
};

TEST_F(Sampling, APortSaysWhatItCanSample) {
  const Control seen = look(2);
  EXPECT_EQ(seen.sample_status, mad::kSampleDone);
  EXPECT_EQ(seen.sample_mechanisms, 0) << "one less than there are";
  EXPECT_EQ(seen.counter_width, 4) << "32 bits";
  EXPECT_EQ((seen.tick + 1) * 4, 1000) << "nanoseconds";
  EXPECT_EQ(seen.counter_mask0, 1);
  EXPECT_EQ(seen.counter_masks1to9, 0b001001001001001001001001001u);
  EXPECT_EQ(seen.counter_masks10to14, 0b001001001001001u);
  EXPECT_EQ(seen.port_select, 2);
}

TEST_F(Sampling, CountsWhatHappensInTheIntervalAndNothingElse) {
  inject("PortXmitWait", 5);
  const Control begun = control(Method::Set, usual());
  EXPECT_EQ(begun.sample_status, mad::kSampleWaiting);
  EXPECT_EQ(begun.tag, 0xBEEF);
  EXPECT_EQ(begun.counter_selects, usual().counter_selects);
  pass(microseconds(99));
  inject("PortXmitWait", 10);
  EXPECT_EQ(look(2).sample_status, mad::kSampleWaiting);
  pass(microseconds(2));
  EXPECT_EQ(look(2).sample_status, mad::kSampleRunning);
  inject("PortXmitWait", 20);
  inject("PortXmitData", 300);
  pass(microseconds(998));
  EXPECT_EQ(result().sample_status, mad::kSampleRunning);
  inject("PortRcvPkts", 7);
  pass(microseconds(1));
  inject("PortXmitWait", 40);
  const Result done = result();
  EXPECT_EQ(done.sample_status, mad::kSampleDone);
  EXPECT_EQ(done.tag, 0xBEEF);
  EXPECT_EQ(done.counters, (std::array<std::uint32_t, 15>{300, 7, 20, 0}));
  EXPECT_EQ(look(2).sample_interval, 1000u) << "what was asked for stays readable";
  EXPECT_EQ(look(3).sample_interval, 0u) << "of this port alone";
}

TEST_F(Sampling, WithoutAStartTimeItRunsAtOnce) {
  Control wanted = usual();
  wanted.sample_start = 0;
  EXPECT_EQ(control(Method::Set, wanted).sample_status, mad::kSampleRunning);
  inject("PortXmitWait", 3);
  pass(microseconds(1000));
  EXPECT_EQ(result().counters[2], 3u);
}

TEST_F(Sampling, WithoutAnIntervalItIsDoneWithNothing) {
  Control wanted = usual();
  wanted.sample_interval = 0;
  EXPECT_EQ(control(Method::Set, wanted).sample_status, mad::kSampleDone);
  inject("PortXmitWait", 3);
  pass(microseconds(5000));
  EXPECT_EQ(result().counters[2], 0u);
  EXPECT_EQ(result().tag, 0xBEEF);
}

TEST_F(Sampling, ASampleUnderWayIsNotDisturbed) {
  (void)control(Method::Set, usual());
  Control other = usual();
  other.tag = 1;
  other.port_select = 3;
  EXPECT_NE(control(Method::Set, other).tag, 1);
  EXPECT_EQ(look(3).sample_status, mad::kSampleWaiting) << "the mechanism serves port 2";
  pass(microseconds(1100));
  EXPECT_EQ(result().tag, 0xBEEF);
  EXPECT_EQ(control(Method::Set, other).tag, 1);
}

TEST_F(Sampling, ADeviceThatWasOffForgetsIt) {
  (void)control(Method::Set, usual());
  world.power_off(star);
  world.power_on(star);
  EXPECT_TRUE(world.devices().samplers.empty());
  pass(microseconds(5000));
  EXPECT_TRUE(world.devices().samplers.empty());
}

TEST_F(Sampling, SamplesAreOfOnePortAndResultsAreRead) {
  for (const std::uint8_t port : {std::uint8_t{99}, mad::kAllPorts}) {
    mad::PerfData data{};
    data[1] = std::byte{port};
    EXPECT_EQ(ask_perf(Method::Set, mad::PerfAttributeId::PortSamplesControl, data).header.status,
              mad::kStatusBadField);
  }
  EXPECT_EQ(ask_perf(Method::Set, mad::PerfAttributeId::PortSamplesResult, {}).header.status,
            mad::kStatusBadMethodAttribute);
}

TEST_F(Sampling, CountersStopAtTheirWidth) {
  Control wanted = usual();
  wanted.sample_start = 0;
  (void)control(Method::Set, wanted);
  inject("PortXmitWait", 0x1'0000'0005);
  pass(microseconds(1000));
  EXPECT_EQ(result().counters[2], 0xFFFF'FFFFu);
}

}  // namespace
}  // namespace heddle::sim
