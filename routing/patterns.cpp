// SPDX-License-Identifier: BSD-3-Clause
#include "routing/patterns.hpp"

#include <algorithm>
#include <numeric>

#include "base/prng.hpp"
#include "routing/tree_levels.hpp"
#include "routing/tree_pieces.hpp"

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

struct Host {
  SwitchIndex at{};
  mad::Lid lid{};
  double cable = 1;  // what it carries
};

// Of one pattern.
struct Outcome {
  std::uint32_t worst = 0;
  double share = 0;  // mean over all hosts
  double worst_weighted = 0;
  double share_weighted = 0;
  double rate = 0;
};

// One per thread; holds scratch memory.
class Traffic {
 public:
  Traffic(const fabric::Topology& topology, const fabric::ForwardingTables& tables,
          const std::vector<Host>& hosts, const std::vector<double>& weights)
      : topology_(topology),
        tables_(tables),
        hosts_(hosts),
        weights_(weights),
        congestion_(topology.channels().size()) {}

  // Host i sends to host partner(i); nobody sends to itself.
  template <class Partner>
  Outcome send(Partner partner) {
    Outcome outcome;
    ways_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (!walk(hosts_[i].at, hosts_[partner(i)])) ways_.resize(ends_.empty() ? 0 : ends_.back());
      ends_.push_back(ways_.size());
    }
    for (const std::uint32_t channel : ways_) {
      outcome.worst = std::max(outcome.worst, ++congestion_[channel]);
    }
    add_shares(partner, outcome);
    for (const std::uint32_t channel : ways_) congestion_[channel] = 0;
    return outcome;
  }

 private:
  // False when the tables do not lead there.
  bool walk(SwitchIndex at, const Host& to) {
    for (std::size_t hops = 0; at != to.at; ++hops) {
      const auto out = tables_.out_port(at, to.lid);
      if (hops > topology_.switch_count() || out.value > topology_.node(at).port_count) {
        return false;
      }
      const ChannelIndex channel = topology_.channel_by_port(at, out);
      if (channel == fabric::kNoChannel) return false;
      ways_.push_back(channel.value);
      at = topology_.channels()[channel.value].to;
    }
    return true;
  }

  template <class Partner>
  void add_shares(Partner partner, Outcome& outcome) const {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < hosts_.size(); begin = ends_[i++]) {
      // No way, though it leaves the switch: lost.
      const Host& other = hosts_[partner(i)];
      if (begin == ends_[i] && hosts_[i].at != other.at) continue;
      std::uint32_t most = 1;
      for (std::size_t w = begin; w < ends_[i]; ++w) most = std::max(most, congestion_[ways_[w]]);
      outcome.share += 1.0 / most;
      if (!weights_.empty()) add_weighted(begin, ends_[i], hosts_[i], other, outcome);
    }
    const auto hosts = static_cast<double>(hosts_.size());
    outcome.share /= hosts;
    outcome.share_weighted /= hosts;
    outcome.rate /= hosts;
    if (!weights_.empty()) return;
    outcome.worst_weighted = outcome.worst;
    outcome.share_weighted = outcome.rate = outcome.share;
  }

  void add_weighted(std::size_t begin, std::size_t end, const Host& from, const Host& to,
                    Outcome& outcome) const {
    double most = 0;
    for (std::size_t w = begin; w < end; ++w) {
      most = std::max(most, congestion_[ways_[w]] * weights_[ways_[w]]);
    }
    const double cables = std::min(from.cable, to.cable);
    const double rate = most * cables > 1 ? 1 / most : cables;
    outcome.worst_weighted = std::max(outcome.worst_weighted, most);
    outcome.share_weighted += rate / cables;
    outcome.rate += rate;
  }

  const fabric::Topology& topology_;
  const fabric::ForwardingTables& tables_;
  const std::vector<Host>& hosts_;
  const std::vector<double>& weights_;     // by channel, what a packet takes of it; empty: 1
  std::vector<std::uint32_t> congestion_;  // by channel; 0 between patterns
  std::vector<std::uint32_t> ways_;        // channels, one host's after another's
  std::vector<std::size_t> ends_;          // by host, into ways_
};

// The seed's pairs; the last of an odd number is its own partner, and on its own switch.
std::vector<std::uint32_t> random_pairs(std::size_t hosts, std::uint64_t seed) {
  base::Prng prng(seed);
  std::vector<std::uint32_t> order(hosts);
  std::iota(order.begin(), order.end(), 0u);
  prng.shuffle(order);
  std::vector<std::uint32_t> partner(hosts);
  for (std::size_t i = 0; i < hosts; ++i) {
    const std::size_t other = std::min(i ^ 1u, hosts - 1);
    partner[order[i]] = order[other];
  }
  return partner;
}

std::vector<std::size_t> choose_shifts(std::size_t hosts, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> shifts(hosts - 1);
  std::iota(shifts.begin(), shifts.end(), std::size_t{1});
  if (shifts.size() <= most) return shifts;
  base::Prng(seed).shuffle(shifts);
  shifts.resize(most);
  return shifts;
}

