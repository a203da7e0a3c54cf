// SPDX-License-Identifier: BSD-3-Clause
#include "routing/channel_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace heddle::routing {
namespace {

constexpr std::uint8_t kUnseen = 0, kLater = 1, kEarlier = 2;
constexpr std::uint32_t kNowhere = 0xFFFF'FFFF;

}  // namespace

ChannelOrder::ChannelOrder(const CompactChannels& channels)
    : channels_(&channels), position_(channels.count()) {
  std::size_t most = 0;
  for (std::size_t s = 0; s + 1 < channels.first.size(); ++s) {
    most = std::max<std::size_t>(most, channels.first[s + 1] - channels.first[s]);
  }
  words_ = std::max<std::size_t>(1, (most + 63) / 64);
  onward_.resize(channels.count() * words_);
  before_.resize(onward_.size());
  std::iota(position_.begin(), position_.end(), 0u);
  auto ways_back = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint32_t c = 0; c < channels.count(); ++c) ways_back->push_back(channels.reverse(c));
  ways_back_ = std::move(ways_back);
}

void ChannelOrder::arrange(const std::vector<std::uint32_t>& from_first_to_last) {
  for (std::uint32_t i = 0; i < from_first_to_last.size(); ++i) {
    position_[from_first_to_last[i]] = i;
  }
}

