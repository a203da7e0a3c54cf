// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door, on the first host of the fabric "pair" that nobody has brought up:
// what an unmodified libibumad finds there. Each test judges by libibumad alone.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mad/capability.hpp"
#include "mad/port_info.hpp"
#include "tests/doors/device/umad_client.hpp"

namespace heddle::doors {
namespace {

using std::chrono::milliseconds;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

constexpr int kPermissive = 0xffff;

class InsideLocal : public testing::Test {
 protected:
  int ask(const Bytes& mad, int timeout_ms = 1000, int retries = 0) {
    return umad.send(smi, mad, kPermissive, 0, timeout_ms, retries);
  }
  static Bytes node_info(std::uint32_t id, std::vector<std::uint8_t> route = {}) {
    return directed(mad::Method::Get, mad::AttributeId::NodeInfo, route, id);
  }
  static mad::SmpData data_of(const Answer& answer) {
    mad::SmpData data;
    std::memcpy(data.data(), answer.mad.data() + 64, data.size());
    return data;
  }
  mad::PortInfo own_port_info() {
    EXPECT_EQ(ask(directed(mad::Method::Get, mad::AttributeId::PortInfo, {}, 0x900)), 0);
    return mad::decode<mad::PortInfo>(data_of(umad.receive(1000)));
  }

