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
  unsigned max_hops = 0;
};

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
        hops_(hosts.size()) {}

  void flow_to(SwitchIndex target, mad::Lid lid, Part& part) {
    plant(target, lid);
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      const std::uint32_t at = ready_[i];
      if (at == target.value || out_[at] == fabric::kNoChannel) continue;
      part.load[out_[at].value] += flow_[at];
      const std::uint32_t to = topology_.channels()[out_[at].value].to.value;
      flow_[to] += flow_[at];
      if (flow_[at] > 0) hops_[to] = std::max(hops_[to], hops_[at] + 1);
      if (--feeders_[to] == 0) ready_.push_back(to);
    }
    part.routes += flow_[target.value];
    part.max_hops = std::max(part.max_hops, hops_[target.value]);
  }

 private:
  void plant(SwitchIndex target, mad::Lid lid) {
    flow_ = hosts_;
    flow_[target.value] = 0;
    std::fill(feeders_.begin(), feeders_.end(), 0u);
    std::fill(hops_.begin(), hops_.end(), 0u);
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

  const fabric::Topology& topology_;
  const fabric::ForwardingTables& tables_;
  const std::vector<std::uint32_t>& hosts_;
  std::vector<ChannelIndex> out_;
  std::vector<std::uint32_t> feeders_, flow_;
  std::vector<unsigned> hops_;
  std::vector<std::uint32_t> ready_;
};

struct HostLid {
  mad::Lid lid;
  SwitchIndex at;
};

Quality summarize(const std::vector<Part>& parts, std::uint64_t wanted, std::size_t channels) {
  Quality quality;
  std::vector<std::uint64_t> load(channels);
  for (const Part& part : parts) {
    quality.routes += part.routes;
    quality.max_hops = std::max(quality.max_hops, part.max_hops);
    for (std::size_t c = 0; c < part.load.size(); ++c) load[c] += part.load[c];
  }
  quality.lost = wanted - quality.routes;
  if (channels == 0) return quality;
  std::uint64_t sum = 0;
  for (const std::uint64_t one : load) sum += one;
  quality.least_load = *std::min_element(load.begin(), load.end());
  quality.greatest_load = *std::max_element(load.begin(), load.end());
  quality.mean_load = static_cast<double>(sum) / static_cast<double>(channels);
  if (quality.routes > 0) {
    quality.mean_hops = static_cast<double>(sum) / static_cast<double>(quality.routes);
  }
  return quality;
}

}  // namespace

Quality measure_quality(const fabric::Topology& topology, const fabric::LidMap& lids,
                        const fabric::ForwardingTables& tables, const base::ParallelFor& parallel) {
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

}  // namespace heddle::routing
