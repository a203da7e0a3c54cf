// SPDX-License-Identifier: BSD-3-Clause
// Ports of one switch, and whether entries of its forwarding table name these alone. Internal to
// the verification.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/byte_vector.hpp"

namespace heddle::fabric {

class PortSet {
 public:
  PortSet() { clear(); }
  void clear();
  // In ascending order; no port twice.
  void add(std::uint8_t port);
  bool has(std::uint8_t port) const { return lacks_[port] == 0; }
  // Entries may have any value. Dozens at a time where the ports are a few ranges of numbers, as
  // those are mostly that lead up a tree.
  bool holds_all(const std::uint8_t* entries, std::size_t count) const;

 private:
  static constexpr std::size_t kMostRanges = 6;  // with more, one entry at a time is as fast
  struct Range {
    std::uint8_t first = 0;
    std::uint8_t others = 0;  // how many follow the first
  };
  base::ByteVector held(const std::uint8_t* entries) const;
  bool holds_each(const std::uint8_t* entries, std::size_t count) const;

  std::array<std::uint8_t, 256> lacks_;  // by any value of an entry: 1, or 0 for a port of the set
  std::array<Range, kMostRanges> range_;
  std::size_t ranges_ = 0;  // may be more than are kept
};

}  // namespace heddle::fabric
