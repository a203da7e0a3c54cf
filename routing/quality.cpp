// SPDX-License-Identifier: BSD-3-Clause
#include "routing/quality.hpp"

#include <algorithm>
#include <vector>

namespace heddle::routing {
namespace {

using fabric::ChannelIndex;
using fabric::SwitchIndex;

// The sum over destinations is split in so many parts, whatever runs them.
constexpr std::size_t kParts = 16;

struct Part {
  std::vector<std::uint64_t> load;  // by channel
  std::uint64_t routes = 0;
  std::vector<std::uint64_t> hops, fewest_hops;
};

void count(std::vector<std::uint64_t>& histogram, unsigned hops, std::uint64_t routes) {
  if (routes == 0) return;
  if (histogram.size() <= hops) histogram.resize(hops + 1u);
  histogram[hops] += routes;
}

void add(std::vector<std::uint64_t>& histogram, const std::vector<std::uint64_t>& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    count(histogram, static_cast<unsigned>(i), other[i]);
  }
}

// The entries for one LID form a tree toward its switch; hosts flow down from the outermost
// switches to it, so each channel is visited once. A switch in a loop never gets its turn.
class InTree {
 public:
  InTree(const fabric::Topology& topology, const fabric::ForwardingTables& tables,
         const std::vector<std::uint32_t>& hosts)
      : topology_(topology),
        tables_(tables),
        hosts_(hosts),
        out_(hosts.size()),
        feeders_(hosts.size()),
        flow_(hosts.size()),
        hops_(hosts.size()),
        fewest_(hosts.size()) {}

  void flow_to(SwitchIndex target, mad::Lid lid, Part& part) {
    plant(target, lid);
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const std::uint32_t at = ready_[i];
      if (at == target.value || out_[at] == fabric::kNoChannel) continue;
      part.load[out_[at].value] += flow_[at];
      const std::uint32_t to = topology_.channels()[out_[at].value].to.value;
      flow_[to] += flow_[at];
      if (--feeders_[to] == 0) ready_.push_back(to);
    }
    part.routes += flow_[target.value];
    count_hops(target, part);
  }

 private:
  // Nearest first, which is the other way round.
  void count_hops(SwitchIndex target, Part& part) {
    if (target != measured_) measure_from(target);
    std::fill(hops_.begin(), hops_.end(), kFar);
    hops_[target.value] = 0;
    for (std::size_t i = ready_.size(); i-- > 0;) {
      const std::uint32_t at = ready_[i];
      if (at == target.value || out_[at] == fabric::kNoChannel) continue;
      const std::uint32_t to = topology_.channels()[out_[at].value].to.value;
      if (hops_[to] == kFar) continue;
      hops_[at] = hops_[to] + 1;
      count(part.hops, hops_[at], hosts_[at]);
      count(part.fewest_hops, fewest_[at], hosts_[at]);
    }
  }

  void measure_from(SwitchIndex target) {
    measured_ = target;
    std::fill(fewest_.begin(), fewest_.end(), kFar);
    fewest_[target.value] = 0;
    reached_.assign(1, target.value);
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      for (const auto& channel : topology_.channels_from({reached_[i]})) {
        if (fewest_[channel.to.value] != kFar) continue;
        fewest_[channel.to.value] = fewest_[reached_[i]] + 1;
        reached_.push_back(channel.to.value);
      }
    }
  }

  void plant(SwitchIndex target, mad::Lid lid) {
    flow_ = hosts_;
    flow_[target.value] = 0;
    std::fill(feeders_.begin(), feeders_.end(), 0u);
    ready_.clear();
    for (std::uint32_t s = 0; s < out_.size(); ++s) {
      const SwitchIndex at{s};
      const auto out = tables_.out_port(at, lid);
      const bool exists = at != target && out.value <= topology_.node(at).port_count;
      out_[s] = exists ? topology_.channel_by_port(at, out) : fabric::kNoChannel;
      if (out_[s] != fabric::kNoChannel) ++feeders_[topology_.channels()[out_[s].value].to.value];
    }
    for (std::uint32_t s = 0; s < out_.size(); ++s) {
      if (feeders_[s] == 0) ready_.push_back(s);
    }
  }

  static constexpr unsigned kFar = 0xFFFF'FFFF;

  const fabric::Topology& topology_;
  const fabric::ForwardingTables& tables_;
  const std::vector<std::uint32_t>& hosts_;
  SwitchIndex measured_{kFar};  // fewest_ are hops to this one
  std::vector<ChannelIndex> out_;
  std::vector<std::uint32_t> feeders_, flow_;
  std::vector<unsigned> hops_, fewest_;
  std::vector<std::uint32_t> ready_, reached_;
};

