// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/policy.hpp"

#include <utility>

namespace heddle::partitions {
namespace {

// The upper halves of IPoIB's MGIDs without scope and P_Key (RFC 4391, 4).
constexpr std::uint64_t kIpv4Signature = 0xff10'401b'0000'0000;
constexpr std::uint64_t kIpv6Signature = 0xff10'601b'0000'0000;

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
  for (const std::uint64_t signature : {kIpv4Signature, kIpv6Signature}) {
    GroupSpec& group = groups.emplace_back(like);
    group.mgid.prefix.value = signature | std::uint64_t{scope} << 48 |
                              std::uint64_t{full_key(base_of(like.p_key)).value} << 16;
    group.mgid.guid.value = 0xffff'ffff;
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
  everybody.groups = ipoib_broadcast_groups(like, kLinkLocalScope);
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
