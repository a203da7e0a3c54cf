// SPDX-License-Identifier: BSD-3-Clause
// What clients without the SM_Key may ask for, and how much of it each of their ports may have.
// Whoever has the key is bound by the limits of subnet administration alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mad/sa_header.hpp"

namespace heddle::sa {

struct Trust {
  bool only_needed = false;  // else whatever there is, of what they may see
  std::uint32_t services = 1024;
  std::uint32_t subscriptions = 256;
  std::uint32_t groups = 16'384;  // whoever asks: a port joins by proxies too
  friend bool operator==(const Trust&, const Trust&) = default;
};

// Whether a client may ask that. `key`: the SM_Key of the trusted.
bool may_ask(const Trust& trust, mad::SMKey key, const mad::SAHeader& request);

// Whether it is among what hosts need to talk to each other: paths between ends that are named,
// groups one by one, their own services and those of a known name, subscriptions, alias GUIDs. What
// draws a picture of the fabric is not.
bool is_needed(const mad::SAHeader& request);

}  // namespace heddle::sa
