// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lanes.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace heddle::fabric {

ServiceLevels::ServiceLevels(std::vector<std::uint32_t> row_of,
                             std::vector<std::uint32_t> column_of, std::size_t columns,
                             std::vector<std::uint8_t> levels)
    : row_of_(std::move(row_of)),
      column_of_(std::move(column_of)),
      columns_(columns),
      levels_(std::move(levels)) {
  const auto is_level = [](std::uint8_t level) { return level < kServiceLevels; };
  HEDDLE_CHECK(std::all_of(levels_.begin(), levels_.end(), is_level));
}

ServiceLevels ServiceLevels::by_destination(std::vector<std::uint8_t> level_of_lid) {
  const std::size_t columns = level_of_lid.size();
  return {{}, {}, columns, std::move(level_of_lid)};
}

std::uint8_t ServiceLevels::level(SwitchIndex from, mad::Lid to) const {
  if (levels_.empty()) return 0;
  if (!row_of_.empty() && from.value >= row_of_.size()) return 0;
  if (!column_of_.empty() && to.value >= column_of_.size()) return 0;
  const std::size_t row = row_of_.empty() ? 0 : row_of_[from.value];
  const std::size_t column = column_of_.empty() ? to.value : column_of_[to.value];
  const std::size_t at = row * columns_ + column;
  return column < columns_ && at < levels_.size() ? levels_[at] : std::uint8_t{0};
}

VlMap even_map(unsigned vls) {
  HEDDLE_CHECK(vls >= 1 && vls <= kMaxDataVls);
  VlMap map;
  for (unsigned sl = 0; sl < map.size(); ++sl) map[sl] = static_cast<std::uint8_t>(sl % vls);
  return map;
}

const VlMap& VlMaps::at(SwitchIndex where, mad::PortNumber in, mad::PortNumber out) const {
  if (where.value >= of_switch_.size()) return everywhere();
  const OfSwitch& own = of_switch_[where.value];
  if (own.choice.empty() || in.value > own.ports || out.value > own.ports) return everywhere();
  return maps_[own.choice[in.value * (own.ports + 1u) + out.value]];
}

void VlMaps::set(SwitchIndex where, unsigned ports, mad::PortNumber in, mad::PortNumber out,
                 const VlMap& map) {
  HEDDLE_CHECK(in.value <= ports && out.value <= ports);
  auto known = std::find(maps_.begin(), maps_.end(), map);
  if (known == maps_.end()) {
    HEDDLE_CHECK(maps_.size() < 256);
    known = maps_.insert(maps_.end(), map);
  }
  if (of_switch_.size() <= where.value) of_switch_.resize(where.value + 1u);
  OfSwitch& own = of_switch_[where.value];
  if (own.choice.empty()) {
    own.ports = ports;
    own.choice.resize((ports + 1u) * (ports + 1u));
  }
  HEDDLE_CHECK(own.ports == ports);
  own.choice[in.value * (ports + 1u) + out.value] =
      static_cast<std::uint8_t>(known - maps_.begin());
}

}  // namespace heddle::fabric
