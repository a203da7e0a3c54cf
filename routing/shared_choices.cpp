// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shared_choices.hpp"

#include <bit>
#include <numeric>

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;
using Lanes = SharedChoices::Lanes;

constexpr std::size_t kPositions = 256;
// So many sets of choices are looked for, which several lanes may share.
constexpr unsigned kSetsShared = 4;

Lanes first_of(Lanes lanes) {
  return lanes & (~lanes + 1);
}

// Those that have the same choices as the first of them.
Lanes alike(Lanes among, std::span<const SharedChoices::Lead> leads) {
  const Lanes first = first_of(among);
  for (const auto& lead : leads) among &= lead.lanes & first ? lead.lanes : ~lead.lanes;
  return among;
}

}  // namespace

SharedChoices::SharedChoices(std::size_t switch_count)
    : switch_count_(switch_count),
      entries_(kLanes * switch_count),
      choices_(kPositions),
      by_lane_(kLanes) {
  std::iota(choices_.begin(), choices_.end(), std::uint8_t{0});
}

void SharedChoices::clear() {
  choices_.resize(kPositions);
  count_.fill(0);
}

void SharedChoices::add(std::uint32_t at, Lanes lanes, std::span<const Lead> leads) {
  if (leads.empty()) return append(lanes, {at, 0, 0});
  if (add_if_all_alike(at, lanes, leads)) return;
  for (unsigned set = 0; set < kSetsShared && lanes != 0; ++set) {
    const Lanes some = alike(lanes, leads);
    chosen_.clear();
    for (const Lead& lead : leads) {
      if (lead.lanes & first_of(some)) chosen_.push_back(lead.position);
    }
    append(some, entry(at, chosen_));
    lanes &= ~some;
  }
  if (lanes != 0) add_each(at, lanes, leads);
}

bool SharedChoices::add_if_all_alike(std::uint32_t at, Lanes lanes, std::span<const Lead> leads) {
  chosen_.clear();
  for (const Lead& lead : leads) {
    if (lead.lanes != lanes) return false;
    chosen_.push_back(lead.position);
  }
  append(lanes, entry(at, chosen_));
  return true;
}

void SharedChoices::add_each(std::uint32_t at, Lanes lanes, std::span<const Lead> leads) {
  for (const Lead& lead : leads) {
    for (Lanes left = lead.lanes & lanes; left != 0; left &= left - 1) {
      by_lane_[static_cast<std::size_t>(std::countr_zero(left))].push_back(lead.position);
    }
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    auto& choices = by_lane_[static_cast<std::size_t>(std::countr_zero(lanes))];
    append(first_of(lanes), entry(at, choices));
    choices.clear();
  }
}

SharedChoices::Entry SharedChoices::entry(std::uint32_t at, std::span<const std::uint8_t> choices) {
  const auto count = static_cast<std::uint32_t>(choices.size());
  if (choices.back() - choices.front() + 1u == count) return {at, choices.front(), count};
  const auto begin = static_cast<std::uint32_t>(choices_.size());
  choices_.insert(choices_.end(), choices.begin(), choices.end());
  return {at, begin, count};
}

void SharedChoices::append(Lanes lanes, const Entry& one) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    entries_[lane * switch_count_ + count_[lane]++] = one;
  }
}

void SharedChoices::offer_all(std::size_t lane, bool nearest_first, Ways& ways) const {
  const Entry* entries = entries_.data() + lane * switch_count_;
  const std::size_t count = count_[lane];
  ways.borrow(choices_);
  for (std::size_t i = 0; i < count; ++i) {
    const Entry& one = entries[nearest_first ? i : count - 1 - i];
    ways.add_switch(SwitchIndex{one.at});
    ways.offer_borrowed(SwitchIndex{one.at}, one.begin, one.count);
  }
}

}  // namespace heddle::routing
