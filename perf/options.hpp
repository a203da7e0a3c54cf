// SPDX-License-Identifier: BSD-3-Clause
// What an operator can choose about the performance manager.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "perf/thresholds.hpp"

namespace heddle::perf {

struct Options {
  base::Duration interval = std::chrono::seconds(60);  // from one sweep's begin to the next one's
  std::uint32_t window = 32;                           // 1..: most requests in flight
  std::uint32_t window_per_agent = 2;                  // 1..: and to one agent
  std::uint32_t per_second = 2000;  // 1..: most requests that are sent in a second
  base::Duration timeout = std::chrono::seconds(1);
  std::uint32_t attempts = 3;  // 1..: sends of one request
  // Ask each agent what it can. Without, it is taken to have PortCounters alone.
  bool ask_capabilities = true;
  bool follow_redirects = true;  // to where an agent wants to be asked instead
  // Set narrow counters back that are beyond three quarters. Nothing else is ever written.
  bool clear_full = false;
  // Read what ports count about the coding of their links, where it is not Coding::Bytes.
  bool coding = true;
  double hot_share = 0.8;  // utilisation from which a link counts as hot
  std::vector<Threshold> thresholds;
  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace heddle::perf
