// SPDX-License-Identifier: BSD-3-Clause
#include "routing/grid_routes.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "routing/destinations.hpp"
#include "routing/grid_steps.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr unsigned kLevelBits = 4;
constexpr unsigned kQosBit = 3;

bool has_dateline(const Grid::Axis& axis) {
  return axis.shape == Grid::Shape::Ring && axis.size > 3;
}

// Which service level bit each axis has; kLevelBits where it needs none.
std::vector<unsigned> level_bits(const Grid& grid) {
  std::vector<unsigned> bits(grid.axes.size(), kLevelBits);
  // As in OpenSM, where that is possible: bit by axis.
  unsigned next = 0;
  for (std::size_t axis = 0; axis < bits.size(); ++axis) {
    if (grid.axes.size() <= kQosBit) {
      bits[axis] = static_cast<unsigned>(axis);
    } else if (has_dateline(grid.axes[axis])) {
      bits[axis] = next++;
    }
  }
  return bits;
}

unsigned lanes_of_whole(const Grid& grid) {
  return std::any_of(grid.axes.begin(), grid.axes.end(), has_dateline) ? 2 : 1;
}

// LIDs of one switch in the order in which they are dealt to parallel cables.
struct Dealt {
  std::vector<std::uint16_t> lids;
  std::vector<std::uint8_t> out;
};

