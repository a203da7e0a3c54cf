// SPDX-License-Identifier: BSD-3-Clause
// A recognised grid with the axes, directions and origin that an operator's file gives it.
#pragma once

#include "routing/grid.hpp"
#include "routing/torus_file.hpp"

namespace heddle::routing {

// The first seed whose switches and links are all there is used. The axes are those of the file
// with more than one position, in its order. An error says what the file and the cables disagree
// in.
base::Result<Grid> seeded_grid(const Grid& grid, const TorusFile& file,
                               const fabric::Topology& topology);

}  // namespace heddle::routing
