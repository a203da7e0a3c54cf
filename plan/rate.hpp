// SPDX-License-Identifier: BSD-3-Clause
// How fast a link is: lanes, and the speed of each (IBA vol. 1, 14.2.5.6: LinkWidth and LinkSpeed).
#pragma once

#include <cstdint>
#include <string>

namespace heddle::plan {

// Slowest first, so that they compare.
enum class LaneSpeed : std::uint8_t { Unknown, SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR };

struct Rate {
  std::uint8_t lanes = 0;  // 1, 2, 4, 8 or 12; 0: unknown
  LaneSpeed speed = LaneSpeed::Unknown;
  bool known() const { return lanes != 0 && speed != LaneSpeed::Unknown; }
  friend bool operator==(const Rate&, const Rate&) = default;
};

// What is left for data after line coding, in Gb/s; 0 when the rate is not known.
double data_gigabits(Rate rate);

// "4xHDR"; "?" for what is not known.
std::string name_of(Rate rate);

// The best that two ports can do together: fewer lanes, the slower speed. What one of them does
// not say is taken from the other.
Rate lesser(Rate a, Rate b);

}  // namespace heddle::plan
