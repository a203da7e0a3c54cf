// SPDX-License-Identifier: BSD-3-Clause
// Linear forwarding tables of all switches: 3,840 switches by 49,151 LIDs are 188 MB. Tables that
// differ little from others share with them all chunks that are the same, so a repair costs neither
// the memory nor the copying of all, and what is shared need not be compared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/raw_bytes.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"

namespace heddle::fabric {

inline constexpr std::size_t kLftBlockLids = 64;  // one LinearForwardingTable attribute

class ForwardingTables {
 public:
  // What is shared or not; a few blocks.
  static constexpr std::size_t kChunk = 4 * kLftBlockLids;

  ForwardingTables() = default;
  // Rows cover LIDs 0 .. top, rounded up to whole blocks; every entry starts without a route.
  ForwardingTables(std::size_t switch_count, mad::Lid top,
                   const base::ParallelFor& parallel = base::inline_for);
  // Row s has the entries of row_of[s] of `base`, which nobody may change any more.
  ForwardingTables(std::shared_ptr<const ForwardingTables> base,
                   std::span<const SwitchIndex> row_of);
  // A copy shares nothing.
  ForwardingTables(const ForwardingTables& other);
  ForwardingTables& operator=(const ForwardingTables& other) {
    return *this = ForwardingTables(other);
  }
  ForwardingTables(ForwardingTables&&) noexcept = default;
  ForwardingTables& operator=(ForwardingTables&&) noexcept = default;
  ~ForwardingTables() = default;

  std::size_t switch_count() const { return switches_; }
  std::size_t row_size() const { return row_bytes_; }
  std::size_t block_count() const { return row_bytes_ / kLftBlockLids; }
  std::size_t chunk_count() const { return chunks_each_; }  // of a row; the last may be shorter

  // Out port by LID; 255 is no route. The raw bytes, because the hot loops live here. Threads may
  // write at the same time to tables that share nothing. To read whole rows of such as do costs a
  // copy of each row that is not all shared, once; what is written to the row later is seen there.
  std::span<std::uint8_t> row(SwitchIndex of) {
    if (base_ == nullptr) return {entries_.data() + of.value * pitch_, row_bytes_};
    return {own_row(of), row_bytes_};
  }
  std::span<const std::uint8_t> row(SwitchIndex of) const {
    if (base_ == nullptr) return {entries_.data() + of.value * pitch_, row_bytes_};
    return {whole_row(of), row_bytes_};
  }

  // One chunk: kChunk bytes, or what is left of the row. The same place in memory for the same
  // chunk of tables that share it.
  const std::uint8_t* chunk(SwitchIndex of, std::size_t chunk) const {
    return chunks_[chunk * chunk_pitch_ + of.value];
  }
  std::size_t chunk_size(std::size_t chunk) const {
    return std::min(kChunk, row_bytes_ - chunk * kChunk);
  }
  std::span<const std::uint8_t, kLftBlockLids> block(SwitchIndex of, std::size_t block) const {
    const std::size_t at = block * kLftBlockLids;
    return std::span<const std::uint8_t, kLftBlockLids>(chunk(of, at / kChunk) + at % kChunk,
                                                        kLftBlockLids);
  }
  // LIDs within the row only.
  std::uint8_t entry(SwitchIndex of, std::size_t lid) const {
    return base_ == nullptr ? entries_[of.value * pitch_ + lid]
                            : chunk(of, lid / kChunk)[lid % kChunk];
  }

  // The entries of one LID within the rows, for who asks for those of many switches. To be used as
  // long as the tables are there, and neither moved nor assigned to.
  class Column {
   public:
    Column() = default;
    // Where chunks are is not asked for in vain: that is another place far away in memory.
    std::uint8_t entry(SwitchIndex of) const {
      return first_ != nullptr ? first_[of.value * pitch_] : chunks_[of.value][at_];
    }

   private:
    friend class ForwardingTables;
    const std::uint8_t* first_ = nullptr;  // the first switch's entry, where rows are in one piece
    std::size_t pitch_ = 0;                // from one switch to the next
    const std::uint8_t* const* chunks_ = nullptr;  // otherwise, by switch
    std::size_t at_ = 0;                           // in its chunk
  };
  Column column(mad::Lid lid) const {
    Column column;
    if (base_ == nullptr) {
      column.first_ = entries_.data() + lid.value;
      column.pitch_ = pitch_;
    } else {
      column.chunks_ = chunks_.data() + lid.value / kChunk * chunk_pitch_;
      column.at_ = lid.value % kChunk;
    }
    return column;
  }

