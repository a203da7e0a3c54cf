// SPDX-License-Identifier: BSD-3-Clause
// By which device each port of the observed nodes is asked, and the way back. A switch has one
// device, at port 0; others have one at each port that was reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/observation.hpp"
#include "sm/transactions.hpp"

namespace heddle::sm {

class Devices {
 public:
  std::size_t size() const { return by_node_.size(); }  // nodes
  // By port number.
  std::span<const std::optional<DeviceId>> of(fabric::ObservedIndex node) const {
    return by_node_[node.value];
  }
  // Nothing when that port was never reached.
  std::optional<DeviceId> at(fabric::ObservedIndex node, std::size_t port) const {
    const auto& ports = by_node_[node.value];
    return port < ports.size() ? ports[port] : std::nullopt;
  }
  // The port that has it; nothing when none has.
  std::optional<fabric::ObservedEnd> end_of(DeviceId device) const;

  // For each node that is added to the observation, before it is asked for here.
  void make_room(fabric::ObservedIndex node, std::size_t ports);
  // A device has one place; whoever stood there before has none.
  void place(fabric::ObservedEnd at, DeviceId device);
  // Where each node has gone, as Observation::keep_only() tells it; never to a higher index.
  void keep_only(std::span<const std::optional<fabric::ObservedIndex>> moved);

 private:
  static constexpr fabric::ObservedEnd kNowhere{{0xFFFF'FFFF}, {}};

  std::vector<std::vector<std::optional<DeviceId>>> by_node_;  // and by port number
  // By device. A dead switch leaves as many requests unanswered as there are ports behind it, and
  // each asks who that was.
  std::vector<fabric::ObservedEnd> ends_;
};

}  // namespace heddle::sm
