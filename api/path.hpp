// SPDX-License-Identifier: BSD-3-Clause
// The way of packets from one port to another, hop by hop, as the switches' tables have it, and on
// which terms: those that a client is told in its PathRecord (IBA vol. 1, 15.2.5.16).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mad/path_record.hpp"
#include "sm/snapshot.hpp"

namespace heddle::api {

// A port that packets leave by, and the lane that they take there.
struct Hop {
  fabric::PortIndex out = fabric::kNoPort;
  std::uint8_t vl = 0;
};

// Where an end is a virtual port behind the port: that one.
struct Guests {
  const sa::VirtualPort* from = nullptr;
  const sa::VirtualPort* to = nullptr;
};

struct Path {
  fabric::PortIndex from = fabric::kNoPort, to = fabric::kNoPort;  // endports
  Guests guests;          // as the view of the snapshot has them
  mad::Lid lid{};         // that packets are sent to
  std::vector<Hop> hops;  // from the sender on
  std::string trouble;    // why packets do not arrive, for a person; empty: they do
  // Nothing when administration tells of no path: it is not ours, or they may not talk.
  std::optional<mad::PathRecord> record;
  mad::ServiceLevel level{};  // of the record, else of the routes
};

// Null when there are none.
const fabric::ForwardingTables* tables_of(const sm::Snapshot& fabric);

// lid must be one of the port `to`, or of who is behind it.
Path find_path(const sm::Snapshot& fabric, fabric::PortIndex from, fabric::PortIndex to,
               mad::Lid lid, const Guests& guests = {});

}  // namespace heddle::api
