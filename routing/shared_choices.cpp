// SPDX-License-Identifier: BSD-3-Clause
#include "routing/shared_choices.hpp"

#include <bit>
#include <numeric>

namespace heddle::routing {
namespace {

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
      order_(std::make_unique_for_overwrite<std::uint32_t[]>(kLanes * switch_count)),
      choices_(kPositions),
      by_lane_(kLanes) {
  std::iota(choices_.begin(), choices_.end(), std::uint8_t{0});
}

void SharedChoices::clear() {
  steps_.clear();
  choices_.resize(kPositions);
  count_.fill(0);
}

void SharedChoices::add(std::uint32_t at, Lanes lanes, std::span<const Lead> leads) {
  if (leads.empty()) return append(at, lanes, {});
  if (add_if_all_alike(at, lanes, leads)) return;
  for (unsigned set = 0; set < kSetsShared && lanes != 0; ++set) {
    const Lanes some = alike(lanes, leads);
    chosen_.clear();
    for (const Lead& lead : leads) {
      if (lead.lanes & first_of(some)) chosen_.push_back(lead.position);
    }
    append(at, some, chosen_);
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
  append(at, lanes, chosen_);
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
    append(at, first_of(lanes), choices);
    choices.clear();
  }
}

void SharedChoices::append(std::uint32_t at, Lanes lanes, std::span<const std::uint8_t> choices) {
  const auto step = static_cast<std::uint32_t>(steps_.size());
  const auto count = static_cast<std::uint32_t>(choices.size());
  if (choices.empty() || choices.back() - choices.front() + 1u == count) {
    steps_.push_back({at, choices.empty() ? 0u : choices.front(), count});
  } else {
    steps_.push_back({at, static_cast<std::uint32_t>(choices_.size()), count});
    choices_.insert(choices_.end(), choices.begin(), choices.end());
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    order_[lane * switch_count_ + count_[lane]++] = step;
  }
}

}  // namespace heddle::routing
