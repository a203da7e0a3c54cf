// SPDX-License-Identifier: BSD-3-Clause
#include "plan/rate.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace heddle::plan {
namespace {

struct Speed {
  std::string_view name;
  double lane_gigabits;  // of data: signals less 8b/10b, 64b/66b or RS-FEC
};

constexpr std::array<Speed, 10> kSpeeds{{{"?", 0},
                                         {"SDR", 2},
                                         {"DDR", 4},
                                         {"QDR", 8},
                                         {"FDR10", 10},
                                         {"FDR", 13.636},
                                         {"EDR", 25},
                                         {"HDR", 50},
                                         {"NDR", 100},
                                         {"XDR", 200}}};

template <class Value>
Value lesser_known(Value a, Value b) {
  if (a == Value{}) return b;
  return b == Value{} ? a : std::min(a, b);
}

}  // namespace

double data_gigabits(Rate rate) {
  return rate.lanes * kSpeeds[static_cast<std::size_t>(rate.speed)].lane_gigabits;
}

std::string name_of(Rate rate) {
  const std::string lanes = rate.lanes == 0 ? "?" : fmt::format("{}", rate.lanes);
  return fmt::format("{}x{}", lanes, kSpeeds[static_cast<std::size_t>(rate.speed)].name);
}

Rate lesser(Rate a, Rate b) {
  return {lesser_known(a.lanes, b.lanes), lesser_known(a.speed, b.speed)};
}

}  // namespace heddle::plan
