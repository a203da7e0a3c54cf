// SPDX-License-Identifier: BSD-3-Clause
#include "routing/column_buffer.hpp"

#include <algorithm>
#include <utility>

#include "base/cache_line.hpp"
#include "mad/types.hpp"

namespace heddle::routing {
namespace {

constexpr std::size_t kKept = 128;   // LIDs, of those side by side
constexpr std::size_t kWorthIt = 4;  // side by side, on average
constexpr std::size_t kWord = 8;
// Rows are so far apart that no processor foresees the next one. Of very many places in a row too
// few would stay until they are written to.
constexpr std::uint32_t kAhead = 8;  // rows
constexpr std::size_t kFewRuns = 16;

// Most runs are the hosts of one switch: too short for a call.
void copy_run(const std::uint8_t* from, std::size_t count, std::uint8_t* to) {
  if (count < kWord) {
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (std::size_t i = 0; i + kWord < count; i += kWord) std::copy_n(from + i, kWord, to + i);
  std::copy_n(from + count - kWord, kWord, to + count - kWord);
}

// Brings what is about to be written there into the cache.
void fetch_run(const std::uint8_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; i += base::kCacheLine) __builtin_prefetch(to + i, 1);
  __builtin_prefetch(to + count - 1, 1);
}

}  // namespace

ColumnBuffer::ColumnBuffer(std::vector<std::uint16_t> lids, std::size_t switch_count,
                           std::size_t widest)
    : lids_(std::move(lids)), switch_count_(switch_count) {
  const bool side_by_side = runs(lids_).size() * kWorthIt <= lids_.size();
  pitch_ = side_by_side ? std::max(kKept, widest) : lids_.size();
  entries_.resize(switch_count_ * pitch_);
}

void ColumnBuffer::begin(std::size_t width, fabric::ForwardingTables& tables) {
  column_ += width_;
  width_ = 0;
  if (column_ + width > pitch_) flush(tables);
  width_ = width;
}

void ColumnBuffer::clear() {
  for (std::uint32_t s = 0; s < switch_count_; ++s) {
    std::fill_n(at(fabric::SwitchIndex{s}), width_, mad::kNoPortNumber.value);
  }
}

void ColumnBuffer::copy(fabric::SwitchIndex from, fabric::SwitchIndex to) {
  copy_run(at(from), width_, at(to));
}

void ColumnBuffer::flush(fabric::ForwardingTables& tables) {
  column_ += width_;
  const auto kept = runs(std::span(lids_).subspan(first_, column_));
  const bool few = kept.size() <= kFewRuns;
  for (std::uint32_t s = 0; s < switch_count_; ++s) {
    if (few && s + kAhead < switch_count_) {
      const std::uint8_t* soon = tables.row(fabric::SwitchIndex{s + kAhead}).data();
      for (const Run& run : kept) fetch_run(soon + run.lid, run.count);
    }
    std::uint8_t* row = tables.row(fabric::SwitchIndex{s}).data();
    const std::uint8_t* entries = entries_.data() + s * pitch_;
    for (const Run& run : kept) copy_run(entries + run.column, run.count, row + run.lid);
  }
  first_ += column_;
  column_ = width_ = 0;
}

std::vector<ColumnBuffer::Run> ColumnBuffer::runs(std::span<const std::uint16_t> lids) const {
  std::vector<Run> found;
  for (std::size_t column = 0; column < lids.size(); ++column) {
    const bool goes_on = column > 0 && lids[column] == lids[column - 1] + 1;
    if (!goes_on) found.push_back({column, lids[column], 0});
    ++found.back().count;
  }
  return found;
}

}  // namespace heddle::routing
