// SPDX-License-Identifier: BSD-3-Clause
#include "routing/torus_seed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint32_t kRingOfFour = 4;

// A link of the grid as it was recognised.
struct Direction {
  std::size_t axis = 0;
  bool up = true;  // to the next higher position, around the end if there is none
};

// An axis of the file, in terms of the recognised ones.
struct Source {
  Direction along;
  // A ring of four is recognised as two axes of two; this is the one that the minus link is on.
  std::optional<std::size_t> second;
};

class Seeding {
 public:
  Seeding(const Grid& grid, const TorusFile& file, const fabric::Topology& topology)
      : grid_(grid), file_(file), topology_(topology) {}

  base::Result<Grid> plant(const TorusFile::Seed& seed) const {
    const auto origin = find_switch(seed.at);
    if (!origin) return origin.error();
    Grid result;
    std::vector<Source> sources;
    std::vector<std::int32_t> datelines;
    std::vector<bool> taken(grid_.axes.size());
    for (std::size_t d = 0; d < kTorusAxes; ++d) {
      if (file_.axes[d].radix == 1) continue;
      const auto source = find_source(seed, *origin, d);
      if (!source) return source.error();
      for (const std::size_t axis : {source->along.axis, source->second.value_or(taken.size())}) {
        if (axis >= taken.size()) continue;
        if (taken[axis]) return base::error("two axes of the file point the same way");
        taken[axis] = true;
      }
      sources.push_back(*source);
      datelines.push_back(seed.dateline[d]);
      result.axes.push_back(
          {file_.axes[d].radix, file_.axes[d].wraps ? Grid::Shape::Ring : Grid::Shape::Line});
    }
    if (std::find(taken.begin(), taken.end(), false) != taken.end()) {
      return base::error(
          fmt::format("the cables form a {}, which has more axes than the file", grid_.title()));
    }
    const std::size_t switches = topology_.switch_count();
    for (std::uint32_t s = 0; s < switches; ++s) {
      for (std::size_t a = 0; a < sources.size(); ++a) {
        result.position.push_back(position(result.axes[a], sources[a], *origin, datelines[a], s));
      }
    }
    return placed(std::move(result), switches);
  }

 private:
  base::Result<std::uint32_t> find_switch(mad::Guid guid) const {
    const auto node = topology_.find_node(guid);
    if (node && topology_.is_switch(*node)) return node->value;
    return base::error(fmt::format("there is no switch {}", base::hex(guid.value)));
  }

  // Neighbours in the grid differ on one axis, by one.
  base::Result<Direction> direction(std::uint32_t from, mad::Guid guid) const {
    const auto to = find_switch(guid);
    if (!to) return to.error();
    std::optional<Direction> found;
    for (std::size_t a = 0; a < grid_.axes.size(); ++a) {
      const std::uint32_t size = grid_.axes[a].size;
      const std::uint32_t apart = (grid_.at(*to, a) + size - grid_.at(from, a)) % size;
      if (apart == 0) continue;
      if (found || (apart != 1 && apart != size - 1)) {
        return base::error(fmt::format("{} is no neighbour of the seed", base::hex(guid.value)));
      }
      found = Direction{a, size == 2 ? grid_.at(from, a) == 0 : apart == 1};
    }
    return *found;
  }

  base::Result<Source> find_source(const TorusFile::Seed& seed, std::uint32_t origin,
                                   std::size_t d) const {
    const TorusFile::Axis& wanted = file_.axes[d];
    const bool has_plus = seed.plus[d] != mad::Guid{}, has_minus = seed.minus[d] != mad::Guid{};
    auto along = direction(origin, has_plus ? seed.plus[d] : seed.minus[d]);
    if (!along) return along.error();
    if (!has_plus) along->up = !along->up;
    Source source{*along, {}};
    const Grid::Axis& axis = grid_.axes[along->axis];
    if (wanted.wraps && wanted.radix == kRingOfFour && axis.size == 2) {
      if (!has_plus || !has_minus) {
        return base::error(
            fmt::format("a ring of four needs both {0}p_link and {0}m_link", "xyz"[d]));
      }
      const auto back = direction(origin, seed.minus[d]);
      if (!back) return back.error();
      if (back->axis == along->axis || grid_.axes[back->axis].size != 2) {
        return base::error(fmt::format("the two links along {} are not of one ring", "xyz"[d]));
      }
      source.second = back->axis;
      return source;
    }
    const bool fits = axis.size == wanted.radix && axis.shape != Grid::Shape::Full &&
                      (wanted.wraps || axis.shape == Grid::Shape::Line);
    if (fits) return source;
    return base::error(fmt::format("along {} the file has a {} of {} and the cables a {} of {}",
                                   "xyz"[d], wanted.wraps ? "ring" : "line", wanted.radix,
                                   axis.shape == Grid::Shape::Line ? "line" : "ring", axis.size));
  }

  std::uint32_t position(const Grid::Axis& axis, const Source& source, std::uint32_t origin,
                         std::int32_t dateline, std::uint32_t s) const {
    const std::uint32_t size = axis.size;
    const std::size_t along = source.along.axis;
    const std::uint32_t here = grid_.at(s, along), zero = grid_.at(origin, along);
    if (axis.shape == Grid::Shape::Line) return source.along.up ? here : size - 1 - here;
    std::uint32_t apart = source.along.up ? here + size - zero : zero + size - here;
    if (source.second) {
      const bool plus = here != zero;
      const bool minus = grid_.at(s, *source.second) != grid_.at(origin, *source.second);
      apart = plus ? (minus ? 2 : 1) : (minus ? 3 : 0);
    }
    const auto shift = static_cast<std::uint32_t>(
        (dateline % static_cast<std::int32_t>(size) + static_cast<std::int32_t>(size)));
    return (apart + 2 * size - shift) % size;
  }

  const Grid& grid_;
  const TorusFile& file_;
  const fabric::Topology& topology_;
};

}  // namespace

base::Result<Grid> seeded_grid(const Grid& grid, const TorusFile& file,
                               const fabric::Topology& topology) {
  const Seeding seeding(grid, file, topology);
  std::string why = "the file has no seed";
  for (const TorusFile::Seed& seed : file.seeds) {
    auto planted = seeding.plant(seed);
    if (planted) return planted;
    why = planted.error().message;
  }
  return base::error(why);
}

}  // namespace heddle::routing
