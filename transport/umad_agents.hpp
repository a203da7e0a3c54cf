// SPDX-License-Identifier: BSD-3-Clause
// The MAD classes a subnet manager answers and speaks, registered at an open umad port.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "transport/port_id.hpp"

namespace heddle::transport {

class UmadAgents {
 public:
  // Registers at the port that `handle` (umad_open_port) has open. The kernel takes the agents
  // down when the port is closed.
  static base::Result<UmadAgents> register_all(int handle, const PortId& port);

  // The agent that sends MADs of this class; none when the class is not ours.
  std::optional<int> find(std::uint8_t management_class) const;
  // Whether whole RMPP messages may be handed to the kernel for this class.
  bool segments(std::uint8_t management_class) const;

 private:
  struct Agent {
    int id = -1;
    bool rmpp = false;
  };
  std::array<Agent, 256> by_class_{};
};

}  // namespace heddle::transport
