// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/forwarding_tables.hpp"

#include <algorithm>

#include "base/cache_line.hpp"

namespace heddle::fabric {
namespace {

using base::kCacheLine;

constexpr std::size_t kChunksAtATime = 16;  // memory is asked for

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step;
}

// An odd number of cache lines. Who walks one LID's entries from switch to switch would otherwise
// find them all in few sets of the cache: in every 128th set of 2,048, with 13,312 LIDs.
std::size_t pitch_of(std::size_t row_bytes) {
  const std::size_t lines = round_up(row_bytes, kCacheLine);
  return (lines | 1) * kCacheLine;
}

// In pointers. The same, for who looks at all chunks of one switch.
std::size_t chunk_pitch_of(std::size_t switches) {
  return pitch_of(switches * sizeof(const std::uint8_t*)) / sizeof(const std::uint8_t*);
}

}  // namespace

ForwardingTables::ForwardingTables(std::size_t switch_count, mad::Lid top,
                                   const base::ParallelFor& parallel)
    : switches_(switch_count),
      row_bytes_((top.value / kLftBlockLids + 1) * kLftBlockLids),
      pitch_(pitch_of(row_bytes_)),
      chunks_each_(round_up(row_bytes_, kChunk)),
      chunk_pitch_(chunk_pitch_of(switch_count)),
      entries_(switch_count * pitch_) {
  // Who touches memory first waits for the system to make it.
  parallel(switch_count, [&](std::size_t begin, std::size_t end) {
    std::fill_n(entries_.data() + begin * pitch_, (end - begin) * pitch_, mad::kNoPortNumber.value);
  });
  point_at_entries();
}

ForwardingTables::ForwardingTables(std::shared_ptr<const ForwardingTables> base,
                                   std::span<const SwitchIndex> row_of)
    : switches_(row_of.size()),
      row_bytes_(base->row_bytes_),
      pitch_(base->pitch_),
      chunks_each_(base->chunks_each_),
      chunk_pitch_(chunk_pitch_of(switches_)),
      chunks_(chunks_each_ * chunk_pitch_),
      base_(std::move(base)),
      is_own_(switches_ * chunks_each_),
      whole_(switches_) {
  for (std::size_t chunk = 0; chunk < chunks_each_; ++chunk) {
    std::transform(row_of.begin(), row_of.end(), first_of(chunk),
                   [&](SwitchIndex at) { return base_->chunk(at, chunk); });
  }
}

ForwardingTables::ForwardingTables(const ForwardingTables& other)
    : switches_(other.switches_),
      row_bytes_(other.row_bytes_),
      pitch_(other.pitch_),
      chunks_each_(other.chunks_each_),
      chunk_pitch_(other.chunk_pitch_) {
  if (other.base_ == nullptr) {
    entries_ = other.entries_;
  } else {
    entries_.resize(switches_ * pitch_);
    for (std::uint32_t s = 0; s < switches_; ++s) {
      other.copy_row(SwitchIndex{s}, entries_.data() + s * pitch_);
    }
  }
  point_at_entries();
}

ForwardingTables::WholeRows::~WholeRows() {
  for (auto& row : rows_) delete[] row.load(std::memory_order_relaxed);
}

void ForwardingTables::point_at_entries() {
  chunks_.resize(chunks_each_ * chunk_pitch_);
  for (std::size_t chunk = 0; chunk < chunks_each_; ++chunk) {
    const auto first = first_of(chunk);
    for (std::size_t s = 0; s < switches_; ++s) {
      first[static_cast<std::ptrdiff_t>(s)] = entries_.data() + s * pitch_ + chunk * kChunk;
    }
  }
}

std::uint8_t* ForwardingTables::own_chunk(SwitchIndex of, std::size_t chunk) {
  const std::uint8_t*& place = chunks_[chunk * chunk_pitch_ + of.value];
  const std::size_t at = of.value * chunks_each_ + chunk;
  if (!is_own_[at]) {
    if (free_chunks_ == 0) {
      own_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kChunksAtATime * kChunk));
      next_chunk_ = own_.back().get();
      free_chunks_ = kChunksAtATime;
    }
    std::copy_n(place, chunk_size(chunk), next_chunk_);
    place = next_chunk_;
    is_own_[at] = true;
    next_chunk_ += kChunk;
    --free_chunks_;
  }
  // It is this object's own memory.
  return const_cast<std::uint8_t*>(place);
}

// All of it in one piece, and nobody else's: that which was put together for readers, if there is
// one, so that they see what is written.
std::uint8_t* ForwardingTables::own_row(SwitchIndex of) {
  const std::size_t first = of.value * chunks_each_;
  if (whole_.row(of) != nullptr || !is_own_[first] || !is_in_one_piece(of)) {
    auto row = whole_.take(of);
    if (row == nullptr) {
      row = std::make_unique_for_overwrite<std::uint8_t[]>(row_bytes_);
      copy_row(of, row.get());
    }
    own_.push_back(std::move(row));
    for (std::size_t chunk = 0; chunk < chunks_each_; ++chunk) {
      chunks_[chunk * chunk_pitch_ + of.value] = own_.back().get() + chunk * kChunk;
      is_own_[first + chunk] = true;
    }
  }
  return const_cast<std::uint8_t*>(chunk(of, 0));
}

const std::uint8_t* ForwardingTables::whole_row(SwitchIndex of) const {
  if (is_in_one_piece(of)) return chunk(of, 0);
  auto& known = whole_.of(of);
  if (const std::uint8_t* row = known.load(std::memory_order_acquire)) return row;
  auto made = std::make_unique_for_overwrite<std::uint8_t[]>(row_bytes_);
  copy_row(of, made.get());
  std::uint8_t* before = nullptr;
  if (known.compare_exchange_strong(before, made.get(), std::memory_order_acq_rel)) {
    return made.release();
  }
  return before;  // another thread was first
}

bool ForwardingTables::is_in_one_piece(SwitchIndex of) const {
  for (std::size_t i = 1; i < chunks_each_; ++i) {
    if (chunk(of, i) != chunk(of, 0) + i * kChunk) return false;
  }
  return true;
}

void ForwardingTables::copy_row(SwitchIndex of, std::uint8_t* to) const {
  for (std::size_t i = 0; i < chunks_each_; ++i) {
    std::copy_n(chunk(of, i), chunk_size(i), to + i * kChunk);
  }
}

bool operator==(const ForwardingTables& a, const ForwardingTables& b) {
  if (a.switches_ != b.switches_ || a.row_bytes_ != b.row_bytes_) return false;
  for (std::size_t chunk = 0; chunk < a.chunks_each_; ++chunk) {
    for (std::uint32_t s = 0; s < a.switches_; ++s) {
      const std::uint8_t* const left = a.chunk(SwitchIndex{s}, chunk);
      const std::uint8_t* const right = b.chunk(SwitchIndex{s}, chunk);
      if (left != right && !std::equal(left, left + a.chunk_size(chunk), right)) return false;
    }
  }
  return true;
}

}  // namespace heddle::fabric
