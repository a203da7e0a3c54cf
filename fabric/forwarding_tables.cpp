// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/forwarding_tables.hpp"

#include <algorithm>

namespace heddle::fabric {
namespace {

constexpr std::size_t kCacheLine = 64;
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

}  // namespace

ForwardingTables::ForwardingTables(std::size_t switch_count, mad::Lid top,
                                   const base::ParallelFor& parallel)
    : switches_(switch_count),
      row_bytes_((top.value / kLftBlockLids + 1) * kLftBlockLids),
      pitch_(pitch_of(row_bytes_)),
      chunks_each_(round_up(row_bytes_, kChunk)),
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
      base_(std::move(base)),
      is_own_(switches_ * chunks_each_),
      whole_(switches_) {
  chunks_.reserve(switches_ * chunks_each_);
  for (const SwitchIndex at : row_of) {
    const auto first =
        base_->chunks_.begin() + static_cast<std::ptrdiff_t>(at.value * chunks_each_);
    chunks_.insert(chunks_.end(), first, first + static_cast<std::ptrdiff_t>(chunks_each_));
  }
}

ForwardingTables::ForwardingTables(const ForwardingTables& other)
    : switches_(other.switches_),
      row_bytes_(other.row_bytes_),
      pitch_(other.pitch_),
      chunks_each_(other.chunks_each_) {
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
  chunks_.reserve(switches_ * chunks_each_);
  for (std::size_t s = 0; s < switches_; ++s) {
    for (std::size_t chunk = 0; chunk < chunks_each_; ++chunk) {
      chunks_.push_back(entries_.data() + s * pitch_ + chunk * kChunk);
    }
  }
}

std::uint8_t* ForwardingTables::own_chunk(SwitchIndex of, std::size_t chunk) {
  const std::size_t at = of.value * chunks_each_ + chunk;
  if (!is_own_[at]) {
    if (free_chunks_ == 0) {
      own_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(kChunksAtATime * kChunk));
      next_chunk_ = own_.back().get();
      free_chunks_ = kChunksAtATime;
    }
    std::copy_n(chunks_[at], chunk_size(chunk), next_chunk_);
    chunks_[at] = next_chunk_;
    is_own_[at] = true;
    next_chunk_ += kChunk;
    --free_chunks_;
  }
  // It is this object's own memory.
  return const_cast<std::uint8_t*>(chunks_[at]);
}

// All of it in one piece, and nobody else's.
std::uint8_t* ForwardingTables::own_row(SwitchIndex of) {
  const std::size_t first = of.value * chunks_each_;
  if (!is_own_[first] || !is_in_one_piece(of)) {
    own_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(row_bytes_));
    copy_row(of, own_.back().get());
    for (std::size_t chunk = 0; chunk < chunks_each_; ++chunk) {
      chunks_[first + chunk] = own_.back().get() + chunk * kChunk;
      is_own_[first + chunk] = true;
    }
  }
  return const_cast<std::uint8_t*>(chunks_[first]);
}

const std::uint8_t* ForwardingTables::whole_row(SwitchIndex of) const {
  if (is_in_one_piece(of)) return chunks_[of.value * chunks_each_];
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
  const std::size_t first = of.value * chunks_each_;
  for (std::size_t chunk = 1; chunk < chunks_each_; ++chunk) {
    if (chunks_[first + chunk] != chunks_[first] + chunk * kChunk) return false;
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
  for (std::uint32_t s = 0; s < a.switches_; ++s) {
    bool same = true;
    for_each_unshared(a, SwitchIndex{s}, b, SwitchIndex{s}, [&](std::size_t chunk) {
      const std::uint8_t* bytes = a.chunk(SwitchIndex{s}, chunk);
      same = same && std::equal(bytes, bytes + a.chunk_size(chunk), b.chunk(SwitchIndex{s}, chunk));
    });
    if (!same) return false;
  }
  return true;
}

}  // namespace heddle::fabric
