// SPDX-License-Identifier: BSD-3-Clause
#include "sm/devices.hpp"

#include <utility>

namespace heddle::sm {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

std::optional<ObservedEnd> Devices::end_of(DeviceId device) const {
  if (device.value >= ends_.size() || ends_[device.value] == kNowhere) return std::nullopt;
  return ends_[device.value];
}

void Devices::make_room(ObservedIndex node, std::size_t ports) {
  if (by_node_.size() <= node.value) by_node_.resize(node.value + std::size_t{1});
  by_node_[node.value].resize(ports);
}

void Devices::place(ObservedEnd at, DeviceId device) {
  std::optional<DeviceId>& here = by_node_[at.node.value][at.port.value];
  if (here && end_of(*here) == at) ends_[here->value] = kNowhere;
  here = device;
  if (ends_.size() <= device.value) ends_.resize(device.value + std::size_t{1}, kNowhere);
  ends_[device.value] = at;
}

void Devices::keep_only(std::span<const std::optional<ObservedIndex>> moved) {
  std::size_t kept = 0;
  for (std::size_t n = 0; n < moved.size(); ++n) {
    if (!moved[n]) continue;
    if (moved[n]->value != n) by_node_[moved[n]->value] = std::move(by_node_[n]);
    ++kept;
  }
  by_node_.resize(kept);
  for (ObservedEnd& end : ends_) {
    if (end == kNowhere) continue;
    const auto to = moved[end.node.value];
    end = to ? ObservedEnd{*to, end.port} : kNowhere;
  }
}

}  // namespace heddle::sm
