// SPDX-License-Identifier: BSD-3-Clause
#include "sa/talkers.hpp"

#include <algorithm>

namespace heddle::sa {

// Whoever asked in the window before is likely to ask in this one.
std::size_t Talkers::share() const {
  const std::size_t among = std::max<std::size_t>({active_, active_before_, 1});
  return std::max(calm_ / among, kLeastShare);
}

void Talkers::limit(std::uint32_t requests_per_second) {
  calm_ = requests_per_second / (std::chrono::seconds(1) / kTalkWindow);
}

std::optional<std::uint8_t> Talkers::count(base::Instant now, mad::Lid source) {
  if (now - began_ >= kTalkWindow) {
    const bool follows = now - began_ < 2 * kTalkWindow;
    window_ += follows ? 1 : 2;
    began_ = now;
    active_before_ = follows ? active_ : 0;
    asked_ = active_ = 0;
  }
  if (source == mad::kNoLid || source > mad::kLastUnicastLid) return std::nullopt;
  if (sources_.size() <= source.value) sources_.resize(source.value + 1u);
  Source& from = sources_[source.value];
  if (from.window != window_) {
    from.window = window_;
    from.asked = 0;
    ++active_;
  }
  ++asked_;
  ++from.asked;
  ++requests_;
  ++from.total.requests;
  if (asked_ <= calm_ || from.asked <= share()) return std::nullopt;
  if (from.put_off_in != window_) {
    const bool again = from.put_off_in + 1 == window_;
    from.hint = again ? std::min<std::uint8_t>(static_cast<std::uint8_t>(from.hint + 1), kLastHint)
                      : kFirstHint;
    from.put_off_in = window_;
  }
  ++put_off_;
  ++from.total.put_off;
  return from.hint;
}

void Talkers::add(std::span<const Talker> talkers) {
  for (const Talker& talker : talkers) {
    if (sources_.size() <= talker.lid.value) sources_.resize(talker.lid.value + 1u);
    Talker& total = sources_[talker.lid.value].total;
    total.requests += talker.requests;
    total.put_off += talker.put_off;
    requests_ += talker.requests;
    put_off_ += talker.put_off;
  }
}

std::vector<Talkers::Talker> Talkers::take_all() {
  std::vector<Talker> all;
  if (requests_ == 0) return all;
  for (std::size_t lid = 0; lid < sources_.size(); ++lid) {
    Talker& total = sources_[lid].total;
    if (total.requests == 0) continue;
    total.lid = mad::Lid{static_cast<std::uint16_t>(lid)};
    all.push_back(total);
    total = {};
  }
  requests_ = put_off_ = 0;
  return all;
}

Talkers::Statistics Talkers::take() {
  Statistics statistics{requests_, put_off_, {}};
  statistics.top = take_all();
  const auto more = [](const Talker& a, const Talker& b) {
    return a.requests != b.requests ? a.requests > b.requests : a.lid < b.lid;
  };
  const auto told = std::min(kTopTalkers, statistics.top.size());
  std::partial_sort(statistics.top.begin(),
                    statistics.top.begin() + static_cast<std::ptrdiff_t>(told),
                    statistics.top.end(), more);
  statistics.top.resize(told);
  return statistics;
}

}  // namespace heddle::sa
