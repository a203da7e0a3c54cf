// SPDX-License-Identifier: BSD-3-Clause
// How fast a counter may grow before its port is worth a word: "symbol_error 120/h". A count per
// time, whatever the time between two readings: a bucket that leaks as fast as it may fill. Or a
// rate of bit errors, "symbol_error 1e-12/bit": of the bits that the link carries in an hour.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "perf/readings.hpp"

namespace heddle::perf {

struct Threshold {
  Counter counter{};
  std::uint64_t count = 0;
  base::Duration per{};
  double per_bit = 0;  // instead of the count, unless 0
  friend bool operator==(const Threshold&, const Threshold&) = default;
};

// "NAME COUNT/s", "/min", "/h" or "/d"; "NAME RATE/bit".
base::Result<Threshold> parse_threshold(std::string_view text);
std::string text(const Threshold& threshold);

// The last word counts for a counter that is named twice.
class Watchman {
 public:
  void set(std::vector<Threshold> thresholds);
  // What has grown too fast in the last time, by bit(). `slot` is the port's own number.
  std::uint32_t judge(std::uint32_t slot, const PortReading& reading);
  // The port has another number now, or none at all.
  void forget() { levels_.clear(); }

  // Ports that are not quite empty, for a new numbering.
  struct Level {
    std::uint32_t slot = 0;
    Counter counter{};
    double level = 0;
  };
  std::vector<Level> levels() const;
  void restore(const std::vector<Level>& levels);

 private:
  static std::uint64_t key(std::uint32_t slot, Counter counter) {
    return std::uint64_t{slot} << 8 | index(counter);
  }
  std::vector<Threshold> thresholds_;
  std::map<std::uint64_t, double> levels_;  // where not zero
};

}  // namespace heddle::perf
