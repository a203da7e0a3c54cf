// SPDX-License-Identifier: BSD-3-Clause
// The table itself: groups, members, and what each port is to each LID. The rules for joining and
// leaving are in joining.cpp.
#include "multicast/groups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "mad/link.hpp"
#include "mad/mgid.hpp"
#include "multicast/terms.hpp"

namespace heddle::multicast {
namespace {

GroupEvent event(GroupEvent::Kind kind, const Group& group) {
  return {kind, group.mgid(), group.mlid(), group.record().p_key};
}

SharingTerms sharing_terms(const mad::MCMemberRecord& terms) {
  return {mad::PKey{static_cast<std::uint16_t>(terms.p_key.value & 0x7FFF)}, terms.mtu, terms.rate,
          terms.sl, is_solicited_node(terms.mgid)};
}

// The last 24 bits are those of an address; neighbours differ in the lowest.
std::pair<mad::GidPrefix, unsigned> solicited_node_share(const mad::Gid& mgid, unsigned shares) {
  return {mgid.prefix, static_cast<unsigned>(mgid.guid.value & 0xFF'FFFF) % shares};
}

}  // namespace

mad::MCMemberRecord Group::record_of(const Member& member) const {
  mad::MCMemberRecord record = record_;
  record.port_gid = member.port_gid;
  record.join_state = member.join_state;
  record.proxy_join = member.proxy_join;
  return record;
}

Group::MemberList Group::member_list() const {
  if (!listed_) {
    std::vector<Member> list;
    list.reserve(members_.size());
    for (const auto& [gid, member] : members_) list.push_back(member);
    listed_ = std::make_shared<const std::vector<Member>>(std::move(list));
  }
  return listed_;
}

Groups::Groups(Policy policy, std::size_t mlid_capacity) : policy_(policy), mlids_(mlid_capacity) {}

const Group* Groups::find(const mad::Gid& mgid) const {
  const auto found = by_mgid_.find(mgid);
  return found == by_mgid_.end() ? nullptr : &found->second;
}

std::span<const mad::Gid> Groups::groups_on(mad::Lid mlid) const {
  const auto found = by_mlid_.find(mlid);
  if (found == by_mlid_.end()) return {};
  return found->second.groups;
}

mad::Lid Groups::choose_mlid(const mad::MCMemberRecord& terms) {
  const SharingTerms sharing = sharing_terms(terms);
  const unsigned shares = policy_.solicited_node_mlids;
  if (shares != 0 && sharing.solicited_node) {
    const auto share = solicited_node_share(terms.mgid, shares);
    const auto found = solicited_node_mlids_.find(share);
    if (found != solicited_node_mlids_.end()) {
      mlids_.share(found->second);
      return found->second;
    }
    const mad::Lid mlid = mlids_.take(sharing);
    solicited_node_mlids_.emplace(share, mlid);
    return mlid;
  }
  return mlids_.take_free(terms.mlid, sharing) ? terms.mlid : mlids_.take(sharing);
}

mad::Gid Groups::make_mgid(std::uint8_t scope) {
  const std::uint64_t head = 0xFF10u | (scope & 0xFu);
  const std::uint64_t subnet = policy_.subnet_prefix.value;
  for (;;) {
    const mad::Gid mgid{
        mad::GidPrefix{head << 48 | std::uint64_t{mad::kMadeBySASignature} << 32 | subnet >> 32},
        mad::Guid{subnet << 32 | ++made_mgids_}};
    if (find(mgid) == nullptr) return mgid;
  }
}

const Group* Groups::broadcast_of(const mad::Gid& mgid) const {
  if (!is_ipoib(mgid)) return nullptr;
  for (const std::uint8_t scope : {scope_of(mgid), mad::kLinkLocalScope}) {
    for (const std::uint16_t signature : {signature_of(mgid), mad::kIPv4Signature}) {
      const mad::Gid broadcast = broadcast_mgid(p_key_of(mgid), signature, scope);
      if (broadcast == mgid) return nullptr;
      if (const Group* group = find(broadcast)) return group;
    }
  }
  return nullptr;
}

Group& Groups::insert(const mad::MCMemberRecord& terms, Changes& changes) {
  mad::MCMemberRecord record = terms;
  if (record.mgid == mad::Gid{}) record.mgid = make_mgid(record.scope);
  record.mlid = choose_mlid(record);
  Group& group = by_mgid_[record.mgid];
  group.record_ = record;
  by_mlid_[record.mlid].groups.push_back(record.mgid);
  changes.groups.push_back(event(GroupEvent::Kind::Created, group));
  touched_.add({record.mgid, {}});
  return group;
}

void Groups::erase(ByMgid::iterator where, Changes& changes) {
  Group& group = where->second;
  while (!group.members_.empty()) {
    set_join_state(group, group.members_.begin()->second, 0, changes);
  }
  changes.groups.push_back(event(GroupEvent::Kind::Deleted, group));
  touched_.add({group.mgid(), {}});
  const mad::Lid mlid = group.mlid();
  auto& on_mlid = by_mlid_.at(mlid).groups;
  on_mlid.erase(std::find(on_mlid.begin(), on_mlid.end(), group.mgid()));
  mlids_.release(mlid);
  if (on_mlid.empty()) {
    by_mlid_.erase(mlid);
    std::erase_if(solicited_node_mlids_, [&](const auto& share) { return share.second == mlid; });
  }
  by_mgid_.erase(where);
}

void Groups::erase_if_dead(const mad::Gid& mgid, Changes& changes) {
  const auto found = by_mgid_.find(mgid);
  if (found == by_mgid_.end()) return;
  const Group& group = found->second;
  if (!group.permanent_ && group.keeping_alive_ == 0) erase(found, changes);
}

bool Groups::is_member(mad::Guid port, mad::Guid by) const {
  const auto found = by_port_.find(port);
  return found != by_port_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [by](const Seat& seat) { return seat.port_gid.guid == by; });
}

void Groups::leave_seat(mad::Guid port, const Seat& seat) {
  const auto found = by_port_.find(port);
  HEDDLE_CHECK(found != by_port_.end());
  auto& seats = found->second;
  seats.erase(std::find(seats.begin(), seats.end(), seat));
  if (seats.empty()) by_port_.erase(found);
}

void Groups::set_join_state(Group& group, Member as, std::uint8_t join_state, Changes& changes) {
  touched_.add({group.mgid(), as.port_gid});
  group.listed_.reset();
  const auto found = group.members_.find(as.port_gid);
  const bool was_there = found != group.members_.end();
  Member before = as;
  before.join_state = was_there ? found->second.join_state : std::uint8_t{0};
  as.join_state = join_state;
  const auto alive = [](const Member& member) { return (member.join_state & kKeepsAlive) != 0; };
  group.keeping_alive_ += alive(as);
  group.keeping_alive_ -= alive(before);
  count_role(group.mlid(), before, as, changes);
  if (join_state != 0) {
    group.members_.insert_or_assign(as.port_gid, as);
  } else if (was_there) {
    group.members_.erase(found);
  }
  const Seat seat{group.mgid(), as.port_gid};
  if (join_state != 0 && !was_there) {
    by_port_[as.port].push_back(seat);
    ++memberships_;
  } else if (join_state == 0 && was_there) {
    leave_seat(as.port, seat);
    --memberships_;
  }
}

void Groups::count_role(mad::Lid mlid, const Member& before, const Member& after,
                        Changes& changes) {
  const auto role_in = [](const RoleCount& count) {
    if (count.receivers != 0) return Role::Receiver;
    return count.members != 0 ? Role::Sender : Role::None;
  };
  const auto receives = [](const Member& member) { return (member.join_state & kReceives) != 0; };
  auto& ports = by_mlid_.at(mlid).ports;
  const auto entry = ports.try_emplace(after.port).first;
  RoleCount& count = entry->second;
  const Role old_role = role_in(count);
  count.members += after.join_state != 0;
  count.members -= before.join_state != 0;
  count.receivers += receives(after);
  count.receivers -= receives(before);
  const Role new_role = role_in(count);
  if (count.members == 0) ports.erase(entry);
  if (new_role != old_role) changes.roles.push_back({mlid, after.port, new_role});
}

std::vector<mad::Gid> Groups::change_terms(Group& group, const mad::MCMemberRecord& terms) {
  const mad::MCMemberRecord before = std::exchange(group.record_, terms);
  const bool same_for_all = before.q_key == terms.q_key && before.mtu == terms.mtu &&
                            before.rate == terms.rate && before.sl == terms.sl;
  const bool same =
      same_for_all && before.t_class == terms.t_class && before.flow_label == terms.flow_label;
  std::vector<mad::Gid> changed;
  if (!same) changed.push_back(group.mgid());
  if (same_for_all) return changed;
  // Who joins one of these asks for the terms of its broadcast group.
  for (auto& [mgid, other] : by_mgid_) {
    if (&other == &group || other.permanent_ || broadcast_of(mgid) != &group) continue;
    other.record_.q_key = terms.q_key;
    other.record_.mtu = terms.mtu;
    other.record_.rate = terms.rate;
    other.record_.sl = terms.sl;
    touched_.add({mgid, {}});
    changed.push_back(mgid);
  }
  return changed;
}

Answer Groups::add_permanent(const mad::MCMemberRecord& terms) {
  Answer answer;
  answer.record = terms;
  const auto refuse = [&](mad::Status status, std::string reason) {
    answer.status = status;
    answer.reason = fmt::format("group {}: {}", text_of(terms.mgid), reason);
    return answer;
  };
  if (const auto fault = fault_of(terms.mgid)) {
    return refuse(mad::kSAReqInvalid, "the MGID " + *fault);
  }
  if (!is_p_key(terms.p_key)) return refuse(mad::kSAReqInvalid, "the P_Key is invalid");
  if (mad::mtu_bytes(terms.mtu) == 0) return refuse(mad::kSAReqInvalid, "no MTU has this code");
  if (!mad::rate_rank_of_code(terms.rate)) {
    return refuse(mad::kSAReqInvalid, no_such_rate(terms.rate));
  }
  mad::MCMemberRecord record = terms;
  record.port_gid = {};
  record.join_state = 0;
  record.proxy_join = false;
  record.mtu_selector = record.rate_selector = mad::Selector::Exactly;
  record.packet_life_time_selector = mad::Selector::Exactly;
  if (record.packet_life_time == 0) record.packet_life_time = policy_.packet_life_time;
  record.scope = scope_of(terms.mgid);
  const auto found = by_mgid_.find(terms.mgid);
  if (found != by_mgid_.end()) {
    record.mlid = found->second.mlid();
    answer.other_terms = change_terms(found->second, record);
    found->second.permanent_ = true;
    touched_.add({terms.mgid, {}});
  } else if (by_mgid_.size() >= policy_.limits.groups) {
    return refuse(mad::kSANoResources, "there are too many groups");
  } else {
    Group& group = insert(record, answer.changes);
    group.permanent_ = true;
    record = group.record_;
  }
  answer.record = record;
  return answer;
}

Changes Groups::retain_permanent(std::span<const mad::Gid> mgids) {
  std::vector<mad::Gid> kept(mgids.begin(), mgids.end());
  std::sort(kept.begin(), kept.end(), GidOrder{});
  Changes changes;
  for (auto next = by_mgid_.begin(); next != by_mgid_.end();) {
    const auto here = next++;
    Group& group = here->second;
    if (std::binary_search(kept.begin(), kept.end(), here->first, GidOrder{})) continue;
    if (std::exchange(group.permanent_, false)) touched_.add({here->first, {}});
    if (group.keeping_alive_ == 0) erase(here, changes);
  }
  return changes;
}

void Groups::drop_port(mad::Guid port, Changes& changes) {
  for (auto found = by_port_.find(port); found != by_port_.end(); found = by_port_.find(port)) {
    const Seat seat = found->second.back();
    Group& group = by_mgid_.at(seat.mgid);
    set_join_state(group, group.members_.at(seat.port_gid), 0, changes);
    erase_if_dead(seat.mgid, changes);
  }
}

Changes Groups::drop_ports(std::span<const mad::Guid> ports) {
  Changes changes;
  for (const mad::Guid port : ports) drop_port(port, changes);
  return changes;
}

Changes Groups::drop_ports(const std::function<bool(mad::Guid port)>& gone) {
  std::vector<mad::Guid> ports;
  for (const auto& [port, seats] : by_port_) {
    if (gone(port)) ports.push_back(port);
  }
  return drop_ports(ports);
}

Changes Groups::drop_members(const std::function<bool(const Group&, const Member&)>& unwanted) {
  Changes changes;
  for (auto next = by_mgid_.begin(); next != by_mgid_.end();) {
    Group& group = next++->second;
    for (auto member = group.members_.begin(); member != group.members_.end();) {
      const Member here = member++->second;
      if (unwanted(group, here)) set_join_state(group, here, 0, changes);
    }
    erase_if_dead(group.mgid(), changes);
  }
  return changes;
}

Changes Groups::clear() {
  return drop_members([](const Group&, const Member&) { return true; });
}

Role Groups::role(mad::Lid mlid, mad::Guid port) const {
  const auto found = by_mlid_.find(mlid);
  if (found == by_mlid_.end()) return Role::None;
  const auto count = found->second.ports.find(port);
  if (count == found->second.ports.end()) return Role::None;
  return count->second.receivers != 0 ? Role::Receiver : Role::Sender;
}

std::vector<RoleChange> Groups::roles(mad::Lid mlid) const {
  std::vector<RoleChange> all;
  const auto found = by_mlid_.find(mlid);
  if (found == by_mlid_.end()) return all;
  for (const auto& [port, count] : found->second.ports) {
    all.push_back({mlid, port, count.receivers != 0 ? Role::Receiver : Role::Sender});
  }
  return all;
}

std::vector<RoleChange> Groups::roles() const {
  std::vector<RoleChange> all;
  for (const auto& [mlid, on_mlid] : by_mlid_) {
    const auto these = roles(mlid);
    all.insert(all.end(), these.begin(), these.end());
  }
  return all;
}

}  // namespace heddle::multicast