template <class Visit>
void ChannelOrder::for_each_onward(std::uint32_t held, Visit visit) const {
  const std::uint32_t first = channels_->first[channels_->to[held]];
  const std::uint64_t* const bits = onward_.data() + held * words_;
  const auto words = static_cast<std::uint32_t>(words_);
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
      visit(first + w * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
}

void ChannelOrder::flip_both_ways(std::uint32_t held, std::uint32_t next) {
  flip(onward_, held, next);
  const std::uint32_t entering = channels_->reverse_local[held];
  before_[next * words_ + entering / 64] ^= std::uint64_t{1} << (entering % 64);
}

void ChannelOrder::prepare_trials() {
  for (Bits* bits : {&trials_.running, &trials_.refused}) bits->resize(onward_.size());
  trials_.seen.resize(channels_->count());
  for (auto* numbers : {&trials_.came_from, &trials_.leads_to, &trials_.stands_at}) {
    *numbers = std::make_unique_for_overwrite<std::uint32_t[]>(channels_->count());
  }
}

void ChannelOrder::remove(std::uint32_t held, std::uint32_t next) {
  flip(trials_.running, held, next);
  flip_both_ways(held, next);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> ChannelOrder::forget(std::uint32_t channel) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> gone;
  for_each_before(channel, [&](std::uint32_t held) { gone.emplace_back(held, channel); });
  for_each_onward(channel, [&](std::uint32_t next) { gone.emplace_back(channel, next); });
  for (const auto& [held, next] : gone) flip_both_ways(held, next);
  return gone;
}

bool ChannelOrder::add(std::uint32_t held, std::uint32_t next) {
  if (trials_.running.empty()) prepare_trials();
  if (!agrees(held, next)) {
    if (is_set(trials_.refused, held, next)) return false;
    trials_.later.assign(1, next);
    const std::uint32_t meeting = search(held);
    if (meeting != kNowhere) {
      if (stays_closed(held, next, meeting)) flip(trials_.refused, held, next);
      return false;
    }
    reorder();
  }
  flip(trials_.running, held, next);
  flip_both_ways(held, next);
  return true;
}

void ChannelOrder::stand_before_all(std::uint32_t held) {
  if (trials_.running.empty()) prepare_trials();
  trials_.later.clear();
  const std::uint32_t at = channels_->to[held], back = channels_->reverse(held);
  for (std::uint32_t next = channels_->first[at]; next < channels_->first[at + 1]; ++next) {
    if (next == back || next == held || agrees(held, next)) continue;
    trials_.later.push_back(next);
    if (position_[next] < position_[trials_.later.front()]) {
      std::swap(trials_.later.front(), trials_.later.back());
    }
  }
  if (!trials_.later.empty() && search(held) == kNowhere) reorder();
}

// Collects in `later` what must stand after those that are there, of which the first stands lowest,
// and in `earlier` what must stand before `held`, as far as it stands between the two now: nothing
// else can be on a way from one to the other, because dependencies only lead to higher positions.
// Both searches go on in turns, so that a cycle is found where they meet. That channel; kNowhere if
// there is none.
std::uint32_t ChannelOrder::search(std::uint32_t held) {
  trials_.earlier.assign(1, held);
  if (trials_.later.front() == held) return held;
  // In locals, because what is written through a pointer to bytes might be the pointer itself, as
  // far as the compiler knows; half of all that weaving takes is spent here.
  const std::uint32_t* const position = position_.data();
  std::uint8_t* const seen = trials_.seen.data();
  const std::uint32_t lowest = position[trials_.later.front()], highest = position[held];
  for (const std::uint32_t next : trials_.later) seen[next] = kLater;
  seen[held] = kEarlier;
  std::uint32_t meeting = kNowhere;
  const auto note = [&](std::uint32_t at, std::uint32_t by, std::uint8_t side, auto& ways,
                        auto& found) {
    if (seen[at] == kUnseen) {
      seen[at] = side;
      ways[at] = by;
      found.push_back(at);
    } else if (meeting == kNowhere) {
      meeting = at;
      ways[at] = by;
    }
  };
  std::size_t l = 0, e = 0;
  while (meeting == kNowhere && (l < trials_.later.size() || e < trials_.earlier.size())) {
    if (l < trials_.later.size()) {
      const std::uint32_t by = trials_.later[l++];
      for_each_onward(by, [&](std::uint32_t at) {
        if (position[at] > highest || seen[at] == kLater) return;
        note(at, by, kLater, trials_.came_from, trials_.later);
      });
    }
    if (e < trials_.earlier.size() && meeting == kNowhere) {
      const std::uint32_t by = trials_.earlier[e++];
      for_each_before(by, [&](std::uint32_t at) {
        if (position[at] < lowest || seen[at] == kEarlier) return;
        note(at, by, kEarlier, trials_.leads_to, trials_.earlier);
      });
    }
  }
  for (const std::uint32_t channel : trials_.earlier) seen[channel] = kUnseen;
  for (const std::uint32_t channel : trials_.later) seen[channel] = kUnseen;
  return meeting;
}

// Whether all on the way that was found is there for good.
bool ChannelOrder::stays_closed(std::uint32_t held, std::uint32_t next,
                                std::uint32_t meeting) const {
  for (std::uint32_t at = meeting; at != next; at = trials_.came_from[at]) {
    if (is_set(trials_.running, trials_.came_from[at], at)) return false;
  }
  for (std::uint32_t at = meeting; at != held; at = trials_.leads_to[at]) {
    if (is_set(trials_.running, at, trials_.leads_to[at])) return false;
  }
  return true;
}

// Position and channel of each, by position. All stand between those of the latest search. Where
// they stand close marking is quicker than comparing.
void ChannelOrder::sort(const std::vector<std::uint32_t>& channels,
                        std::vector<std::uint64_t>& sorted) {
  sorted.clear();
  const std::uint32_t lowest = position_[trials_.later.front()];
  const std::size_t words = (position_[trials_.earlier.front()] - lowest) / 64 + 1;
  if (channels.size() < words) {
    for (const std::uint32_t channel : channels) {
      sorted.push_back(std::uint64_t{position_[channel]} << 32 | channel);
    }
    std::sort(sorted.begin(), sorted.end());
    return;
  }
  trials_.marks.assign(words, 0);
  for (const std::uint32_t channel : channels) {
    const std::uint32_t place = position_[channel] - lowest;
    trials_.marks[place / 64] |= std::uint64_t{1} << (place % 64);
    trials_.stands_at[place] = channel;
  }
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t left = trials_.marks[w]; left != 0; left &= left - 1) {
      const std::uint32_t place = w * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      sorted.push_back(std::uint64_t{lowest + place} << 32 | trials_.stands_at[place]);
    }
  }
}

// The positions of both groups are dealt anew: first to what leads to the new dependency, then to
// what it leads to, each in its old order.
void ChannelOrder::reorder() {
  sort(trials_.earlier, trials_.first);
  sort(trials_.later, trials_.second);
  trials_.free.resize(trials_.first.size() + trials_.second.size());
  std::merge(trials_.first.begin(), trials_.first.end(), trials_.second.begin(),
             trials_.second.end(), trials_.free.begin());
  std::size_t next = 0;
  for (const auto* group : {&trials_.first, &trials_.second}) {
    for (const std::uint64_t key : *group) {
      position_[key & 0xFFFF'FFFF] = static_cast<std::uint32_t>(trials_.free[next++] >> 32);
    }
  }
}

}  // namespace heddle::routing
