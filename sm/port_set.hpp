// SPDX-License-Identifier: BSD-3-Clause
// What every Get and Set of PortInfo of a port that was read before begins with.
#pragma once

#include <cstdint>

#include "fabric/difference.hpp"
#include "mad/capability.hpp"
#include "mad/port_info.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

// All as it was observed, and the key that the device has. The outer port of a switch has none,
// and a hidden key is observed as zero; but a host that gets what is written, because the way to a
// switch leads there by now, or because its key was hidden, would lose its own: that looks as if
// it hid another one, for good.
inline mad::PortInfo unchanged(const Context& context, DeviceId device,
                               const mad::PortInfo& observed) {
  mad::PortInfo info = fabric::unchanged(observed);
  info.m_key = context.transactions.key(device);
  return info;
}

// With the bit for the extended speeds where the device knows it: without, it would hide its own. A
// switch keeps its capabilities at port 0.
inline std::uint32_t port_info_modifier(const Picture& picture, fabric::ObservedEnd end) {
  const bool is_switch = picture.observation.is_switch(end.node);
  const auto& device =
      picture.observation.port({end.node, is_switch ? mad::PortNumber{0} : end.port}).info;
  const bool extended = device && (device->capability_mask & mad::kIsExtendedSpeedsSupported) != 0;
  return end.port.value | (extended ? mad::kSmSupportExtendedSpeeds : 0u);
}

}  // namespace heddle::sm
