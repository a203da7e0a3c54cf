// SPDX-License-Identifier: BSD-3-Clause
// The terms of a group: what a request asks of an existing one, and what comes of the wishes for a
// new one (IBA vol. 1, 15.2.5.17). Reasons are sentences without a period, for a person.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "mad/mc_member_record.hpp"
#include "multicast/groups.hpp"

namespace heddle::multicast {

// All components that a request must name to join, and to create.
bool names_member(std::uint64_t mask);
bool names_new_group(std::uint64_t mask);

// P_Keys of one partition: the membership bit does not count.
constexpr bool same_partition(mad::PKey a, mad::PKey b) {
  return ((a.value ^ b.value) & 0x7FFF) == 0;
}
constexpr bool is_p_key(mad::PKey p_key) {
  return (p_key.value & 0x7FFF) != 0;
}

// Name of a port in a sentence.
std::string name_of(const PortFacts& port);

// What is said to who names this rate code.
std::string no_such_rate(std::uint8_t code);

// Why this port cannot take part in this group: MTU, rate or partition.
std::optional<std::string> out_of_reach(const PortFacts& port, const mad::MCMemberRecord& group);

// Which component of the request the group does not have.
std::optional<std::string> contradiction(const mad::MCMemberRecord& wanted, std::uint64_t mask,
                                         const mad::MCMemberRecord& group);

// The record of a new group without members and with the MLID that is asked for or 0, or why the
// request cannot be met. `model` is the broadcast group that an IPoIB group must agree with; null
// if there is none.
base::Result<mad::MCMemberRecord> terms_of(const Request& request, const Policy& policy,
                                           const mad::MCMemberRecord* model);

// Of a SubnAdmGet: whether the group has the components that the mask names, selectors applied;
// MGID, PortGID, JoinState and ProxyJoin are not looked at.
bool has_terms(const mad::MCMemberRecord& wanted, std::uint64_t mask,
               const mad::MCMemberRecord& group);

}  // namespace heddle::multicast
