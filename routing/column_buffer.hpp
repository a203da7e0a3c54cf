// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables are made LID by LID and lie in memory switch by switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.hpp"

namespace heddle::routing {

// Keeps the entries of some LIDs at hand before they go to the rows of all switches: one entry at a
// time would cost a cache miss for each. LIDs side by side go there soon, while what is kept is in
// the cache yet. Others would only spread the misses, so all of them go at once.
class ColumnBuffer {
 public:
  // lids: all that will be routed, in that order. widest: how many at once, at most.
  ColumnBuffer(std::vector<std::uint16_t> lids, std::size_t switch_count, std::size_t widest);

  // Makes room for the next `width` LIDs, whose entries have any value.
  void begin(std::size_t width, fabric::ForwardingTables& tables);
  // Those entries start without a route.
  void clear();
  std::uint8_t* at(fabric::SwitchIndex of) { return entries_.data() + of.value * pitch_ + column_; }
  // Another switch's become the same.
  void copy(fabric::SwitchIndex from, fabric::SwitchIndex to);
  // The LIDs of these entries.
  const std::uint16_t* lids() const { return lids_.data() + first_ + column_; }
  void flush(fabric::ForwardingTables& tables);

 private:
  struct Run {
    std::size_t column = 0, lid = 0, count = 0;
  };
  std::vector<Run> runs(std::span<const std::uint16_t> lids) const;

  std::vector<std::uint16_t> lids_;
  std::size_t switch_count_;
  std::size_t pitch_ = 0;              // from one switch to the next
  std::vector<std::uint8_t> entries_;  // by (switch, LID of those kept)
  std::size_t first_ = 0;              // of lids_: the first that is kept
  std::size_t column_ = 0;             // of these: where the LIDs in hand begin
  std::size_t width_ = 0;              // and how many they are
};

}  // namespace heddle::routing
