// SPDX-License-Identifier: BSD-3-Clause
// The live table of multicast groups and the rules for joining and leaving them (IBA vol. 1,
// 15.2.5.17; for IPoIB RFC 4391). It knows neither MADs nor the topology: facts about ports come
// with each request, and what changed is returned by value. Every operation is O(log n) in groups
// and members unless it says otherwise; leaving is also linear in the groups of one port and in the
// groups on one LID.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/touched.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/sa_attributes.hpp"
#include "mad/sa_rate.hpp"
#include "multicast/membership.hpp"
#include "multicast/mgid.hpp"
#include "multicast/mlid_pool.hpp"

namespace heddle::multicast {

// Beyond these a request is answered with kSANoResources.
struct Limits {
  std::size_t groups = 65'536;
  std::size_t members_per_group = 65'536;
  std::size_t groups_per_port = 16'384;  // an IPoIB host may send to each of its neighbours
  std::size_t memberships = 4'194'304;   // over all groups
};

struct Policy {
  Limits limits;
  mad::GidPrefix subnet_prefix = mad::kDefaultGidPrefix;  // goes into MGIDs that the SA makes
  // Of a group whose creator leaves them open and that has no IPoIB broadcast group to follow; what
  // the creator's port can do is the upper limit.
  mad::Mtu default_mtu = mad::Mtu::Bytes2048;
  mad::RateRank default_rate = 2;  // 10 Gb/s
  // That a group gets whose creator does not name its rate, and that follows no other.
  std::uint8_t highest_rate_code = mad::kAllRateCodes;
  std::uint8_t packet_life_time = 18;      // 4.096 us * 2^value
  unsigned solicited_node_mlids = 0;       // per partition and scope; 0: as for all other groups
  bool requester_must_share_p_key = true;  // proxy joins and leaves
};

// What the caller knows about a port. `has_p_key` says whether its P_Key table holds a key of this
// partition, as full or limited member; none means it has every key.
struct PortFacts {
  mad::Guid port{};       // its own GUID
  std::string_view name;  // for reasons: "host-7 port 1"
  mad::Mtu mtu = mad::Mtu::Bytes4096;
  mad::RateRank rate = mad::kFastestRank;
  std::function<bool(mad::PKey)> has_p_key;
};

// SubnAdmSet and SubnAdmDelete of an MCMemberRecord. The caller has found the port that owns
// wanted.port_gid (else: kSAReqInvalidGid) and who sent the request.
struct Request {
  mad::MCMemberRecord wanted;
  std::uint64_t mask{};  // component mask
  PortFacts port;        // the owner of wanted.port_gid
  PortFacts requester;   // another port: a proxy; GUID 0: the same. Rate and MTU do not count
  bool trusted = false;  // the SM_Key was right
};

struct Answer {
  mad::Status status = mad::kStatusOk;
  mad::MCMemberRecord record{};  // to answer with; as asked when refused
  std::string reason;            // when refused, for a person: "host-7 port 1 runs at 10 Gb/s, ..."
  Changes changes;
  std::vector<mad::Gid> other_terms;  // of groups that exist: their members must hear of them
  bool ok() const { return status == mad::kStatusOk; }
};

class Group {
 public:
  using Members = std::map<mad::Gid, Member, GidOrder>;

  // As an untrusted requester sees it: PortGID, JoinState and ProxyJoin are zero. Selectors are
  // Exactly.
  const mad::MCMemberRecord& record() const { return record_; }
  const mad::Gid& mgid() const { return record_.mgid; }
  mad::Lid mlid() const { return record_.mlid; }
  // Made from policy, and there whether it has members or not.
  bool permanent() const { return permanent_; }
  const Members& members() const { return members_; }
  mad::MCMemberRecord record_of(const Member& member) const;

  // The members by PortGID, for those who are shown them on other threads: one and the same copy
  // until somebody comes, goes or becomes another. Not to be called by two threads at once.
  using MemberList = std::shared_ptr<const std::vector<Member>>;
  MemberList member_list() const;

 private:
  friend class Groups;
  mad::MCMemberRecord record_{};
  bool permanent_ = false;
  std::size_t keeping_alive_ = 0;  // members with a bit of kKeepsAlive
  Members members_;
  mutable MemberList listed_;  // null: nobody has asked since they changed
};

class Groups {
 public:
  explicit Groups(Policy policy = {}, std::size_t mlid_capacity = kMaxMlids);

  // SubnAdmSet: joins, and creates what is not there. Refusals (the status, and when):
  // kSAReqInsufficientComponents: MGID, PortGID or JoinState is missing; or the group does not
  //   exist and Q_Key, P_Key, TClass, SL or FlowLabel is missing.
  // kSAReqInvalid: the group does not exist and no full membership is asked for; the MGID cannot
  //   name a group; terms that differ from the group's (of IPoIB: from its broadcast group's); the
  //   port does not reach the group's MTU or rate or is not in its partition.
  // kSAReqDenied: a proxy without a P_Key in common, a membership that another proxy made.
  // kSANoResources: a limit.
  Answer join(const Request& request);

  // SubnAdmDelete: clears the bits of JoinState (o15-0.1.14). The record that comes back holds the
  // JoinState that remains. kSAReqInvalid when the port is not a member or lacks one of the bits;
  // kSAReqDenied when it joined by another proxy.
  Answer leave(const Request& request);

