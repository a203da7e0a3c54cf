// SPDX-License-Identifier: BSD-3-Clause
#include "routing/legal_choices.hpp"

#include <algorithm>

namespace heddle::routing {

using fabric::SwitchIndex;

LegalChoices::LegalChoices(const CompactChannels& channels, const Orientation& orientation)
    : channels_(channels),
      has_below_(switch_count()),
      seen_(switch_count()),
      descends_(switch_count()),
      lower_(switch_count()),
      found_lower_(switch_count()),
      can_climb_(switch_count()),
      entered_(switch_count()),
      frontier_(channels),
      choices_(switch_count()) {
  for (const SwitchIndex s : orientation.from_top) from_top_.push_back(s.value);
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    const bool is_up =
        orientation.is_up(SwitchIndex{channels.from[c]}, SwitchIndex{channels.to[c]});
    climbs_.push_back(is_up);
    if (!is_up) has_below_[channels.from[c]] = ~Lanes{0};
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
    if (choose_from(nearest_first_[i]) == 0) continue;
    Lanes* const own = offers.data() + channels_.first[nearest_first_[i].at];
    for (std::size_t p = 0; p < by_position_.size(); ++p) own[p] |= by_position_[p];
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
  for (const std::uint32_t s : from_top_) {
    found_lower_[s] = 0;
    const Lanes open = ~seen_[s] | (~descends_[s] & has_below_[s]);
    if ((open & lanes_) == 0 || !frontier_.may_reach(s)) continue;
    Lanes climb = 0, descend = 0;
    for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
      const std::uint32_t to = channels_.to[c];
      const Lanes up = climbs_[c] != 0 ? ~Lanes{0} : Lanes{0};
      climb |= nearer[to] & up;
      descend |= lower_[to] & ~up;
    }
    descend &= ~descends_[s];
    found_lower_[s] = descend;
    descends_[s] |= descend;
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

// Returns the lanes, none of which has a detour.
LegalChoices::Lanes LegalChoices::choose_from(const Reached& reached) {
  const std::uint32_t at = reached.at;
  const Lanes lanes = reached.lanes & ~detours_;
  if (lanes == 0) return lanes;
  by_position_.assign(channels_.first[at + 1] - channels_.first[at], Lanes{0});
  const Lanes left = lanes & ~offer_without_loss(reached, lanes);
  if (left != 0) offer_descents(reached, left);
  return lanes;
}

void LegalChoices::add_from(const Reached& reached) {
  const Lanes lanes = choose_from(reached);
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
LegalChoices::Lanes LegalChoices::offer_without_loss(const Reached& reached, Lanes lanes) {
  const std::uint32_t at = reached.at;
  const Lanes* nearer = level(reached.hops - 1);
  const Lanes descend = lanes & descends_[at];
  const Lanes climb = lanes & ~(descends_[at] & entered_[at]);
  Lanes offered = 0;
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    const std::uint32_t to = channels_.to[c];
    Lanes some = nearer[to];
    if (climbs_[c] != 0) {
      some &= climb;
    } else {
      some &= descend & descends_[to] & ~(can_climb_[to] & ~entered_[to]);
      entered_[to] |= some;
    }
    by_position_[c - channels_.first[at]] = some;
    offered |= some;
  }
  return offered;
}

void LegalChoices::offer_descents(const Reached& reached, Lanes lanes) {
  const std::uint32_t at = reached.at;
  const Lanes* nearer = level(reached.hops - 1);
  for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
    if (climbs_[c] != 0) continue;
    const std::uint32_t to = channels_.to[c];
    const Lanes some = lanes & nearer[to] & descends_[to];
    entered_[to] |= some;
    by_position_[c - channels_.first[at]] |= some;
  }
}

}  // namespace heddle::routing
