// SPDX-License-Identifier: BSD-3-Clause
// Reads of a umad file that wait for the next MAD. Polling first asks the driver twice for each
// MAD that comes alone, and where a device file is served by another process, as the simulator's
// is, each time costs two switches of processes.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <time.h>

namespace heddle::transport {

// Of the one thread that reads; writes do not wait in either way. Not to be had of the files of
// ibsim's preload library, which are no files of this process.
class WaitingRead {
 public:
  // A read waits no longer than this, then it fails with EINTR: the death of a device wakes nobody
  // who waits for it, and is seen by who asks anew.
  static constexpr std::chrono::seconds kLongest{1};

  explicit WaitingRead(int handle);
  WaitingRead(const WaitingRead&) = delete;
  WaitingRead& operator=(const WaitingRead&) = delete;
  ~WaitingRead();

  bool waits() const { return waits_; }
  // True if reads are so from now on. By the thread that reads.
  bool set(bool waits);

  // To be called first by the thread that reads: lets end() interrupt it.
  static void begin();
  // Called by another thread, once the reader has a reason to end that it sees after each read,
  // an interrupted one (EINTR) included. Returns when the reader has ended.
  static void end(std::thread& reader, const std::atomic<bool>& ended);

 private:
  bool nudge();

  int handle_;
  int flags_;  // as the file was opened; negative: not to be had
  bool waits_ = false;
  bool nudges_ = false;
  timer_t nudge_{};
};

}  // namespace heddle::transport
