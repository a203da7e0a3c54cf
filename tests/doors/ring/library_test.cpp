// SPDX-License-Identifier: BSD-3-Clause
// The library of the ring door from inside, with a fabric that acts at the very moment at which the
// library takes a wake-up from its descriptor.
#include <array>
#include <functional>
#include <utility>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doors/ring/byte_ring.hpp"
#include "doors/ring/library/umad.hpp"
#include "doors/ring/library/waiting.hpp"

namespace {

std::function<void()> before_recv;  // called once

}  // namespace

// In front of libc's, for the library too.
extern "C" ssize_t recv(int fd, void* bytes, std::size_t room, int flags) {
  if (before_recv) std::exchange(before_recv, nullptr)();
  return syscall(SYS_recvfrom, fd, bytes, room, flags, nullptr, nullptr);
}

namespace heddle::doors::ring {
namespace {

class RingLibrary : public testing::Test {
 protected:
  RingLibrary() {
    const int memory = memfd_create("ring", MFD_CLOEXEC);
    EXPECT_EQ(ftruncate(memory, sizeof(Shared)), 0);
    shared_ = static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
    to_program_ = RingWriter(shared_->to_program);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, wake_.data()), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, calls_.data()), 0);
    EXPECT_TRUE(Umad::begin(memory, wake_[1], calls_[1]));
  }
  ~RingLibrary() override {
    before_recv = nullptr;
    close(calls_[0]);  // the fabric is gone: nobody answers
    Use(wake_[1])->close();
    close(wake_[0]);
    munmap(shared_, sizeof(Shared));
  }

  void message_comes() {
    const std::array<std::byte, 16> bytes{};
    Frame frame;
    frame.size = bytes.size();
    frame.message = bytes.size();
    EXPECT_EQ(to_program_.put(frame, bytes.data()), RingWriter::Put::Done);
    tell();
  }
  // What the program asked for by a packet.
  void serve() {
    char packet = 0;
    while (::recv(calls_[0], &packet, sizeof packet, MSG_DONTWAIT) == 1) tell();
  }
  int polled_by_the_program() {
    pollfd file{wake_[1], POLLIN, 0};
    const timespec none{};
    return poll_umads(&file, 1, &none, nullptr);
  }
  // As epoll and select see the descriptor.
  bool shown_as_readable() const {
    pollfd file{wake_[1], POLLIN, 0};
    return ::poll(&file, 1, 0) == 1;
  }
  int descriptor() const { return wake_[1]; }

 private:
  void tell() {
    const char byte = 0;
    if (!to_program_.must_wake()) return;
    EXPECT_EQ(send(wake_[0], &byte, 1, 0), 1);
  }

  Shared* shared_ = nullptr;
  RingWriter to_program_;
  std::array<int, 2> wake_{-1, -1};
  std::array<int, 2> calls_{-1, -1};
};

TEST_F(RingLibrary, APollTakesNoWakeUpFromWhoWatchesTheDescriptor) {
  Use(descriptor())->watched_by_others();
  before_recv = [this] { message_comes(); };
  EXPECT_EQ(polled_by_the_program(), 0) << "it came behind the end of the poll";
  ASSERT_FALSE(before_recv) << "the poll takes what woke it";
  serve();
  EXPECT_TRUE(shown_as_readable());
  EXPECT_EQ(polled_by_the_program(), 1);
}

TEST_F(RingLibrary, APollTakesNoWakeUpFromAnotherThatSleeps) {
  const Use other(descriptor());
  ASSERT_TRUE(other->announce_sleep());
  before_recv = [this] { message_comes(); };
  EXPECT_EQ(polled_by_the_program(), 0);
  serve();
  EXPECT_TRUE(shown_as_readable());
  other->woken();
}

TEST_F(RingLibrary, WhatComesWhileAPollEndsIsSeenByTheNext) {
  before_recv = [this] { message_comes(); };
  EXPECT_EQ(polled_by_the_program(), 0);
  EXPECT_EQ(polled_by_the_program(), 1);
}

}  // namespace
}  // namespace heddle::doors::ring
