// SPDX-License-Identifier: BSD-3-Clause
#include "plan/column_loads.hpp"

#include <algorithm>
#include <utility>

#include "plan/column_flow.hpp"

namespace heddle::plan {
namespace {

constexpr std::size_t kParts = 8;  // whatever runs them

using fabric::SwitchIndex;

}  // namespace

ColumnLoads::ColumnLoads(const fabric::Topology& topology, const fabric::LidMap& lids,
                         const fabric::ForwardingTables& tables, std::vector<double> weights,
                         const base::ParallelFor& parallel)
    : topology_(topology),
      lids_(lids),
      tables_(tables),
      weights_(std::move(weights)),
      hosts_(topology.switch_count()),
      loads_(topology.channels().size()) {
  for (const fabric::PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (at && at->out.value != 0 && lids.base(port) != mad::kNoLid) ++hosts_[at->at.value];
  }
  std::vector<std::vector<std::uint64_t>> parts(kParts);
  const std::size_t count = std::size_t{lids.top().value} + 1;
  parallel(kParts, [&](std::size_t begin, std::size_t end) {
    ColumnFlow column(topology_, lids_, tables_);
    for (std::size_t p = begin; p < end; ++p) {
      parts[p].resize(loads_.size());
      for (std::size_t lid = count * p / kParts; lid < count * (p + 1) / kParts; ++lid) {
        const mad::Lid value{static_cast<std::uint16_t>(lid)};
        column.flow(value, hosts_, {}, [&](fabric::ChannelIndex channel, std::uint32_t packets) {
          parts[p][channel.value] += packets;
        });
      }
    }
  });
  for (const auto& part : parts) {
    for (std::size_t c = 0; c < part.size(); ++c) loads_[c] += part[c];
  }
}

LoadFigures ColumnLoads::figures() const {
  return after({}, {}, 0);
}

LoadFigures ColumnLoads::after(const routing::Repair& repair,
                               const std::vector<SwitchIndex>& at_home, std::size_t lost) const {
  auto loads = loads_;
  ColumnFlow column(topology_, lids_, tables_);
  std::vector<ColumnFlow::Change> changes;
  for (std::size_t i = 0; i < repair.entries.size();) {
    const mad::Lid lid = repair.entries[i].lid;
    changes.clear();
    for (; i < repair.entries.size() && repair.entries[i].lid == lid; ++i) {
      changes.push_back({at_home[repair.entries[i].at.value], repair.entries[i].out});
    }
    column.flow(lid, hosts_, {}, [&](fabric::ChannelIndex channel, std::uint32_t packets) {
      loads[channel.value] -= packets;
    });
    column.flow(lid, hosts_, changes, [&](fabric::ChannelIndex channel, std::uint32_t packets) {
      loads[channel.value] += packets;
    });
  }
  LoadFigures figures;
  if (loads.size() <= lost) return figures;
  std::uint64_t sum = 0;
  double weighted = 0;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    const double own = static_cast<double>(loads[c]) * (weights_.empty() ? 1 : weights_[c]);
    sum += loads[c];
    weighted += own;
    figures.greatest = std::max(figures.greatest, loads[c]);
    figures.greatest_weighted = std::max(figures.greatest_weighted, own);
  }
  figures.mean = static_cast<double>(sum) / static_cast<double>(loads.size() - lost);
  figures.mean_weighted = weighted / static_cast<double>(loads.size() - lost);
  return figures;
}

}  // namespace heddle::plan
