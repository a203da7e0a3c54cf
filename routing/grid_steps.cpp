// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_steps.hpp"

#include <algorithm>

namespace heddle::routing {

GridSteps::GridSteps(const Grid& grid, const CompactChannels& channels)
    : grid_(grid), axes_(grid.axes.size()) {
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    first_position_.push_back(positions_);
    stride_.push_back(grid.stride(axis));
    positions_ += grid.axes[axis].size;
  }
  const std::size_t switches = channels.first.size() - 1;
  odd_.resize(switches * axes_);
  for (std::uint32_t s = 0; s < switches; ++s) {
    place_.push_back(grid.place(s));
    std::uint32_t sum = 0;
    for (std::size_t axis = axes_; axis-- > 0; sum += grid.at(s, axis)) {
      odd_[s * axes_ + axis] = static_cast<std::uint8_t>(sum % 2);
    }
  }
  find_cables(channels);
  reach_.resize(switches * axes_);
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    if (grid.axes[axis].shape == Grid::Shape::Full) continue;
    for (std::uint32_t place = 0; place < grid.switch_at.size(); ++place) {
      if (place / stride_[axis] % grid.axes[axis].size == 0) measure_row(axis, place);
    }
  }
}

void GridSteps::find_cables(const CompactChannels& channels) {
  cables_.resize(place_.size() * positions_);
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    const std::uint32_t from = channels.from[c], to = channels.to[c];
    std::size_t axis = axes_, differ = 0;
    for (std::size_t a = 0; a < axes_; ++a) {
      if (grid_.at(from, a) == grid_.at(to, a)) continue;
      axis = a;
      ++differ;
    }
    if (differ != 1) continue;
    Cables& cables = cables_[from * positions_ + first_position_[axis] + grid_.at(to, axis)];
    if (cables.count++ == 0) cables.first = static_cast<std::uint8_t>(c - channels.first[from]);
  }
}

// Twice around, so that what was measured before the end of a ring is put right.
void GridSteps::measure_row(std::size_t axis, std::uint32_t start) {
  const Grid::Axis& shape = grid_.axes[axis];
  const auto member = [&](std::uint32_t position) {
    return grid_.switch_at[start + position * stride_[axis]];
  };
  const auto measure = [&](std::uint32_t from, std::uint32_t to, std::uint32_t Reach::*way) {
    const std::uint32_t here = member(from), there = member(to);
    if (here == Grid::kMissing) return;
    const bool open = there != Grid::kMissing && cables(here, axis, to).count > 0;
    const std::uint32_t farther = open ? reach(there, axis).*way + 1 : 0;
    reach(here, axis).*way = std::min(farther, shape.size);
  };
  const bool ring = shape.shape == Grid::Shape::Ring;
  for (unsigned round = 0; round < (ring ? 2u : 1u); ++round) {
    for (std::uint32_t i = shape.size; i-- > 0;) {
      if (ring || i + 1 < shape.size) measure(i, (i + 1) % shape.size, &Reach::up);
    }
    for (std::uint32_t i = 0; i < shape.size; ++i) {
      if (ring || i > 0) measure(i, (i + shape.size - 1) % shape.size, &Reach::down);
    }
  }
}

// Opposite positions of an even ring are as far either way. Half of them go up, and those on
// neighbouring rows the other half; the way back takes the same side.
bool GridSteps::prefers_up(std::size_t axis, std::uint32_t here, std::uint32_t there,
                           unsigned odd) const {
  const Grid::Axis& shape = grid_.axes[axis];
  if (shape.shape == Grid::Shape::Line) return there > here;
  const std::uint32_t up = (there + shape.size - here) % shape.size;
  if (2 * up != shape.size) return 2 * up < shape.size;
  return (here < there) != ((std::min(here, there) + odd) % 2 == 1);
}

GridSteps::Step GridSteps::step(std::uint32_t at, std::size_t axis, std::uint32_t to,
                                unsigned odd) const {
  const Grid::Axis& shape = grid_.axes[axis];
  const std::uint32_t here = grid_.at(at, axis);
  if (shape.shape == Grid::Shape::Full) {
    return cables(at, axis, to).count > 0 ? Step::Straight : Step::Stuck;
  }
  const std::size_t turn = place_[at] + to * stride_[axis] - here * stride_[axis];
  const std::uint32_t gap = grid_.switch_at[turn] == Grid::kMissing ? 1 : 0;
  const bool ring = shape.shape == Grid::Shape::Ring;
  const std::uint32_t up = ring || to > here ? (to + shape.size - here) % shape.size : shape.size;
  const std::uint32_t down = ring || to < here ? (here + shape.size - to) % shape.size : shape.size;
  if (gap == 1 && (up == 1 || down == 1)) return Step::TurnEarly;
  const Reach& can = reach(at, axis);
  const bool goes_up = up < shape.size && up - gap <= can.up;
  const bool goes_down = down < shape.size && down - gap <= can.down;
  if (goes_up && (!goes_down || prefers_up(axis, here, to, odd))) return Step::Up;
  return goes_down ? Step::Down : Step::Stuck;
}

bool GridSteps::next(std::uint32_t at, std::uint32_t target, Cables& found) const {
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    const std::uint32_t here = grid_.at(at, axis), to = grid_.at(target, axis);
    if (here == to) continue;
    const std::uint32_t size = grid_.axes[axis].size;
    const Step way = step(at, axis, to, odd(at, axis) ^ odd(target, axis));
    if (way == Step::TurnEarly) continue;
    if (way == Step::Stuck) return false;
    const std::uint32_t neighbour =
        way == Step::Straight ? to : (here + (way == Step::Up ? 1 : size - 1)) % size;
    found = cables(at, axis, neighbour);
    return found.count > 0;
  }
  return false;
}

std::uint32_t GridSteps::crossings(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t crossed = 0;
  for (std::size_t axis = 0; axis < axes_; ++axis) {
    if (grid_.axes[axis].shape != Grid::Shape::Ring) continue;
    const std::uint32_t here = grid_.at(from, axis), there = grid_.at(to, axis);
    if (here == there) continue;
    const bool up = prefers_up(axis, here, there, odd(from, axis) ^ odd(to, axis));
    if (up == (there < here)) crossed |= 1u << axis;
  }
  return crossed;
}

}  // namespace heddle::routing
