// SPDX-License-Identifier: BSD-3-Clause
// Weaves the trees of all LIDs into layers whose orders are given beforehand.
#pragma once

#include <cstdint>
#include <optional>

#include "routing/engine.hpp"
#include "routing/loom.hpp"

namespace heddle::routing {

// What is good enough: so much on a single channel at most, and on all together.
struct Enough {
  std::uint64_t greatest_load = 0;
  std::uint64_t whole_load = 0;
  bool holds(const Woven& woven) const {
    return woven.greatest_load <= greatest_load && woven.whole_load <= whole_load;
  }
};

// With several VLs. Layers are by pair of switches, the same both ways, if replies shall be
// covered; otherwise by switch and LID. Tries orders that suit the fabric until one is good enough,
// and gives what carries least at most; nothing if with each of them some switch finds no way.
std::optional<Woven> weave_in_orders(const Request& request, const Enough& enough);

}  // namespace heddle::routing
