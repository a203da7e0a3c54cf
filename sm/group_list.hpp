// SPDX-License-Identifier: BSD-3-Clause
// The multicast groups as others are shown them: a copy, made when something changed, since the
// table itself changes with every join. Members are copied only where they are others than in the
// list before.
#pragma once

#include <cstddef>
#include <vector>

#include "mad/mc_member_record.hpp"
#include "multicast/groups.hpp"

namespace heddle::sm {

// With more memberships than this in the subnet, only their numbers are copied: a copy must not
// hold the machine up.
inline constexpr std::size_t kMaxCopiedMemberships = 100'000;

struct ListedGroup {
  mad::MCMemberRecord terms;  // without a member
  bool permanent = false;     // made by policy
  std::size_t member_count = 0;
  multicast::Group::MemberList members;  // by PortGID; null if there are too many to copy
};
using GroupList = std::vector<ListedGroup>;  // by MGID

GroupList list_of(const multicast::Groups& groups);

}  // namespace heddle::sm
