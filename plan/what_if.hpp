// SPDX-License-Identifier: BSD-3-Clause
// What a loss would do: which hosts part, what the subnet manager would write, what is left of the
// bandwidth. The tables are those that it would choose, near its home (routing/home.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/result.hpp"
#include "plan/column_loads.hpp"
#include "plan/link_rates.hpp"
#include "plan/loss.hpp"
#include "routing/home.hpp"

namespace heddle::plan {

struct WhatIfOptions {
  routing::Policy policy;
  std::uint64_t seed = 1;
  std::size_t bisections = 20;  // random ones, for the bandwidth; 0: it is not measured
  LinkRates rates;
};

struct Figures {
  std::uint64_t pairs = 0;  // ordered pairs of hosts' ports that reach each other
  LoadFigures load;         // routes over a channel, everyone to everyone
  // Effective bisection bandwidth (routing/patterns.hpp): share of its cable that a host gets, by
  // what links carry, and as if all were alike.
  double bandwidth = 0;
  double bandwidth_by_count = 0;
};
// Of any tables, but for the pairs.
Figures measure_figures(const fabric::Topology& topology, const fabric::LidMap& lids,
                        const fabric::ForwardingTables& tables, const WhatIfOptions& options,
                        const base::ParallelFor& parallel);

// The blocks of one switch's linear forwarding table, ascending.
struct Write {
  mad::Guid guid{};
  std::string name;
  std::vector<std::uint16_t> blocks;
};

struct WhatIf {
  Loss loss;
  std::string error;  // why there are no tables; then nothing below is known but the pairs
  Figures after;
  std::uint64_t entries = 0;  // of tables of switches that are left, that change
  std::size_t lids = 0;       // of those who are left, whose ways change
  std::vector<Write> writes;  // in the order in which the subnet manager sends them: switch by
                              // switch, by node GUID; it has several under way at a time
  bool repaired = false;      // not computed anew
  std::size_t blocks() const;
};

class WhatIfs {
 public:
  // An error when the fabric as it is cannot be routed.
  static base::Result<std::unique_ptr<const WhatIfs>> make(fabric::Topology topology,
                                                           fabric::LidMap lids,
                                                           WhatIfOptions options,
                                                           const base::ParallelFor& parallel);

  const fabric::Topology& topology() const { return *home_.topology; }
  const routing::Selected& selected() const { return *home_.selected; }
  const Figures& before() const { return before_; }

  // May be called from several threads at a time.
  WhatIf ask(const Loss& loss, const base::ParallelFor& parallel = base::inline_for) const;

 private:
  WhatIfs() = default;
  routing::Home home_;
  WhatIfOptions options_;
  std::unique_ptr<const ColumnLoads> loads_;
  Figures before_;
};

// Ordered pairs of hosts' ports that hang on switches of one island.
std::uint64_t count_pairs(const fabric::Topology& topology, const fabric::LidMap& lids);

// What differs between the tables of two fabrics for the switches and LIDs that both have.
struct TableChanges {
  std::uint64_t entries = 0;
  std::size_t lids = 0;
  std::vector<Write> writes;
};
TableChanges compare_tables(const fabric::Topology& before, const fabric::ForwardingTables& old,
                            const fabric::Topology& after, const fabric::LidMap& lids,
                            const fabric::ForwardingTables& fresh);

}  // namespace heddle::plan
