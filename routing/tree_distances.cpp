// SPDX-License-Identifier: BSD-3-Clause
#include "routing/tree_distances.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace heddle::routing {
namespace {

constexpr std::size_t kColumns = TreeDistances::kColumns;
constexpr std::uint8_t kNoHops = TreeDistances::kNoWay;

// On the stack and of fixed length, so that the loops become a few vector instructions.
using Piece = std::array<std::uint8_t, kColumns>;

Piece load(const std::uint8_t* from) {
  Piece piece;
  std::copy_n(from, kColumns, piece.begin());
  return piece;
}

// Copied first: what cannot overlap becomes vector instructions.
void lower(Piece& piece, const std::uint8_t* to) {
  const Piece other = load(to);
  for (std::size_t i = 0; i < kColumns; ++i) {
    piece[i] = other[i] < piece[i] ? other[i] : piece[i];
  }
}

// One hop more; what has no way, or one too long to count, has none.
void lengthen(Piece& piece) {
  for (std::uint8_t& hops : piece) {
    hops = hops >= kNoHops - 1 ? kNoHops : static_cast<std::uint8_t>(hops + 1);
  }
}

}  // namespace

TreeDistances::TreeDistances(const TreeShape& shape, const base::ParallelFor& parallel)
    : width_((shape.switch_count() + kColumns - 1) / kColumns * kColumns),
      descending_(shape.switch_count() * width_),
      direct_(shape.switch_count() * width_) {
  parallel(width_ / kColumns, [&](std::size_t begin, std::size_t end) {
    for (std::size_t piece = begin; piece < end; ++piece) sweep(shape, piece * kColumns);
  });
}

void TreeDistances::sweep(const TreeShape& shape, std::size_t first_column) {
  const auto& bottom_up = shape.bottom_up();
  for (const std::uint32_t at : bottom_up) {
    Piece hops;
    hops.fill(kNoHops);
    for (const auto& group : shape.down(at)) {
      lower(hops, descending_.data() + group.to * width_ + first_column);
    }
    lengthen(hops);
    if (at - first_column < kColumns) hops[at - first_column] = 0;
    std::copy_n(hops.begin(), kColumns, descending_.data() + at * width_ + first_column);
  }
  for (std::size_t i = bottom_up.size(); i-- > 0;) {
    const std::uint32_t at = bottom_up[i];
    Piece hops;
    hops.fill(kNoHops);
    for (const auto& group : shape.up(at)) {
      lower(hops, direct_.data() + group.to * width_ + first_column);
    }
    lengthen(hops);
    const Piece own = load(descending_.data() + at * width_ + first_column);
    lower(hops, own.data());
    std::copy_n(hops.begin(), kColumns, direct_.data() + at * width_ + first_column);
  }
}

}  // namespace heddle::routing