  mad::PortNumber out_port(SwitchIndex of, mad::Lid lid) const {
    return lid.value < row_bytes_ ? mad::PortNumber{entry(of, lid.value)} : mad::kNoPortNumber;
  }
  void set(SwitchIndex of, mad::Lid lid, mad::PortNumber out) {
    if (base_ == nullptr) {
      entries_[of.value * pitch_ + lid.value] = out.value;
    } else {
      own_chunk(of, lid.value / kChunk)[lid.value % kChunk] = out.value;
      if (std::uint8_t* const whole = whole_.row(of)) whole[lid.value] = out.value;
    }
  }

  friend bool operator==(const ForwardingTables& a, const ForwardingTables& b);

 private:
  // Rows that were put together for whoever reads them whole.
  class WholeRows {
   public:
    WholeRows() = default;
    explicit WholeRows(std::size_t count) : rows_(count) {}
    WholeRows(WholeRows&& other) noexcept : rows_(std::move(other.rows_)) { other.rows_.clear(); }
    WholeRows& operator=(WholeRows&& other) noexcept {
      std::swap(rows_, other.rows_);
      return *this;
    }
    ~WholeRows();
    std::atomic<std::uint8_t*>& of(SwitchIndex at) { return rows_[at.value]; }
    // For whoever writes, while nobody reads; null if it was not asked for.
    std::uint8_t* row(SwitchIndex at) { return of(at).load(std::memory_order_relaxed); }
    std::unique_ptr<std::uint8_t[]> take(SwitchIndex at) {
      return std::unique_ptr<std::uint8_t[]>(of(at).exchange(nullptr, std::memory_order_relaxed));
    }

   private:
    std::vector<std::atomic<std::uint8_t*>> rows_;
  };

  void point_at_entries();
  auto first_of(std::size_t chunk) {
    return chunks_.begin() + static_cast<std::ptrdiff_t>(chunk * chunk_pitch_);
  }
  std::uint8_t* own_chunk(SwitchIndex of, std::size_t chunk);
  std::uint8_t* own_row(SwitchIndex of);
  const std::uint8_t* whole_row(SwitchIndex of) const;
  bool is_in_one_piece(SwitchIndex of) const;
  void copy_row(SwitchIndex of, std::uint8_t* to) const;

  std::size_t switches_ = 0;
  std::size_t row_bytes_ = 0;
  std::size_t pitch_ = 0;  // from one row to the next in entries_
  std::size_t chunks_each_ = 0;
  std::size_t chunk_pitch_ = 0;  // from one chunk to the next in chunks_
  base::RawBytes entries_;       // all rows; none with a base
  // By chunk and switch, wherever they are: who follows one LID needs the same chunk of all.
  std::vector<const std::uint8_t*> chunks_;
  std::shared_ptr<const ForwardingTables> base_;
  // With a base: what differs.
  std::vector<bool> is_own_;                          // by switch and chunk
  std::vector<std::unique_ptr<std::uint8_t[]>> own_;  // rows, and many chunks at a time
  std::size_t free_chunks_ = 0;                       // at the end of the last chunks' memory
  std::uint8_t* next_chunk_ = nullptr;                // the first of these
  mutable WholeRows whole_;
};

// Calls visit(lid, out of a, out of b) for each entry of one chunk in which two rows differ, by
// LID. The rows must be of the same size.
template <class Visit>
void for_each_difference(const ForwardingTables& a, SwitchIndex of_a, const ForwardingTables& b,
                         SwitchIndex of_b, std::size_t chunk, const Visit& visit) {
  // Mostly a chunk is not shared for one entry's sake: a piece that is the same is one comparison,
  // and so is half of one that is not.
  constexpr std::size_t kPiece = 16, kHalf = kPiece / 2;
  static_assert(kLftBlockLids % kPiece == 0);
  const std::uint8_t* left = a.chunk(of_a, chunk);
  const std::uint8_t* right = b.chunk(of_b, chunk);
  if (left == right) return;
  const std::size_t size = a.chunk_size(chunk);
  for (std::size_t piece = 0; piece < size; piece += kPiece) {
    if (std::memcmp(left + piece, right + piece, kPiece) == 0) continue;
    for (std::size_t half = piece; half < piece + kPiece; half += kHalf) {
      if (std::memcmp(left + half, right + half, kHalf) == 0) continue;
      for (std::size_t i = half; i < half + kHalf; ++i) {
        if (left[i] != right[i]) visit(chunk * ForwardingTables::kChunk + i, left[i], right[i]);
      }
    }
  }
}

}  // namespace heddle::fabric
