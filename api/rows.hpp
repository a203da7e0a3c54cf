// SPDX-License-Identifier: BSD-3-Clause
// Things of the fabric as JSON objects, one function each. docs/openapi.json describes them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "api/journal.hpp"
#include "api/losses.hpp"
#include "partitions/memberships.hpp"
#include "sm/group_list.hpp"
#include "sm/snapshot.hpp"

namespace heddle::api {

using Json = nlohmann::ordered_json;

Json node_row(const sm::Snapshot& fabric, fabric::NodeIndex node);
// Any port of any node but the unused slot 0 of hosts.
Json port_row(const sm::Snapshot& fabric, fabric::PortIndex port);
// By the end with the lower index, which must have a peer.
Json link_row(const sm::Snapshot& fabric, fabric::PortIndex port);
// {"node": name, "guid": ..., "port": number}.
Json end_row(const fabric::Topology& topology, fabric::PortIndex port);

Json partition_row(const sm::Snapshot& fabric, const partitions::Memberships& memberships,
                   const partitions::Partition& partition);
Json group_row(const sm::ListedGroup& group);
Json manager_row(const sm::Snapshot& fabric, const sm::OtherManager& manager);
Json event_row(const JournalEvent& event);
Json sweep_row(const JournalSweep& sweep);
Json lost_row(const LostLink& link, bool is_ordered);

// "fe80::1" in full: eight groups of four digits.
std::string text(const mad::Gid& gid);

// On one line, and with nothing in it that is not ASCII.
std::string dump(const Json& json);

}  // namespace heddle::api
