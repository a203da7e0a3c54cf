// SPDX-License-Identifier: BSD-3-Clause
// A finished sweep without an SM: two switches joined by two cables, two hosts on each, routed by
// the real engine. What the SM would have put into registers is put there by hand.
#pragma once

#include "sm/snapshot.hpp"

namespace heddle::app {

// One host is named with braces and its link is SDR 1x; everything else is HDR 4x and ACTIVE.
sm::Snapshot small_fabric();

}  // namespace heddle::app
