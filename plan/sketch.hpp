// SPDX-License-Identifier: BSD-3-Clause
// One island on paper. Internal to plan/layout: each sketch_* knows one shape of fabrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/layout.hpp"

namespace heddle::plan {

struct Sketch {
  Layout::Kind kind{};
  std::string title;
  std::vector<Point> at;            // by switch
  std::vector<std::uint32_t> rank;  // by switch
  std::vector<Frame> frames;
  std::vector<double> bend;  // by channel, the same both ways but for its sign; empty: all straight
};

// The island has at least one switch. Nothing where it has another shape.
std::optional<Sketch> sketch_tree(const fabric::Topology& island);
std::optional<Sketch> sketch_grid(const fabric::Topology& island);
std::optional<Sketch> sketch_groups(const fabric::Topology& island);
// Takes every island. Near in cables is near on paper.
Sketch sketch_general(const fabric::Topology& island);

// Neighbouring switches of each, each once, in ascending order.
std::vector<std::vector<std::uint32_t>> switch_neighbours(const fabric::Topology& topology);

// Numbers in names count as numbers: leaf-2 comes before leaf-10.
bool natural_less(std::string_view a, std::string_view b);
// Switches in the order of their names, equal names in that of their indices.
void sort_by_name(const fabric::Topology& topology, std::vector<std::uint32_t>& switches);

// The bend of a channel whose arc shall stand `by` above it (left of it if it goes down).
double bend_upwards(Point from, Point to, double by);

// `count` points around the middle, the first one on top, at least `apart` from each other.
std::vector<Point> circle(std::size_t count, double apart, double least_radius = 0);

}  // namespace heddle::plan
