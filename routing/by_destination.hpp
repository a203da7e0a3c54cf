// SPDX-License-Identifier: BSD-3-Clause
// Weaves trees into layers, with all packets to a LID in one layer.
#pragma once

#include <atomic>

#include "fabric/forwarding_tables.hpp"
#include "routing/engine.hpp"
#include "routing/loom.hpp"

namespace heddle::routing {

// How, and at what expense.
struct WeaveManner {
  unsigned layers = 1;
  bool fixed = false;   // the layers of switches are dealt out beforehand
  bool learns = false;  // then, too: layers begin with shortest ways
  // Tables whose ways the LIDs of hosts take for good, wherever the layer of their switch admits
  // the whole tree; null: none.
  const fabric::ForwardingTables* given = nullptr;
  unsigned rounds = 1;    // how often trees grow anew
  bool relieves = false;  // busy channels in the end

  // Whether nothing tells the trees of a layer which turns others need.
  bool is_blind() const { return !learns && given == nullptr; }
};

// With layers dealt out beforehand, as well as it can be at an expense that suits the fabric.
// shortest: tables of shortest ways, which outlive the manner.
WeaveManner fixed_manner(const Request& request, unsigned layers,
                         const fabric::ForwardingTables& shortest);

inline const std::atomic<bool> kNeeded = false;

// What it returns is of no use once it is in vain.
Woven weave_by_destination(const Request& request, const WeaveManner& manner,
                           const std::atomic<bool>& is_vain = kNeeded);

}  // namespace heddle::routing
