// SPDX-License-Identifier: BSD-3-Clause
#include "sm/group_list.hpp"

namespace heddle::sm {

GroupList list_of(const multicast::Groups& groups) {
  const bool with_members = groups.memberships() <= kMaxCopiedMemberships;
  GroupList list;
  list.reserve(groups.size());
  for (const auto& [mgid, group] : groups.all()) {
    list.push_back({group.record(), group.permanent(), group.members().size(),
                    with_members ? group.member_list() : nullptr});
  }
  return list;
}

}  // namespace heddle::sm
