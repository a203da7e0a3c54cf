// SPDX-License-Identifier: BSD-3-Clause
// Multicast GIDs as names of groups: in an order, as text, and what cannot be one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mad/mgid.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

// GIDs in the order of their bytes.
struct GidOrder {
  constexpr bool operator()(const mad::Gid& a, const mad::Gid& b) const {
    return a.prefix != b.prefix ? a.prefix < b.prefix : a.guid < b.guid;
  }
};

// Why this cannot name a group, as a piece of a sentence; nothing when it can.
std::optional<std::string> fault_of(const mad::Gid& mgid);

// As people write it: "ff12:401b:ffff::ffff:ffff".
std::string text_of(const mad::Gid& gid);

}  // namespace heddle::multicast
