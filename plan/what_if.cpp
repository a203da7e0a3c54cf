// SPDX-License-Identifier: BSD-3-Clause
#include "plan/what_if.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fabric/islands.hpp"
#include "plan/loads.hpp"
#include "routing/patterns.hpp"
#include "routing/quality.hpp"
#include "routing/repair.hpp"

namespace heddle::plan {
namespace {

using fabric::SwitchIndex;
using fabric::Topology;

std::vector<Write> writes_of(const Topology& topology,
                             const std::map<std::uint32_t, std::set<std::uint16_t>>& blocks) {
  std::vector<Write> writes;
  for (const auto& [at, own] : blocks) {
    const auto& node = topology.node(SwitchIndex{at});
    writes.push_back({node.guid, node.description, {own.begin(), own.end()}});
  }
  return writes;
}

TableChanges changes_of(const Topology& topology, const routing::Repair& repair) {
  std::map<std::uint32_t, std::set<std::uint16_t>> blocks;
  for (const auto& entry : repair.entries) {
    blocks[entry.at.value].insert(
        static_cast<std::uint16_t>(entry.lid.value / fabric::kLftBlockLids));
  }
  return {repair.entries.size(), repair.moved, writes_of(topology, blocks)};
}

void take(TableChanges changes, WhatIf& answer) {
  answer.entries = changes.entries;
  answer.lids = changes.lids;
  answer.writes = std::move(changes.writes);
}

void measure_bandwidth(const Topology& topology, const fabric::LidMap& lids,
                       const fabric::ForwardingTables& tables, const WhatIfOptions& options,
                       const std::vector<double>& capacities, const base::ParallelFor& parallel,
                       Figures& figures) {
  if (options.bisections == 0) return;
  routing::PatternOptions patterns;
  patterns.seed = options.seed;
  patterns.bisections = options.bisections;
  patterns.with_shifts = false;
  patterns.capacities = &capacities;
  const auto measured = routing::measure_patterns(topology, lids, tables, patterns, parallel);
  figures.bandwidth = measured.weighted.effective_bandwidth;
  figures.bandwidth_by_count = measured.effective_bandwidth;
}

LoadFigures measure_load(const Topology& topology, const fabric::LidMap& lids,
                         const fabric::ForwardingTables& tables,
                         const std::vector<double>& capacities, const base::ParallelFor& parallel) {
  const auto measured = routing::measure_loads(topology, lids, tables, parallel);
  const auto weighted = weigh(measured.load, channel_weights(topology, capacities));
  return {measured.quality.greatest_load, measured.quality.mean_load, weighted.greatest,
          weighted.mean};
}

// Whether every host's port that was attached still is: then loads can be carried on.
bool has_all_hosts(const Topology& before, const Topology& now) {
  return before.endports().size() - before.switch_count() ==
         now.endports().size() - now.switch_count();
}

}  // namespace

std::size_t WhatIf::blocks() const {
  std::size_t count = 0;
  for (const Write& write : writes) count += write.blocks.size();
  return count;
}

std::uint64_t count_pairs(const Topology& topology, const fabric::LidMap& lids) {
  const fabric::Islands islands(topology);
  std::vector<std::uint64_t> hosts(islands.count());
  for (const fabric::PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (at && at->out.value != 0 && lids.base(port) != mad::kNoLid) ++hosts[islands.of(at->at)];
  }
  std::uint64_t pairs = 0;
  for (const std::uint64_t count : hosts)
    pairs += count * (count - std::min<std::uint64_t>(1, count));
  return pairs;
}

Figures measure_figures(const Topology& topology, const fabric::LidMap& lids,
                        const fabric::ForwardingTables& tables, const WhatIfOptions& options,
                        const base::ParallelFor& parallel) {
  const auto capacities = options.rates.capacities(topology);
  Figures figures;
  figures.load = measure_load(topology, lids, tables, capacities, parallel);
  measure_bandwidth(topology, lids, tables, options, capacities, parallel, figures);
  return figures;
}

TableChanges compare_tables(const Topology& before, const fabric::ForwardingTables& old,
                            const Topology& after, const fabric::LidMap& lids,
                            const fabric::ForwardingTables& fresh) {
  TableChanges changes;
  std::map<std::uint32_t, std::set<std::uint16_t>> blocks;
  std::vector<bool> moved(std::size_t{lids.top().value} + 1);
  for (std::uint32_t s = 0; s < after.switch_count(); ++s) {
    const auto was = before.find_node(after.node(SwitchIndex{s}).guid);
    for (std::uint32_t number = 1; number < moved.size(); ++number) {
      const mad::Lid lid{static_cast<std::uint16_t>(number)};
      if (lids.owner(lid) == fabric::kNoPort) continue;
      const auto out = fresh.out_port(SwitchIndex{s}, lid);
      if (was && old.out_port(SwitchIndex{was->value}, lid) == out) continue;
      ++changes.entries;
      moved[number] = true;
      blocks[s].insert(static_cast<std::uint16_t>(number / fabric::kLftBlockLids));
    }
  }
  changes.lids = static_cast<std::size_t>(std::count(moved.begin(), moved.end(), true));
  changes.writes = writes_of(after, blocks);
  return changes;
}

base::Result<std::unique_ptr<const WhatIfs>> WhatIfs::make(Topology topology, fabric::LidMap lids,
                                                           WhatIfOptions options,
                                                           const base::ParallelFor& parallel) {
  std::unique_ptr<WhatIfs> made(new WhatIfs);
  made->options_ = std::move(options);
  made->home_.topology = std::make_shared<const Topology>(std::move(topology));
  made->home_.lids = std::make_shared<const fabric::LidMap>(std::move(lids));
  made->home_.policy = made->options_.policy;
  auto selected = routing::select_routes(*made->home_.topology, *made->home_.lids,
                                         made->options_.policy, parallel);
  if (selected.has_error()) return selected.error();
  made->home_.selected = std::make_shared<const routing::Selected>(std::move(*selected));
  const auto& tables = made->home_.selected->routes.tables;
  const auto capacities = made->options_.rates.capacities(*made->home_.topology);
  made->loads_ = std::make_unique<const ColumnLoads>(
      *made->home_.topology, *made->home_.lids, tables,
      channel_weights(*made->home_.topology, capacities), parallel);
  made->before_.pairs = count_pairs(*made->home_.topology, *made->home_.lids);
  made->before_.load = made->loads_->figures();
  measure_bandwidth(*made->home_.topology, *made->home_.lids, tables, made->options_, capacities,
                    parallel, made->before_);
  return {boost::system::in_place_value, std::unique_ptr<const WhatIfs>(std::move(made))};
}

WhatIf WhatIfs::ask(const Loss& loss, const base::ParallelFor& parallel) const {
  WhatIf answer;
  answer.loss = loss;
  const Left left = without(*home_.topology, *home_.lids, loss);
  answer.after.pairs = count_pairs(left.topology, left.lids);
  const auto departure = routing::departure_from(home_, left.topology, left.lids, options_.policy);
  const auto repair = departure.comparable && !departure.whole
                          ? routing::repair(home_, departure, left.topology, left.lids)
                          : std::nullopt;
  std::shared_ptr<const routing::Selected> selected;
  if (repair) {
    answer.repaired = true;
    take(changes_of(left.topology, *repair), answer);
    if (options_.bisections > 0 || !has_all_hosts(*home_.topology, left.topology)) {
      selected = std::make_shared<const routing::Selected>(
          routing::repaired(home_, departure, left.topology, *repair));
    }
  } else {
    auto chosen =
        routing::select_near_home(left.topology, left.lids, options_.policy, &home_, parallel);
    if (chosen.has_error()) {
      answer.error = chosen.error().message;
      return answer;
    }
    selected = *chosen;
    // Where only hosts went the tables stay, and so does what they say of those hosts.
    if (selected != home_.selected) {
      take(compare_tables(*home_.topology, home_.selected->routes.tables, left.topology, left.lids,
                          selected->routes.tables),
           answer);
    }
  }
  const auto capacities = options_.rates.capacities(left.topology);
  if (repair && has_all_hosts(*home_.topology, left.topology)) {
    const std::size_t lost = home_.topology->channels().size() - left.topology.channels().size();
    answer.after.load = loads_->after(*repair, departure.at_home, lost);
  } else {
    answer.after.load =
        measure_load(left.topology, left.lids, selected->routes.tables, capacities, parallel);
  }
  if (options_.bisections > 0) {
    measure_bandwidth(left.topology, left.lids, selected->routes.tables, options_, capacities,
                      parallel, answer.after);
  }
  return answer;
}

}  // namespace heddle::plan
