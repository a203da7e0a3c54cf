// SPDX-License-Identifier: BSD-3-Clause
// An SMP on one line, for traces and transcripts.
#pragma once

#include <string>

#include "mad/smp.hpp"

namespace heddle::mad {

// Method, attribute, modifier, route (or "LID-routed"), status unless it is fine, and after " | "
// the attribute's fields that are not zero, e.g.
//   GetResp NodeInfo 0x00000000 route 0,1,7 | NodeType=Switch NumPorts=36 ...
// The transaction ID and the M_Key are left out. No newline.
std::string describe_smp(const Smp& smp);

// "0,1,7": the local port's 0 and then the port each hop leaves by. At most kMaxHops hops are
// shown, whatever the hop count says.
std::string route_text(const Smp& smp);

}  // namespace heddle::mad