std::vector<Host> hosts_of(const fabric::Topology& topology, const fabric::LidMap& lids,
                           const PatternOptions& options) {
  const bool alike = options.capacities == nullptr || options.capacities->empty();
  std::vector<Host> hosts;
  for (const PortIndex endport : order_hosts(topology, lids)) {
    hosts.push_back({topology.attachment(endport)->at, lids.base(endport),
                     alike ? 1 : (*options.capacities)[endport.value]});
  }
  return hosts;
}

// The first so many are shifts.
PatternQuality summary_of(const std::vector<Outcome>& outcomes, std::size_t shifts) {
  PatternQuality quality;
  auto& weighted = quality.weighted;
  quality.shifts = shifts;
  quality.bisections = outcomes.size() - shifts;
  for (std::size_t p = 0; p < outcomes.size(); ++p) {
    const Outcome& one = outcomes[p];
    if (p < shifts) {
      quality.shift_worst = std::max(quality.shift_worst, one.worst);
      quality.shift_mean += one.worst;
      weighted.shift_worst = std::max(weighted.shift_worst, one.worst_weighted);
      weighted.shift_mean += one.worst_weighted;
    } else {
      quality.bisection_worst_mean += one.worst;
      quality.effective_bandwidth += one.share;
      weighted.bisection_worst_mean += one.worst_weighted;
      weighted.effective_bandwidth += one.share_weighted;
      weighted.rate += one.rate;
    }
  }
  const auto of_shifts = static_cast<double>(std::max<std::size_t>(1, shifts));
  const auto of_bisections = static_cast<double>(std::max<std::size_t>(1, quality.bisections));
  for (double* mean : {&quality.shift_mean, &weighted.shift_mean}) *mean /= of_shifts;
  for (double* mean :
       {&quality.bisection_worst_mean, &quality.effective_bandwidth, &weighted.bisection_worst_mean,
        &weighted.effective_bandwidth, &weighted.rate}) {
    *mean /= of_bisections;
  }
  return quality;
}

}  // namespace

std::vector<double> channel_weights(const fabric::Topology& topology,
                                    const std::vector<double>& capacities) {
  std::vector<double> weights;
  if (capacities.empty()) return weights;
  for (const fabric::Channel& channel : topology.channels()) {
    weights.push_back(1 / capacities[topology.port_of(channel.from, channel.out).value]);
  }
  return weights;
}

std::vector<PortIndex> order_hosts(const fabric::Topology& topology, const fabric::LidMap& lids) {
  const auto hosts = count_hosts(topology);
  std::vector<std::vector<std::pair<std::uint8_t, PortIndex>>> by_switch(hosts.size());
  for (const PortIndex endport : topology.endports()) {
    const auto attachment = topology.attachment(endport);
    if (!attachment || attachment->out.value == 0 || lids.base(endport) == mad::kNoLid) continue;
    by_switch[attachment->at.value].emplace_back(attachment->out.value, endport);
  }
  std::vector<PortIndex> order;
  for (const auto at : order_by_subtree(topology, plain_levels(topology, hosts), hosts)) {
    auto& own = by_switch[at.value];
    std::sort(own.begin(), own.end());
    for (const auto& [port, endport] : own) order.push_back(endport);
  }
  return order;
}

PatternQuality measure_patterns(const fabric::Topology& topology, const fabric::LidMap& lids,
                                const fabric::ForwardingTables& tables,
                                const PatternOptions& options, const base::ParallelFor& parallel) {
  const auto hosts = hosts_of(topology, lids, options);
  if (hosts.size() < 2) return {};
  const auto weights = options.capacities == nullptr
                           ? std::vector<double>()
                           : channel_weights(topology, *options.capacities);
  const auto most = std::max<std::size_t>(1, options.most_packets / hosts.size());
  const auto shifts = options.with_shifts ? choose_shifts(hosts.size(), most, options.seed)
                                          : std::vector<std::size_t>();
  const std::size_t bisections = std::min(options.bisections, most);
  std::vector<Outcome> outcomes(shifts.size() + bisections);
  parallel(outcomes.size(), [&](std::size_t begin, std::size_t end) {
    Traffic traffic(topology, tables, hosts, weights);
    for (std::size_t p = begin; p < end; ++p) {
      if (p < shifts.size()) {
        outcomes[p] = traffic.send([&](std::size_t i) { return (i + shifts[p]) % hosts.size(); });
      } else {
        const auto partner = random_pairs(hosts.size(), options.seed + p - shifts.size());
        outcomes[p] = traffic.send([&](std::size_t i) { return partner[i]; });
      }
    }
  });
  return summary_of(outcomes, shifts.size());
}

double random_pairs_bandwidth(const fabric::Topology& topology, const fabric::LidMap& lids,
                              const fabric::ForwardingTables& tables,
                              const base::ParallelFor& parallel) {
  PatternOptions options;
  options.seed = 11;
  options.bisections = 100;
  options.with_shifts = false;
  return measure_patterns(topology, lids, tables, options, parallel).effective_bandwidth;
}

}  // namespace heddle::routing
