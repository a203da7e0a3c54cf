// SPDX-License-Identifier: BSD-3-Clause
#include "plan/traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "plan/column_flow.hpp"

namespace heddle::plan {
namespace {

using fabric::PortIndex;
using fabric::Topology;
using Loads = std::vector<std::uint64_t>;

constexpr std::size_t kParts = 8;  // whatever runs them

std::string rail_of(const Topology& topology, PortIndex port) {
  const std::string& description = topology.node(topology.node_of(port)).description;
  const std::size_t blank = description.find_first_of(" \t");
  return fmt::format("{}/{}", blank == description.npos ? "" : description.substr(blank + 1),
                     topology.number_of(port).value);
}

class Meter {
 public:
  Meter(const Topology& topology, const fabric::LidMap& lids,
        const fabric::ForwardingTables& tables, const TrafficOptions& options,
        const base::ParallelFor& parallel)
      : topology_(topology), lids_(lids), tables_(tables), options_(options), parallel_(parallel) {}

  // Everyone of `from` to everyone of `to` but itself, on top of `loads`.
  void add_all(const HostList& from, const HostList& to, Loads& loads) const {
    std::vector<std::uint32_t> sources(topology_.switch_count());
    for (const PortIndex port : from) ++sources[topology_.attachment(port)->at.value];
    std::vector<Loads> parts(kParts);
    parallel_(kParts, [&](std::size_t begin, std::size_t end) {
      ColumnFlow column(topology_, lids_, tables_);
      for (std::size_t p = begin; p < end; ++p) {
        parts[p].resize(topology_.channels().size());
        for (std::size_t i = to.size() * p / kParts; i < to.size() * (p + 1) / kParts; ++i) {
          column.flow(lids_.base(to[i]), sources, {},
                      [&](fabric::ChannelIndex channel, std::uint32_t packets) {
                        parts[p][channel.value] += packets;
                      });
        }
      }
    });
    for (const Loads& part : parts) {
      for (std::size_t c = 0; c < part.size(); ++c) loads[c] += part[c];
    }
  }

  // Host i to partner[i].
  Loads permutation(const HostList& hosts, const std::vector<std::uint32_t>& partner) const {
    Loads loads(topology_.channels().size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (partner[i] != i) walk(hosts[i], hosts[partner[i]], loads);
    }
    return loads;
  }

  PatternLoad judge(std::string name, std::uint64_t flows, const Loads& loads) const {
    PatternLoad pattern;
    pattern.name = std::move(name);
    pattern.flows = flows;
    pattern.worst = worst_channels(loads, options_.worst, options_.weights);
    const Greatest greatest = greatest_of(loads);
    pattern.greatest = greatest.flows;
    pattern.mean_greatest = static_cast<double>(greatest.flows);
    pattern.greatest_weighted = pattern.mean_weighted = greatest.weighted;
    return pattern;
  }

  // The worst of several permutations.
  template <class Partners>
  PatternLoad worst_of(std::string name, const HostList& hosts, std::size_t count,
                       Partners partners) const {
    std::vector<Greatest> greatest(count);
    parallel_(count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        greatest[i] = greatest_of(permutation(hosts, partners(i)));
      }
    });
    const auto worst = std::max_element(
        greatest.begin(), greatest.end(),
        [](const Greatest& a, const Greatest& b) { return a.weighted < b.weighted; });
    const auto at = static_cast<std::size_t>(worst - greatest.begin());
    PatternLoad pattern = judge(std::move(name), hosts.size(), permutation(hosts, partners(at)));
    pattern.mean_greatest = pattern.mean_weighted = 0;
    for (const Greatest& one : greatest) {
      pattern.greatest = std::max(pattern.greatest, one.flows);
      pattern.mean_greatest += static_cast<double>(one.flows);
      pattern.mean_weighted += one.weighted;
    }
    pattern.mean_greatest /= static_cast<double>(count);
    pattern.mean_weighted /= static_cast<double>(count);
    return pattern;
  }

  Loads nothing() const { return Loads(topology_.channels().size()); }

 private:
  struct Greatest {
    std::uint64_t flows = 0;
    double weighted = 0;
  };
  Greatest greatest_of(const Loads& loads) const {
    Greatest greatest;
    for (std::size_t c = 0; c < loads.size(); ++c) {
      const double weight = options_.weights.empty() ? 1 : options_.weights[c];
      greatest.flows = std::max(greatest.flows, loads[c]);
      greatest.weighted = std::max(greatest.weighted, static_cast<double>(loads[c]) * weight);
    }
    return greatest;
  }

  void walk(PortIndex from, PortIndex to, Loads& loads) const {
    const auto target = *topology_.attachment(to);
    auto at = topology_.attachment(from)->at;
    for (std::size_t hops = 0; at != target.at && hops <= topology_.switch_count(); ++hops) {
      const auto out = tables_.out_port(at, lids_.base(to));
      if (out.value > topology_.node(at).port_count) return;
      const auto channel = topology_.channel_by_port(at, out);
      if (channel == fabric::kNoChannel) return;
      ++loads[channel.value];
      at = topology_.channels()[channel.value].to;
    }
  }

