// SPDX-License-Identifier: BSD-3-Clause
// An upgrade plan: cables that somebody will move, in an order, and what the fabric is like at each
// step, with the tables that the subnet manager would have then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/result.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "plan/what_if.hpp"
#include "routing/home.hpp"

namespace heddle::plan {

// One step: first cables come out, then others go in.
struct Move {
  using Ends = std::pair<fabric::PortIndex, fabric::PortIndex>;
  std::string text;
  unsigned line = 0;
  std::vector<Ends> out;
  std::vector<Ends> in;
};

// Lines, '#' begins a comment:
//   out A:1             the cable in this port comes out and stays out (or "out A:1 - B:2")
//   in A:1 - B:2        a cable joins two ports that are free
//   move A:1 -> B:2     the plug in A:1 goes into B:2; the cable's other end stays
//   swap A:1 <-> B:2    the plugs in two ports change places
// Ports are named as in parse_loss. An error names file and line of the first that names no port,
// or cannot be done at that point: no cable to pull, a port that is taken. At most 10,000 steps.
base::Result<std::vector<Move>> parse_moves(std::string_view text, std::string_view title,
                                            const fabric::Topology& topology);

struct MoveAnswer {
  struct Phase {
    WhatIf answer;             // changes are against the phase before; `loss` is empty
    std::uint64_t parted = 0;  // ordered pairs of hosts whose own cables stay, that lose each other
  };
  std::vector<Phase> phases;  // out, in; one that does nothing is left out
  bool has_out = false;       // the first of them is "out"
};

class Upgrade {
 public:
  // An error when the fabric as it is cannot be routed.
  static base::Result<std::unique_ptr<Upgrade>> make(fabric::Topology topology, fabric::LidMap lids,
                                                     WhatIfOptions options,
                                                     const base::ParallelFor& parallel);

  const Figures& before() const { return before_; }
  const std::string& engine() const { return engine_; }
  // As things are now.
  const fabric::Topology& topology() const { return *topology_; }
  const fabric::ForwardingTables& tables() const { return selected_->routes.tables; }

  // Takes the step. Moves must be those of parse_moves for this topology, in their order.
  MoveAnswer take(const Move& move, const base::ParallelFor& parallel);

 private:
  Upgrade() = default;
  MoveAnswer::Phase go(const base::ParallelFor& parallel);
  fabric::Topology build() const;
  fabric::LidMap lids_of(const fabric::Topology& topology);
  Figures measure(const base::ParallelFor& parallel) const;

  WhatIfOptions options_;
  std::vector<fabric::PortIndex> peer_;            // by port, which never change: nodes stay
  std::vector<fabric::LidMap::Range> remembered_;  // by port, as the subnet manager does
  std::shared_ptr<const fabric::Topology> topology_;
  std::shared_ptr<const fabric::LidMap> lids_;
  std::shared_ptr<const routing::Selected> selected_;
  routing::Home home_;
  Figures before_;
  std::string engine_;
};

}  // namespace heddle::plan
