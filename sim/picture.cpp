// SPDX-License-Identifier: BSD-3-Clause
#include "sim/picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace heddle::sim {
namespace {

constexpr std::uint32_t kNoBox = ~0u;
constexpr std::size_t kMostInRow = 48;
constexpr std::size_t kMostInGrid = 1024;
constexpr std::size_t kMostInGroups = 512;

class Draftsman {
 public:
  explicit Draftsman(const Blueprint& blueprint)
      : blueprint_(blueprint), box_of_(blueprint.nodes.size(), kNoBox) {
    for (std::uint32_t i = 0; i < blueprint.nodes.size(); ++i) {
      if (blueprint.nodes[i].type == mad::NodeType::Switch) switches_.push_back(i);
    }
    has_switches_ = !switches_.empty();
    // Without switches the hosts themselves are drawn.
    for (std::uint32_t i = 0; !has_switches_ && i < blueprint.nodes.size(); ++i) {
      switches_.push_back(i);
    }
  }

  Picture draw() && {
    if (blueprint_.arrangement.kind == Arrangement::Kind::Grid) {
      draw_grid();
    } else if (blueprint_.arrangement.kind == Arrangement::Kind::Groups) {
      draw_groups();
    } else {
      draw_levels();
    }
    add_cables();
    for (const Picture::Box& box : picture_.boxes) {
      picture_.width = std::max(picture_.width, box.x);
      picture_.height = std::max(picture_.height, box.y);
    }
    return std::move(picture_);
  }

 private:
  bool drawn(std::uint32_t node) const {
    return !has_switches_ || blueprint_.nodes[node].type == mad::NodeType::Switch;
  }

  // One box for these switches (by node index).
  void add_box(const std::vector<std::uint32_t>& nodes, double x, double y, unsigned level = 0) {
    Picture::Box box;
    const std::string& first = blueprint_.nodes[nodes.front()].name;
    box.label = nodes.size() == 1
                    ? first
                    : fmt::format("{} .. {}", first, blueprint_.nodes[nodes.back()].name);
    box.nodes = static_cast<std::uint32_t>(nodes.size());
    box.x = x;
    box.y = y;
    box.level = level;
    for (const std::uint32_t node : nodes) {
      box_of_[node] = static_cast<std::uint32_t>(picture_.boxes.size());
    }
    picture_.boxes.push_back(std::move(box));
  }

  // Distance of each switch from those that have hosts.
  std::vector<unsigned> levels() const;
  void draw_levels();
  void draw_circle(const std::vector<std::vector<std::uint32_t>>& bundles);
  void draw_grid();
  void draw_groups();
  void add_cables();

  static std::vector<std::vector<std::uint32_t>> bundled(const std::vector<std::uint32_t>& nodes,
                                                         std::size_t size) {
    std::vector<std::vector<std::uint32_t>> bundles;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i % size == 0) bundles.emplace_back();
      bundles.back().push_back(nodes[i]);
    }
    return bundles;
  }
  static std::size_t bundle_size(std::size_t count, std::size_t most) {
    return std::max<std::size_t>(1, (count + most - 1) / most);
  }

  const Blueprint& blueprint_;
  std::vector<std::uint32_t> switches_;  // what is drawn, by node index
  bool has_switches_ = false;
  std::vector<std::uint32_t> box_of_;  // by node
  Picture picture_;
};

std::vector<unsigned> Draftsman::levels() const {
  constexpr unsigned kUnknown = ~0u;
  std::vector<unsigned> level(blueprint_.nodes.size(), kUnknown);
  std::vector<std::vector<std::uint32_t>> peers(blueprint_.nodes.size());
  std::vector<std::uint32_t> open;
  for (const PlannedCable& cable : blueprint_.cables) {
    const bool a = drawn(cable.a.node);
    const bool b = drawn(cable.b.node);
    if (a && b) {
      peers[cable.a.node].push_back(cable.b.node);
      peers[cable.b.node].push_back(cable.a.node);
    } else if (a || b) {
      const std::uint32_t leaf = a ? cable.a.node : cable.b.node;
      if (level[leaf] != 0) open.push_back(leaf);
      level[leaf] = 0;
    }
  }
  for (std::size_t next = 0; next < open.size(); ++next) {
    for (const std::uint32_t peer : peers[open[next]]) {
      if (level[peer] != kUnknown) continue;
      level[peer] = level[open[next]] + 1;
      open.push_back(peer);
    }
  }
  for (unsigned& one : level) one = one == kUnknown ? 0 : one;
  return level;
}

