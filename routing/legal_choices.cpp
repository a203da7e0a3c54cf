// SPDX-License-Identifier: BSD-3-Clause
#include "routing/legal_choices.hpp"

#include <algorithm>
#include <utility>

namespace heddle::routing {

using fabric::SwitchIndex;

LegalChoices::LegalChoices(const CompactChannels& channels, const Orientation& orientation)
    : channels_(channels),
      seen_(switch_count()),
      descends_(switch_count()),
      lower_(switch_count()),
      found_lower_(switch_count()),
      can_climb_(switch_count()),
      entered_(switch_count()),
      frontier_(channels),
      choices_(switch_count()) {
  for (const SwitchIndex s : orientation.from_top) from_top_.push_back(s.value);
  part_channels(orientation);
}

void LegalChoices::part_channels(const Orientation& orientation) {
  const auto take = [&](std::uint32_t at, bool ups) {
    const std::uint32_t first = channels_.first[at];
    for (std::uint32_t c = first; c < channels_.first[at + 1]; ++c) {
      if (orientation.is_up(SwitchIndex{at}, SwitchIndex{channels_.to[c]}) != ups) continue;
      to_.push_back(channels_.to[c]);
      position_.push_back(static_cast<std::uint8_t>(c - first));
    }
  };
  for (std::uint32_t s = 0; s < switch_count(); ++s) {
    take(s, true);
    first_down_.push_back(static_cast<std::uint32_t>(to_.size()));
    take(s, false);
  }
}

void LegalChoices::spread(std::span<const SwitchIndex> targets) {
  begin(targets);
  choices_.clear();
  // Farthest first: who descends into a switch is known when its turn comes. What nobody enters
  // from above is free to climb as well, if that is as short.
  for (std::size_t i = nearest_first_.size(); i-- > 0;) add_from(nearest_first_[i]);
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    choices_.add(targets[lane].value, Lanes{1} << lane, {});
  }
}

void LegalChoices::offer(std::span<const SwitchIndex> targets, std::span<Lanes> offers) {
  begin(targets);
  std::fill(offers.begin(), offers.end(), Lanes{0});
  for (std::size_t i = nearest_first_.size(); i-- > 0;) {
    choose_from(nearest_first_[i], offers.data() + channels_.first[nearest_first_[i].at]);
  }
}

void LegalChoices::begin(std::span<const SwitchIndex> targets) {
  for (auto* lanes : {&seen_, &descends_, &found_lower_, &can_climb_, &entered_}) {
    std::fill(lanes->begin(), lanes->end(), Lanes{0});
  }
  lanes_ = targets.size() < kLanes ? (Lanes{1} << targets.size()) - 1 : ~Lanes{0};
  levels_.assign(switch_count(), Lanes{0});
  nearest_first_.clear();
  frontier_.clear();
  detours_ = 0;
  for (std::size_t lane = 0; lane < targets.size(); ++lane) {
    const std::uint32_t target = targets[lane].value;
    seen_[target] |= Lanes{1} << lane;
    level(0)[target] |= Lanes{1} << lane;
    frontier_.add(target);
  }
  descends_ = seen_;
  found_lower_ = seen_;
  may_descend_ = true;
  for (std::uint32_t hops = 1; advance(hops); ++hops) {
  }
}

// One hop farther; false if there is nothing there. What was found by climbing before it was found
// by descending has a detour.
bool LegalChoices::advance(std::uint32_t hops) {
  levels_.resize((hops + 1) * switch_count());
  lower_.swap(found_lower_);
  frontier_.advance();
  const Lanes* nearer = level(hops - 1);
  Lanes* found_here = level(hops);
  bool more = false;
  const bool may_descend = std::exchange(may_descend_, false);
  for (const std::uint32_t s : from_top_) {
    found_lower_[s] = 0;
    if (!frontier_.may_reach(s)) continue;
    Lanes climb = 0, descend = 0;
    if ((~seen_[s] & lanes_) != 0) {
      for (const std::uint32_t to : ups(s).to) climb |= nearer[to];
    }
    if (may_descend && (~descends_[s] & lanes_) != 0) {
      for (const std::uint32_t to : downs(s).to) descend |= lower_[to];
      descend &= ~descends_[s];
    }
    found_lower_[s] = descend;
    descends_[s] |= descend;
    may_descend_ |= descend != 0;
    detours_ |= descend & seen_[s];
    const Lanes found = (climb | descend) & ~seen_[s];
    if ((found | descend) == 0) continue;
    more = true;
    frontier_.add(s);
    if (found == 0) continue;
    found_here[s] = found;
    seen_[s] |= found;
    can_climb_[s] |= climb & found;
    nearest_first_.push_back({s, hops, found});
  }
  return more;
}

// Adds to what the positions are offered to. Returns the lanes, none of which has a detour.
LegalChoices::Lanes LegalChoices::choose_from(const Reached& reached, Lanes* offers) {
  const Lanes lanes = reached.lanes & ~detours_;
  if (lanes == 0) return lanes;
  const Lanes left = lanes & ~offer_without_loss(reached, lanes, offers);
  if (left != 0) offer_descents(reached, left, offers);
  return lanes;
}

void LegalChoices::add_from(const Reached& reached) {
  by_position_.assign(channels_.first[reached.at + 1] - channels_.first[reached.at], Lanes{0});
  const Lanes lanes = choose_from(reached, by_position_.data());
  if (lanes == 0) return;
  leads_.clear();
  for (std::size_t position = 0; position < by_position_.size(); ++position) {
    if (by_position_[position] == 0) continue;
    leads_.push_back({by_position_[position], static_cast<std::uint8_t>(position)});
  }
  choices_.add(reached.at, lanes, leads_);
}

// To enter a switch from above takes its climbing ways from it and from all traffic that passes
// there, so that is done only where there is no other choice, or no loss. Returns the lanes that
// were offered something.
LegalChoices::Lanes LegalChoices::offer_without_loss(const Reached& reached, Lanes lanes,
                                                     Lanes* offers) {
  const std::uint32_t at = reached.at;
  const Lanes* nearer = level(reached.hops - 1);
  const Lanes descend = lanes & descends_[at];
  const Lanes climb = lanes & ~(descends_[at] & entered_[at]);
  Lanes offered = 0;
  if (climb != 0) {
    const Links above = ups(at);
    for (std::size_t i = 0; i < above.to.size(); ++i) {
      const Lanes some = nearer[above.to[i]] & climb;
      offers[above.position[i]] |= some;
      offered |= some;
    }
  }
  if (descend != 0) {
    const Links below = downs(at);
    for (std::size_t i = 0; i < below.to.size(); ++i) {
      const std::uint32_t to = below.to[i];
      const Lanes some = nearer[to] & descend & descends_[to] & ~(can_climb_[to] & ~entered_[to]);
      entered_[to] |= some;
      offers[below.position[i]] |= some;
      offered |= some;
    }
  }
  return offered;
}

void LegalChoices::offer_descents(const Reached& reached, Lanes lanes, Lanes* offers) {
  const std::uint32_t at = reached.at;
  const Lanes* nearer = level(reached.hops - 1);
  const Links below = downs(at);
  for (std::size_t i = 0; i < below.to.size(); ++i) {
    const std::uint32_t to = below.to[i];
    const Lanes some = lanes & nearer[to] & descends_[to];
    entered_[to] |= some;
    offers[below.position[i]] |= some;
  }
}

}  // namespace heddle::routing
