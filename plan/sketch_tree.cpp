// SPDX-License-Identifier: BSD-3-Clause
// Trees: a band for each level, the hosts' at the bottom; in the lower bands the switches of one
// subtree stand together, in the upper ones those that lead to the same switches below.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "plan/sketch.hpp"
#include "routing/disjoint_sets.hpp"
#include "routing/tree_levels.hpp"

namespace heddle::plan {
namespace {

using fabric::Topology;
using Members = std::vector<std::uint32_t>;

// Up to here all switches of a block stand in one row; wider pictures get as many rows as let them
// be drawn largest on a page of this shape.
constexpr double kWideEnough = 64;
constexpr double kAspect = 1.75;
constexpr double kBlockGap = 1;
// Between two bands, at least and as parts of the width.
constexpr double kLeastBandGap = 2.5;
constexpr double kLeastBandGapOfWidth = 0.13;
constexpr double kMostBandGapOfWidth = 0.4;
// Rows above each other leave room for their hosts.
constexpr double kRowHeight = 1.15;
// Each row of a block stands a little to the right of the one above, in all so far: cables between
// switches of one column would otherwise lie on each other.
constexpr double kLean = 0.6;
// How high cables between switches of one level stand above these: of their length, and at most.
constexpr double kArcOfLength = 0.12;
constexpr double kMostArc = 1.2;

struct Block {
  Members members;
  double columns = 0;
  double rows = 0;
};
using Band = std::vector<Block>;

class TreeSketcher {
 public:
  TreeSketcher(const Topology& topology, std::vector<std::uint32_t> level)
      : topology_(topology),
        level_(std::move(level)),
        top_(*std::max_element(level_.begin(), level_.end())),
        neighbours_(switch_neighbours(topology)) {
    find_pods();
    collect_bands();
  }

  Sketch sketch() && {
    choose_rows();
    place();
    sketch_.kind = Layout::Kind::Tree;
    sketch_.title = top_ == 0 ? "one switch" : fmt::format("tree of {} levels", top_ + 1);
    sketch_.rank = level_;
    bend_siblings();
    return std::move(sketch_);
  }

 private:
  // Switches of the two lowest levels that hang together without the others.
  void find_pods() {
    routing::DisjointSets sets(level_.size());
    for (std::uint32_t s = 0; s < level_.size(); ++s) {
      for (const std::uint32_t to : neighbours_[s]) {
        if (level_[s] <= 1 && level_[to] <= 1) sets.unite(s, to);
      }
    }
    for (std::uint32_t s = 0; s < level_.size(); ++s) pod_.push_back(sets.find(s));
  }

  void collect_bands() {
    bands_.resize(top_ + 1);
    Members by_name(level_.size());
    for (std::uint32_t s = 0; s < by_name.size(); ++s) by_name[s] = s;
    sort_by_name(topology_, by_name);
    // Two levels are one subtree: nothing to keep apart.
    const bool pods = top_ >= 2;
    std::map<std::uint32_t, std::size_t> block_of_pod;
    for (const std::uint32_t s : by_name) {
      if (level_[s] != 0) continue;
      block_of_pod.emplace(pods ? pod_[s] : 0, block_of_pod.size());
    }
    for (const std::uint32_t s : by_name) {
      if (level_[s] > 1 || (level_[s] == 1 && top_ == 1)) continue;
      const auto block = block_of_pod.emplace(pods ? pod_[s] : 0, block_of_pod.size()).first;
      Band& band = bands_[level_[s]];
      if (band.size() <= block->second) band.resize(block->second + 1);
      band[block->second].members.push_back(s);
    }
    for (std::uint32_t level = top_ == 1 ? 1 : 2; level <= top_; ++level) {
      bands_[level] = alike_below(by_name, level);
    }
    if (top_ >= 2) {
      // Both bands have the same blocks, so that a subtree stands in one column.
      const std::size_t blocks = std::max(bands_[0].size(), bands_[1].size());
      bands_[0].resize(blocks);
      bands_[1].resize(blocks);
    }
  }

  // Those of one level by what they lead to: sharing more than half is enough, as links break.
  Band alike_below(const Members& by_name, std::uint32_t level) const {
    Band band;
    std::vector<std::vector<bool>> below;  // by block
    for (const std::uint32_t s : by_name) {
      if (level_[s] != level) continue;
      std::size_t found = 0;
      for (; found < band.size(); ++found) {
        std::size_t all = 0, shared = 0;
        for (const std::uint32_t to : neighbours_[s]) {
          if (level_[to] >= level) continue;
          ++all;
          if (below[found][to]) ++shared;
        }
        if (shared * 2 > all || (all == 0 && found == 0)) break;
      }
      if (found == band.size()) {
        band.emplace_back();
        below.emplace_back(level_.size());
        for (const std::uint32_t to : neighbours_[s]) below.back()[to] = true;
      }
      band[found].members.push_back(s);
    }
    return band;
  }

  // Cables within a level pass above the switches between.
  void bend_siblings() {
    sketch_.bend.resize(topology_.channels().size());
    for (std::size_t c = 0; c < sketch_.bend.size(); ++c) {
      const auto& channel = topology_.channels()[c];
      const std::uint32_t a = channel.from.value, b = channel.to.value;
      if (level_[a] != level_[b]) continue;
      const Point from = sketch_.at[a], to = sketch_.at[b];
      const double length = std::hypot(from.x - to.x, from.y - to.y);
      sketch_.bend[c] = bend_upwards(from, to, std::min(kMostArc, kArcOfLength * length));
    }
  }

