// SPDX-License-Identifier: BSD-3-Clause
// From the tables in place to others, while packets are under way: what must not be mixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/selection.hpp"

namespace heddle::routing {

// What the switches hold, of an earlier fabric or of this one.
struct InPlace {
  std::shared_ptr<const fabric::Topology> topology;
  std::shared_ptr<const fabric::ForwardingTables> tables;
  // Whose tables these are, if they are exactly somebody's.
  std::shared_ptr<const Selected> selected;
};

// Switches are written one after another, so for a while old entries and new ones serve the same
// packets. Mostly any mixture is right, and all is written at once. Else it is done in steps, each
// of which begins when the one before it is over:
//   - where packets could go round, a switch is written after those that its new way leads through.
//     Whoever is written has a whole way then, and whoever is not still has the old one;
//   - where that would take too many steps, or a mixture could close a credit loop, entries that
//     change are emptied in the first step and written in the second: packets are dropped between.
struct Transition {
  static constexpr unsigned kMostSteps = 4;
  static constexpr std::size_t kMostLate = 1'000'000;  // about; beyond, entries are emptied
  struct Late {
    fabric::SwitchIndex at{};
    mad::Lid lid{};
    std::uint8_t step = 0;  // 1..
    friend bool operator==(const Late&, const Late&) = default;
  };
  std::vector<Late> late;     // entries that are not written in the first step; by switch, then LID
  std::vector<bool> emptied;  // by LID: its entries that change are; none beyond the end
  unsigned steps = 1;
  std::size_t changed = 0;   // LIDs with other entries than before
  std::size_t circling = 0;  // of these, such as could go round in a mixture
  std::size_t clashing = 0;  // and such as could close a credit loop; they are emptied
  // Switches that lost a link to another one: to be written first.
  std::vector<fabric::SwitchIndex> beside_losses;

  std::size_t emptied_count() const;
  // The entries of one switch; those of its LIDs of one block of its table.
  std::span<const Late> late_of(fabric::SwitchIndex at) const;
  std::span<const Late> late_of(fabric::SwitchIndex at, std::size_t block) const;
};

// From `in_place` to `wanted`, which must be proven tables of `topology` with `lids`. Credit loops
// of mixtures are looked for as if all packets had one VL. Deterministic.
Transition plan_transition(const fabric::Topology& topology, const fabric::LidMap& lids,
                           const Selected& wanted, const InPlace& in_place,
                           const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
