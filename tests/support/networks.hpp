// SPDX-License-Identifier: BSD-3-Clause
// Fabrics that are no trees and no tori: those of small diameter, on which general routing engines
// are judged. As recipes, like those of topologies.hpp.
#pragma once

#include <vector>

#include "tests/support/topologies.hpp"

namespace heddle::support {

// Every two switches that differ in one coordinate only are joined.
Recipe hyperx(const std::vector<unsigned>& sides, unsigned hosts_each);
// Groups of switches that are all joined within the group; each switch has `global` links to other
// groups, spread evenly over them (what does not divide is left out).
Recipe dragonfly(unsigned groups, unsigned switches, unsigned global, unsigned hosts_each);
// Groups of leaves and spines, all leaves joined to all spines of the group; each spine has
// `global` links to other groups.
Recipe dragonfly_plus(unsigned groups, unsigned leaves, unsigned spines, unsigned global,
                      unsigned hosts_each);
// The Kautz graph of words of `length` letters without equal neighbours, over degree + 1 letters,
// its arcs taken as cables.
Recipe kautz(unsigned degree, unsigned length, unsigned hosts_each);
// The MMS graph of diameter 2 with 2 q^2 switches; q: a prime, 1 modulo 4.
Recipe slim_fly(unsigned q, unsigned hosts_each);

}  // namespace heddle::support
