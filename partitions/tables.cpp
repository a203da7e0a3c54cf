// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/tables.hpp"

#include <algorithm>
#include <cstddef>

#include "partitions/policy.hpp"

namespace heddle::partitions {
namespace {

constexpr mad::PKey kFree{};

mad::PKey other_membership(mad::PKey key) {
  return mad::PKey{static_cast<std::uint16_t>(key.value ^ kFullMemberBit)};
}

// The last block may hold fewer entries.
template <class Entries>
auto of_block(Entries& entries, std::size_t block) {
  const std::size_t first = block * mad::kPKeysPerBlock;
  return std::span(entries).subspan(first, std::min(mad::kPKeysPerBlock, entries.size() - first));
}

// The entries of a table, and which wanted keys have found a place among them.
class Plan {
 public:
  Plan(const HeldTable& held, std::span<const mad::PKey> wanted);

  void keep_what_stays();
  void replace_by_other_membership();
  void put_first_at_index0();
  void put_default();
  void fill_free_entries();
  TablePlan result() const;

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  struct Wanted {
    mad::PKey key{};
    std::size_t entry = kNowhere;
  };

  Wanted* find(mad::PKey key);
  std::size_t lowest_free();
  void place(Wanted& wanted, std::size_t entry);

  const HeldTable& held_;
  std::vector<mad::PKey> before_;      // by index; what was not read is 0
  std::vector<mad::PKey> entries_;     // by index
  std::vector<Wanted> wanted_;         // as wished
  std::vector<std::uint32_t> by_key_;  // of wanted_
  std::size_t free_from_ = 0;          // no entry below is free
};

Plan::Plan(const HeldTable& held, std::span<const mad::PKey> wanted) : held_(held) {
  before_.resize(held.capacity);
  const std::size_t known = std::min(held.blocks.size(), mad::p_key_block_count(held.capacity));
  for (std::size_t block = 0; block < known; ++block) {
    if (!held.blocks[block]) continue;
    const std::span<mad::PKey> entries = of_block(before_, block);
    std::copy_n(held.blocks[block]->p_keys.begin(), entries.size(), entries.begin());
  }
  entries_.resize(before_.size());
  for (const mad::PKey key : wanted) {
    if (base_of(key).value != 0) wanted_.push_back({key});
  }
  by_key_.resize(wanted_.size());
  for (std::uint32_t i = 0; i < by_key_.size(); ++i) by_key_[i] = i;
  std::sort(by_key_.begin(), by_key_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return wanted_[a].key < wanted_[b].key; });
}

Plan::Wanted* Plan::find(mad::PKey key) {
  const auto found =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [&](std::uint32_t i, mad::PKey value) { return wanted_[i].key < value; });
  if (found == by_key_.end() || wanted_[*found].key != key) return nullptr;
  return &wanted_[*found];
}

void Plan::place(Wanted& wanted, std::size_t entry) {
  wanted.entry = entry;
  entries_[entry] = wanted.key;
}

std::size_t Plan::lowest_free() {
  while (free_from_ < entries_.size() && entries_[free_from_] != kFree) ++free_from_;
  return free_from_ < entries_.size() ? free_from_ : kNowhere;
}

void Plan::keep_what_stays() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (before_[i] == kFree) continue;
    Wanted* wanted = find(before_[i]);
    if (wanted != nullptr && wanted->entry == kNowhere) place(*wanted, i);
  }
}

void Plan::replace_by_other_membership() {
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (entries_[i] != kFree || before_[i] == kFree) continue;
    Wanted* wanted = find(other_membership(before_[i]));
    if (wanted != nullptr && wanted->entry == kNowhere) place(*wanted, i);
  }
}

void Plan::put_first_at_index0() {
  if (entries_.empty() || wanted_.empty() || wanted_.front().entry == 0) return;
  Wanted* moved = find(entries_[0]);
  const std::size_t left = wanted_.front().entry;
  if (left != kNowhere) entries_[left] = kFree;
  place(wanted_.front(), 0);
  if (moved == nullptr) return;
  const std::size_t entry = left != kNowhere ? left : lowest_free();
  moved->entry = kNowhere;
  if (entry != kNowhere) place(*moved, entry);
}

// Nobody reaches the subnet manager without it: it comes before keys that stood here.
void Plan::put_default() {
  for (const mad::PKey key : {full_key(kDefaultBaseKey), limited_key(kDefaultBaseKey)}) {
    Wanted* wanted = find(key);
    if (wanted == nullptr || wanted->entry != kNowhere || entries_.size() < 2) continue;
    std::size_t entry = lowest_free();
    if (entry == kNowhere) {
      entry = entries_.size() - 1;
      find(entries_[entry])->entry = kNowhere;
    }
    place(*wanted, entry);
  }
}

void Plan::fill_free_entries() {
  for (Wanted& wanted : wanted_) {
    if (wanted.entry != kNowhere) continue;
    const std::size_t entry = lowest_free();
    if (entry == kNowhere) return;
    place(wanted, entry);
  }
}

TablePlan Plan::result() const {
  TablePlan plan;
  plan.blocks.resize(mad::p_key_block_count(held_.capacity));
  for (std::size_t block = 0; block < plan.blocks.size(); ++block) {
    const std::span<const mad::PKey> wanted = of_block(entries_, block);
    std::copy(wanted.begin(), wanted.end(), plan.blocks[block].p_keys.begin());
    const std::span<const mad::PKey> before = of_block(before_, block);
    const bool read = block < held_.blocks.size() && held_.blocks[block].has_value();
    if (!read || !std::equal(wanted.begin(), wanted.end(), before.begin())) {
      plan.to_write.push_back(static_cast<std::uint16_t>(block));
    }
  }
  for (const Wanted& wanted : wanted_) {
    if (wanted.entry == kNowhere) plan.left_out.push_back(wanted.key);
  }
  return plan;
}

}  // namespace

TablePlan plan_table(const HeldTable& held, std::span<const mad::PKey> wanted) {
  Plan plan(held, wanted);
  plan.keep_what_stays();
  plan.replace_by_other_membership();
  plan.put_first_at_index0();
  plan.put_default();
  plan.fill_free_entries();
  return plan.result();
}

}  // namespace heddle::partitions
