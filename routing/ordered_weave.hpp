// SPDX-License-Identifier: BSD-3-Clause
// Weaves the trees of all LIDs into layers whose orders are given beforehand.
#pragma once

#include <cstdint>
#include <optional>

#include "routing/engine.hpp"
#include "routing/loom.hpp"

namespace heddle::routing {

// What is good enough: so much on a single channel at most, and hardly more on all together than
// the shortest ways make.
struct Enough {
  std::uint64_t greatest_load = 0;
  std::uint64_t shortest_load = 0;

  bool holds(const Woven& woven) const {
    return woven.greatest_load <= greatest_load && is_within(woven, 32);
  }
  // So that hardly anything is to be gained by other orders. Along a grid the load is spread so
  // regularly that it takes more hops to be worse than others.
  bool is_short(const Woven& woven, bool on_grid) const {
    return is_within(woven, on_grid ? 64 : 256);
  }

 private:
  bool is_within(const Woven& woven, std::uint64_t part) const {
    return woven.whole_load <= shortest_load + shortest_load / part;
  }
};

struct OrderedWoven {
  std::optional<Woven> best;  // what carries least at most
  bool is_enough = false;     // other manners are not worth trying
};

// With several VLs. Layers are by pair of switches, the same both ways, if replies shall be
// covered; otherwise by switch and LID. Tries orders that suit the fabric until one is good enough.
// Gives nothing if with each of them some switch finds no way.
OrderedWoven weave_in_orders(const Request& request, const Enough& enough);

// On a grid, also a damaged one, with a single VL: packets make all their hops to lower positions
// first, then all those to higher ones. Gives nothing if the fabric is no grid, or if it is a whole
// one with rings: there trees fit together anyway, and random pairs get more so.
std::optional<Woven> weave_on_slope(const Request& request, const Enough& enough);

}  // namespace heddle::routing
