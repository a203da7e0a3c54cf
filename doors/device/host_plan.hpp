// SPDX-License-Identifier: BSD-3-Clause
// Which nodes of a fabric make up one computer, and what Linux would call their devices and ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "doors/device/tree.hpp"
#include "sim/devices.hpp"
#include "sim/world.hpp"

namespace heddle::doors {

struct HostPort {
  sim::EndpointId endpoint = 0;
  std::uint8_t number = 0;  // 0 on a switch
};

struct HostDevice {
  std::string name;  // "mlx5_0"
  sim::NodeIndex node = 0;
  std::vector<HostPort> ports;
};

struct HostPlan {
  std::vector<HostDevice> devices;

  // All ports in a row: the n-th is served as umadN and issmN.
  std::vector<HostPort> ports() const;
};

// A host has at most as many ports as ib_umad has numbers for.
inline constexpr std::size_t kMaxHostPorts = 64;

// Each word is NODE, for all its ports (port 0 of a switch), or NODE:PORT for one. No word: the
// first host of the fabric that has a cable.
base::Result<HostPlan> plan_host(const sim::World& world, std::span<const std::string> at);

// The folders "dev" (umadN, issmN) and "class" (infiniband, infiniband_mad) as libibumad and
// ibstatus read them. The texts look into `world` when they are read, so it must outlive the tree.
Tree make_host_tree(const sim::World& world, const HostPlan& plan);

}  // namespace heddle::doors
