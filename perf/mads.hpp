// SPDX-License-Identifier: BSD-3-Clause
// Requests to performance management agents, and their answers, as bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "mad/datagram.hpp"
#include "mad/mad_header.hpp"
#include "mad/perf_attribute.hpp"

namespace heddle::perf {

struct PerfMad {
  mad::MADHeader header;
  mad::PerfData data{};
};

// A header for a request; the transaction id is the caller's.
PerfMad request(mad::Method method, mad::PerfAttributeId attribute, std::uint32_t transaction);
mad::Datagram to_datagram(const PerfMad& mad, mad::Lid lid, mad::ServiceLevel sl);

// Where an agent wants to be asked instead, by an answer with status Redirect or by its
// ClassPortInfo. Nothing where it names no LID or queue of this subnet.
std::optional<mad::Address> redirection(const PerfMad& answer);
// Nothing for what is shorter, or of another class.
std::optional<PerfMad> from_datagram(const mad::Datagram& datagram);

}  // namespace heddle::perf
