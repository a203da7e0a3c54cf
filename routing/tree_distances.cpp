// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_distances.hpp"

#include "base/byte_vector.hpp"

namespace heddle::routing {
namespace {

using base::ByteVector;
using base::kByteVector;
using base::lesser;
using base::load_bytes;
using base::store_bytes;

constexpr std::size_t kColumns = TreeDistances::kColumns;

// The hops to a piece of columns.
struct Piece {
  ByteVector a, b, c, d;
};
static_assert(sizeof(Piece) == kColumns);

Piece no_way() {
  const ByteVector none = base::repeat_byte(TreeDistances::kNoWay);
  return {none, none, none, none};
}

Piece load(const std::uint8_t* from) {
  return {load_bytes(from), load_bytes(from + kByteVector), load_bytes(from + 2 * kByteVector),
          load_bytes(from + 3 * kByteVector)};
}

void store(const Piece& piece, std::uint8_t* to) {
  store_bytes(piece.a, to);
  store_bytes(piece.b, to + kByteVector);
  store_bytes(piece.c, to + 2 * kByteVector);
  store_bytes(piece.d, to + 3 * kByteVector);
}

Piece nearest(const Piece& one, const Piece& other) {
  return {lesser(one.a, other.a), lesser(one.b, other.b), lesser(one.c, other.c),
          lesser(one.d, other.d)};
}

// One hop more; what has no way, or one too long to count, has none.
Piece one_hop_more(const Piece& piece) {
  const auto more = [](ByteVector hops) {
    return lesser(hops, base::repeat_byte(TreeDistances::kNoWay - 1)) + std::uint8_t{1};
  };
  return {more(piece.a), more(piece.b), more(piece.c), more(piece.d)};
}

}  // namespace

TreeDistances::TreeDistances(const TreeShape& shape, const base::ParallelFor& parallel)
    : width_((shape.switch_count() + kColumns - 1) / kColumns * kColumns),
      direct_at_(shape.switch_count() * width_),
      hops_(2 * direct_at_) {
  parallel(width_ / kColumns, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) sweep(shape, piece * kColumns);
  });
}

void TreeDistances::sweep(const TreeShape& shape, std::size_t first_column) {
  std::uint8_t* const descending = hops_.data() + first_column;
  std::uint8_t* const direct = descending + direct_at_;
  const auto& bottom_up = shape.bottom_up();
  for (const std::uint32_t at : bottom_up) {
    Piece hops = no_way();
    for (const auto& group : shape.down(at)) {
      hops = nearest(hops, load(descending + group.to * width_));
    }
    store(one_hop_more(hops), descending + at * width_);
    if (at - first_column < kColumns) hops_[at * width_ + at] = 0;
  }
  for (std::size_t i = bottom_up.size(); i-- > 0;) {
    const std::uint32_t at = bottom_up[i];
    Piece hops = no_way();
    for (const auto& group : shape.up(at)) hops = nearest(hops, load(direct + group.to * width_));
    store(nearest(one_hop_more(hops), load(descending + at * width_)), direct + at * width_);
  }
}

}  // namespace heddle::routing
