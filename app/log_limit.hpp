// SPDX-License-Identifier: BSD-3-Clause
// How many lines of one event the log takes in a minute: a port that babbles must not fill a disk,
// nor hide what else happens.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

class LogLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kWindow{60};

  // 0: no limit. What was counted stays.
  void set(std::uint32_t lines) { limit_ = lines; }

  // Whether a line of this event may still be written; counts it.
  bool admits(std::string_view event, Time now);

  struct LeftOut {
    std::string event;
    std::uint64_t lines = 0;
  };
  // Events of which lines were left out in a window that is over. Each is told once.
  std::vector<LeftOut> take(Time now);

 private:
  struct Count {
    Time began{};
    std::uint32_t written = 0;
    std::uint64_t left_out = 0;
  };
  std::map<std::string, Count, std::less<>> counts_;  // by event: as many as there are names
  std::uint32_t limit_ = 0;
  bool some_left_out_ = false;
};

}  // namespace heddle::app
