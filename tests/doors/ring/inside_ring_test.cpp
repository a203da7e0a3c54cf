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

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/doors/device/umad_client.hpp"

namespace heddle::doors {
namespace {

using std::chrono::milliseconds;

constexpr int kPermissive = 0xffff;

// A function that headers declare for checks of their own, or no more.
template <class Function>
Function* of_libc(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

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

// As programs call them that were compiled with -D_FORTIFY_SOURCE.
TEST_F(InsideRing, CheckedCallsFindTheFilesToo) {
  constexpr const char* kPath = "/dev/infiniband/umad0";
  using Open = int(const char*, int);
  using OpenAt = int(int, const char*, int);
  for (const char* name : {"__open_2", "__open64_2"}) {
    const int fd = of_libc<Open>(name)(kPath, O_RDWR);
    EXPECT_GE(fd, 0) << name;
    close(fd);
  }
  for (const char* name : {"__openat_2", "__openat64_2"}) {
    const int fd = of_libc<OpenAt>(name)(AT_FDCWD, kPath, O_RDWR);
    EXPECT_GE(fd, 0) << name;
    close(fd);
  }
  ASSERT_EQ(ask(70), 0);
  pollfd file{umad.fd(), POLLIN, 0};
  const timespec second{1, 0};
  using Wait = int(pollfd*, nfds_t, const timespec*, const sigset_t*, std::size_t);
  EXPECT_EQ(of_libc<Wait>("__ppoll_chk")(&file, 1, &second, nullptr, sizeof file), 1);
  using Poll = int(pollfd*, nfds_t, int, std::size_t);
  EXPECT_EQ(of_libc<Poll>("__poll_chk")(&file, 1, 1000, sizeof file), 1) << "it is still there";
  EXPECT_EQ(umad.receive(0).status, 0u);
}

// As programs call them that were linked with a glibc before 2.33.
TEST_F(InsideRing, CallsOfOldProgramsFindTheFilesToo) {
  constexpr const char* kPath = "/sys/class/infiniband/mlx5_0/ports/1/lid";
  using Stat = int(int, const char*, struct stat*);
  using StatAt = int(int, int, const char*, struct stat*, int);
  for (const char* name : {"__xstat", "__xstat64", "__lxstat", "__lxstat64"}) {
    auto* const old_stat = of_libc<Stat>(name);
    ASSERT_NE(old_stat, nullptr) << name;
    struct stat status {};
    EXPECT_EQ(old_stat(1, kPath, &status), 0) << name;
    EXPECT_TRUE(S_ISREG(status.st_mode)) << name;
    EXPECT_EQ(old_stat(1, "/nowhere", &status), -1) << name;
  }
  for (const char* name : {"__fxstatat", "__fxstatat64"}) {
    auto* const old_stat = of_libc<StatAt>(name);
    ASSERT_NE(old_stat, nullptr) << name;
    struct stat status {};
    EXPECT_EQ(old_stat(1, AT_FDCWD, kPath, &status, 0), 0) << name;
    EXPECT_TRUE(S_ISREG(status.st_mode)) << name;
  }
}

}  // namespace
}  // namespace heddle::doors
