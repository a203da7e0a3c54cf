// SPDX-License-Identifier: BSD-3-Clause
// Who asks how much, by LID, and who must wait when more is asked than can be answered. Time is cut
// into windows. As long as one holds few requests, all are answered; beyond, a source is put off
// when it has used its share, so that those who ask little notice nothing of those who ask much.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "mad/types.hpp"

namespace heddle::sa {

inline constexpr base::Duration kTalkWindow = std::chrono::milliseconds(100);
// Requests of one window that are answered whoever asks, unless limit() says otherwise, and as many
// again that are shared out among those who ask.
inline constexpr std::size_t kCalmRequests = 10'000;
// No share is smaller.
inline constexpr std::size_t kLeastShare = 64;
// Told in statistics.
inline constexpr std::size_t kTopTalkers = 5;
// How long to wait, 4.096 us * 2^value: 67 ms the first time, twice as long in each window that
// follows in which the source is put off again, 4.3 s at most.
inline constexpr std::uint8_t kFirstHint = 14;
inline constexpr std::uint8_t kLastHint = 20;

class Talkers {
 public:
  // From now on so many are answered in a second whoever asks, a tenth of them in each window.
  void limit(std::uint32_t requests_per_second);
  // Counts a request from a unicast LID. Nothing if it may be answered, else for how long to put
  // it off.
  std::optional<std::uint8_t> count(base::Instant now, mad::Lid source);

  struct Talker {
    mad::Lid lid;
    std::uint64_t requests = 0;
    std::uint64_t put_off = 0;  // of these
    friend bool operator==(const Talker&, const Talker&) = default;
  };
  struct Statistics {
    std::uint64_t requests = 0;
    std::uint64_t put_off = 0;
    std::vector<Talker> top;  // most requests first
  };
  // Since the last call, of either. O(highest LID that has asked).
  Statistics take();
  // Everybody who asked, by LID.
  std::vector<Talker> take_all();
  // Requests that were counted elsewhere: they tell in statistics, and nobody is put off for them.
  void add(std::span<const Talker> talkers);

 private:
  struct Source {
    std::uint64_t window = 0;  // the last one in which it asked
    std::uint32_t asked = 0;   // in that window
    std::uint64_t put_off_in = 0;
    std::uint8_t hint = 0;
    Talker total;
  };
  std::size_t share() const;

  std::vector<Source> sources_;  // by LID
  std::size_t calm_ = kCalmRequests;
  std::uint64_t window_ = 2;  // its number; nobody was put off in window 0
  base::Instant began_{};
  std::size_t asked_ = 0;  // in this window
  std::size_t active_ = 0;
  std::size_t active_before_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t put_off_ = 0;
};

}  // namespace heddle::sa
