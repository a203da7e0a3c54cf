// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/policy.hpp"

#include <utility>

#include "mad/mgid.hpp"

namespace heddle::partitions {
namespace {

Partition default_partition(Membership everybody) {
  Partition partition;
  partition.name = "Default";
  partition.key = kDefaultBaseKey;
  partition.rules = {{Who::All, {}, everybody}, {Who::Self, {}, Membership::Full}};
  return partition;
}

}  // namespace

std::vector<GroupSpec> ipoib_broadcast_groups(const GroupSpec& like, std::uint8_t scope) {
  std::vector<GroupSpec> groups;
  for (const std::uint16_t signature : {mad::kIPv4Signature, mad::kIPv6Signature}) {
    GroupSpec& group = groups.emplace_back(like);
    group.mgid = broadcast_mgid(like.p_key, signature, scope);
    group.scope = scope;
  }
  return groups;
}

Policy default_policy() {
  Partition everybody = default_partition(Membership::Full);
  everybody.ipoib = true;
  GroupSpec like;
  like.p_key = full_key(kDefaultBaseKey);
  like.q_key = kIpoibQKey;
  everybody.groups = ipoib_broadcast_groups(like, mad::kLinkLocalScope);
  Policy policy;
  policy.partitions.push_back(std::move(everybody));
  return policy;
}

Policy closed_policy() {
  Policy policy;
  policy.partitions.push_back(default_partition(Membership::Limited));
  return policy;
}

}  // namespace heddle::partitions
