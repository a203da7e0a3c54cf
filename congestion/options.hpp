// SPDX-License-Identifier: BSD-3-Clause
// What an operator can choose about the congestion control manager.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "congestion/settings.hpp"

namespace heddle::congestion {

enum class KeyMode : std::uint8_t {
  Use,   // requests carry the key; devices keep the one they have
  Set,   // devices are given the key
  Hide,  // and do not answer those who lack it
};

struct Options {
  mad::CCKey key{};
  KeyMode key_mode = KeyMode::Use;
  std::uint16_t key_lease = 0;          // seconds; 0: it never ends
  std::vector<mad::CCKey> former_keys;  // tried where `key` gets no answer
  Settings settings;
  // From the end of one check of all devices to the next one's begin. What is written elsewhere, or
  // lost in a restart that nobody saw, is put right then.
  base::Duration interval = std::chrono::minutes(10);
  base::Duration log_interval = std::chrono::minutes(1);  // of reading logs; 0: they are not read
  std::uint32_t window = 32;        // 1..: most requests in flight; one to each device at a time
  std::uint32_t per_second = 2000;  // 1..
  base::Duration timeout = std::chrono::seconds(1);
  std::uint32_t attempts = 3;  // 1..: sends of one request
  // More errors than this within the window, at devices that have the class, and all is left alone
  // until the next check; 0: never.
  std::uint32_t most_errors = 20;
  base::Duration error_window = std::chrono::seconds(10);
  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace heddle::congestion
