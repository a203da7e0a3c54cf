// SPDX-License-Identifier: BSD-3-Clause
// Partitions that programs change, beside those of the administrator's file: who is in which by
// GUID, with a number that grows with each change. Nothing here changes that file, and nothing
// there can be taken away from here: members are added, and their membership is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "partitions/policy.hpp"

namespace heddle::partitions {

inline constexpr std::size_t kMaxManagedMembers = 1u << 20;  // of all partitions together
inline constexpr std::size_t kMaxManagedNameBytes = 64;

struct ManagedPartition {
  std::string name;                         // printable; may be empty
  bool ipoib = true;                        // the two broadcast groups of IPoIB exist
  bool index0 = false;                      // as Partition::index0
  std::uint8_t sl = 0;                      // of paths and groups, 0..15
  mad::Mtu mtu = mad::Mtu::Bytes2048;       // of the groups
  std::uint8_t rate = 3;                    // of the groups, a code of mad::kSARates
  std::map<mad::Guid, Membership> members;  // by port GUID; not Both
  friend bool operator==(const ManagedPartition&, const ManagedPartition&) = default;
};

struct Managed {
  std::uint64_t generation = 0;
  std::map<BaseKey, ManagedPartition> partitions;
  friend bool operator==(const Managed&, const Managed&) = default;
};

// --- changes, each of which can be made twice with the same result ------------------------------

// The partition is this from now on, whatever it was.
struct SetPartition {
  BaseKey key{};
  ManagedPartition partition;
};
// It is gone. One that is not there is gone already.
struct RemovePartition {
  BaseKey key{};
};
// Ports come in, or change their membership. A partition that is not there is made with `like`.
struct AddMembers {
  BaseKey key{};
  std::map<mad::Guid, Membership> members;
  ManagedPartition like = {};
};
// Ports go; the partition stays, empty or not.
struct RemoveMembers {
  BaseKey key{};
  std::vector<mad::Guid> members;
};
using ManagedChange = std::variant<SetPartition, RemovePartition, AddMembers, RemoveMembers>;

// All of them in this order, or none, with the reason: for a person. The generation grows by one if
// anything is different then.
base::Result<Managed> changed(const Managed& before, const std::vector<ManagedChange>& changes);

// What ports are to hold: `file`, and behind its rules those of `managed`, so that for a port that
// both mean `managed` counts. Without either there is no policy.
std::shared_ptr<const Policy> with_managed(std::shared_ptr<const Policy> file,
                                           const Managed& managed);

}  // namespace heddle::partitions
