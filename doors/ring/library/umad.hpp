// SPDX-License-Identifier: BSD-3-Clause
// The umad files that a program has open through the ring door, by their descriptors. What they say
// is what ib_umad says (doors/kernel), but for a write that the fabric refuses: the program does
// not wait for that, and gets its request back.
//
// A descriptor is one end of a socket, so that loops of others can wait for it: it is readable when
// a message is there or may be there. Whoever asks by poll() or read() looks into the ring first
// and makes no system call as long as something is there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pthread.h>
#include <sys/types.h>

#include "doors/ring/byte_ring.hpp"

namespace heddle::doors::ring {

class Umad {
 public:
  // The open file of this descriptor; null for any other. Leave it soon: see Use.
  static Umad* enter(int fd);
  void leave();
  // Takes over the three descriptors, of which `wake` becomes the program's. False when there are
  // too many files; errno says so, and they are closed.
  static bool begin(int memory, int wake, int calls);

  ssize_t read(void* buffer, std::size_t room);
  ssize_t write(const void* bytes, std::size_t size);
  int ioctl(unsigned long command, void* argument);
  // What close() does; whoever else uses the file at the moment ends first.
  int close();

  bool readable();
  // For who is about to sleep until the descriptor is readable. False: something is there, and
  // nobody wakes for that. Otherwise woken() must follow.
  bool announce_sleep();
  // Behind a sleep. What woke us is taken from the descriptor; where others wait for that too, it
  // says again what the ring holds.
  void woken();
  // Whoever sleeps elsewhere than here (epoll, select) wants the descriptor itself to tell, from
  // now on.
  void watched_by_others();

 private:
  ssize_t take(void* buffer, std::size_t room, const Frame& frame);
  ssize_t take_long(void* buffer, const Frame& frame);
  void pass(const Frame& frame);
  void drain();
  // From now on the descriptor is readable if and only if a message is there.
  void show();
  ssize_t write_long(const void* bytes, std::size_t size);
  // False when the fabric is gone, with errno.
  bool put(const Frame& frame, const void* bytes);
  bool wake_fabric();
  // The reply's error as errno: 0, or -1. `file` is sent along, and is that which came.
  int call(Question& question, Reply& reply, int& file);

  std::atomic<bool> open_{false};
  std::atomic<int> users_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> watched_{false};
  pid_t owner_ = 0;
  Shared* shared_ = nullptr;
  int wake_ = -1;
  int calls_ = -1;
  RingReader in_;
  RingWriter out_;
  pthread_mutex_t reading_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t writing_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t calling_ = PTHREAD_MUTEX_INITIALIZER;
};

// A file that is in use: it is not unmapped meanwhile.
class Use {
 public:
  explicit Use(int fd) : umad_(Umad::enter(fd)) {}
  ~Use() {
    if (umad_ != nullptr) umad_->leave();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const { return umad_ != nullptr; }
  Umad* operator->() const { return umad_; }

 private:
  Umad* umad_;
};

}  // namespace heddle::doors::ring
