// SPDX-License-Identifier: BSD-3-Clause
#include "sim/subnet_view.hpp"

#include <fmt/format.h>

namespace heddle::sim {

SubnetView::SubnetView(const Devices& all, EndpointId sm) : devices(all) {
  std::vector<bool> seen(devices.lines.size(), false);
  std::vector<PortIndex> open;
  const auto reach = [&](PortIndex port) {
    const PortIndex endpoint = devices.management_port(port);
    if (seen[endpoint]) return;
    seen[endpoint] = true;
    open.push_back(endpoint);
  };
  reach(sm);
  while (!open.empty()) {
    const PortIndex endpoint = open.back();
    open.pop_back();
    endpoints.push_back(endpoint);
    const NodeIndex node = devices.lines[endpoint].node;
    const unsigned ports = devices.is_switch(node) ? devices.nodes[node].port_count : 0u;
    if (devices.is_switch(node)) switches.push_back(node);
    for (PortIndex port = endpoint; port <= endpoint + ports; ++port) {
      const Line& line = devices.lines[port];
      if (line.peer != kNone && line.state != mad::PortState::Down) reach(line.peer);
    }
  }
}

std::string SubnetView::name(PortIndex port) const {
  const Line& line = devices.lines[port];
  return fmt::format("{} port {}", devices.plan.nodes[line.node].name, line.number);
}

void ComplaintList::add(std::string complaint) {
  constexpr std::size_t kMostComplaints = 20;
  if (complaints_.size() < kMostComplaints) {
    complaints_.push_back(std::move(complaint));
  } else {
    ++more_;
  }
}

std::vector<std::string> ComplaintList::finish() && {
  if (more_ > 0) complaints_.push_back(fmt::format("and {} more like these", more_));
  return std::move(complaints_);
}

}  // namespace heddle::sim
