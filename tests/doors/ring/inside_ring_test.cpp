// SPDX-License-Identifier: BSD-3-Clause
// Run inside the ring door, on the first host of the fabric "pair": what an unmodified libibumad
// finds there that is not as behind device files. The rest is the same, and judged by the same
// tests (tests/doors/device).
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/doors/device/umad_client.hpp"

namespace heddle::doors {
namespace {

using std::chrono::milliseconds;

constexpr int kPermissive = 0xffff;

class InsideRing : public testing::Test {
 protected:
  int ask(std::uint32_t id, const std::vector<std::uint8_t>& route = {}, int timeout_ms = 1000) {
    const Bytes mad = directed(mad::Method::Get, mad::AttributeId::NodeInfo, route, id);
    return umad.send(smi, mad, kPermissive, 0, timeout_ms, 0);
  }

  Umad umad;
  int smi = umad.listen(0x81, 1, 0, {});
};

TEST_F(InsideRing, NothingIsMounted) {
  EXPECT_FALSE(std::filesystem::exists("/proc/self/root/dev/infiniband/umad0"))
      << "by a path that nobody turns aside";
  EXPECT_TRUE(std::filesystem::exists("/dev/infiniband/umad0"));
}

TEST_F(InsideRing, WhatWriteWouldRefuseComesBackWithTheReason) {
  ASSERT_EQ(ask(1, {2}), 0) << "a host has one port";
  const Answer back = umad.receive(1000);
  EXPECT_EQ(back.agent, smi);
  EXPECT_EQ(back.status, static_cast<unsigned>(EINVAL));
  EXPECT_EQ(back.mad.size(), 24u);
  EXPECT_EQ(id_of(back.mad), 1u);
}

TEST_F(InsideRing, ATransactionIdUnderWayIsGivenBackOnce) {
  ASSERT_EQ(ask(2, {1, 1}, 300), 0);  // nobody answers
  ASSERT_EQ(ask(2, {1, 1}, 300), 0);
  EXPECT_EQ(umad.receive(1000).status, static_cast<unsigned>(EINVAL));
  EXPECT_EQ(umad.receive(1000).status, static_cast<unsigned>(ETIMEDOUT));
}

TEST_F(InsideRing, AThousandUnderWayAreAllAnswered) {
  constexpr std::uint32_t kRequests = 5000;  // more than either ring holds
  for (std::uint32_t id = 1; id <= kRequests; ++id) ASSERT_EQ(ask(id, {1}, 20'000), 0);
  std::set<std::uint32_t> answered;
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    const Answer answer = umad.receive(5000);
    ASSERT_EQ(answer.status, 0u);
    answered.insert(id_of(answer.mad));
  }
  EXPECT_EQ(answered.size(), kRequests);
}

TEST_F(InsideRing, SelectSeesAMadThatComes) {
  fd_set reading;
  const auto ready = [&](int milliseconds_left) {
    FD_ZERO(&reading);
    FD_SET(umad.fd(), &reading);
    timeval left{0, milliseconds_left * 1000};
    return select(umad.fd() + 1, &reading, nullptr, nullptr, &left);
  };
  EXPECT_EQ(ready(20), 0);
  for (std::uint32_t id = 20; id < 23; ++id) {
    ASSERT_EQ(ask(id, {1}), 0);
    EXPECT_EQ(ready(900), 1);
    EXPECT_EQ(umad.receive(0).status, 0u);
    EXPECT_EQ(ready(20), 0);
  }
}

TEST_F(InsideRing, TwoThreadsThatWaitGetOneMadEach) {
  fcntl(umad.fd(), F_SETFL, fcntl(umad.fd(), F_GETFL) & ~O_NONBLOCK);
  std::array<ssize_t, 2> got{};
  const auto wait = [this](ssize_t& bytes) {
    std::array<char, 512> buffer{};
    bytes = read(umad.fd(), buffer.data(), buffer.size());
  };
  std::thread first(wait, std::ref(got[0]));
  std::thread second(wait, std::ref(got[1]));
  std::this_thread::sleep_for(milliseconds(50));
  ASSERT_EQ(ask(30), 0);
  ASSERT_EQ(ask(31), 0);
  first.join();
  second.join();
  EXPECT_EQ(got[0], 64 + 256);
  EXPECT_EQ(got[1], 64 + 256);
}

TEST_F(InsideRing, AChildThatClosesWhatItInheritedEndsNothing) {
  const pid_t child = fork();
  if (child == 0) {
    close(umad.fd());
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(ask(40), 0);
  EXPECT_EQ(umad.receive(1000).status, 0u);
}

TEST_F(InsideRing, CloseHasFreedWhatItHeldWhenItReturns) {
  for (int i = 0; i < 200; ++i) {
    Umad other;
    ASSERT_GE(other.listen(0x03, 2, 1, {1, 2}), 0) << "round " << i;
  }
}

}  // namespace
}  // namespace heddle::doors
