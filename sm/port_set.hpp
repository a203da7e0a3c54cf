// SPDX-License-Identifier: BSD-3-Clause
// What every Set of PortInfo begins with.
#pragma once

#include "fabric/difference.hpp"
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

}  // namespace heddle::sm
