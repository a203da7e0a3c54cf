// SPDX-License-Identifier: BSD-3-Clause
#include "multicast/mlid_pool.hpp"

#include <algorithm>
#include <tuple>

#include "base/check.hpp"

namespace heddle::multicast {
namespace {

std::size_t clamped(std::size_t capacity) {
  return std::clamp<std::size_t>(capacity, 1, kMaxMlids);
}

std::optional<std::uint16_t> index_of(mad::Lid mlid) {
  const auto index = mlid.value - mad::kFirstMulticastLid.value;
  if (index < 0 || index >= static_cast<int>(kMaxMlids)) return std::nullopt;
  return static_cast<std::uint16_t>(index);
}

mad::Lid lid_of(std::uint16_t index) {
  return mad::Lid{static_cast<std::uint16_t>(mad::kFirstMulticastLid.value + index)};
}

}  // namespace

MlidPool::MlidPool(std::size_t capacity) : capacity_(clamped(capacity)) {}

void MlidPool::set_capacity(std::size_t capacity) {
  capacity_ = clamped(capacity);
}

std::size_t MlidPool::groups_on(mad::Lid mlid) const {
  const auto index = index_of(mlid);
  return index && *index < uses_.size() ? uses_[*index].groups : 0;
}

std::optional<std::uint16_t> MlidPool::next_free() {
  while (next_fresh_ < capacity_) {
    const std::uint16_t index = next_fresh_++;
    if (groups_on(lid_of(index)) == 0) return index;
  }
  const auto found = std::find_if(freed_.begin(), freed_.end(),
                                  [&](std::uint16_t index) { return index < capacity_; });
  if (found == freed_.end()) return std::nullopt;
  const std::uint16_t index = *found;
  freed_.erase(found);
  return index;
}

void MlidPool::start(std::uint16_t index, const SharingTerms& terms) {
  if (index >= uses_.size()) uses_.resize(index + 1u);
  uses_[index].terms = terms;
  ++in_use_;
  recount(index, 1);
}

void MlidPool::recount(std::uint16_t index, std::size_t groups) {
  Use& use = uses_[index];
  const auto ranking = in_use_by_terms_.try_emplace(use.terms).first;
  ranking->second.erase({use.groups, index});
  if (groups != 0) ranking->second.emplace(groups, index);
  if (ranking->second.empty()) in_use_by_terms_.erase(ranking);
  use.groups = groups;
}

// The three levels are ranges of one map, because the P_Key is what it is sorted by first.
std::optional<std::uint16_t> MlidPool::best_shared(const SharingTerms& terms) const {
  const auto level = [&](const SharingTerms& one) {
    if (one.p_key != terms.p_key) return 2;
    return one.mtu == terms.mtu && one.rate == terms.rate && one.sl == terms.sl ? 0 : 1;
  };
  const SharingTerms least_of_key{terms.p_key, mad::Mtu{}, 0, {}, false};
  auto first = in_use_by_terms_.lower_bound(least_of_key);
  std::optional<std::uint16_t> best;
  std::tuple<int, bool, std::size_t> best_rank;
  for (bool own_key = true;; ++first) {
    const bool at_end =
        first == in_use_by_terms_.end() || (own_key && first->first.p_key != terms.p_key);
    if (at_end && (best || !own_key)) break;
    if (at_end) {
      own_key = false;
      first = in_use_by_terms_.begin();
    }
    // Above a capacity that shrank there are some that not all switches can hold any more.
    const Ranking& ranking = first->second;
    const auto fewest = std::find_if(ranking.begin(), ranking.end(),
                                     [&](const auto& use) { return use.second < capacity_; });
    if (fewest == ranking.end()) continue;
    const auto [groups, index] = *fewest;
    const std::tuple rank{level(first->first), !first->first.solicited_node, groups};
    if (best && rank >= best_rank) continue;
    best = index;
    best_rank = rank;
  }
  return best;
}

mad::Lid MlidPool::take(const SharingTerms& terms) {
  if (const auto index = next_free()) {
    start(*index, terms);
    return lid_of(*index);
  }
  const auto index = best_shared(terms);
  HEDDLE_CHECK(index);  // nothing is free, so something is in use
  recount(*index, uses_[*index].groups + 1);
  return lid_of(*index);
}

bool MlidPool::take_free(mad::Lid mlid, const SharingTerms& terms) {
  const auto index = index_of(mlid);
  if (!index || *index >= capacity_ || groups_on(mlid) != 0) return false;
  freed_.erase(std::remove(freed_.begin(), freed_.end(), *index), freed_.end());
  start(*index, terms);
  return true;
}

void MlidPool::share(mad::Lid mlid) {
  HEDDLE_CHECK(groups_on(mlid) != 0);
  const auto index = *index_of(mlid);
  recount(index, uses_[index].groups + 1);
}

void MlidPool::release(mad::Lid mlid) {
  HEDDLE_CHECK(groups_on(mlid) != 0);
  const auto index = *index_of(mlid);
  recount(index, uses_[index].groups - 1);
  if (uses_[index].groups != 0) return;
  --in_use_;
  // One that was asked for before its turn comes round as a fresh one.
  if (index < next_fresh_) freed_.push_back(index);
}

}  // namespace heddle::multicast
