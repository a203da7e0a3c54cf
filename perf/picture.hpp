// SPDX-License-Identifier: BSD-3-Clause
// Whom to ask, and about what: made by whoever knows the fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "mad/types.hpp"

namespace heddle::perf {

// How a link's signal is coded.
enum class Coding : std::uint8_t {
  Bytes,   // 8 of 10 bits: up to QDR
  Blocks,  // 64 of 66, and what error correction there is the port knows
  RSFEC,   // likewise, never without RS-FEC: from HDR on
};

// Answers for the ports of a switch, or for one port of an adapter or router.
struct Agent {
  struct Port {
    mad::PortNumber number{};
    std::uint64_t bits_per_second = 0;  // of data, one way; 0: not known
    Coding coding = Coding::Bytes;
    friend bool operator==(const Port&, const Port&) = default;
  };
  mad::Guid node{};
  bool is_switch = false;
  mad::Lid lid{};
  mad::ServiceLevel sl{};
  std::vector<Port> ports;  // by number
  friend bool operator==(const Agent&, const Agent&) = default;
};

struct Picture {
  std::vector<Agent> agents;  // by node, then by port
  friend bool operator==(const Picture&, const Picture&) = default;
};

}  // namespace heddle::perf
