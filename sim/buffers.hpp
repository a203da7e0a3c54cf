// SPDX-License-Identifier: BSD-3-Clause
// A small fabric with buffers that can be full: packets move one link per cycle, a link carries one
// at a time, and a packet waits where it is until the next buffer has room (credits per port and
// lane, IBA vol. 1, 7.9.4). Ways are those of the devices' own tables. So a credit loop is not a
// warning but a fabric that stands still.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sim/devices.hpp"
#include "sim/patterns.hpp"

namespace heddle::sim {

// This is for fabrics that a person looks at.
inline constexpr std::size_t kMostBufferedFlows = 10'000;

struct BufferOptions {
  unsigned credits = 2;   // packets that each input port holds on each lane, 1..1000
  unsigned packets = 32;  // of each flow
  std::uint64_t most_cycles = 1'000'000;
};

// The buffer of an input port on one lane, and what its first packet waits for.
struct BufferWait {
  PortIndex port = 0;
  std::uint8_t lane = 0;
  std::size_t held = 0;  // packets in it
};

struct BufferOutcome {
  std::uint64_t cycles = 0;
  std::uint64_t delivered = 0;
  std::uint64_t unroutable = 0;  // packets of flows whose way does not arrive; never sent
  std::uint64_t stuck = 0;       // packets in buffers when nothing moved any more
  // Where they stand still: each of these waits for room in the next one, the last for the first.
  std::vector<BufferWait> circle;
  bool deadlocked() const { return stuck > 0; }
};

// Errors: more flows than kMostBufferedFlows, credits out of range.
base::Result<BufferOutcome> run_buffers(const Devices& devices, const std::vector<Flow>& flows,
                                        const BufferOptions& options = {});

// "switch-2 port 1 VL 0 (2 packets) waits for switch-3 port 1 VL 0 (2 packets)", a line for each.
std::string describe(const Devices& devices, const BufferOutcome& outcome);

}  // namespace heddle::sim
