// SPDX-License-Identifier: BSD-3-Clause
// Who belongs to which partition (IBA vol. 1, 10.9), as an administrator says it: rules that name
// ports by GUID or by kind, before anybody has looked which ports there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/strong.hpp"
#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::partitions {

// The low 15 bits of a P_Key, which say the partition: 1..0x7fff. Bit 15 says the membership.
using BaseKey = base::Strong<struct BaseKeyTag, std::uint16_t>;
inline constexpr BaseKey kDefaultBaseKey{0x7fff};
inline constexpr std::uint16_t kFullMemberBit = 0x8000;

constexpr BaseKey base_of(mad::PKey p_key) {
  return BaseKey{static_cast<std::uint16_t>(p_key.value & ~kFullMemberBit)};
}
constexpr bool is_full(mad::PKey p_key) {
  return (p_key.value & kFullMemberBit) != 0;
}
constexpr mad::PKey full_key(BaseKey key) {
  return mad::PKey{static_cast<std::uint16_t>(key.value | kFullMemberBit)};
}
constexpr mad::PKey limited_key(BaseKey key) {
  return mad::PKey{key.value};
}

// Both: the port holds the full and the limited key (virtual machines of different standing).
enum class Membership : std::uint8_t { Limited, Full, Both };

// A multicast group that exists from the first moment and outlives its last member.
struct GroupSpec {
  mad::Gid mgid{};
  mad::PKey p_key{};  // with the full member bit
  mad::Mtu mtu = mad::Mtu::Bytes2048;
  std::uint8_t rate = 3;  // code of mad::kSARates; 3 is 10 Gb/s
  mad::ServiceLevel sl{};
  std::uint32_t q_key{};
  std::uint8_t t_class{};
  std::uint32_t flow_label{};  // 20 bits
  std::uint8_t scope = 2;      // MCMemberRecord.Scope, always that of the MGID
  friend bool operator==(const GroupSpec&, const GroupSpec&) = default;
};

// Whom a rule means. Only end ports count: those of channel adapters and routers, and port 0 of
// switches. Self is the port that the subnet manager stands on.
enum class Who : std::uint8_t { Port, All, AllCas, AllSwitches, AllRouters, AllVcas, Self };

struct Rule {
  Who who{};
  mad::Guid port{};  // Who::Port: its port GUID, not 0
  Membership membership = Membership::Limited;
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Partition {
  std::string name;  // printable; may be empty
  BaseKey key{};
  bool index0 = false;  // its key stands at index 0 of its members' P_KeyTables
  mad::ServiceLevel sl{};
  bool ipoib = false;
  std::vector<Rule> rules;        // in order: the last one that means a port counts
  std::vector<GroupSpec> groups;  // the IPoIB broadcast groups among them; by MGID, each once
  friend bool operator==(const Partition&, const Partition&) = default;
};

struct Policy {
  // Default (0x7fff) first, the others in the order of their first definition; a key once.
  std::vector<Partition> partitions;
  // Of what programs have changed beside files (managed.hpp): by it they see what has been reached.
  std::uint64_t generation = 0;
  friend bool operator==(const Policy&, const Policy&) = default;
};

// Without a file: everybody is a full member of Default, and IPoIB works.
Policy default_policy();

// When the first file that is read is broken: the subnet manager reaches everybody, nobody else
// reaches anybody.
Policy closed_policy();

// The two groups without which IPoIB does not start (RFC 4391, 4): ff1s:401b:PKEY::ffff:ffff for
// IPv4, ff1s:601b:PKEY::ffff:ffff for IPv6. `like` gives all but MGID and scope (1..15).
std::vector<GroupSpec> ipoib_broadcast_groups(const GroupSpec& like, std::uint8_t scope);
inline constexpr std::uint32_t kIpoibQKey = 0x0b1b;

}  // namespace heddle::partitions
