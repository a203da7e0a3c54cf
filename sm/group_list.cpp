// SPDX-License-Identifier: BSD-3-Clause
#include "sm/group_list.hpp"

#include <utility>

namespace heddle::sm {

GroupList list_of(const multicast::Groups& groups) {
  const bool with_members = groups.memberships() <= kMaxCopiedMemberships;
  GroupList list;
  list.reserve(groups.size());
  for (const auto& [mgid, group] : groups.all()) {
    ListedGroup listed{group.record(), group.permanent(), group.members().size(), {}};
    if (with_members) {
      listed.members.reserve(group.members().size());
      for (const auto& [gid, member] : group.members()) listed.members.push_back(member);
    }
    list.push_back(std::move(listed));
  }
  return list;
}

}  // namespace heddle::sm
