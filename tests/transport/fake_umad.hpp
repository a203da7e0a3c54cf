// SPDX-License-Identifier: BSD-3-Clause
// A kernel in little, in the place of those functions of libibumad that reach the kernel: it says
// no when told to, and delivers what it is given.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "mad/datagram.hpp"

namespace heddle::transport {

struct FakeAgent {
  std::uint8_t management_class{};
  std::uint8_t version{};
  std::uint8_t rmpp_version{};
  std::array<std::uint64_t, 2> methods{};
};

struct FakeSent {
  int agent{};
  int length{};
  int timeout_ms{};
  int retries{};
  std::vector<std::byte> mad;
};

struct FakeInbound {
  std::vector<std::byte> mad;
  std::uint32_t status = 0;  // what umad_status() will say
};

struct FakeKernel {
  std::mutex mutex;  // the reader reads on its own thread

  // How it behaves.
  int open_result = 3;   // a handle, or minus an errno
  bool is_file = false;  // the handle: reads wait unless it says that they do not
  int open_errno = 0;
  std::uint8_t refused_class = 0;  // refuses its registration...
  int refusal = 0;                 // ...with this errno
  bool refuses_rmpp = false;
  int send_errno = 0;
  int read_errno = 0;  // reading fails, as after the device is gone
  std::string issm_path;

  // What it has seen and holds.
  std::vector<FakeAgent> agents;
  std::vector<FakeSent> sent;
  std::deque<FakeInbound> inbound;
  int closed = 0;
  int polls = 0;
};

// The one that the functions serve; a test resets it.
FakeKernel& fake_kernel();
void reset_fake_kernel();

}  // namespace heddle::transport
