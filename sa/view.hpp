// SPDX-License-Identifier: BSD-3-Clause
// A subnet as queries want it: from GUIDs and LIDs to ports, and along the forwarding tables from
// port to port. Made once per sweep; every question is answered in O(1) or O(hops). Where all
// routes are proven and all links between switches carry the same, no table is looked at: what a
// path carries follows from its two ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mad/gid.hpp"
#include "mad/sa_rate.hpp"
#include "qos/rulebook.hpp"
#include "sa/alias_guids.hpp"
#include "sa/guid_index.hpp"
#include "sa/subnet.hpp"

namespace heddle::sa {

// What a path can carry.
struct Reach {
  mad::Mtu mtu = mad::Mtu::Bytes4096;
  mad::RateRank rate = mad::kFastestRank;
  friend bool operator==(const Reach&, const Reach&) = default;
};
constexpr Reach least(Reach a, Reach b) {
  return {a.mtu < b.mtu ? a.mtu : b.mtu, a.rate < b.rate ? a.rate : b.rate};
}

struct Query;

class View {
 public:
  // `before` changes nothing of the result: what it was made of the same is taken from it.
  explicit View(Subnet subnet, const View* before = nullptr);
  // The same subnet, of which everything else is shared, with these alias GUIDs.
  View with(std::shared_ptr<const AliasGuids> aliases) const;

  const Subnet& subnet() const { return ways_->subnet; }
  const fabric::Topology& topology() const { return *ways_->subnet.topology; }
  const fabric::LidMap& lids() const { return *ways_->subnet.lids; }
  const AliasGuids& aliases() const { return *aliases_; }

  // The port that owns a LID or has a GUID, as its own, as an alias, or of a virtual port behind
  // it; kNoPort when none does. Only endports are found. A GUID that is a port's own is no other's.
  fabric::PortIndex find(mad::Lid lid) const { return lids().owner(lid); }
  fabric::PortIndex find(mad::Guid guid) const;
  // The prefix may also be the default one, which every port answers to (IBA vol. 1, 4.1.1).
  fabric::PortIndex find(const mad::Gid& gid) const;

  // The virtual port that has the GUID, or the LID for itself; null when none has.
  const VirtualPort* guest(mad::Guid guid) const;
  const VirtualPort* guest(mad::Lid lid) const;
  // The same of who sends from there: where several share the LID, the GRH says who it is.
  const VirtualPort* guest(const mad::Address& peer) const;
  // What memberships know the port or virtual port by that has the GUID; kNoPort when none has.
  fabric::PortIndex member(mad::Guid guid) const;

  // The router that leads to a GID of another subnet, by the first prefix route that matches it and
  // whose router is there; kNoPort when none does, or the GID is of this subnet or of a group.
  fabric::PortIndex router_to(const mad::Gid& gid) const;

  // Known to be so: false does not say that one of them is named otherwise.
  bool names_same_ports(const View& other) const {
    return ways_->names == other.ways_->names && subnet().prefix == other.subnet().prefix;
  }

  // By the port's own GUID. Endports only.
  mad::Gid gid(fabric::PortIndex port) const;
  // The LID that records name a port by: its own base LID, or of a switch's port that of port 0.
  mad::Lid lid(fabric::PortIndex port) const;

  // What a port's link carries; of port 0 of a switch, what the fastest of its links does.
  Reach reach(fabric::PortIndex port) const { return ways_->steps[port.value].reach; }

  // What is asked of memberships goes by member().
  // Whether the endport is in the partition of the key, as full or limited member.
  bool holds(fabric::PortIndex port, mad::PKey key) const;
  // The P_Key of packets from one endport to the other: `wanted`, if they may talk through that
  // partition, or the one that suits them best; nothing when they may not talk.
  std::optional<mad::PKey> key_between(fabric::PortIndex from, fabric::PortIndex to,
                                       std::optional<mad::PKey> wanted) const;
  // The lowest of the keys through which they may talk that is one of these base keys.
  std::optional<mad::PKey> key_between(fabric::PortIndex from, fabric::PortIndex to,
                                       const qos::Ranges& allowed) const;
  // The service level of packets from a port to a LID, as the routing engine has it.
  mad::ServiceLevel level(fabric::PortIndex from, mad::Lid to) const;
  // Whether the routes are only right on the engine's levels; else nobody minds which one it is.
  bool levels_matter() const;
  // The level that goes with a P_Key: of the partition, or 0.
  mad::ServiceLevel level_of(mad::PKey key) const;
  // The quality-of-service policy; null without one.
  const qos::Rulebook* rulebook() const { return ways_->rulebook ? &*ways_->rulebook : nullptr; }
  // Whether they share a partition in which not both are limited members. False for kNoPort.
  bool may_talk(fabric::PortIndex a, fabric::PortIndex b) const;
  // Whether who asks may be told of this port: ports that may talk to each other may, and a switch
  // is seen by whoever may talk to its port 0 (C15-0.1.21).
  bool may_see(const Query& query, fabric::PortIndex port) const;

