// SPDX-License-Identifier: BSD-3-Clause
// Nodes and ports by the words that people have for them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sm/snapshot.hpp"

namespace heddle::api {

// By node GUID (0x and up to 16 digits), by its whole description, or by the first word of that,
// which is most often the name of a host ("host-7" of "host-7 mlx5_0"). No other node may have the
// same. The error says what there is instead.
base::Result<fabric::NodeIndex> find_node(const sm::Snapshot& fabric, std::string_view word);

// An endport: by port GUID, by that of a virtual port behind it, by LID in decimal, or by its node,
// which means the first port of it that has a LID; NODE/PORT means this one. Of a switch it is
// always port 0.
base::Result<fabric::PortIndex> find_endport(const sm::Snapshot& fabric, std::string_view word);

// The virtual port with this GUID, or this LID for itself; null when there is none, or nobody knows
// them.
const sa::VirtualPort* find_guest(const sm::Snapshot& fabric, std::string_view word);

// kNoLid when it has none, or none were given out. Of a switch's port that of port 0.
mad::Lid lid_of(const sm::Snapshot& fabric, fabric::PortIndex port);

}  // namespace heddle::api
