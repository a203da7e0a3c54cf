// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shortest_choices.hpp"

#include <algorithm>

namespace heddle::routing {

using fabric::SwitchIndex;

ShortestChoices::ShortestChoices(const CompactChannels& channels)
    : channels_(channels),
      seen_(switch_count()),
      nearer_(switch_count()),
      found_(switch_count()),
      frontier_(channels),
      choices_(switch_count()) {}

void ShortestChoices::spread(std::span<const SwitchIndex> targets) {
  begin(targets);
  choices_.clear();
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    choices_.add(targets[lane].value, Lanes{1} << lane, {});
  }
  while (advance([](std::uint32_t, Lanes) {},
                 [this](std::uint32_t at, Lanes found) { find(at, found); })) {
  }
}

void ShortestChoices::offer(std::span<const SwitchIndex> targets, std::span<Lanes> offers) {
  begin(targets);
  std::fill(offers.begin(), offers.end(), Lanes{0});
  while (advance([&](std::uint32_t channel, Lanes found) { offers[channel] |= found; },
                 [](std::uint32_t, Lanes) {})) {
  }
}

void ShortestChoices::begin(std::span<const SwitchIndex> targets) {
  std::fill(seen_.begin(), seen_.end(), Lanes{0});
  std::fill(found_.begin(), found_.end(), Lanes{0});
  frontier_.clear();
  lanes_ = targets.size() < kLanes ? (Lanes{1} << targets.size()) - 1 : ~Lanes{0};
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    seen_[targets[lane].value] |= Lanes{1} << lane;
    found_[targets[lane].value] |= Lanes{1} << lane;
    frontier_.add(targets[lane].value);
  }
}

// One hop farther; false if there is nothing there. take(channel, lanes) is told what it is found
// by, if anything, and find(switch, lanes) what was found.
template <class Take, class Find>
bool ShortestChoices::advance(Take take, Find find) {
  nearer_.swap(found_);
  frontier_.advance();
  bool more = false;
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    found_[s] = 0;
    if (seen_[s] == lanes_ || !frontier_.may_reach(s)) continue;
    Lanes found = 0;
    const Lanes unseen = ~seen_[s];
    for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
      const Lanes some = nearer_[channels_.to[c]] & unseen;
      take(c, some);
      found |= some;
    }
    found_[s] = found;
    if (found_[s] == 0) continue;
    seen_[s] |= found_[s];
    frontier_.add(s);
    find(s, found_[s]);
    more = true;
  }
  return more;
}

void ShortestChoices::find(std::uint32_t at, Lanes found) {
  leads_.clear();
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const Lanes lanes = found & nearer_[channels_.to[c]];
    if (lanes == 0) continue;
    leads_.push_back({lanes, static_cast<std::uint8_t>(c - channels_.first[at])});
  }
  choices_.add(at, found, leads_);
}

}  // namespace heddle::routing
