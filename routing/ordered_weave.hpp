// SPDX-License-Identifier: BSD-3-Clause
// Weaves the trees of all LIDs into layers whose orders are given beforehand.
#pragma once

#include <optional>

#include "routing/engine.hpp"
#include "routing/loom.hpp"

namespace heddle::routing {

// With several VLs. Layers are by pair of switches, the same both ways, if replies shall be
// covered; otherwise by switch and LID. Tries orders that suit the fabric; nothing if with each of
// them some switch finds no way.
std::optional<Woven> weave_in_orders(const Request& request);

}  // namespace heddle::routing
