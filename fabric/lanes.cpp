// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/lanes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.hpp"

namespace heddle::fabric {
namespace {

constexpr std::uint32_t kNoSuchRow = 0xFFFF'FFFF;

// Numbers anew what had numbers, alike what was alike but for such as shall be on their own.
struct Numbering {
  void add(std::uint32_t old, bool alone) {
    const auto next = static_cast<std::uint32_t>(first.size());
    number.push_back(alone ? next : known_.try_emplace(old, next).first->second);
    if (number.back() == next) first.push_back(static_cast<std::uint32_t>(number.size() - 1));
  }
  std::vector<std::uint32_t> number;
  std::vector<std::uint32_t> first;  // by new number: the first of those that have it

 private:
  std::map<std::uint32_t, std::uint32_t> known_;
};

}  // namespace

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

ServiceLevels ServiceLevels::side_by_side(const std::vector<Part>& parts) {
  struct Column {
    std::size_t part = 0, old = 0;
  };
  std::vector<Column> columns{{parts.size(), 0}};  // the first is level 0 everywhere
  std::vector<std::uint32_t> row_of, column_of;
  std::size_t rows = 1;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ServiceLevels& own = *parts[p].levels;
    if (own.uniform()) continue;
    std::vector<std::uint32_t> renamed(own.columns_);
    for (const mad::Lid lid : parts[p].lids) {
      const bool same = own.column_of_.empty();
      if (!same && lid.value >= own.column_of_.size()) continue;
      const std::size_t old = same ? lid.value : own.column_of_[lid.value];
      if (old >= own.columns_) continue;
      if (renamed[old] == 0) {
        renamed[old] = static_cast<std::uint32_t>(columns.size());
        columns.push_back({p, old});
      }
      if (column_of.size() <= lid.value) column_of.resize(lid.value + std::size_t{1});
      column_of[lid.value] = renamed[old];
    }
    for (std::uint32_t s = 0; s < parts[p].switches.size() && !own.row_of_.empty(); ++s) {
      const std::size_t at = parts[p].switches[s].value;
      if (row_of.size() <= at) row_of.resize(at + 1);
      row_of[at] = s < own.row_of_.size() ? own.row_of_[s] : 0;
      rows = std::max<std::size_t>(rows, row_of[at] + std::size_t{1});
    }
  }
  if (columns.size() == 1) return {};
  std::vector<std::uint8_t> levels(rows * columns.size());
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const ServiceLevels& own = *parts[columns[c].part].levels;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = row * own.columns_ + columns[c].old;
      levels[row * columns.size() + c] = at < own.levels_.size() ? own.levels_[at] : 0;
    }
  }
  // Switches beyond the end of row_of would have level 0: those of parts that have one row.
  for (const Part& part : parts) {
    for (const SwitchIndex at : part.switches) {
      if (row_of.size() <= at.value) row_of.resize(at.value + std::size_t{1});
    }
  }
  return {std::move(row_of), std::move(column_of), columns.size(), std::move(levels)};
}

ServiceLevels ServiceLevels::of_switches(const std::vector<SwitchIndex>& here) const {
  ServiceLevels same = *this;
  if (row_of_.empty()) return same;
  same.row_of_.clear();
  const auto rows = columns_ == 0 ? 0 : static_cast<std::uint32_t>(levels_.size() / columns_);
  for (const SwitchIndex at : here) {
    same.row_of_.push_back(at.value < row_of_.size() ? row_of_[at.value] : rows);  // no such row
  }
  return same;
}

// Whoever has a path that changes gets a row of its own, and each LID whose path does a column.
ServiceLevels ServiceLevels::with(const std::vector<Change>& changes, std::size_t switches) const {
  std::size_t lids = column_of_.empty() ? columns_ : column_of_.size();
  for (const Change& change : changes) lids = std::max(lids, change.to.value + std::size_t{1});
  std::vector<bool> is_from(switches), is_to(lids);
  for (const Change& change : changes) is_from[change.from.value] = is_to[change.to.value] = true;
  Numbering rows, columns;
  for (std::uint32_t s = 0; s < switches; ++s) {
    rows.add(s < row_of_.size() ? row_of_[s] : row_of_.empty() ? 0 : kNoSuchRow, is_from[s]);
  }
  for (std::uint32_t lid = 0; lid < lids; ++lid) {
    columns.add(lid < column_of_.size() ? column_of_[lid] : lid, is_to[lid]);
  }
  std::vector<std::uint8_t> levels;
  for (const std::uint32_t from : rows.first) {
    for (const std::uint32_t to : columns.first) {
      levels.push_back(level({from}, mad::Lid{static_cast<std::uint16_t>(to)}));
    }
  }
  for (const Change& change : changes) {
    levels[rows.number[change.from.value] * columns.first.size() +
           columns.number[change.to.value]] = change.level;
  }
  return {std::move(rows.number), std::move(columns.number), columns.first.size(),
          std::move(levels)};
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
