// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/table_changes.hpp"

#include <utility>

namespace heddle::fabric {

void TableChanges::look_at(std::size_t slice) {
  // Threads would fight over one cache line that holds the ends of two vectors.
  std::vector<TableChange> found;
  const std::size_t end = (slice + 1) * before_.size() / kSlices;
  for (std::size_t chunk = 0; chunk < now_.chunk_count(); ++chunk) {
    for (std::size_t s = slice * before_.size() / kSlices; s < end; ++s) {
      if (before_[s] == kNew) continue;
      const SwitchIndex at{static_cast<std::uint32_t>(s)};
      for_each_difference(now_, at, old_, before_[s], chunk,
                          [&](std::size_t lid, std::uint8_t now, std::uint8_t old) {
                            found.push_back({static_cast<std::uint16_t>(lid), at.value, old, now});
                          });
    }
  }
  found_[slice] = std::move(found);
}

std::vector<TableChange> TableChanges::by_lid() const {
  std::vector<std::uint32_t> ends(now_.row_size() + 1);
  std::size_t count = 0;
  for (const auto& found : found_) {
    count += found.size();
    for (const TableChange& change : found) ++ends[change.lid + 1u];
  }
  for (std::size_t lid = 1; lid < ends.size(); ++lid) ends[lid] += ends[lid - 1];
  std::vector<TableChange> sorted(count);
  for (const auto& found : found_) {
    for (const TableChange& change : found) sorted[ends[change.lid]++] = change;
  }
  return sorted;
}

}  // namespace heddle::fabric