  Umad umad;
  int smi = umad.listen(0x81, 1, 0, {});
};

TEST_F(InsideLocal, TheOwnDeviceAndItsNeighbourAnswer) {
  ASSERT_GE(smi, 0);
  ASSERT_EQ(ask(node_info(7)), 0);
  const Answer own = umad.receive(1000);
  EXPECT_EQ(own.agent, smi);
  EXPECT_EQ(own.status, 0u);
  EXPECT_EQ(own.mad.size(), 256u);
  EXPECT_EQ(id_of(own.mad), 7u);
  ASSERT_EQ(ask(node_info(8, {1})), 0);
  const Answer neighbour = umad.receive(1000);
  EXPECT_EQ(neighbour.status, 0u);
  EXPECT_NE(data_of(own), data_of(neighbour));
}

TEST_F(InsideLocal, TheHighHalfOfATransactionIdIsTheKernels) {
  Bytes mad = node_info(7);
  mad[8] = 0xde;
  mad[9] = 0xad;
  ASSERT_EQ(ask(mad), 0);
  const Answer answer = umad.receive(1000);
  EXPECT_EQ(id_of(answer.mad), 7u);
  EXPECT_EQ(answer.mad[8], 0) << "agents are counted in 24 bits";
  EXPECT_NE(answer.mad[9] << 16 | answer.mad[10] << 8 | answer.mad[11], 0xad0000);
}

TEST_F(InsideLocal, AgentsAreRefusedAsByTheKernel) {
  Umad other;
  EXPECT_GE(umad.listen(0x03, 2, 1, {1, 2}), 0);
  EXPECT_EQ(other.listen(0x03, 2, 1, {2, 0x12}), -EINVAL);
  EXPECT_GE(other.listen(0x03, 2, 1, {0x12}), 0);
  EXPECT_GE(other.listen(0x03, 1, 0, {1, 2}), 0) << "another version of the class";
  EXPECT_GE(umad.listen_oui(0x32, 0, 0x1405, {1}), 0);
  EXPECT_EQ(other.listen_oui(0x32, 0, 0x1405, {1}), -EINVAL);
  EXPECT_GE(other.listen_oui(0x32, 0, 0x2c9, {1}), 0);
  EXPECT_EQ(umad.listen(0x04, 1, 1, {1}), -EINVAL) << "PerfMgt has no RMPP";
  EXPECT_EQ(ioctl(umad.fd(), _IO(0x1b, 77)), -1);
  EXPECT_EQ(errno, ENOTTY);
  std::uint32_t nobody = 31;
  EXPECT_EQ(ioctl(umad.fd(), _IOW(0x1b, 2, std::uint32_t), &nobody), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(InsideLocal, TheSecondRegistrationIoctlWorks) {
  umad_reg_attr attributes{};
  attributes.mgmt_class = 0x03;
  attributes.mgmt_class_version = 2;
  attributes.rmpp_version = 1;
  attributes.flags = UMAD_USER_RMPP;
  std::uint32_t id = 99;
  EXPECT_EQ(umad_register2(umad.fd(), &attributes, &id), 0);
  EXPECT_LT(id, 32u);
  attributes.mgmt_class = 0x32;
  attributes.oui = 0;
  EXPECT_EQ(umad_register2(umad.fd(), &attributes, &id), EINVAL);
}

TEST_F(InsideLocal, AnUnansweredRequestComesBackAfterItsRetries) {
  const auto begin = Clock::now();
  ASSERT_EQ(ask(node_info(9, {1, 1}), 250, 3), 0);
  EXPECT_EQ(umad.receive(400).agent, -ETIMEDOUT);
  const Answer back = umad.receive(3000);
  const auto spent = Clock::now() - begin;
  EXPECT_EQ(back.agent, smi);
  EXPECT_EQ(back.status, static_cast<unsigned>(ETIMEDOUT));
  EXPECT_EQ(back.mad.size(), 24u);
  EXPECT_EQ(id_of(back.mad), 9u);
  EXPECT_GE(spent, milliseconds(1000));
  EXPECT_LT(spent, milliseconds(2500));
}

TEST_F(InsideLocal, ATransactionIdUnderWayIsRefused) {
  ASSERT_EQ(ask(node_info(5, {1, 1}), 100), 0);
  EXPECT_EQ(ask(node_info(5, {1, 1}), 100), -EINVAL);
  EXPECT_EQ(umad.receive(1000).status, static_cast<unsigned>(ETIMEDOUT));
  EXPECT_EQ(ask(node_info(5)), 0);
  EXPECT_EQ(umad.receive(1000).status, 0u);
}

TEST_F(InsideLocal, AnswersThatNobodyAwaitsAreDropped) {
  ASSERT_EQ(ask(node_info(6), 0), 0);
  EXPECT_EQ(umad.receive(100).agent, -ETIMEDOUT);
}

TEST_F(InsideLocal, RoutesThatCannotLeaveAreRefused) {
  EXPECT_EQ(ask(node_info(1, {2})), -EINVAL);
  Bytes odd = node_info(2, {1});
  odd[6] = 9;  // hop pointer
  EXPECT_EQ(ask(odd), -EINVAL);
}

TEST_F(InsideLocal, PollAndEpollSeeAMadThatComes) {
  EXPECT_EQ(umad_poll(umad.port(), 20), -ETIMEDOUT);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, umad.fd(), &event), 0);
  EXPECT_EQ(epoll_wait(epoll, &event, 1, 20), 0);
  for (std::uint32_t id = 20; id < 23; ++id) {
    ASSERT_EQ(ask(node_info(id, {1})), 0);
    ASSERT_EQ(epoll_wait(epoll, &event, 1, 1000), 1);
    EXPECT_EQ(umad_poll(umad.port(), 0), 0);
    EXPECT_EQ(umad.receive(0).status, 0u);
    EXPECT_EQ(epoll_wait(epoll, &event, 1, 0), 0);
  }
  close(epoll);
}

TEST_F(InsideLocal, ATimeoutWakesAPollerToo) {
  ASSERT_EQ(ask(node_info(30, {1, 1}), 50), 0);
  EXPECT_EQ(umad_poll(umad.port(), 1000), 0);
}

TEST_F(InsideLocal, ReadsBlockUnlessAskedNotTo) {
  std::array<char, 512> buffer{};
  EXPECT_EQ(read(umad.fd(), buffer.data(), buffer.size()), -1);
  EXPECT_EQ(errno, EAGAIN);
  fcntl(umad.fd(), F_SETFL, fcntl(umad.fd(), F_GETFL) & ~O_NONBLOCK);
  std::thread later([this] {
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(ask(node_info(31)), 0);
  });
  EXPECT_EQ(read(umad.fd(), buffer.data(), buffer.size()), 64 + 256);
  later.join();
}

TEST_F(InsideLocal, ASignalEndsABlockingRead) {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  sigaction(SIGUSR1, &nothing, nullptr);
  fcntl(umad.fd(), F_SETFL, fcntl(umad.fd(), F_GETFL) & ~O_NONBLOCK);
  std::thread later([me = pthread_self()] {
    std::this_thread::sleep_for(milliseconds(50));
    pthread_kill(me, SIGUSR1);
  });
  std::array<char, 512> buffer{};
  EXPECT_EQ(read(umad.fd(), buffer.data(), buffer.size()), -1);
  EXPECT_EQ(errno, EINTR);
  later.join();
}

TEST_F(InsideLocal, ABufferTooSmallForOneMadIsRefusedAndNothingIsLost) {
  ASSERT_EQ(ask(node_info(32)), 0);
  ASSERT_EQ(umad_poll(umad.port(), 1000), 0);
  std::array<char, 512> buffer{};
  EXPECT_EQ(read(umad.fd(), buffer.data(), 64 + 255), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(read(umad.fd(), buffer.data(), buffer.size()), 64 + 256);
}

TEST_F(InsideLocal, NonsenseIsRefused) {
  std::array<char, 512> nonsense{};
  nonsense.fill('\xff');
  EXPECT_EQ(write(umad.fd(), nonsense.data(), 10), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(write(umad.fd(), nonsense.data(), nonsense.size()), -1);
  EXPECT_EQ(errno, EINVAL);
  nonsense.fill(0);
  nonsense[0] = 17;
  EXPECT_EQ(write(umad.fd(), nonsense.data(), 320), -1);
  EXPECT_EQ(errno, EIO) << "an agent that nobody registered";
}

TEST_F(InsideLocal, OneFileHoldsIsSmAndTheTreeSaysSo) {
  char path[256];
  ASSERT_EQ(umad_get_issm_path("mlx5_0", 1, path, sizeof path), 0);
  EXPECT_EQ(own_port_info().capability_mask & mad::kIsSM, 0u);
  const int held = open(path, O_RDWR);
  ASSERT_GE(held, 0);
  EXPECT_NE(own_port_info().capability_mask & mad::kIsSM, 0u);
  const auto mask = std::stoul(class_text("ports/1/cap_mask"), nullptr, 16);
  EXPECT_NE(mask & mad::kIsSM, 0u);
  EXPECT_EQ(open(path, O_RDWR | O_NONBLOCK), -1);
  EXPECT_EQ(errno, EAGAIN);
  close(held);
  // A close is told to the door after it has returned.
  for (int i = 0; i < 100 && (own_port_info().capability_mask & mad::kIsSM) != 0; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(own_port_info().capability_mask & mad::kIsSM, 0u);
  const int again = open(path, O_RDWR | O_NONBLOCK);
  EXPECT_GE(again, 0);
  close(again);
}

TEST_F(InsideLocal, TheTreeFollowsTheRegisters) {
  EXPECT_THAT(class_text("ports/1/state"), "2: INIT");
  EXPECT_THAT(class_text("ports/1/phys_state"), "5: LinkUp");
  EXPECT_THAT(class_text("ports/1/link_layer"), "InfiniBand");
  EXPECT_THAT(class_text("node_type"), "1: CA");
  EXPECT_THAT(class_text("ports/1/pkeys/0"), "0xffff");
  EXPECT_THAT(class_text("ports/1/gids/0"), StartsWith("fe80:0000:0000:0000:"));
  mad::PortInfo info = own_port_info();
  info.lid = mad::Lid{0x17};
  info.lmc = 2;
  info.master_sm_lid = mad::Lid{0x19};
  info.port_state = mad::PortState::NoChange;
  info.port_physical_state = mad::PortPhysicalState::NoChange;
  const mad::SmpData data = mad::encode<mad::PortInfo, mad::kSmpDataBytes>(info);
  ASSERT_EQ(ask(directed(mad::Method::Set, mad::AttributeId::PortInfo, {}, 0x40, data)), 0);
  ASSERT_EQ(umad.receive(1000).status, 0u);
  EXPECT_EQ(class_text("ports/1/lid"), "0x17");
  EXPECT_EQ(class_text("ports/1/lid_mask_count"), "2");
  EXPECT_EQ(class_text("ports/1/sm_lid"), "0x19");
  umad_port_t seen{};
  ASSERT_EQ(umad_get_port("mlx5_0", 1, &seen), 0);
  EXPECT_EQ(seen.base_lid, 0x17u);
  umad_release_port(&seen);
}

}  // namespace
}  // namespace heddle::doors
