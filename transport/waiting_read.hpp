// SPDX-License-Identifier: BSD-3-Clause
// Reads of a umad file that wait for the next MAD. Polling first asks the driver twice for each
// MAD that comes alone, and where a device file is served by another process, as the simulator's
// is, each time costs two switches of processes.
#pragma once

#include <atomic>
#include <thread>

namespace heddle::transport {

// Of the one thread that reads; writes do not wait in either way. Not to be had of the files of
// ibsim's preload library, which are no files of this process.
class WaitingRead {
 public:
  explicit WaitingRead(int handle);

  bool waits() const { return waits_; }
  // True if reads are so from now on.
  bool set(bool waits);

  // To be called first by the thread that reads: lets end() interrupt it.
  static void begin();
  // Called by another thread, once the reader has a reason to end that it sees after each read,
  // an interrupted one (EINTR) included. Returns when the reader has ended.
  static void end(std::thread& reader, const std::atomic<bool>& ended);

 private:
  int handle_;
  int flags_;  // as the file was opened; negative: not to be had
  bool waits_ = false;
};

}  // namespace heddle::transport
