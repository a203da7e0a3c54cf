// SPDX-License-Identifier: BSD-3-Clause
// Tables of which some switches hold old entries and some new ones, LID by LID. Internal to the
// planning of transitions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fabric/survey.hpp"
#include "mad/types.hpp"
#include "routing/transition.hpp"

namespace heddle::routing {

inline constexpr std::uint8_t kEmpty = mad::kNoPortNumber.value;

// A block without a route.
inline constexpr std::array<std::uint8_t, fabric::kLftBlockLids> kEmptyBlock = [] {
  std::array<std::uint8_t, fabric::kLftBlockLids> none{};
  none.fill(kEmpty);
  return none;
}();

template <class Visit>
void for_each_bit(std::uint64_t bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

inline std::size_t count_bits(const std::vector<std::uint64_t>& words) {
  std::size_t sum = 0;
  for (const std::uint64_t word : words) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

// Entries of one block of LIDs, old and new, each LID's of all switches side by side.
class TwoColumns {
 public:
  TwoColumns(const fabric::Wiring& wiring, const std::vector<const std::uint8_t*>& old_rows,
             std::size_t old_size, const fabric::ForwardingTables& wanted)
      : wiring_(wiring),
        old_rows_(old_rows),
        old_size_(old_size),
        wanted_(wanted),
        switches_(old_rows.size()),
        old_(fabric::kLftBlockLids * switches_),
        new_(fabric::kLftBlockLids * switches_),
        pending_(switches_) {}

  // Bits of the LIDs in the block that have other entries somewhere, and of those among them that
  // have another one in place of one that led somewhere.
  struct Differing {
    std::uint64_t changed = 0;
    std::uint64_t replaced = 0;
  };
  Differing load(std::size_t block) {
    Differing found;
    const std::size_t at = block * fabric::kLftBlockLids;
    for (std::size_t s = 0; s < switches_; ++s) {
      const auto fresh = wanted_.block(fabric::SwitchIndex{static_cast<std::uint32_t>(s)}, block);
      const bool held = old_rows_[s] != nullptr && at < old_size_;
      const std::uint8_t* before = held ? old_rows_[s] + at : kEmptyBlock.data();
      if (std::memcmp(before, fresh.data(), fabric::kLftBlockLids) == 0) continue;
      for (std::size_t i = 0; i < fabric::kLftBlockLids; ++i) {
        if (before[i] == fresh[i]) continue;
        found.changed |= std::uint64_t{1} << i;
        if (before[i] != kEmpty) found.replaced |= std::uint64_t{1} << i;
      }
    }
    if (found.changed != 0) transpose(block);
    return found;
  }

  // Of replaced ones. Whether packets to the LID could go round where some switches hold old
  // entries, some new ones.
  bool may_circle(std::size_t index) {
    std::fill(pending_.begin(), pending_.end(), 0);
    for (std::uint32_t s = 0; s < switches_; ++s) {
      for_each_next(index, s, [&](std::uint32_t next) { ++pending_[next]; });
    }
    settled_.clear();
    for (std::uint32_t s = 0; s < switches_; ++s) {
      if (pending_[s] == 0) settled_.push_back(s);
    }
    for (std::size_t i = 0; i < settled_.size(); ++i) {
      for_each_next(index, settled_[i], [&](std::uint32_t next) {
        if (--pending_[next] == 0) settled_.push_back(next);
      });
    }
    return settled_.size() < switches_;
  }

  // The entries that must wait for others. False if they would need more steps than there are.
  bool put_in_order(std::size_t index, mad::Lid lid, std::vector<Transition::Late>& late) {
    constexpr std::uint32_t kUnknown = 0xFFFF'FFFF;
    std::fill(pending_.begin(), pending_.end(), kUnknown);  // here: changed ones from here on
    const std::size_t before = late.size();
    for (std::uint32_t s = 0; s < switches_; ++s) {
      settled_.clear();
      std::uint32_t at = s;
      while (at != fabric::kNowhere && pending_[at] == kUnknown && settled_.size() <= switches_) {
        settled_.push_back(at);
        at = wiring_.step(at, outs(index, at)[1]);
      }
      if (settled_.size() > switches_) {  // goes round by itself: nobody's LID
        late.resize(before);
        return false;
      }
      std::uint32_t behind = at == fabric::kNowhere ? 0 : pending_[at];
      for (; !settled_.empty(); settled_.pop_back()) {
        const std::uint32_t here = settled_.back();
        const auto [old, now] = outs(index, here);
        if (old != now) ++behind;
        pending_[here] = behind;
        if (old == now || behind == 1) continue;
        late.push_back({fabric::SwitchIndex{here}, lid, static_cast<std::uint8_t>(behind - 1)});
        if (behind <= Transition::kMostSteps) continue;
        late.resize(before);
        return false;
      }
    }
    return true;
  }

  // Old and new; the same twice where nothing changed.
  std::array<std::uint8_t, 2> outs(std::size_t index, std::uint32_t at) const {
    return {old_[index * switches_ + at], new_[index * switches_ + at]};
  }

  template <class Visit>
  void for_each_next(std::size_t index, std::uint32_t at, const Visit& visit,
                     bool only_old = false) const {
    const auto [before, now] = outs(index, at);
    const std::uint32_t first = wiring_.step(at, before);
    if (first != fabric::kNowhere) visit(first);
    if (before == now || only_old) return;
    const std::uint32_t second = wiring_.step(at, now);
    if (second != fabric::kNowhere && second != first) visit(second);
  }

 private:
  void transpose(std::size_t block) {
    const std::size_t at = block * fabric::kLftBlockLids;
    for (std::size_t s = 0; s < switches_; ++s) {
      const auto fresh = wanted_.block(fabric::SwitchIndex{static_cast<std::uint32_t>(s)}, block);
      const bool held = old_rows_[s] != nullptr && at < old_size_;
      for (std::size_t i = 0; i < fabric::kLftBlockLids; ++i) {
        old_[i * switches_ + s] = held ? old_rows_[s][at + i] : kEmpty;
        new_[i * switches_ + s] = fresh[i];
      }
    }
  }

  const fabric::Wiring& wiring_;
  const std::vector<const std::uint8_t*>& old_rows_;
  std::size_t old_size_;
  const fabric::ForwardingTables& wanted_;
  std::size_t switches_;
  std::vector<std::uint8_t> old_, new_;
  std::vector<std::uint32_t> pending_;  // by switch: ways in that are not settled yet
  std::vector<std::uint32_t> settled_;
};

// What packets of channel adapters to one LID may wait for, in any mixture; or, if they are written
// in order, in any where whoever has a new entry sends to such as have theirs.
class Mixer {
 public:
  explicit Mixer(const fabric::Survey& survey)
      : survey_(survey), passed_(survey.has_hosts.size()) {}

  // Calls visit(held, next) for channels of the topology, the same ones more than once. Or, if
  // only_old, for what is in place before anything is written.
  template <class Visit>
  void for_each(const TwoColumns& columns, std::size_t index, mad::Lid lid, bool in_order,
                const Visit& visit, bool only_old = false) {
    mark_passed(columns, index, lid);
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (!passed_[s]) continue;
      const auto [before, now] = columns.outs(index, s);
      visit_from(columns, index, s, before, only_old ? Then::Old : Then::Either, visit);
      if (before == now || only_old) continue;
      visit_from(columns, index, s, now, in_order ? Then::New : Then::Either, visit);
    }
  }

 private:
  // To a host everybody may send; to a switch, or to nobody, only hosts do.
  void mark_passed(const TwoColumns& columns, std::size_t index, mad::Lid lid) {
    const bool owned = lid.value < survey_.targets.size() &&
                       survey_.targets[lid.value].at != fabric::kNowhere &&
                       survey_.targets[lid.value].switch_row == fabric::kNowhere;
    std::fill(passed_.begin(), passed_.end(), owned);
    if (owned) return;
    found_.clear();
    const auto meet = [this](std::uint32_t at) {
      if (passed_[at]) return;
      passed_[at] = true;
      found_.push_back(at);
    };
    for (std::uint32_t s = 0; s < passed_.size(); ++s) {
      if (survey_.has_hosts[s] != 0) meet(s);
    }
    for (std::size_t i = 0; i < found_.size(); ++i) columns.for_each_next(index, found_[i], meet);
  }

  enum class Then : std::uint8_t { Old, New, Either };
  template <class Visit>
  void visit_from(const TwoColumns& columns, std::size_t index, std::uint32_t at, std::uint8_t out,
                  Then which, const Visit& visit) const {
    const auto held = channel_of(fabric::SwitchIndex{at}, out);
    if (held == fabric::kNoChannel) return;
    const fabric::SwitchIndex next = survey_.topology.channels()[held.value].to;
    const auto [before, now] = columns.outs(index, next.value);
    for (const std::uint8_t then :
         {which == Then::New ? now : before, which == Then::Old ? before : now}) {
      const auto onward = channel_of(next, then);
      if (onward != fabric::kNoChannel) visit(held, onward);
    }
  }

  fabric::ChannelIndex channel_of(fabric::SwitchIndex at, std::uint8_t out) const {
    return survey_.topology.channel_by_entry(at, out);
  }

  const fabric::Survey& survey_;
  std::vector<bool> passed_;  // by switch
  std::vector<std::uint32_t> found_;
};

// LIDs whose entries differ: by block, a bit each.
struct ChangedColumns {
  std::vector<std::uint64_t> changed, replaced, circling, endless;
  std::vector<std::vector<Transition::Late>> late;
};

// All that the finding of credit loops needs.
struct Mixture {
  const fabric::Survey& survey;
  const fabric::LidMap& lids;
  const Selected& wanted;
  const std::vector<const std::uint8_t*>& rows;
  const InPlace& in_place;
  const ChangedColumns& found;

  std::uint64_t mixed(std::size_t block) const {
    return found.changed[block] & ~found.endless[block];
  }
  // What is new where nothing was can only do in part what all of it does, which is among what is
  // wanted. It matters nevertheless beside old entries that are emptied.
  std::uint64_t replaced(std::size_t block) const { return found.replaced[block] & mixed(block); }
  bool in_order(std::size_t block, std::size_t index) const {
    return (found.circling[block] >> index & 1) != 0;
  }
  TwoColumns columns() const {
    return {survey.wiring, rows, in_place.tables->row_size(), wanted.routes.tables};
  }
};

}  // namespace heddle::routing