std::vector<Dealt> deal(const Destinations& destinations, const std::vector<std::uint8_t>& order) {
  std::vector<Dealt> all(destinations.by_switch.size());
  const auto rank = [&](const Destination& to) {
    const auto found = std::find(order.begin(), order.end(), to.out.value);
    return to.is_host() ? static_cast<std::size_t>(found - order.begin()) : order.size() + 1;
  };
  for (std::size_t s = 0; s < all.size(); ++s) {
    auto group = destinations.by_switch[s];
    std::stable_sort(group.begin(), group.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (const Destination& to : group) {
      for (unsigned i = 0; i < to.lid_count(); ++i) {
        all[s].lids.push_back(static_cast<std::uint16_t>(to.base.value + i));
        all[s].out.push_back(to.out.value);
      }
    }
  }
  return all;
}

class GridRouter {
 public:
  GridRouter(const Request& request, const Grid& grid, const CompactChannels& channels,
             const GridRouting& options)
      : request_(request),
        grid_(grid),
        channels_(channels),
        steps_(grid, channels),
        dealt_(deal(Destinations(request.topology, request.lids), options.port_order)),
        bits_(level_bits(grid)),
        tables_(request.topology.switch_count(), request.lids.top(), request.parallel) {}

  // A sentence about two switches between which there is no way.
  std::optional<std::string> fill() {
    const std::size_t switches = dealt_.size();
    std::vector<std::uint32_t> lost(switches, Grid::kMissing);  // by switch: toward which
    request_.parallel(switches, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) fill_from(static_cast<std::uint32_t>(s), lost[s]);
    });
    for (std::uint32_t s = 0; s < switches; ++s) {
      if (lost[s] == Grid::kMissing) continue;
      return fmt::format("too much is missing: dimension order has no way from {} to {}", name(s),
                         name(lost[s]));
    }
    return std::nullopt;
  }

  fabric::ForwardingTables take_tables() { return std::move(tables_); }

  fabric::Lanes lanes() const {
    const unsigned whole = lanes_of_whole(grid_), allowed = request_.data_vls;
    const bool turns = grid_.missing() > 0 || (whole > 1 && allowed >= 2 * whole);
    const bool two_levels = turns && allowed >= 4 * whole && !uses_bit(kQosBit);
    fabric::Lanes lanes;
    lanes.vls = static_cast<std::uint8_t>(whole * (turns ? 2 : 1) * (two_levels ? 2 : 1));
    if (lanes.vls == 1) return lanes;
    lanes.maps = maps(whole, turns, two_levels);
    if (whole > 1) lanes.levels = levels();
    return lanes;
  }

 private:
  bool uses_bit(unsigned bit) const { return std::count(bits_.begin(), bits_.end(), bit) > 0; }

  std::string name(std::uint32_t s) const {
    const auto& node = request_.topology.node(SwitchIndex{s});
    return node.description.empty() ? base::hex(node.guid.value)
                                    : base::printable(node.description);
  }

  void fill_from(std::uint32_t at, std::uint32_t& lost) {
    const auto row = tables_.row(SwitchIndex{at});
    for (std::uint32_t target = 0; target < dealt_.size(); ++target) {
      const Dealt& to = dealt_[target];
      GridSteps::Cables cables;
      if (at != target && !steps_.next(at, target, cables)) {
        if (lost == Grid::kMissing) lost = target;
        continue;
      }
      const std::uint8_t* out = channels_.out.data() + channels_.first[at] + cables.first;
      for (std::size_t i = 0, turn = 0; i < to.lids.size(); ++i) {
        row[to.lids[i]] = at == target ? to.out[i] : out[turn];
        if (++turn >= cables.count) turn = 0;
      }
    }
  }

  fabric::ServiceLevels levels() const {
    const auto switches = static_cast<std::uint32_t>(dealt_.size());
    std::vector<std::uint32_t> row_of(switches);
    // LIDs of nobody share the column of the first switch.
    std::vector<std::uint32_t> column_of(request_.lids.top().value + 1u);
    std::vector<std::uint8_t> level(std::size_t{switches} * switches);
    for (std::uint32_t s = 0; s < switches; ++s) {
      row_of[s] = s;
      for (const std::uint16_t lid : dealt_[s].lids) column_of[lid] = s;
    }
    request_.parallel(switches, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        for (std::uint32_t t = 0; t < switches; ++t) {
          level[s * switches + t] = level_between(static_cast<std::uint32_t>(s), t);
        }
      }
    });
    return {std::move(row_of), std::move(column_of), switches, std::move(level)};
  }

  std::uint8_t level_between(std::uint32_t from, std::uint32_t to) const {
    unsigned level = 0;
    const std::uint32_t crossed = steps_.crossings(from, to);
    for (std::size_t axis = 0; axis < bits_.size(); ++axis) {
      if ((crossed >> axis & 1) != 0 && bits_[axis] < kLevelBits) level |= 1u << bits_[axis];
    }
    return static_cast<std::uint8_t>(level);
  }

  fabric::VlMaps maps(unsigned whole, bool turns, bool two_levels) const {
    fabric::VlMap everywhere{};
    for (unsigned level = 8; two_levels && level < everywhere.size(); ++level) {
      everywhere[level] = 1;
    }
    fabric::VlMaps maps(everywhere);
    const auto& topology = request_.topology;
    for (std::uint32_t s = 0; s < dealt_.size(); ++s) {
      const unsigned ports = topology.node(SwitchIndex{s}).port_count;
      for (const fabric::Channel& out : topology.channels_from(SwitchIndex{s})) {
        const std::size_t along = axis_of(out);
        const auto hop = [&](bool back) {
          fabric::VlMap map;
          for (unsigned level = 0; level < map.size(); ++level) {
            unsigned lane = whole > 1 && bits_[along] < kLevelBits ? level >> bits_[along] & 1 : 0;
            if (back) lane += whole;
            if (two_levels && level >= 8) lane += 2 * whole;
            map[level] = static_cast<std::uint8_t>(lane);
          }
          return map;
        };
        maps.set(SwitchIndex{s}, ports, mad::PortNumber{0}, out.out, hop(false));
        for (const fabric::Channel& other : topology.channels_from(SwitchIndex{s})) {
          maps.set(SwitchIndex{s}, ports, other.out, out.out, hop(turns && axis_of(other) > along));
        }
      }
    }
    return maps;
  }

  std::size_t axis_of(const fabric::Channel& channel) const {
    std::size_t axis = 0;
    while (axis + 1 < grid_.axes.size() &&
           grid_.at(channel.from.value, axis) == grid_.at(channel.to.value, axis)) {
      ++axis;
    }
    return axis;
  }

  const Request& request_;
  const Grid& grid_;
  const CompactChannels& channels_;
  GridSteps steps_;
  std::vector<Dealt> dealt_;
  std::vector<unsigned> bits_;
  fabric::ForwardingTables tables_;
};

}  // namespace

unsigned vls_needed(const Grid& grid) {
  return lanes_of_whole(grid) * (grid.missing() > 0 ? 2 : 1);
}

base::Result<Routes> route_grid(const Request& request, const Grid& grid,
                                const CompactChannels& channels, const GridRouting& options) {
  const auto rings = std::count_if(grid.axes.begin(), grid.axes.end(), has_dateline);
  if (rings > static_cast<std::ptrdiff_t>(kLevelBits)) {
    return base::error(
        fmt::format("{} axes are rings; service levels have bits for {}", rings, kLevelBits));
  }
  if (vls_needed(grid) > request.data_vls) {
    return base::error(fmt::format("a {}{} needs {} VLs, and {} may be used", grid.title(),
                                   grid.missing() > 0 ? " with switches missing" : "",
                                   vls_needed(grid), request.data_vls));
  }
  GridRouter router(request, grid, channels, options);
  if (const auto lost = router.fill()) return base::error(*lost);
  Routes routes{{}, router.take_tables(), {}};
  routes.lanes = router.lanes();
  routes.notes.push_back(fmt::format("the fabric is a {}", grid.title()));
  if (grid.missing() > 0) {
    routes.notes.push_back(fmt::format("switches missing: {}", grid.missing()));
  }
  return routes;
}

}  // namespace heddle::routing