struct HostLid {
  mad::Lid lid;
  SwitchIndex at;
};

MeasuredLoads summarize(const std::vector<Part>& parts, std::uint64_t wanted,
                        std::size_t channels) {
  MeasuredLoads measured;
  Quality& quality = measured.quality;
  measured.load.resize(channels);
  std::vector<std::uint64_t>& load = measured.load;
  for (const Part& part : parts) {
    quality.routes += part.routes;
    add(quality.hops, part.hops);
    add(quality.fewest_hops, part.fewest_hops);
    for (std::size_t c = 0; c < part.load.size(); ++c) load[c] += part.load[c];
  }
  quality.lost = wanted - quality.routes;
  quality.max_hops = static_cast<unsigned>(quality.hops.empty() ? 0 : quality.hops.size() - 1);
  if (channels == 0) return measured;
  std::uint64_t sum = 0;
  for (const std::uint64_t one : load) sum += one;
  quality.least_load = *std::min_element(load.begin(), load.end());
  quality.greatest_load = *std::max_element(load.begin(), load.end());
  std::vector<std::uint64_t> sorted = load;
  const auto p99 = sorted.begin() + static_cast<std::ptrdiff_t>((channels - 1) * 99 / 100);
  std::nth_element(sorted.begin(), p99, sorted.end());
  quality.p99_load = *p99;
  quality.mean_load = static_cast<double>(sum) / static_cast<double>(channels);
  if (quality.routes > 0) {
    quality.mean_hops = static_cast<double>(sum) / static_cast<double>(quality.routes);
  }
  return measured;
}

}  // namespace

MeasuredLoads measure_loads(const fabric::Topology& topology, const fabric::LidMap& lids,
                            const fabric::ForwardingTables& tables,
                            const base::ParallelFor& parallel) {
  std::vector<std::uint32_t> hosts(topology.switch_count());
  std::uint64_t all_hosts = 0;
  std::vector<HostLid> destinations;
  for (std::uint32_t lid = 1; lid <= lids.top().value; ++lid) {
    const mad::Lid to{static_cast<std::uint16_t>(lid)};
    const auto owner = lids.owner(to);
    if (owner == fabric::kNoPort) continue;
    const auto attachment = topology.attachment(owner);
    if (!attachment || attachment->out.value == 0) continue;
    destinations.push_back({to, attachment->at});
    if (lids.base(owner) != to) continue;
    ++hosts[attachment->at.value];
    ++all_hosts;
  }
  std::uint64_t wanted = 0;
  for (const HostLid& to : destinations) wanted += all_hosts - hosts[to.at.value];
  std::vector<Part> parts(kParts);
  parallel(kParts, [&](std::size_t begin, std::size_t end) {
    InTree tree(topology, tables, hosts);
    for (std::size_t p = begin; p < end; ++p) {
      parts[p].load.resize(topology.channels().size());
      const std::size_t last = destinations.size() * (p + 1) / kParts;
      for (std::size_t i = destinations.size() * p / kParts; i < last; ++i) {
        tree.flow_to(destinations[i].at, destinations[i].lid, parts[p]);
      }
    }
  });
  return summarize(parts, wanted, topology.channels().size());
}

Quality measure_quality(const fabric::Topology& topology, const fabric::LidMap& lids,
                        const fabric::ForwardingTables& tables, const base::ParallelFor& parallel) {
  return measure_loads(topology, lids, tables, parallel).quality;
}

}  // namespace heddle::routing
