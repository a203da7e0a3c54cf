// SPDX-License-Identifier: BSD-3-Clause
#include "sim/planner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "mad/mlnx_extended_port_info.hpp"

namespace heddle::sim {
namespace {

// Locally administered EUI-64s that look like a vendor's: one block for switches, one for hosts,
// with room between two hosts for the GUIDs of their ports.
constexpr std::uint64_t kSwitchGuids = 0x0248'4403'0000'0000;
constexpr std::uint64_t kHostGuids = 0x0248'4403'8000'0000;
constexpr std::uint64_t kGuidStep = 0x10;

constexpr std::uint32_t kVendor = 0x0002'48;
constexpr std::uint16_t kSwitchDevice = 0xd2f0;
constexpr std::uint16_t kHostDevice = 0x101b;

// FDR10 was one vendor's speed alone, and subnet managers ask nobody else for it.
std::uint32_t vendor_of(const CableKind& kind) {
  return kind.speed == Speed::FDR10 ? mad::kMellanoxVendorId : kVendor;
}

}  // namespace

std::string numbered(std::string_view stem, std::uint64_t number, std::uint64_t largest) {
  const std::size_t digits = fmt::formatted_size("{}", largest);
  return fmt::format("{}-{:0{}}", stem, number, digits);
}

Planner::Planner(std::string title, CableKind kind) : kind_(kind) {
  blueprint_.title = std::move(title);
}

std::uint32_t Planner::add_switch(std::string name, bool enhanced_port0) {
  PlannedNode node;
  node.description = name;
  node.name = std::move(name);
  node.type = mad::NodeType::Switch;
  node.guid = mad::Guid{kSwitchGuids + ++switches_ * kGuidStep};
  node.system_image_guid = node.guid;
  node.port_count = 0;
  node.enhanced_port0 = enhanced_port0;
  node.vendor_id = vendor_of(kind_);
  node.device_id = kSwitchDevice;
  blueprint_.nodes.push_back(std::move(node));
  used_.push_back(0);
  return static_cast<std::uint32_t>(blueprint_.nodes.size() - 1);
}

std::uint32_t Planner::add_host(std::string name, std::uint8_t ports) {
  PlannedNode node;
  node.description = name + " HCA-1";
  node.name = std::move(name);
  node.guid = mad::Guid{kHostGuids + ++hosts_ * kGuidStep};
  node.system_image_guid = node.guid;
  node.port_count = ports;
  node.vendor_id = vendor_of(kind_);
  node.device_id = kHostDevice;
  blueprint_.nodes.push_back(std::move(node));
  used_.push_back(0);
  return static_cast<std::uint32_t>(blueprint_.nodes.size() - 1);
}

std::uint32_t Planner::add_adapter(std::string name, std::optional<std::uint32_t> first) {
  const std::uint32_t adapter = add_host(std::move(name));
  PlannedNode& node = blueprint_.nodes[adapter];
  node.description = node.name;
  if (first) node.system_image_guid = blueprint_.nodes[*first].system_image_guid;
  return adapter;
}

std::uint8_t Planner::next_port(std::uint32_t node) {
  const std::uint32_t port = ++used_[node];
  HEDDLE_CHECK(port <= 254);
  PlannedNode& planned = blueprint_.nodes[node];
  planned.port_count = std::max(planned.port_count, static_cast<std::uint8_t>(port));
  return static_cast<std::uint8_t>(port);
}

void Planner::cable(std::uint32_t a, std::uint32_t b) {
  const PlannedEnd from{a, next_port(a)};
  const PlannedEnd to{b, next_port(b)};
  blueprint_.cables.push_back({from, to, kind_.width, kind_.speed});
}

void Planner::add_hosts(std::uint32_t at, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t host = add_host(fmt::format("host-{:04}", hosts_ + 1), host_ports_);
    for (unsigned port = 0; port < host_ports_; ++port) cable(at, host);
  }
}

Blueprint Planner::finish() && {
  return std::move(blueprint_);
}

}  // namespace heddle::sim
