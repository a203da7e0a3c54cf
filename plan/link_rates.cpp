// SPDX-License-Identifier: BSD-3-Clause
#include "plan/link_rates.hpp"

#include <algorithm>

namespace heddle::plan {

using fabric::PortIndex;
using fabric::Topology;

LinkRates::LinkRates(const std::vector<Known>& known, const Topology& topology) {
  double slowest = 0, fastest = 0;
  for (const auto& [node, port, gigabits] : known) {
    if (!(gigabits > 0)) continue;
    auto& own = rates_[node];
    if (own.size() <= port.value) own.resize(port.value + std::size_t{1});
    own[port.value] = gigabits;
    slowest = slowest == 0 ? gigabits : std::min(slowest, gigabits);
    fastest = std::max(fastest, gigabits);
  }
  alike_ = slowest == fastest;
  unit_ = fastest;
  std::map<double, std::size_t> hosts;
  for (const PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (!at || at->out.value == 0) continue;
    const auto& node = topology.node(topology.node_of(port));
    const double rate = rate_of(node.guid, topology.number_of(port));
    if (rate > 0) ++hosts[rate];
  }
  std::size_t most = 0;
  for (const auto& [rate, count] : hosts) {
    if (count < most) continue;
    most = count;
    unit_ = rate;
  }
}

double LinkRates::rate_of(mad::Guid node, mad::PortNumber port) const {
  const auto found = rates_.find(node);
  if (found == rates_.end() || port.value >= found->second.size()) return 0;
  return found->second[port.value];
}

double LinkRates::capacity(double gigabits) const {
  return unit_ > 0 && gigabits > 0 ? gigabits / unit_ : 1;
}

std::vector<double> LinkRates::capacities(const Topology& topology) const {
  if (alike_) return {};
  std::vector<double> rates(topology.port_count());
  for (std::uint32_t p = 0; p < rates.size(); ++p) {
    const PortIndex port{p};
    rates[p] = rate_of(topology.node(topology.node_of(port)).guid, topology.number_of(port));
  }
  std::vector<double> capacities(rates.size(), 1);
  for (std::uint32_t p = 0; p < rates.size(); ++p) {
    const PortIndex peer = topology.peer(PortIndex{p});
    if (peer == fabric::kNoPort) continue;
    const double here = rates[p], there = rates[peer.value];
    capacities[p] = capacity(here > 0 && there > 0 ? std::min(here, there) : here + there);
  }
  return capacities;
}

}  // namespace heddle::plan
