// SPDX-License-Identifier: BSD-3-Clause
// How many requests are in flight and how fast they follow one another, and which has waited too
// long. QP1 shares its lane with data, so the pace keeps this from being a load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "congestion/options.hpp"

namespace heddle::congestion {

class Pace {
 public:
  void set(const Options& options);

  // Whether the window and the pace allow one more.
  bool may_send(base::Instant now) const;
  // Notes that this agent is asked now; the transaction id to ask with.
  std::uint32_t send(base::Instant now, std::size_t agent);
  // Whom it was asked; nothing when no answer is waited for. It waits no longer.
  std::optional<std::size_t> answered(std::uint32_t transaction);
  // Agents whose answer has not come in time; they are not waited for any longer.
  std::vector<std::size_t> take_overdue(base::Instant now);

  void cancel();
  bool idle() const { return flights_.empty(); }
  // When something is overdue; and with `wants_to_send`, when one more may go out.
  base::Instant deadline(bool wants_to_send) const;

 private:
  struct Due {
    base::Instant when{};
    std::uint32_t transaction = 0;
  };
  std::size_t window_ = 1;
  base::Duration timeout_{};
  base::Duration step_{};
  base::Duration burst_{};
  base::Instant paced_{};  // when the next one would go out on average
  std::uint32_t next_ = 1;
  std::unordered_map<std::uint32_t, std::size_t> flights_;
  std::deque<Due> due_;  // in the order of time; some are answered
};

}  // namespace heddle::congestion
