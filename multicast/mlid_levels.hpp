// SPDX-License-Identifier: BSD-3-Clause
// On which service levels packets to a multicast LID travel: those of the groups that have it,
// since whoever sends to a group uses the group's SL (IBA vol. 1, MCMemberRecord).
#pragma once

#include <cstdint>
#include <map>

#include "mad/types.hpp"
#include "multicast/groups.hpp"

namespace heddle::multicast {

class MlidLevels {
 public:
  // A bit for each level; level 0 alone for a LID that no group is known to have.
  std::uint16_t of(mad::Lid mlid) const;
  // Takes the groups as they are now. True when the levels of this LID are others than before.
  bool take(const Groups& groups, mad::Lid mlid);

 private:
  std::map<mad::Lid, std::uint16_t> others_;  // than level 0 alone
};

}  // namespace heddle::multicast
