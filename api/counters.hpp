// SPDX-License-Identifier: BSD-3-Clause
// Counters of ports in answers: as rows, and in Prometheus' text format under the names that
// dashboards for InfiniBand already use.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "api/message.hpp"
#include "api/rows.hpp"
#include "api/state.hpp"

namespace heddle::api {

// What the port counted; null where nothing is known of it.
const perf::PortReading* reading_of(const sm::Snapshot& fabric, const perf::Readings* readings,
                                    fabric::PortIndex port);
// port_row(), and in short what it counted.
Json counted_port_row(const sm::Snapshot& fabric, const perf::Readings* readings,
                      fabric::PortIndex port);
// Shares of what the link can carry, from the end and to it; nothing where it is not known.
struct Use {
  std::optional<double> there, back;
  bool ill = false;  // errors of one of its ends grow too fast
};
Use use_of_link(const sm::Snapshot& fabric, const perf::Readings& readings, fabric::PortIndex port);

// "counters" of a port in /v1/counters.
Json counters_json(const perf::PortReading& reading);
// Names of what grows too fast: ["symbol_error"].
Json exceeded_json(const perf::PortReading& reading);
std::uint64_t errors_of(const perf::PortReading& reading);

// One link with how much of it is used each way, by the end with the lower index. Null when nothing
// is known of either end.
Json load_row(const sm::Snapshot& fabric, const perf::Readings& readings, fabric::PortIndex port);

// The counters of all ports, piece by piece: there may be millions of lines.
Pieces port_metrics(const State& state);

}  // namespace heddle::api
