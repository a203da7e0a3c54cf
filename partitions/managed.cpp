// SPDX-License-Identifier: BSD-3-Clause
#include "partitions/managed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mad/mgid.hpp"

namespace heddle::partitions {
namespace {

std::string key_text(BaseKey key) {
  return fmt::format("{:#06x}", key.value);
}

// What is wrong with it; empty: nothing.
std::string fault_of(const std::map<mad::Guid, Membership>& members) {
  for (const auto& [guid, membership] : members) {
    if (guid == mad::Guid{}) return "no port has GUID 0";
    if (membership == Membership::Both) return "a membership is full or limited";
  }
  return {};
}

std::string fault_of(BaseKey key, const ManagedPartition& partition) {
  if (partition.name.size() > kMaxManagedNameBytes) {
    return fmt::format("a name has at most {} characters", kMaxManagedNameBytes);
  }
  const bool printable = std::all_of(partition.name.begin(), partition.name.end(),
                                     [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) return "a name is printable";
  if (partition.sl > 15) return "a service level is 0 to 15";
  if (key == kDefaultBaseKey && partition.index0) {
    return "the default partition has index 0 where no other wants it";
  }
  return fault_of(partition.members);
}

// Carries changes out on a copy.
class Changer {
 public:
  explicit Changer(Managed now) : now_(std::move(now)) {}

  std::string operator()(const SetPartition& change) {
    if (const auto fault = checked(change.key); !fault.empty()) return fault;
    if (auto fault = fault_of(change.key, change.partition); !fault.empty()) return fault;
    now_.partitions[change.key] = change.partition;
    return {};
  }
  std::string operator()(const RemovePartition& change) {
    now_.partitions.erase(change.key);
    return {};
  }
  std::string operator()(const AddMembers& change) {
    if (const auto fault = checked(change.key); !fault.empty()) return fault;
    if (auto fault = fault_of(change.members); !fault.empty()) return fault;
    const auto [at, made] = now_.partitions.try_emplace(change.key, change.like);
    if (made) {
      if (auto fault = fault_of(change.key, change.like); !fault.empty()) return fault;
    }
    for (const auto& [guid, membership] : change.members) at->second.members[guid] = membership;
    return {};
  }
  std::string operator()(const RemoveMembers& change) {
    const auto found = now_.partitions.find(change.key);
    if (found == now_.partitions.end()) return {};
    for (const mad::Guid guid : change.members) found->second.members.erase(guid);
    return {};
  }

  std::size_t members() const {
    std::size_t count = 0;
    for (const auto& [key, partition] : now_.partitions) count += partition.members.size();
    return count;
  }
  Managed take() { return std::move(now_); }

 private:
  static std::string checked(BaseKey key) {
    if (key.value != 0 && key.value <= kDefaultBaseKey.value) return {};
    return fmt::format("a P_Key is 0x0001 to 0x7fff, not {}", key_text(key));
  }

  Managed now_;
};

std::vector<GroupSpec> broadcast_groups(BaseKey key, const ManagedPartition& managed) {
  GroupSpec like;
  like.p_key = full_key(key);
  like.mtu = managed.mtu;
  like.rate = managed.rate;
  like.sl = mad::ServiceLevel{managed.sl};
  like.q_key = kIpoibQKey;
  return ipoib_broadcast_groups(like, mad::kLinkLocalScope);
}

Partition& add_partition(Policy& policy, BaseKey key, const ManagedPartition& managed) {
  Partition& made = policy.partitions.emplace_back();
  made.key = key;
  made.name = managed.name;
  made.sl = mad::ServiceLevel{managed.sl};
  return made;
}

}  // namespace

base::Result<Managed> changed(const Managed& before, const std::vector<ManagedChange>& changes) {
  Changer changer(before);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string fault = std::visit(changer, changes[i]);
    if (!fault.empty()) return base::error(fmt::format("change {}: {}", i + 1, fault));
  }
  if (changer.members() > kMaxManagedMembers) {
    return base::error(fmt::format("partitions have at most {} members", kMaxManagedMembers));
  }
  Managed after = changer.take();
  if (after != before) ++after.generation;
  return after;
}

std::shared_ptr<const Policy> with_managed(std::shared_ptr<const Policy> file,
                                           const Managed& managed) {
  if (managed.generation == 0) return file;
  auto policy = std::make_shared<Policy>(file ? *file : default_policy());
  policy->generation = managed.generation;
  std::map<BaseKey, std::size_t> of_file;  // the first of each key
  for (std::size_t i = 0; i < policy->partitions.size(); ++i) {
    of_file.emplace(policy->partitions[i].key, i);
  }
  for (const auto& [key, wanted] : managed.partitions) {
    const auto found = of_file.find(key);
    Partition& partition = found == of_file.end() ? add_partition(*policy, key, wanted)
                                                  : policy->partitions[found->second];
    partition.index0 = partition.index0 || wanted.index0;
    for (const auto& [guid, membership] : wanted.members) {
      partition.rules.push_back({Who::Port, guid, membership});
    }
    if (!wanted.ipoib || partition.ipoib) continue;
    partition.ipoib = true;
    for (GroupSpec& group : broadcast_groups(key, wanted)) {
      partition.groups.push_back(std::move(group));
    }
    std::sort(partition.groups.begin(), partition.groups.end(),
              [](const GroupSpec& a, const GroupSpec& b) {
                return std::pair(a.mgid.prefix, a.mgid.guid) <
                       std::pair(b.mgid.prefix, b.mgid.guid);
              });
  }
  return policy;
}

}  // namespace heddle::partitions
