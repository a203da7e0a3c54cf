// SPDX-License-Identifier: BSD-3-Clause
// From one sweep to the next: what came, what went, and the picture that is published.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sm/context.hpp"
#include "sm/snapshot.hpp"

namespace heddle::sm {

// A way by which a sweep wrote to a device.
struct Way {
  mad::DirectedRoute route;
  mad::Guid node{};
  bool to_switch = false;
};
std::vector<Way> ways_to_devices(const Picture& picture, const Transactions& transactions);
// Whether each of them, walked on this picture, ends where it was thought to end. When cables were
// exchanged while a sweep wrote, its Sets reached other devices than they were meant for. A host to
// which no way leads any more tells nothing: hosts come and go.
bool still_lead_there(const Picture& picture, const std::vector<Way>& ways);
// Those that end nowhere now: what was sent along them may have arrived anywhere.
std::vector<Way> dead_ways(const Picture& picture, const std::vector<Way>& ways);
// Whether one of them ends at another node than it was thought to end at.
bool lead_elsewhere(const Picture& picture, const std::vector<Way>& ways);
// The node at the end of a route, walked on the picture; nothing when it ends before.
std::optional<fabric::ObservedIndex> end_of_way(const Picture& picture,
                                                const mad::DirectedRoute& route);

// Says which nodes and links appeared or disappeared since `before`.
void report_differences(Context& context, const fabric::Topology& before);

// `registers`: of that picture.
std::shared_ptr<Snapshot> take_picture(const Picture& picture,
                                       std::shared_ptr<const fabric::Registers> registers,
                                       const SweepStatistics& statistics, const Options& options);

}  // namespace heddle::sm
