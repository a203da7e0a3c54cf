// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/memberships.hpp"

#include <algorithm>
#include <utility>

namespace heddle::partitions {

std::span<const mad::PKey> Memberships::of(fabric::PortIndex port) const {
  const List* list = list_of(port);
  return list == nullptr ? std::span<const mad::PKey>{} : list->table;
}

std::span<const mad::PKey> Memberships::through(fabric::PortIndex port) const {
  const auto shared = list_through_.find(port);
  if (shared == list_through_.end()) return of(port);
  if (shared->second == kNoList) return {};
  return lists_[shared->second].table;
}

const Memberships::List* Memberships::list_of(fabric::PortIndex port) const {
  if (port.value >= list_of_port_.size()) return nullptr;
  const std::uint32_t list = list_of_port_[port.value];
  return list == kNoList ? nullptr : &lists_[list];
}

std::uint8_t Memberships::kinds(const List& list, BaseKey key) {
  const auto found = std::lower_bound(list.held.begin(), list.held.end(), Held{key, 0});
  return found != list.held.end() && found->key == key ? found->kinds : std::uint8_t{0};
}

bool Memberships::holds(fabric::PortIndex port, mad::PKey p_key) const {
  const List* list = list_of(port);
  return list != nullptr && kinds(*list, base_of(p_key)) != 0;
}

std::optional<Membership> Memberships::membership(fabric::PortIndex port, BaseKey key) const {
  const List* list = list_of(port);
  switch (list == nullptr ? 0 : kinds(*list, key)) {
    case kHoldsLimited:
      return Membership::Limited;
    case kHoldsFull:
      return Membership::Full;
    case kHoldsLimited | kHoldsFull:
      return Membership::Both;
    default:
      return std::nullopt;
  }
}

// The partitions of both lists, by base key, until visit(key, kinds of a, kinds of b) says true.
// The shorter list is walked and the longer one searched: one of them is nearly always short.
template <class Visit>
bool Memberships::any_common(const List& a, const List& b, const Visit& visit) {
  const bool swapped = b.held.size() < a.held.size();
  const List& walked = swapped ? b : a;
  const List& searched = swapped ? a : b;
  auto from = searched.held.begin();
  for (const Held& held : walked.held) {
    from = std::lower_bound(from, searched.held.end(), Held{held.key, 0});
    if (from == searched.held.end()) return false;
    if (from->key != held.key) continue;
    const std::uint8_t of_a = swapped ? from->kinds : held.kinds;
    const std::uint8_t of_b = swapped ? held.kinds : from->kinds;
    if (visit(held.key, of_a, of_b)) return true;
  }
  return false;
}

bool Memberships::may_talk(fabric::PortIndex a, fabric::PortIndex b) const {
  const List* of_a = list_of(a);
  const List* of_b = list_of(b);
  if (of_a == nullptr || of_b == nullptr) return false;
  if (a == b) return true;
  // Most fabrics talk through Default.
  if (((kinds(*of_a, kDefaultBaseKey) | kinds(*of_b, kDefaultBaseKey)) & kHoldsFull) != 0)
    return true;
  return any_common(*of_a, *of_b, [](BaseKey, std::uint8_t one, std::uint8_t other) {
    return ((one | other) & kHoldsFull) != 0;
  });
}

bool Memberships::may_talk_with(fabric::PortIndex a, fabric::PortIndex b, mad::PKey p_key) const {
  const List* of_a = list_of(a);
  const List* of_b = list_of(b);
  if (of_a == nullptr || of_b == nullptr) return false;
  const std::uint8_t one = kinds(*of_a, base_of(p_key));
  const std::uint8_t other = kinds(*of_b, base_of(p_key));
  if (one == 0 || other == 0) return false;
  return a == b || ((one | other) & kHoldsFull) != 0;
}

std::vector<mad::PKey> Memberships::common_keys(fabric::PortIndex a, fabric::PortIndex b,
                                                std::size_t limit) const {
  std::vector<mad::PKey> keys;
  const List* of_a = list_of(a);
  const List* of_b = list_of(b);
  if (of_a == nullptr || of_b == nullptr || limit == 0) return keys;
  any_common(*of_a, *of_b, [&](BaseKey key, std::uint8_t one, std::uint8_t other) {
    if (a == b || ((one | other) & kHoldsFull) != 0) {
      keys.push_back((one & kHoldsFull) != 0 ? full_key(key) : limited_key(key));
    }
    return keys.size() == limit;
  });
  return keys;
}

std::optional<mad::PKey> Memberships::best_common_key(fabric::PortIndex a,
                                                      fabric::PortIndex b) const {
  const std::span<const mad::PKey> table_a = of(a);
  const std::span<const mad::PKey> table_b = of(b);
  if (table_a.empty() || table_b.empty()) return std::nullopt;
  const mad::PKey first = table_a.front();
  if (base_of(first) == base_of(table_b.front()) && may_talk_with(a, b, first)) return first;
  // Default has the highest key there is, so it comes last.
  const std::vector<mad::PKey> lowest = common_keys(a, b, 1);
  return lowest.empty() ? std::nullopt : std::optional(lowest.front());
}

const Partition* Memberships::find(BaseKey key) const {
  const auto found = std::lower_bound(
      by_key_.begin(), by_key_.end(), key,
      [&](std::uint32_t index, BaseKey wanted) { return policy_.partitions[index].key < wanted; });
  if (found == by_key_.end() || policy_.partitions[*found].key != key) return nullptr;
  return &policy_.partitions[*found];
}

}  // namespace heddle::partitions
