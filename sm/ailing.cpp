// SPDX-License-Identifier: BSD-3-Clause
#include "sm/ailing.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace heddle::sm {
namespace {

// As good as never answers. Whoever is well again by itself is read after this at the latest.
constexpr base::Duration kLongestPause = std::chrono::minutes(1);

// At once, then after one interval, two, four.
base::Duration pause_after(std::uint32_t failures, base::Duration interval) {
  if (failures < 2) return {};
  base::Duration pause = std::max<base::Duration>(interval, std::chrono::seconds(1));
  for (std::uint32_t n = 2; n < failures && pause < kLongestPause; ++n) pause *= 2;
  return std::min(pause, kLongestPause);
}

}  // namespace

void Ailing::conclude(const Sweep& sweep) {
  for (auto each = known_.begin(); each != known_.end();) {
    const auto& [node, state] = *each;
    const bool asked = sweep.visited == nullptr || sweep.visited->count(node) != 0;
    // What was not written is still to be written after a look in vain.
    const bool well = failed_.count(node) == 0 && asked && (sweep.wrote || !state.undone);
    each = well ? known_.erase(each) : std::next(each);
  }
  for (const auto& [node, failure] : failed_) {
    State& state = known_[node];
    state.due = sweep.began + pause_after(++state.failures, sweep.interval);
    const bool all_read = failure.unread.empty() && !failure.switch_unread;
    state.unread = all_read ? 0 : state.unread + 1;
    state.undone = failure.undone || (state.undone && !sweep.wrote);
    state.refuses_table = failure.refuses_table || (state.refuses_table && !sweep.wrote);
  }
}

std::uint32_t Ailing::unread(mad::Guid node) const {
  const auto known = known_.find(node);
  return known == known_.end() ? 0 : known->second.unread;
}

std::map<mad::Guid, std::uint32_t> Ailing::all_unread() const {
  std::map<mad::Guid, std::uint32_t> all;
  for (const auto& [node, state] : known_) {
    if (state.unread > 0) all.emplace(node, state.unread);
  }
  return all;
}

std::vector<Ailing::Due> Ailing::due(base::Instant now) const {
  std::vector<Due> due;
  for (const auto& [node, state] : known_) {
    if (now >= state.due) due.push_back({node, state.undone, state.refuses_table});
  }
  return due;
}

base::Instant Ailing::next_due() const {
  base::Instant next = base::kNever;
  for (const auto& [node, state] : known_) next = std::min(next, state.due);
  return next;
}

}  // namespace heddle::sm