  static void give_rows(Band& band, double rows) {
    for (Block& block : band) {
      const auto count = static_cast<double>(block.members.size());
      block.columns = std::ceil(count / rows);
      block.rows = block.columns == 0 ? 0 : std::ceil(count / block.columns);
    }
  }

  // Blocks of the two lower bands are as wide as the wider one of both.
  double block_width(std::size_t level, std::size_t block) const {
    double columns = bands_[level][block].columns;
    if (top_ >= 2 && level <= 1) {
      columns = std::max(bands_[0][block].columns, bands_[1][block].columns);
    }
    return columns;
  }

  double width_of(std::size_t level) const {
    double width = -kBlockGap;
    for (std::size_t b = 0; b < bands_[level].size(); ++b) {
      width += block_width(level, b) + kBlockGap;
    }
    return width;
  }

  static double rows_of(const Band& band) {
    double rows = 0;
    for (const Block& block : band) rows = std::max(rows, block.rows);
    return rows;
  }

  void use_rows(std::size_t rows) {
    for (Band& band : bands_) give_rows(band, static_cast<double>(rows));
    width_ = 0;
    for (std::size_t level = 0; level <= top_; ++level) width_ = std::max(width_, width_of(level));
  }

  double least_gap() const { return std::max(kLeastBandGap, kLeastBandGapOfWidth * width_); }

  double height_of_rows() const {
    double rows = 0;
    for (const Band& band : bands_) rows += rows_of(band) * kRowHeight;
    return rows;
  }

  void choose_rows() {
    std::size_t most = 1, best = 1;
    for (const Band& band : bands_) {
      for (const Block& block : band) most = std::max(most, block.members.size());
    }
    double smallest = 1e30;
    for (std::size_t rows = 1; rows <= most; ++rows) {
      use_rows(rows);
      const double size = std::max(width_ / kAspect, height_of_rows() + top_ * least_gap());
      if (size < smallest) smallest = size, best = rows;
      if (rows == 1 && width_ <= kWideEnough) break;
    }
    use_rows(best);
  }

  std::string label_of(std::uint32_t level) const {
    std::size_t count = 0;
    for (const Block& block : bands_[level]) count += block.members.size();
    const char* name = level == 0 ? "leaf" : level == top_ ? "top" : top_ == 2 ? "middle" : "";
    return fmt::format("level {}{}{}: {} switch{}", level, *name == 0 ? "" : ", ", name, count,
                       count == 1 ? "" : "es");
  }

  void place() {
    const double gaps = static_cast<double>(std::max<std::uint32_t>(top_, 1));
    const double band_gap = std::clamp((width_ / kAspect - height_of_rows()) / gaps, least_gap(),
                                       std::max(least_gap(), kMostBandGapOfWidth * width_));
    sketch_.at.resize(level_.size());
    double y = 0;
    for (std::uint32_t level = top_ + 1; level-- > 0;) {
      place_band(level, y);
      y += rows_of(bands_[level]) * kRowHeight + band_gap;
    }
  }

  void place_band(std::uint32_t level, double y) {
    const Band& band = bands_[level];
    const double own = width_of(level);
    // What is narrower is spread out, but not so far that it falls apart.
    const auto parts = static_cast<double>(band.size() + 1);
    const double spare = std::max(0.0, (width_ - own) / parts);
    double x = (width_ - own - spare * (parts - 2)) / 2;
    const bool single = band.size() == 1 && rows_of(band) == 1;
    const auto count = static_cast<double>(band.front().members.size());
    const double step = single ? std::clamp(width_ / std::max(count, 1.0), 1.0, 2.5) : 1;
    if (single) x = (width_ - step * count) / 2;
    const double height = rows_of(band) * kRowHeight;
    for (std::size_t b = 0; b < band.size(); ++b) {
      const double wide = block_width(level, b);
      place_block(band[b], x + (wide - band[b].columns) / 2, y, step);
      if (band.size() > 1 && band[b].members.size() > 1) {
        sketch_.frames.push_back(
            {Frame::Kind::Block, {x - 0.2, y - 0.1}, wide + 0.4, height + 0.2, ""});
      }
      x += wide + kBlockGap + spare;
    }
    if (top_ > 0) {
      sketch_.frames.push_back(
          {Frame::Kind::Level, {-1.1, y - 0.35}, width_ + 2.2, height + 0.7, label_of(level)});
    }
  }

  void place_block(const Block& block, double x, double y, double step) {
    const auto columns = static_cast<std::size_t>(block.columns);
    const double lean = block.rows > 1 ? kLean / (block.rows - 1) : 0;
    for (std::size_t i = 0; i < block.members.size(); ++i) {
      const auto row = static_cast<double>(i / columns);
      const auto column = static_cast<double>(i % columns);
      const double shift = lean == 0 ? 0 : lean * row - kLean / 2;
      sketch_.at[block.members[i]] = {x + step * (column + 0.5) + shift,
                                      y + kRowHeight * (row + 0.5)};
    }
  }

  const Topology& topology_;
  const std::vector<std::uint32_t> level_;  // by switch
  const std::uint32_t top_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint32_t> pod_;  // by switch
  std::vector<Band> bands_;         // by level
  double width_ = 0;
  Sketch sketch_;
};

}  // namespace

std::optional<Sketch> sketch_tree(const Topology& island) {
  auto levels = routing::find_levels(island, {});
  if (!levels) return std::nullopt;
  return TreeSketcher(island, std::move(levels->level)).sketch();
}

}  // namespace heddle::plan
