// SPDX-License-Identifier: BSD-3-Clause
// Is this a sane attribute? Any bytes decode; a device that lies, or a bug in one, shows here.
// What is checked needs nothing but the attribute itself and what sort of port it came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mad/linear_forwarding_table.hpp"
#include "mad/node_info.hpp"
#include "mad/notice.hpp"
#include "mad/port_info.hpp"
#include "mad/sm_info.hpp"
#include "mad/switch_info.hpp"

namespace heddle::mad {

// Plain sentences without a trailing period, empty when all is well. The field's name leads.
using Complaints = std::vector<std::string>;

// Many PortInfo fields mean nothing on some ports, and may hold anything there.
enum class PortKind : std::uint8_t {
  EndPort,         // of a channel adapter or router: LIDs and a link
  SwitchPort0,     // LIDs but no link
  SwitchExternal,  // a link but no LIDs
};

Complaints validate(const NodeInfo& info);
Complaints validate(const PortInfo& info, PortKind kind);
Complaints validate(const SwitchInfo& info);
Complaints validate(const SMInfo& info);
// A block that names ports the switch does not have.
Complaints validate(const LinearForwardingTable& block, std::uint8_t num_ports);
Complaints validate(const Notice& notice);

}  // namespace heddle::mad
