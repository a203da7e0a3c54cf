// SPDX-License-Identifier: BSD-3-Clause
// What one sweep knows: the observation, how each device is reached, and, once discovery is done,
// the frozen topology with the LIDs and routes that are wanted on it. The handlers of a sweep share
// it; a full sweep starts a new one, a revisit goes on with it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/intent.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/observation.hpp"
#include "fabric/registers.hpp"
#include "fabric/walk.hpp"
#include "mad/sm_info.hpp"
#include "routing/selection.hpp"
#include "sm/devices.hpp"
#include "sm/events.hpp"
#include "sm/transactions.hpp"

namespace heddle::sm {

// Another subnet manager that answered SMInfo.
struct OtherSM {
  DeviceId device{};
  mad::Guid guid{};
  std::uint8_t priority = 0;
  mad::SMState state{};
  bool has_other_key = false;  // it shows an SM_Key, and not ours
  friend bool operator==(const OtherSM&, const OtherSM&) = default;
};

// What one on that port says of itself. Many keep their key to themselves.
inline OtherSM other_manager(DeviceId device, const mad::SMInfo& info, mad::SMKey ours) {
  return {device, info.guid, info.priority, info.sm_state,
          info.sm_key != mad::SMKey{} && info.sm_key != ours};
}

// Of a forwarding table: by node GUID, and the block's number.
using TableBlock = std::pair<mad::Guid, std::uint32_t>;

struct Picture {
  fabric::Observation observation;
  Devices devices;
  // The port the SM itself sits on; unset until the own node has answered.
  std::optional<fabric::ObservedEnd> own;
  std::vector<OtherSM> other_sms;
  // Ports that call themselves an SM's and tell no SMInfo: light sweeps since they were first so.
  std::map<DeviceId, unsigned> silent_sms;
  std::vector<std::string> problems;  // for a person
  // The same, of what was read of a node or seen behind its ports: until it is read again.
  std::map<std::uint32_t, std::vector<std::string>> findings;  // by ObservedIndex
  std::vector<bool> silent;  // by device: that it does not answer has been told

  fabric::Frozen frozen;
  fabric::KnownRegisters registers;
  fabric::PortIndex sm_port = fabric::kNoPort;
  std::shared_ptr<const fabric::LidMap> lids;
  std::shared_ptr<const fabric::LidMap> routed_lids;  // without guests; the same if there are none
  std::shared_ptr<const routing::Selected> routes;
  fabric::Intent intent;
  // Multicast trees that may close a credit loop; nothing where that is not known.
  std::optional<std::size_t> unsafe_trees;

  void note(fabric::ObservedIndex about, std::string problem) {
    findings[about.value].push_back(std::move(problem));
  }
  // Findings and problems.
  std::vector<std::string> all_problems() const {
    std::vector<std::string> all;
    for (const auto& [node, found] : findings) all.insert(all.end(), found.begin(), found.end());
    all.insert(all.end(), problems.begin(), problems.end());
    return all;
  }
  // Null when that port was never reached.
  std::optional<DeviceId> device(fabric::ObservedEnd end) const {
    return devices.at(end.node, observation.is_switch(end.node) ? 0 : end.port.value);
  }
  // The port that has it.
  std::optional<fabric::ObservedEnd> end_of(DeviceId device) const {
    return devices.end_of(device);
  }
  // What was read of a port of the topology; null when it was not.
  const mad::PortInfo* info(fabric::PortIndex port) const {
    const fabric::ObservedEnd end = frozen.end_of[port.value];
    const auto& found = observation.port(end).info;
    return found ? &*found : nullptr;
  }
  bool is_active(fabric::PortIndex port) const {
    const mad::PortInfo* found = info(port);
    return found != nullptr && found->port_state == mad::PortState::Active;
  }
  // For loops over the topology that read info() of each port.
  auto all_ports() const { return fabric::all_ports(observation, frozen); }
  auto all_endports() const { return fabric::all_endports(observation, frozen); }

  bool is_silent(DeviceId device) const {
    return device.value < silent.size() && silent[device.value];
  }
  // True the first time: a dead device leaves many questions unanswered and is told of once.
  bool falls_silent(DeviceId device) {
    const bool first = !is_silent(device);
    if (silent.size() <= device.value) silent.resize(device.value + 1u, false);
    silent[device.value] = true;
    return first;
  }
  NodeName name(fabric::ObservedIndex node) const {
    return {observation[node].info.node_guid, observation[node].description};
  }
  PortName name(fabric::ObservedEnd end) const { return {name(end.node), end.port}; }
  PortName name(fabric::PortIndex port) const { return name(frozen.end_of[port.value]); }
};

// "leaf-3 (0x...) port 7", for problems and logs.
std::string text(const NodeName& node);
std::string text(const PortName& port);

}  // namespace heddle::sm
