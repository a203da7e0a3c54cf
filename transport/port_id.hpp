// SPDX-License-Identifier: BSD-3-Clause
// A local port as the operating system names it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace heddle::transport {

struct PortId {
  std::string device;   // as under /sys/class/infiniband: mlx5_0
  std::uint8_t port{};  // from 1; 0 is the management port of a switch
  friend auto operator<=>(const PortId&, const PortId&) = default;
};

// "mlx5_0:1"
inline std::string to_string(const PortId& id) {
  return id.device + ":" + std::to_string(id.port);
}

}  // namespace heddle::transport