void Draftsman::draw_levels() {
  const std::vector<unsigned> level = levels();
  std::map<unsigned, std::vector<std::uint32_t>> rows;
  for (const std::uint32_t node : switches_) rows[level[node]].push_back(node);
  // Where all switches have hosts there are no levels to see.
  if (rows.size() == 1 && switches_.size() > 2) {
    draw_circle(bundled(switches_, bundle_size(switches_.size(), kMostInGroups)));
    return;
  }
  picture_.by_levels = true;
  std::size_t widest = 1;
  for (const auto& [row, nodes] : rows) {
    const std::size_t size = bundle_size(nodes.size(), kMostInRow);
    widest = std::max(widest, (nodes.size() + size - 1) / size);
  }
  for (const auto& [row, nodes] : rows) {
    const auto bundles = bundled(nodes, bundle_size(nodes.size(), kMostInRow));
    const double step = static_cast<double>(widest) / static_cast<double>(bundles.size());
    const double y = 4.0 * static_cast<double>(rows.rbegin()->first - row);
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      add_box(bundles[i], (static_cast<double>(i) + 0.5) * step, y, row);
    }
  }
}

void Draftsman::draw_circle(const std::vector<std::vector<std::uint32_t>>& bundles) {
  const auto count = static_cast<double>(bundles.size());
  const double radius = std::max(1.5, count / 4);
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / count;
    add_box(bundles[i], radius * (1 + std::sin(angle)), radius * (1 - std::cos(angle)));
  }
}

// Two dimensions go right and down; the third and fourth repeat that plane, and so on.
void Draftsman::draw_grid() {
  std::vector<std::uint64_t> sizes = blueprint_.arrangement.sizes;
  std::size_t bundle = 1;
  std::size_t count = switches_.size();
  while (count > kMostInGrid && sizes.size() > 1) {
    bundle *= static_cast<std::size_t>(sizes.front());
    count = switches_.size() / bundle;
    sizes.erase(sizes.begin());
  }
  if (count > kMostInGrid || sizes.size() < 2) {
    draw_circle(bundled(switches_, std::max(bundle, bundle_size(switches_.size(), kMostInGroups))));
    return;
  }
  const auto bundles = bundled(switches_, bundle);
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    double place[2] = {0, 0};
    double step[2] = {1, 1};
    std::uint64_t rest = i;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::uint64_t digit = rest % sizes[axis];
      rest /= sizes[axis];
      place[axis % 2] += step[axis % 2] * static_cast<double>(digit);
      step[axis % 2] *= static_cast<double>(sizes[axis] + 1);
    }
    add_box(bundles[i], place[0], 1.5 * place[1]);
  }
}

void Draftsman::draw_groups() {
  const auto size = static_cast<std::size_t>(blueprint_.arrangement.sizes.front());
  const auto groups = bundled(switches_, size);
  if (switches_.size() > kMostInGroups) {
    const std::size_t together = bundle_size(groups.size(), kMostInGroups);
    draw_circle(bundled(switches_, size * together));
    return;
  }
  const double own_radius = std::max(1.0, static_cast<double>(size) / 4);
  const auto count = static_cast<double>(groups.size());
  const double radius = groups.size() < 2 ? 0 : std::max(2.5, count / 1.8) * own_radius;
  const double middle = radius + own_radius;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(g) / count;
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      const double own = angle + 2 * std::numbers::pi * static_cast<double>(i) /
                                     static_cast<double>(groups[g].size());
      add_box({groups[g][i]}, middle + radius * std::sin(angle) + own_radius * std::sin(own),
              middle - radius * std::cos(angle) - own_radius * std::cos(own));
    }
  }
}

void Draftsman::add_cables() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> strands;
  for (const PlannedCable& cable : blueprint_.cables) {
    const std::uint32_t a = box_of_[cable.a.node];
    const std::uint32_t b = box_of_[cable.b.node];
    if (a == kNoBox && b == kNoBox) continue;
    if (a == kNoBox || b == kNoBox) {
      ++picture_.boxes[a == kNoBox ? b : a].hosts;
    } else if (a != b) {
      ++strands[{std::min(a, b), std::max(a, b)}];
    }
  }
  for (const auto& [ends, cables] : strands) {
    picture_.strands.push_back({ends.first, ends.second, cables});
  }
}

}  // namespace

Picture draw(const Blueprint& blueprint) {
  return Draftsman(blueprint).draw();
}

}  // namespace heddle::sim
