// SPDX-License-Identifier: BSD-3-Clause
// Multicast LIDs for groups, from 0xC000 on. While there are free ones every group gets its own;
// when they run out, groups share. A freed LID goes to the end of the queue, because hosts and
// packets may remember it for a while.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

// 0xC000 .. 0xFFFE; 0xFFFF is the permissive LID.
inline constexpr std::size_t kMaxMlids = 0x3FFF;

// What groups on one LID should have in common.
struct SharingTerms {
  mad::PKey p_key{};
  mad::Mtu mtu{};
  std::uint8_t rate{};
  mad::ServiceLevel sl{};
  bool solicited_node{};
  friend auto operator<=>(const SharingTerms&, const SharingTerms&) = default;
};

class MlidPool {
 public:
  // `capacity` LIDs, clamped to 1..kMaxMlids: the least MulticastFDBCap of the switches that have
  // multicast tables.
  explicit MlidPool(std::size_t capacity = kMaxMlids);

  // A LID for one more group: a free one, else the one with the fewest groups among those of the
  // same terms, else of the same P_Key, else of all; among those, LIDs of solicited-node groups
  // first. Never fails.
  mad::Lid take(const SharingTerms& terms);
  // This LID if it is free, whoever asked for it; false otherwise.
  bool take_free(mad::Lid mlid, const SharingTerms& terms);
  // One more group on a LID in use.
  void share(mad::Lid mlid);
  // One group less.
  void release(mad::Lid mlid);

  // Groups on a LID; 0 for any other number.
  std::size_t groups_on(mad::Lid mlid) const;
  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const { return in_use_; }

  // LIDs above a smaller capacity stay with their groups until they are released.
  void set_capacity(std::size_t capacity);

 private:
  struct Use {
    std::size_t groups = 0;
    SharingTerms terms;
  };
  using Ranking = std::set<std::pair<std::size_t, std::uint16_t>>;  // fewest groups first
  std::optional<std::uint16_t> next_free();
  void start(std::uint16_t index, const SharingTerms& terms);
  void recount(std::uint16_t index, std::size_t groups);
  std::optional<std::uint16_t> best_shared(const SharingTerms& terms) const;

  std::size_t capacity_;
  std::size_t in_use_ = 0;
  std::vector<Use> uses_;  // by LID - 0xC000; as far as ever handed out or asked for
  std::uint16_t next_fresh_ = 0;
  std::deque<std::uint16_t> freed_;
  std::map<SharingTerms, Ranking> in_use_by_terms_;
};

}  // namespace heddle::multicast
