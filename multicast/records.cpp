// SPDX-License-Identifier: BSD-3-Clause
// SubnAdmGet and SubnAdmGetTable of MCMemberRecord.
#include <algorithm>
#include <tuple>

#include "mad/component_mask.hpp"
#include "multicast/groups.hpp"
#include "multicast/terms.hpp"

namespace heddle::multicast {
namespace {

using mad::component;
using mad::MCMemberRecord;

constexpr auto kMgid = component<&MCMemberRecord::mgid>();
constexpr auto kMlid = component<&MCMemberRecord::mlid>();
constexpr auto kPortGid = component<&MCMemberRecord::port_gid>();
constexpr auto kJoinState = component<&MCMemberRecord::join_state>();
constexpr auto kProxyJoin = component<&MCMemberRecord::proxy_join>();

bool matches(const Groups::Query& query, const Member& member) {
  const MCMemberRecord& wanted = query.wanted;
  if ((query.mask & kJoinState) != 0 && wanted.join_state != member.join_state) return false;
  return (query.mask & kProxyJoin) == 0 || wanted.proxy_join == member.proxy_join;
}

bool give_members(const Groups::Query& query, const Group& group,
                  const std::function<bool(const MCMemberRecord&)>& take) {
  const auto& members = group.members();
  auto first = members.begin();
  auto last = members.end();
  if ((query.mask & kPortGid) != 0) {
    std::tie(first, last) = members.equal_range(query.wanted.port_gid);
  }
  for (; first != last; ++first) {
    if (!matches(query, first->second)) continue;
    if (!take(group.record_of(first->second))) return false;
  }
  return true;
}

}  // namespace

std::vector<const Group*> Groups::candidates(const Query& query) const {
  std::vector<const Group*> groups;
  for (const mad::Gid& mgid : groups_on(query.wanted.mlid)) groups.push_back(find(mgid));
  std::sort(groups.begin(), groups.end(),
            [](const Group* a, const Group* b) { return GidOrder{}(a->mgid(), b->mgid()); });
  return groups;
}

bool Groups::for_each_record(const Query& query,
                             const std::function<bool(const MCMemberRecord&)>& take) const {
  const auto give = [&](const Group& group) {
    if (query.may_see_key && !query.may_see_key(group.record_.p_key)) return true;
    if (!has_terms(query.wanted, query.mask, group.record_)) return true;
    return query.trusted ? give_members(query, group, take) : take(group.record_);
  };
  if ((query.mask & kMgid) != 0) {
    const Group* group = find(query.wanted.mgid);
    return group == nullptr || give(*group);
  }
  if ((query.mask & kMlid) != 0) {
    const auto groups = candidates(query);
    return std::all_of(groups.begin(), groups.end(),
                       [&](const Group* group) { return give(*group); });
  }
  return std::all_of(by_mgid_.begin(), by_mgid_.end(),
                     [&](const auto& entry) { return give(entry.second); });
}

}  // namespace heddle::multicast