  // From an endport along the forwarding tables to the port that owns `to`; nothing when the tables
  // do not lead there.
  std::optional<Reach> walk(fabric::PortIndex from, mad::Lid to) const;
  // The nodes that the walk leads through, both ends included: empty when it does not arrive.
  struct Stop {
    fabric::NodeIndex node{};
    std::optional<mad::PortNumber> in, out;  // none where the way begins or ends
  };
  std::vector<Stop> trace(fabric::PortIndex from, mad::Lid to) const;
  // Both walks at once, which takes hardly longer than one: each waits for memory most of the time.
  struct RoundTrip {
    std::optional<Reach> there, back;
  };
  RoundTrip walk_both(fabric::PortIndex from, mad::Lid from_lid, fabric::PortIndex to,
                      mad::Lid to_lid) const;

 private:
  // A SwitchIndex in few bytes, since what walks read should stay in the processor's caches. Each
  // switch needs a unicast LID, so there are fewer of them.
  using At = std::uint16_t;
  static constexpr At kNoSwitch = 0xFFFF;
  static At at(fabric::NodeIndex of_switch);
  // Out of a port with a link.
  struct Step {
    At at = kNoSwitch;  // where the link leads; none of an adapter without a switch
    Reach reach;
  };
  static_assert(sizeof(Step) == 4);
  // Where walks to a LID end.
  struct Goal {
    fabric::PortIndex owner = fabric::kNoPort;
    At at = kNoSwitch;  // the switch whose table leads to the owner itself; none if it does not
    Reach reach;        // from there
  };
  static_assert(sizeof(Goal) == 8);
  // What a walk needs of a switch, close together.
  struct Crossing {
    std::uint32_t first_port{};  // PortIndex of port 0
    std::uint32_t port_count{};
  };
  // What does not change while the subnet does not.
  struct Ways {
    Ways(Subnet of, const Ways* before);
    void find_steps();
    void change_steps(const Ways& before);
    // Whether the same GUIDs lead to the same ports.
    bool has_names_of(const Ways& before) const;
    std::shared_ptr<const GuidIndex> find_names() const;
    Step step_of(fabric::PortIndex port) const;
    Reach reach_of(fabric::PortIndex port) const;
    void rate_port0(fabric::SwitchIndex of);
    void find_crossings();
    void find_goals();
    void find_trunk();
    Reach carried_by(const fabric::Channel& channel) const;
    Reach usual_reach(std::span<const fabric::Channel> channels) const;
    void note_who_passes(const fabric::Channel& channel);
    Goal goal_of(fabric::PortIndex owner, mad::Lid lid);

    Subnet subnet;
    std::vector<Step> steps;          // by PortIndex
    std::vector<Crossing> crossings;  // by SwitchIndex; none without tables
    std::vector<Goal> goals;          // by LID
    std::uint64_t routed_lids = 0;    // that hang on a switch
    // What links between switches carry, all or nearly all of them, where all packets arrive.
    std::optional<Reach> trunk;
    std::vector<std::uint8_t> passes_odd;  // by LID: 1 if packets may pass one that is another
    std::size_t row_size = 0;
    std::shared_ptr<const GuidIndex> names;  // endports with a LID, by GUID
    std::vector<fabric::PortIndex> routers;  // their endports
    std::optional<qos::Rulebook> rulebook;
  };
  class Walker;

  std::shared_ptr<const Ways> ways_;
  std::shared_ptr<const AliasGuids> aliases_;
};

}  // namespace heddle::sa
