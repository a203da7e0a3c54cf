// SPDX-License-Identifier: BSD-3-Clause
// Which quality of service a path gets, as an administrator says it: rules that ask for ServiceID,
// QoS class, P_Key and the two ends, and the levels that they lead to (annex A13 of the
// specification leaves the policy to the subnet manager).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mad/sa_rate.hpp"
#include "mad/types.hpp"
#include "partitions/policy.hpp"

namespace heddle::qos {

// A file beyond one of these is refused.
inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxGroups = 1024;
inline constexpr std::size_t kMaxLevels = 1024;
inline constexpr std::size_t kMaxRules = 1024;
inline constexpr std::size_t kMaxListed = 65536;  // numbers, ranges and names in all its lists

struct Range {
  std::uint64_t first{}, last{};  // both belong to it
};
// Sorted, without overlaps.
using Ranges = std::vector<Range>;
bool contains(const Ranges& ranges, std::uint64_t number);
Ranges in_order(Ranges ranges);

// Bits of PortGroup::kinds.
inline constexpr std::uint8_t kAdapters = 1, kSwitches = 2, kRouters = 4, kSelf = 8;

// An end port belongs to the group if any of these means it.
struct PortGroup {
  std::string name;  // empty: one that a rule of qos-ulps made
  Ranges port_guids;
  Ranges p_keys;                        // base keys that the port holds
  std::vector<std::string> partitions;  // by name
  std::vector<std::string> port_names;  // NodeDescription/Pn
  std::uint8_t kinds = 0;
};

// What is not set is not limited.
struct Level {
  std::string name;  // empty: one that qos-ulps made
  std::optional<mad::ServiceLevel> sl;
  std::optional<mad::Mtu> mtu_limit;
  std::optional<mad::RateRank> rate_limit;
  std::optional<std::uint8_t> packet_life;  // 4.096 us * 2^value, at most
  Ranges p_keys;                            // base keys; none: any
};

// All that is not empty must be met, and a query that does not say a thing does not meet it.
struct Rule {
  Ranges qos_classes, service_ids, p_keys;           // base keys
  std::vector<std::uint32_t> sources, destinations;  // groups, any of them
  std::uint32_t level{};
};

struct IpoibLevel {
  partitions::BaseKey key{};
  mad::ServiceLevel sl{};
};

struct Policy {
  std::vector<PortGroup> groups;
  std::vector<Level> levels;
  std::vector<Rule> rules;                     // the first that matches counts
  std::optional<std::uint32_t> default_level;  // of what no rule matches
  std::vector<IpoibLevel> ipoib;
  std::string text;  // the file: what it was read from, and all that makes two policies differ
  friend bool operator==(const Policy& a, const Policy& b) { return a.text == b.text; }
};

// The partitions with the service levels that the policy gives to IPoIB, groups included.
partitions::Policy with_ipoib_levels(partitions::Policy partitions, const Policy& policy);

}  // namespace heddle::qos
