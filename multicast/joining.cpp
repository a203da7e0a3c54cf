// SPDX-License-Identifier: BSD-3-Clause
// The rules of SubnAdmSet and SubnAdmDelete of MCMemberRecord.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "multicast/groups.hpp"
#include "multicast/terms.hpp"

namespace heddle::multicast {
namespace {

bool is_proxy(const Request& request) {
  return request.requester.port != mad::Guid{} && request.requester.port != request.port.port;
}

mad::Guid asking_port(const Request& request) {
  return is_proxy(request) ? request.requester.port : request.port.port;
}

Answer refusal(const Request& request, mad::Status status, const std::string& reason) {
  Answer answer;
  answer.status = status;
  answer.record = request.wanted;
  const std::string what = request.wanted.mgid == mad::Gid{}
                               ? std::string("a new group")
                               : "group " + text_of(request.wanted.mgid);
  answer.reason = fmt::format("{}: {}", what, reason);
  return answer;
}

}  // namespace

std::optional<Answer> Groups::refuse_early(const Request& request) {
  if (!names_member(request.mask)) {
    return refusal(request, mad::kSAReqInsufficientComponents,
                   "MGID, PortGID and JoinState must be given");
  }
  if ((request.wanted.join_state & 0xF) == 0) {
    return refusal(request, mad::kSAReqInvalid, "JoinState is 0");
  }
  return std::nullopt;
}

// A proxy must share the partition of the group; whoever has the SM_Key may do all.
std::optional<Answer> Groups::refuse_stranger(const Request& request, const Group& group) const {
  if (!is_proxy(request) || request.trusted || !policy_.requester_must_share_p_key) {
    return std::nullopt;
  }
  const PortFacts& asking = request.requester;
  if (!asking.has_p_key || asking.has_p_key(group.record().p_key)) return std::nullopt;
  return refusal(request, mad::kSAReqDenied,
                 fmt::format("{} acts for {}, but is not in partition {:#06x}", name_of(asking),
                             name_of(request.port), group.record().p_key.value));
}

Answer Groups::join(const Request& request) {
  if (auto refused = refuse_early(request)) return std::move(*refused);
  const auto found = by_mgid_.find(request.wanted.mgid);
  if (found == by_mgid_.end()) return create(request);
  Group& group = found->second;
  if (const auto text = contradiction(request.wanted, request.mask, group.record_)) {
    return refusal(request, mad::kSAReqInvalid, *text);
  }
  return enter(group, request, {});
}

Answer Groups::create(const Request& request) {
  if (!names_new_group(request.mask)) {
    return refusal(request, mad::kSAReqInsufficientComponents,
                   "it does not exist, and to create it Q_Key, P_Key, TClass, SL and FlowLabel "
                   "must be given");
  }
  if ((request.wanted.join_state & kKeepsAlive) == 0) {
    return refusal(request, mad::kSAReqInvalid,
                   "it does not exist, and only a full member can create it");
  }
  const Group* broadcast = broadcast_of(request.wanted.mgid);
  const auto terms =
      terms_of(request, policy_, broadcast == nullptr ? nullptr : &broadcast->record_);
  if (!terms) return refusal(request, mad::kSAReqInvalid, terms.error().message);
  if (by_mgid_.size() >= policy_.limits.groups) {
    return refusal(request, mad::kSANoResources,
                   fmt::format("there are {} groups already", by_mgid_.size()));
  }
  Changes changes;
  Group& group = insert(*terms, changes);
  const mad::Gid mgid = group.mgid();
  Answer answer = enter(group, request, std::move(changes));
  if (answer.ok()) return answer;
  // Nobody heard of it: as if it had never been.
  Changes unheard;
  erase_if_dead(mgid, unheard);
  return answer;
}

std::optional<std::string> Groups::at_limit(const Group& group, const PortFacts& port) const {
  const Limits& limits = policy_.limits;
  if (group.members_.size() >= limits.members_per_group) {
    return fmt::format("it has {} members, more are not allowed", group.members_.size());
  }
  if (memberships_ >= limits.memberships) return "there are too many memberships";
  const auto seats = by_port_.find(port.port);
  if (seats != by_port_.end() && seats->second.size() >= limits.groups_per_port) {
    return fmt::format("{} is a member of {} groups, more are not allowed", name_of(port),
                       seats->second.size());
  }
  return std::nullopt;
}

Answer Groups::enter(Group& group, const Request& request, Changes changes) {
  if (const auto text = out_of_reach(request.port, group.record_)) {
    return refusal(request, mad::kSAReqInvalid, *text);
  }
  if (auto refused = refuse_stranger(request, group)) return std::move(*refused);
  Member member{request.wanted.port_gid, request.port.port, 0, is_proxy(request),
                asking_port(request)};
  const auto found = group.members_.find(member.port_gid);
  // An alias GID may move from port to port.
  const bool moved = found != group.members_.end() && found->second.port != member.port;
  if (moved || found == group.members_.end()) {
    if (const auto text = at_limit(group, request.port)) {
      return refusal(request, mad::kSANoResources, *text);
    }
    if (moved) set_join_state(group, found->second, 0, changes);
  } else {
    const Member& before = found->second;
    const bool another_proxy =
        is_proxy(request) && !request.trusted && before.joined_by != request.requester.port;
    if (another_proxy) {
      return refusal(request, mad::kSAReqDenied,
                     name_of(request.port) + " is a member, but not by this proxy");
    }
    // What a port asks for itself is its own from then on, and never becomes a proxy's.
    if (is_proxy(request)) member = before;
    member.join_state = before.join_state;
  }
  const auto join_state =
      static_cast<std::uint8_t>(member.join_state | (request.wanted.join_state & 0xF));
  Answer answer;
  answer.changes = std::move(changes);
  // Hosts join again whenever they are asked to register: who remembers the groups need not write
  // down what is written there.
  member.join_state = join_state;
  const bool as_before = !moved && found != group.members_.end() && found->second == member;
  if (!as_before) set_join_state(group, member, join_state, answer.changes);
  answer.record = group.record_of(member);
  return answer;
}

Answer Groups::leave(const Request& request) {
  if (auto refused = refuse_early(request)) return std::move(*refused);
  const auto found = by_mgid_.find(request.wanted.mgid);
  if (found == by_mgid_.end()) {
    return refusal(request, mad::kSAReqInvalid, "it does not exist");
  }
  Group& group = found->second;
  const auto there = group.members_.find(request.wanted.port_gid);
  if (there == group.members_.end()) {
    return refusal(request, mad::kSAReqInvalid, name_of(request.port) + " is not a member");
  }
  const Member member = there->second;
  const auto leaving = static_cast<std::uint8_t>(request.wanted.join_state & 0xF);
  if ((member.join_state & leaving) != leaving) {
    return refusal(request, mad::kSAReqInvalid,
                   fmt::format("{} has JoinState {:#x}, and {:#x} shall be cleared",
                               name_of(request.port), member.join_state, leaving));
  }
  if (!request.trusted && member.joined_by != asking_port(request)) {
    return refusal(request, mad::kSAReqDenied,
                   name_of(request.port) + " can be removed only by the port that asked for it");
  }
  if (auto refused = refuse_stranger(request, group)) return std::move(*refused);
  Answer answer;
  answer.record = group.record_of(member);
  answer.record.join_state = static_cast<std::uint8_t>(member.join_state & ~leaving);
  set_join_state(group, member, answer.record.join_state, answer.changes);
  erase_if_dead(request.wanted.mgid, answer.changes);
  return answer;
}

}  // namespace heddle::multicast
