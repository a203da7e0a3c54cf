// SPDX-License-Identifier: BSD-3-Clause
// The performance management agent of a device (IBA vol. 1, 16.1): shows and writes the counters of
// its ports.
#pragma once

#include "mad/perf_attribute.hpp"
#include "sim/agent.hpp"

namespace heddle::sim {

// Answers a Get or Set in place, by attribute number; the status of the answer. On anything but OK
// nothing was changed.
mad::Status answer_perf(const AgentContext& context, mad::Method method, std::uint16_t attribute,
                        mad::PerfData& data);

}  // namespace heddle::sim
