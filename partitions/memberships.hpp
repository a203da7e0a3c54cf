// SPDX-License-Identifier: BSD-3-Clause
// Which P_Keys every port of a fabric holds: a policy's rules, applied to the ports that are there.
// Immutable, and small: ports that hold the same keys share one list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "partitions/policy.hpp"

namespace heddle::partitions {

// Keys of all different lists together. A port that would exceed it holds Default alone.
inline constexpr std::size_t kMaxHeldKeys = 16u << 20;

// Bits of how somebody holds a partition.
inline constexpr std::uint8_t kHoldsLimited = 1;
inline constexpr std::uint8_t kHoldsFull = 2;

// A virtual port, by its GUID, and the end port that it is behind.
struct Guest {
  mad::Guid guid{};
  fabric::PortIndex host{};
  friend bool operator==(const Guest&, const Guest&) = default;
};

class Memberships {
 public:
  // Nobody holds anything.
  Memberships() = default;

  // `self` is the port that the subnet manager stands on, kNoPort if there is none. Rules that
  // name ports which the topology does not have wait for them. Whatever the rules say, every end
  // port is in Default, and `self` is a full member of it: else nobody could ask the SA.
  // Guest i is asked for as the port behind all of the topology: PortIndex{port_count() + i}.
  Memberships(Policy policy, const fabric::Topology& topology, fabric::PortIndex self,
              std::span<const Guest> guests = {});

  // The keys that belong into the port's P_KeyTable, membership bits included: the one for index 0
  // first (of the first partition with index0 that the port is in; else of Default), the others by
  // base key, full before limited. Never empty for an end port, empty for a port that is none.
  std::span<const mad::PKey> of(fabric::PortIndex port) const;

  // What may pass the cable of an end port, those of guests behind it included; empty: anything.
  std::span<const mad::PKey> through(fabric::PortIndex port) const;

  // Is the port in the partition of this key, whatever the membership bits?
  bool holds(fabric::PortIndex port, mad::PKey p_key) const;
  // The port's membership in it; nothing when it has none.
  std::optional<Membership> membership(fabric::PortIndex port, BaseKey key) const;

  // Do they share a partition, where not both are limited members (IBA vol. 1, 10.9.3)? A port
  // always reaches itself.
  bool may_talk(fabric::PortIndex a, fabric::PortIndex b) const;
  // The same through the partition of this key alone; its membership bit does not count.
  bool may_talk_with(fabric::PortIndex a, fabric::PortIndex b, mad::PKey p_key) const;

  // The partitions through which they may talk, by base key, as the keys that `a` puts into its
  // packets: full if it has that one, and limited if not. At most `limit` of them.
  std::vector<mad::PKey> common_keys(fabric::PortIndex a, fabric::PortIndex b,
                                     std::size_t limit = SIZE_MAX) const;
  // The one that a path gets when nobody asked for a key: that of the ports' index 0 if they agree
  // on it, else the lowest other than Default, else Default. Nothing when they may not talk.
  std::optional<mad::PKey> best_common_key(fabric::PortIndex a, fabric::PortIndex b) const;

  // The partition of a key: its name, SL, groups. Null when the policy has none.
  const Partition* find(BaseKey key) const;
  const Policy& policy() const { return policy_; }

  // Ports that hold less than the rules say, or let more through, because of kMaxHeldKeys.
  std::size_t ports_cut_short() const { return ports_cut_short_; }

 private:
  friend class MembershipsBuilder;

  // What a list holds of one partition.
  struct Held {
    BaseKey key{};
    std::uint8_t kinds{};  // kHoldsLimited, kHoldsFull
    friend auto operator<=>(const Held&, const Held&) = default;
  };
  struct List {
    std::vector<Held> held;        // by base key
    std::vector<mad::PKey> table;  // what of() gives
  };
  static constexpr std::uint32_t kNoList = 0xFFFF'FFFF;

  const List* list_of(fabric::PortIndex port) const;
  // 0 when the list has nothing of this partition.
  static std::uint8_t kinds(const List& list, BaseKey key);
  template <class Visit>
  static bool any_common(const List& a, const List& b, const Visit& visit);

  Policy policy_;
  std::vector<std::uint32_t> by_key_;                        // indices of policy_.partitions
  std::vector<std::uint32_t> list_of_port_;                  // by port, guests behind them
  std::map<fabric::PortIndex, std::uint32_t> list_through_;  // of ports with guests
  std::vector<List> lists_;
  std::size_t ports_cut_short_ = 0;
};

}  // namespace heddle::partitions
