// SPDX-License-Identifier: BSD-3-Clause
#include "plan/loads.hpp"

#include <algorithm>

namespace heddle::plan {

double host_load(const fabric::Topology& topology, const fabric::LidMap& lids) {
  double all = 0;
  for (const fabric::PortIndex port : topology.endports()) {
    const auto attachment = topology.attachment(port);
    if (!attachment || attachment->out.value == 0) continue;
    if (lids.base(port) != mad::kNoLid) all += lids.range(port).count();
  }
  return std::max(1.0, all - 1);
}

WeightedLoads weigh(const std::vector<std::uint64_t>& load, const std::vector<double>& weights) {
  WeightedLoads weighted;
  if (load.empty()) return weighted;
  std::vector<double> all(load.size());
  for (std::size_t c = 0; c < load.size(); ++c) {
    all[c] = static_cast<double>(load[c]) * (weights.empty() ? 1 : weights[c]);
    weighted.mean += all[c];
    weighted.greatest = std::max(weighted.greatest, all[c]);
  }
  weighted.mean /= static_cast<double>(all.size());
  const auto p99 = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) * 99 / 100);
  std::nth_element(all.begin(), p99, all.end());
  weighted.p99 = *p99;
  return weighted;
}

double hottest_load(const std::vector<WeightedLoads>& engines, double unit) {
  constexpr double kHarmless = 2, kAboveMost = 1.5;
  double least = 0;
  for (const WeightedLoads& engine : engines) {
    const double own = std::min(engine.greatest, kAboveMost * engine.p99);
    if (own > 0 && (least == 0 || own < least)) least = own;
  }
  return std::max(kHarmless, least / unit);
}

LoadHistogram load_histogram(const std::vector<std::uint64_t>& load, std::size_t most_bins) {
  LoadHistogram histogram;
  if (load.empty() || most_bins == 0) return histogram;
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  const auto bins_for = [&, low = *least, high = *most](std::uint64_t step) {
    return high / step - low / step + 1;
  };
  for (std::uint64_t ten = 1; bins_for(histogram.step) > most_bins; ten *= 10) {
    for (const std::uint64_t digit : {1u, 2u, 5u}) {
      histogram.step = digit * ten;
      if (bins_for(histogram.step) <= most_bins) break;
    }
  }
  histogram.least = *least / histogram.step * histogram.step;
  histogram.counts.resize(bins_for(histogram.step));
  for (const std::uint64_t one : load) ++histogram.counts[(one - histogram.least) / histogram.step];
  return histogram;
}

std::vector<LoadedChannel> worst_channels(const std::vector<std::uint64_t>& load, std::size_t count,
                                          const std::vector<double>& weights) {
  std::vector<LoadedChannel> all;
  for (std::uint32_t c = 0; c < load.size(); ++c) {
    const double weight = weights.empty() ? 1 : weights[c];
    if (load[c] > 0) {
      all.push_back({fabric::ChannelIndex{c}, load[c], static_cast<double>(load[c]) * weight});
    }
  }
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(
      all.begin(), last, all.end(), [](const LoadedChannel& a, const LoadedChannel& b) {
        return a.weighted == b.weighted ? a.channel < b.channel : a.weighted > b.weighted;
      });
  all.erase(last, all.end());
  return all;
}

std::vector<LevelSupply> supply_of_levels(const fabric::Topology& topology,
                                          const std::vector<std::uint32_t>& level) {
  std::vector<LevelSupply> levels;
  const auto supply = [&](std::uint32_t of) -> LevelSupply& {
    if (levels.size() <= of) levels.resize(of + 1);
    return levels[of];
  };
  for (const std::uint32_t of : level) ++supply(of).switches;
  for (const auto& channel : topology.channels()) {
    const std::uint32_t here = level[channel.from.value], there = level[channel.to.value];
    ++(here == there ? supply(here).sideways : here < there ? supply(here).up : supply(here).down);
  }
  for (const fabric::PortIndex port : topology.endports()) {
    const auto attachment = topology.attachment(port);
    if (attachment && attachment->out.value != 0) ++supply(level[attachment->at.value]).hosts;
  }
  return levels;
}

}  // namespace heddle::plan