  // A group of policy: there from now on, whoever joins. `terms` must name MGID, P_Key, Q_Key, MTU
  // and Rate; of an MLID other than 0 the free one is taken if possible. If the group exists, its
  // members stay and the new terms hold from now on, for groups of IPoIB that follow it too.
  // Refused (kSAReqInvalid, kSANoResources) only for an MGID, MTU or rate that cannot be, or at the
  // limit of groups.
  Answer add_permanent(const mad::MCMemberRecord& terms);
  // After a reload: permanent groups that are not among these become common ones, and go at once
  // when nobody keeps them alive. O(groups).
  Changes retain_permanent(std::span<const mad::Gid> mgids);

  // Ports that left the fabric. O(ports) for the predicate, and O(log n) for each membership.
  Changes drop_ports(std::span<const mad::Guid> ports);
  Changes drop_ports(const std::function<bool(mad::Guid port)>& gone);
  // Memberships that policy no longer allows (a P_Key taken away). O(memberships).
  Changes drop_members(const std::function<bool(const Group&, const Member&)>& unwanted);
  // Every member, and every group but the permanent ones: there are to be no groups any more.
  Changes clear();

  const Group* find(const mad::Gid& mgid) const;
  using ByMgid = std::map<mad::Gid, Group, GidOrder>;
  const ByMgid& all() const { return by_mgid_; }
  // The groups on one LID, in the order in which they got it; empty for any other number.
  std::span<const mad::Gid> groups_on(mad::Lid mlid) const;
  std::size_t size() const { return by_mgid_.size(); }
  std::size_t memberships() const { return memberships_; }
  std::size_t mlids_in_use() const { return mlids_.in_use(); }
  // kNoLid when none is in use.
  mad::Lid highest_mlid() const {
    return by_mlid_.empty() ? mad::kNoLid : by_mlid_.rbegin()->first;
  }

  // Whether the port is a member of some group by this GUID, its own or an alias. Linear in the
  // groups of the port.
  bool is_member(mad::Guid port, mad::Guid by) const;

  // The role of a port at a LID; of all ports at a LID by GUID; and all of them, as changes that
  // would lead from nothing to here.
  Role role(mad::Lid mlid, mad::Guid port) const;
  std::vector<RoleChange> roles(mad::Lid mlid) const;
  std::vector<RoleChange> roles() const;

  // SubnAdmGet and SubnAdmGetTable.
  struct Query {
    mad::MCMemberRecord wanted;
    std::uint64_t mask{};
    bool trusted = false;  // one record per member (none for a group without), else per group
    std::function<bool(mad::PKey)> may_see_key;  // none: all partitions
  };
  // Gives the records that match to `take`, by MGID and then PortGID, until it says false; returns
  // false then. Untrusted, PortGID, JoinState and ProxyJoin in the mask do not count. With MGID or
  // MLID in the mask only those groups are looked at.
  bool for_each_record(const Query& query,
                       const std::function<bool(const mad::MCMemberRecord&)>& take) const;

  // Which groups (port_gid 0) and members came, went or became others, for those who remember them.
  struct Place {
    mad::Gid mgid;
    mad::Gid port_gid;
  };
  base::Touched<Place>& touched() { return touched_; }

  const Policy& policy() const { return policy_; }
  // Holds for what comes; groups that exist stay as they are.
  void set_policy(const Policy& policy) { policy_ = policy; }
  void set_mlid_capacity(std::size_t capacity) { mlids_.set_capacity(capacity); }

 private:
  struct RoleCount {
    std::uint32_t receivers = 0;  // memberships with a bit of kReceives
    std::uint32_t members = 0;
  };
  struct OnMlid {
    std::vector<mad::Gid> groups;
    std::map<mad::Guid, RoleCount> ports;
  };
  struct Seat {  // one membership of a port
    mad::Gid mgid;
    mad::Gid port_gid;
    friend bool operator==(const Seat&, const Seat&) = default;
  };

  static std::optional<Answer> refuse_early(const Request& request);
  std::optional<Answer> refuse_stranger(const Request& request, const Group& group) const;
  std::optional<std::string> at_limit(const Group& group, const PortFacts& port) const;
  Answer create(const Request& request);
  // Gives a group that exists the terms, and those that followed it; which ones that changes.
  std::vector<mad::Gid> change_terms(Group& group, const mad::MCMemberRecord& terms);
  Answer enter(Group& group, const Request& request, Changes changes);
  // The MLID of `terms` is a wish.
  Group& insert(const mad::MCMemberRecord& terms, Changes& changes);
  void erase(ByMgid::iterator where, Changes& changes);
  void erase_if_dead(const mad::Gid& mgid, Changes& changes);
  // Makes the JoinState of a member this; comes and goes by it. Does not erase the group.
  void set_join_state(Group& group, Member as, std::uint8_t join_state, Changes& changes);
  void count_role(mad::Lid mlid, const Member& before, const Member& after, Changes& changes);
  void drop_port(mad::Guid port, Changes& changes);
  void leave_seat(mad::Guid port, const Seat& seat);
  mad::Lid choose_mlid(const mad::MCMemberRecord& terms);
  mad::Gid make_mgid(std::uint8_t scope);
  const Group* broadcast_of(const mad::Gid& mgid) const;
  std::vector<const Group*> candidates(const Query& query) const;

  Policy policy_;
  MlidPool mlids_;
  ByMgid by_mgid_;
  std::map<mad::Lid, OnMlid> by_mlid_;
  std::map<mad::Guid, std::vector<Seat>> by_port_;
  // Which LIDs are the solicited-node groups' of a partition, by the head of their MGIDs and share.
  std::map<std::pair<mad::GidPrefix, unsigned>, mad::Lid> solicited_node_mlids_;
  std::size_t memberships_ = 0;
  std::uint32_t made_mgids_ = 0;
  base::Touched<Place> touched_;
};

}  // namespace heddle::multicast
