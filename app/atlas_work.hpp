// SPDX-License-Identifier: BSD-3-Clause
// What a dashboard is told beyond rows, worked out from one picture of the subnet manager. All of
// it may take a second on a large fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/atlas.hpp"
#include "perf/readings.hpp"
#include "plan/layout.hpp"
#include "routing/selection.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

using SharedSnapshot = std::shared_ptr<const sm::Snapshot>;

// Equal for fabrics of the same nodes, names, LIDs and links: they have the same picture.
std::string shape_of(const sm::Snapshot& fabric);

// The tables as the switches hold them, else as they were computed; null when there are none.
std::shared_ptr<const fabric::ForwardingTables> tables_of(const sm::Snapshot& fabric);

struct Drawing {
  std::string json;  // as the page of `heddle plan report` has it, without engines
  std::vector<plan::DrawnLink> links;
  std::vector<double> capacities;  // plan::Report::capacities
};
Drawing draw(const sm::Snapshot& fabric, const std::string& title);

// By drawn link, what it carries when everyone talks to everyone: a JSON object.
std::string loads_json(const sm::Snapshot& fabric, const Drawing& drawing);

// What the links really carry; "null" without readings.
std::string counted_json(const sm::Snapshot& fabric, const perf::Readings* readings,
                         const Drawing& drawing);
// By drawn link, and by endport that is none of a switch, whether it is ACTIVE (2), has a link (1)
// or not even that (0): members of a JSON object.
std::string states_json(const sm::Snapshot& fabric, const Drawing& drawing);

// What the subnet manager would do about a loss. The question must be one that parse_loss takes.
api::Response answer_loss(const SharedSnapshot& fabric, const routing::Policy& policy,
                          const api::LossQuestion& question);

}  // namespace heddle::app
