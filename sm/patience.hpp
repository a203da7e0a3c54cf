// SPDX-License-Identifier: BSD-3-Clause
// Patience with nodes that do not answer although the cables to them are up. Most likely their
// agent is busy, or starts anew, while the port or the switch goes on forwarding: it stays in the
// picture as it was known. Given up it is after so many looks in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/time.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class Patience {
 public:
  // Time is what the latest one said.
  void advance(base::Instant now) { now_ = now; }
  // A look in vain. True if it was not the last one: as many of them as the options say make a node
  // gone. That is remembered until it answers or has left the picture: one look may not get to all
  // its cables. One that comes sooner than `apart` after the latest that counted does not count: it
  // was a trap that asked for it, or the fabric moves.
  bool endures(mad::Guid node, const Options& options, base::Duration apart);
  void on_answer(mad::Guid node) { misses_.erase(node); }
  // So many looks in vain that were not counted here, the last one at that time.
  void remind(mad::Guid node, std::uint32_t looks, base::Instant latest);
  // Whether it did not answer the last time.
  bool is_missed(mad::Guid node) const { return misses_.count(node) != 0; }
  std::size_t missed() const { return misses_.size(); }
  bool keeps_switch(const fabric::Observation& observation) const;
  void forget() { misses_.clear(); }

  // After a full discovery, before the picture is frozen: what it met behind no cable, or read only
  // in part, is taken over from the picture before, as long as patience lasts. To what did not
  // answer at all nothing is written until it does.
  void fill_gaps(Context& context, const Picture& before);

 private:
  struct Misses {
    std::uint32_t count = 0;
    base::Instant latest{};
  };
  std::map<mad::Guid, Misses> misses_;
  base::Instant now_{};
};

}  // namespace heddle::sm
