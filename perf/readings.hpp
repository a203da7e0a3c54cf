// SPDX-License-Identifier: BSD-3-Clause
// What the ports of a fabric have counted, as one sweep found it: made once, then read by whoever
// wants to. Flat, for hundreds of thousands of ports.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"
#include "perf/counters.hpp"

namespace heddle::perf {

struct PortReading {
  mad::PortNumber number{};
  bool wide = false;            // its data counters have 64 bits
  std::uint32_t known = 0;      // counters that the port tells, by bit(); 0: it was never heard
  std::uint32_t saturated = 0;  // that stand at their end
  std::uint32_t exceeded = 0;   // that grow faster than they may (thresholds.hpp)
  std::uint32_t resets = 0;     // times that some counter had gone back
  std::uint64_t bits_per_second = 0;  // of data that the link can carry one way; 0: not known
  base::Duration interval{};          // between the last two readings; 0: there was one only
  // What the counters said first, and all that they grew by since: never goes back.
  std::array<std::uint64_t, kCounterCount> totals{};
  std::array<float, kCounterCount> deltas{};  // of the last interval

  bool knows(Counter counter) const { return (known & bit(counter)) != 0; }
  std::uint64_t total(Counter counter) const { return totals[index(counter)]; }
  // Growth per second; 0 without an interval.
  double rate(Counter counter) const;
  // Of what the link can carry, in the busier direction; 0 when that is not known.
  double utilisation() const;
  // Errors for each bit that came in during the last interval, idle or not: before error correction
  // (what it mended counts, at least a bit each) and behind it. 0 without an interval or rate.
  double raw_ber() const;
  double effective_ber() const;
};

struct SweepFigures {
  std::uint64_t number = 0;  // of sweeps finished
  base::Duration took{};
  std::uint64_t sent = 0;  // requests, repeated ones included
  std::uint64_t retries = 0;
  std::uint64_t cleared = 0;   // ports whose narrow counters were set back
  std::uint64_t agents = 0;    // asked
  std::uint64_t silent = 0;    // of these, that left a question unanswered
  std::uint64_t refusing = 0;  // of these, that answered with an error
};

struct Readings {
  struct Node {
    mad::Guid guid{};
    bool is_switch = false;
    std::uint32_t first = 0;  // its ports: in `ports`, by number
    std::uint32_t count = 0;
  };
  SweepFigures sweep;
  double hot_share = 1;           // utilisation from which a link counts as hot
  std::vector<Node> nodes;        // by GUID
  std::vector<mad::Guid> silent;  // nodes that left a question unanswered, by GUID
  std::vector<PortReading> ports;

  std::span<const PortReading> of(const Node& node) const {
    return std::span(ports).subspan(node.first, node.count);
  }
  // Null where nothing is known.
  const PortReading* find(mad::Guid node, mad::PortNumber number) const;
};

}  // namespace heddle::perf
