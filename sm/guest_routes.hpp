// SPDX-License-Identifier: BSD-3-Clause
// Ways to the LIDs of virtual ports. No engine makes them: packets go where those to the host do,
// so what was proven of the one holds for the other, and a virtual machine that starts or moves
// makes nobody compute routes.
#pragma once

#include <memory>

#include "fabric/lid_map.hpp"
#include "routing/selection.hpp"

namespace heddle::sm {

// `lids`: those that `plain` was made for, and guests. What does not change is shared with `plain`.
std::shared_ptr<const routing::Selected> routes_with_guests(
    std::shared_ptr<const routing::Selected> plain, const fabric::LidMap& lids);

}  // namespace heddle::sm
