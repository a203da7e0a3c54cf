// SPDX-License-Identifier: BSD-3-Clause
// What stands in the virtual ports of a simulated fabric.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "mad/virtualization.hpp"
#include "partitions/language.hpp"
#include "sim/virtual_ports.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {

inline sim::PortIndex port_of(Box& box, std::string_view host) {
  return box.world().devices().port_at(node(box, host), 1);
}
inline const sim::VirtualPorts& behind(Box& box, std::string_view host) {
  return *box.world().devices().ports[port_of(box, host)].virtual_ports;
}
inline mad::Guid guid_of(Box& box, std::string_view host, std::uint16_t index) {
  return sim::virtual_guid(box.world().devices(), port_of(box, host), index);
}
inline std::set<std::uint16_t> keys_of(const sim::VirtualPort& vport) {
  std::set<std::uint16_t> keys;
  for (const auto& [block, data] : vport.p_keys) {
    for (const mad::PKey key : mad::decode<mad::VPortPKeyTable>(data).p_keys) {
      if (key != mad::PKey{}) keys.insert(key.value);
    }
  }
  if (vport.p_keys.empty()) keys.insert(0xFFFF);  // as devices have it that nobody wrote to
  return keys;
}

// By GUID of the port or virtual port.
inline std::map<mad::Guid, mad::Lid> own_lids(Box& box) {
  std::map<mad::Guid, mad::Lid> lids;
  const sim::Devices& devices = box.world().devices();
  for (sim::PortIndex port = 0; port < devices.ports.size(); ++port) {
    const auto& all = devices.ports[port].virtual_ports;
    if (!all) continue;
    for (std::uint16_t i = 1; i <= all->ports.size(); ++i) {
      const auto& vport = all->ports[i - 1u];
      if (vport.lid_required) lids[sim::virtual_guid(devices, port, i)] = vport.lid;
    }
  }
  return lids;
}

// What is wrong with the virtual ports behind ports that work.
inline std::string virtual_trouble(Box& box) {
  std::string all = trouble(box);
  const sim::Devices& devices = box.world().devices();
  for (sim::PortIndex port = 0; port < devices.ports.size(); ++port) {
    const auto& behind = devices.ports[port].virtual_ports;
    if (!behind || devices.lines[port].state != mad::PortState::Active) continue;
    if (!behind->enabled) all += fmt::format("port {} is not enabled\n", port);
    for (std::size_t i = 0; i < behind->ports.size(); ++i) {
      if (behind->ports[i].state == mad::PortState::Active) continue;
      all += fmt::format("virtual port {} of port {} is not Active\n", i + 1, port);
    }
  }
  return all;
}

inline std::shared_ptr<const partitions::Policy> policy(const std::string& text) {
  return std::make_shared<const partitions::Policy>(
      partitions::parse(text, "p", {true, false}).value().policy);
}

}  // namespace heddle::test
