// SPDX-License-Identifier: BSD-3-Clause
// What the judges share: which devices belong to the judged subnet, and what to call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle::sim {

// Everything reachable from one endpoint over links that are at least in Initialize. Traffic passes
// switches only, so the other port of an adapter belongs only if it is reached by itself.
struct SubnetView {
  SubnetView(const Devices& all, EndpointId sm);

  const Devices& devices;
  std::vector<PortIndex> endpoints;  // CA and router ports, and port 0 of switches
  std::vector<NodeIndex> switches;

  bool is_host(PortIndex port) const { return !devices.is_switch(devices.lines[port].node); }
  std::string name(PortIndex port) const;
};

// A list that stops growing: a broken fabric has thousands of the same complaint.
class ComplaintList {
 public:
  void add(std::string complaint);
  std::vector<std::string> finish() &&;

 private:
  std::vector<std::string> complaints_;
  std::size_t more_ = 0;
};

}  // namespace heddle::sim
