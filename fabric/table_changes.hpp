// SPDX-License-Identifier: BSD-3-Clause
// Which entries of tables differ from those of others, LID by LID.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

struct TableChange {
  std::uint16_t lid = 0;
  std::uint32_t at = 0;  // switch of the new tables
  std::uint8_t old = 0;
  std::uint8_t now = 0;
  friend bool operator==(const TableChange&, const TableChange&) = default;
};

// Looks at slices of the switches, which several may do at the same time.
class TableChanges {
 public:
  static constexpr std::size_t kSlices = 16;
  static constexpr SwitchIndex kNew{0xFFFF'FFFF};

  // All outlive this. `before`: by switch of `now`, the same one in `old`, or kNew for one that is
  // left out. The rows must be of the same size.
  TableChanges(const ForwardingTables& now, const ForwardingTables& old,
               std::span<const SwitchIndex> before)
      : now_(now), old_(old), before_(before) {}

  // Each once, below kSlices.
  void look_at(std::size_t slice);
  // After all of them: by LID, then by switch.
  std::vector<TableChange> by_lid() const;

 private:
  const ForwardingTables& now_;
  const ForwardingTables& old_;
  const std::span<const SwitchIndex> before_;
  std::array<std::vector<TableChange>, kSlices> found_;  // of each LID by switch
};

}  // namespace heddle::fabric
