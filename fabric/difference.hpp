// SPDX-License-Identifier: BSD-3-Clause
// Intent against observation: what would have to be written so that the fabric is as wanted. An
// empty difference is the definition of a fabric that is right.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/intent.hpp"
#include "fabric/observation.hpp"

namespace heddle::fabric {

// A PortInfo to send in a Set: `observed` with the wishes put in, and every component that acts by
// being written (states, ClientReregister) at its "no change" value.
mad::PortInfo unchanged(const mad::PortInfo& observed);
mad::PortInfo with(const EndportIntent& wish, const mad::PortInfo& observed);
mad::PortInfo with(const LinkIntent& wish, const mad::PortInfo& observed);

bool satisfied(const EndportIntent& wish, const mad::PortInfo& observed);
// MTU and VL count belong to the link's start: while it is ARMED or ACTIVE they are left as they
// stand, because changing them under traffic would lose packets.
// Whether two readings agree in all that LinkWishes may ask for.
bool same_wishes(const mad::PortInfo& a, const mad::PortInfo& b);
bool satisfied(const LinkIntent& wish, const mad::PortInfo& observed);

bool satisfied(const SwitchIntent& wish, const mad::SwitchInfo& observed);
mad::SwitchInfo with(const SwitchIntent& wish, const mad::SwitchInfo& observed);

// The blocks of a switch's table that are not known to hold what they should, ascending, up to the
// block of `top`.
std::vector<std::uint16_t> changed_blocks(const ForwardingTables& wanted, SwitchIndex of,
                                          mad::Lid top, const ObservedTable& observed);

}  // namespace heddle::fabric
