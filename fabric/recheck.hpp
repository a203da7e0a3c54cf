// SPDX-License-Identifier: BSD-3-Clause
// Proof of tables that differ little from proven ones. Like verify() it trusts nobody and shares no
// code with those who make tables; unlike it, it looks only at what differs, so its work grows with
// the repair and not with the fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/table_changes.hpp"
#include "fabric/topology.hpp"
#include "fabric/witness.hpp"

namespace heddle::fabric {

// Tables that verify() has proven on one VL: every route arrives, and these are its dependencies.
struct Proven {
  const Topology& topology;
  const LidMap& lids;
  const ForwardingTables& tables;
  const Witness& witness;
};

// A fabric in which nothing is new: each switch, channel, LID and its place is there in the proven
// one, too. That is checked.
struct Remains {
  const Topology& topology;
  const LidMap& lids;
  std::span<const SwitchIndex> before;  // by switch: the same one in the proven fabric
};

// Tables of it.
struct Claim {
  const ForwardingTables& tables;
  std::span<const std::uint32_t> places;  // by proven channel: the line in which all lead forward
};

class Recheck {
 public:
  // What these refer to outlives this.
  Recheck(const Proven& proven, const Remains& remains);
  ~Recheck();
  Recheck(Recheck&&) = delete;

  // Looks at the fabric need no tables: they can be done while those are made, at the same time.
  // Each once, below kLooks.
  static constexpr std::size_t kLooks = 3;
  void look(std::size_t number);

  // After all looks. Whether it is shown that
  //   - from every switch each LID can be reached that is in the switch's island (as in verify());
  //   - all dependencies of the proven tables and of the claimed ones lead forward in the claimed
  //   line: neither has a credit loop, nor have packets of which each keeps to the ones or the
  //   others.
  // What counts as a dependency is as in verify(). False says only that it is not shown this way.
  //
  // Why what differs is enough: a way along entries that are the same leads where it led when it
  // was proven, until it ends there or comes to an entry that differs. From each of these the way
  // is walked to its end. `changes`, if not null, gets these where it is shown: by LID, then by
  // switch of what remains.
  bool follows(const Claim& claim, const base::ParallelFor& parallel = base::inline_for,
               std::vector<TableChange>* changes = nullptr) const;

 private:
  class Fabric;
  std::unique_ptr<Fabric> fabric_;
};

}  // namespace heddle::fabric
