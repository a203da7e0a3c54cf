// SPDX-License-Identifier: BSD-3-Clause
// How UFM, and so its clients, name things.
#pragma once

#include <cstdint>
#include <string>

#include "api/rows.hpp"
#include "api/state.hpp"
#include "fabric/topology.hpp"

namespace heddle::api {

// 16 digits.
std::string ufm_guid(mad::Guid guid);
// GUID_NUMBER, where the GUID is that of the port, or of the switch that it is one of.
std::string ufm_port(const fabric::Topology& topology, fabric::PortIndex port);

// The job that ends when the fabric has reached a generation of partitions.
Json ufm_job_of(const State& state, std::uint64_t generation);

}  // namespace heddle::api