  const Topology& topology_;
  const fabric::LidMap& lids_;
  const fabric::ForwardingTables& tables_;
  const TrafficOptions& options_;
  const base::ParallelFor& parallel_;
};

std::vector<std::uint32_t> shifted(std::size_t hosts, std::size_t by) {
  std::vector<std::uint32_t> partner(hosts);
  for (std::size_t i = 0; i < hosts; ++i) {
    partner[i] = static_cast<std::uint32_t>((i + by) % hosts);
  }
  return partner;
}

std::vector<std::uint32_t> paired(std::size_t hosts, std::uint64_t seed) {
  std::vector<std::uint32_t> order(hosts), partner(hosts);
  std::iota(order.begin(), order.end(), 0u);
  base::Prng(seed).shuffle(order);
  for (std::size_t i = 0; i < hosts; ++i) {
    partner[order[i]] = order[std::min(i ^ std::size_t{1}, hosts - 1)];
  }
  return partner;
}

std::vector<std::size_t> chosen_shifts(std::size_t hosts, const TrafficOptions& options) {
  std::vector<std::size_t> shifts(hosts - 1);
  std::iota(shifts.begin(), shifts.end(), std::size_t{1});
  if (shifts.size() > options.shifts) {
    base::Prng(options.seed).shuffle(shifts);
    shifts.resize(options.shifts);
  }
  return shifts;
}

}  // namespace

base::Result<HostList> parse_host_list(std::string_view text, std::string_view title,
                                       const Topology& topology, const fabric::LidMap& lids) {
  std::unordered_map<std::string, HostList> by_name;
  for (const PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (!at || at->out.value == 0 || lids.base(port) == mad::kNoLid) continue;
    const auto& node = topology.node(topology.node_of(port));
    const std::string first = node.description.substr(0, node.description.find_first_of(" \t"));
    by_name[first].push_back(port);
    if (node.description != first) by_name[node.description].push_back(port);
    by_name[base::hex(node.guid.value)].push_back(port);
    const std::string own = base::hex(topology.port(port).guid.value);
    if (topology.port(port).guid != node.guid) by_name[own].push_back(port);
  }
  HostList hosts;
  unsigned number = 0;
  for (const std::string_view raw : base::split(text, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw.substr(0, raw.find('#')));
    if (line.empty()) continue;
    auto found = by_name.find(std::string(line));
    const auto guid = found == by_name.end() ? base::parse_hex(line) : std::nullopt;
    if (guid) found = by_name.find(base::hex(*guid));
    if (found == by_name.end()) {
      return base::error(fmt::format("{}:{}: '{}' is no host of the fabric", title, number, line));
    }
    hosts.insert(hosts.end(), found->second.begin(), found->second.end());
  }
  return {boost::system::in_place_value, std::move(hosts)};
}

std::vector<PatternLoad> measure_traffic(const Topology& topology, const fabric::LidMap& lids,
                                         const fabric::ForwardingTables& tables,
                                         const HostList& job, const HostList& io,
                                         const TrafficOptions& options,
                                         const base::ParallelFor& parallel) {
  const Meter meter(topology, lids, tables, options, parallel);
  std::vector<PatternLoad> patterns;
  const std::uint64_t count = job.size();
  if (count > 1) {
    Loads loads = meter.nothing();
    meter.add_all(job, job, loads);
    patterns.push_back(meter.judge("all-to-all", count * (count - 1), loads));
    patterns.push_back(meter.judge("ring", count, meter.permutation(job, shifted(count, 1))));
    const auto shifts = chosen_shifts(count, options);
    patterns.push_back(meter.worst_of("shift", job, shifts.size(),
                                      [&](std::size_t i) { return shifted(count, shifts[i]); }));
    if (options.bisections > 0) {
      patterns.push_back(meter.worst_of("bisection", job, options.bisections, [&](std::size_t i) {
        return paired(count, options.seed + i);
      }));
    }
    std::map<std::string, HostList> rails;
    for (const PortIndex port : job) rails[rail_of(topology, port)].push_back(port);
    if (rails.size() > 1) {
      loads = meter.nothing();
      std::uint64_t flows = 0;
      for (const auto& [name, members] : rails) {
        meter.add_all(members, members, loads);
        flows += members.size() * (members.size() - 1);
      }
      patterns.push_back(meter.judge("rail all-to-all", flows, loads));
    }
  }
  if (!io.empty() && !job.empty()) {
    Loads loads = meter.nothing();
    meter.add_all(job, io, loads);
    patterns.push_back(meter.judge("all-to-io", count * io.size(), loads));
  }
  return patterns;
}

}  // namespace heddle::plan
