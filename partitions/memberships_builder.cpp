// SPDX-License-Identifier: BSD-3-Clause
// Rules to lists. Ports that no rule names by GUID differ only in their kind of node, so their
// lists are made once; the others start from the list of their kind.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "partitions/memberships.hpp"

namespace heddle::partitions {
namespace {

std::uint8_t kinds_of(Membership membership) {
  switch (membership) {
    case Membership::Limited:
      return kHoldsLimited;
    case Membership::Full:
      return kHoldsFull;
    case Membership::Both:
      return kHoldsLimited | kHoldsFull;
  }
  return 0;
}

constexpr std::size_t kGuest = 3;
constexpr std::size_t kKindsOfNode = 4;  // a guest is of a kind of its own
std::size_t index_of(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ChannelAdapter:
      return 0;
    case mad::NodeType::Switch:
      return 1;
    case mad::NodeType::Router:
      return 2;
  }
  return 0;
}

bool means_kind(Who who, std::size_t kind) {
  switch (who) {
    case Who::All:
      return true;
    case Who::AllCas:
      return kind == index_of(mad::NodeType::ChannelAdapter);
    case Who::AllSwitches:
      return kind == index_of(mad::NodeType::Switch);
    case Who::AllRouters:
      return kind == index_of(mad::NodeType::Router);
    case Who::AllVcas:
      return kind == kGuest;
    case Who::Port:
    case Who::Self:
      return false;
  }
  return false;
}

// What rules say of one port, or of all ports of one kind of node, in one partition.
struct Said {
  BaseKey key{};
  std::uint32_t rule{};  // zero-based in its partition
  std::uint8_t kinds{};
};

// The same of a port that a rule names.
struct Named {
  fabric::PortIndex port{};
  Said said;
};

bool before(const Said& a, const Said& b) {
  return std::tuple(a.key, a.rule) < std::tuple(b.key, b.rule);
}

}  // namespace

class MembershipsBuilder {
 public:
  MembershipsBuilder(Memberships& result, const fabric::Topology& topology, fabric::PortIndex self,
                     std::span<const Guest> guests)
      : result_(result), topology_(topology), self_(self), guests_(guests) {}

  void build() {
    sort_keys();
    find_guids();
    hear_rules();
    assign_lists();
    join_lists();
  }

 private:
  using Held = Memberships::Held;

  const std::vector<Partition>& partitions() const { return result_.policy_.partitions; }
  fabric::PortIndex guest(std::size_t index) const {
    return {static_cast<std::uint32_t>(topology_.port_count() + index)};
  }
  std::size_t kind_of(fabric::PortIndex port) const {
    if (port.value >= topology_.port_count()) return kGuest;
    return index_of(topology_.node(topology_.node_of(port)).type);
  }

  void sort_keys();
  void find_guids();
  void hear_rules();
  void hear(const Partition& partition);
  void name(fabric::PortIndex port, const Said& said) { named_.push_back({port, said}); }
  void assign_lists();
  void assign_list(fabric::PortIndex port);
  void join_lists();
  std::vector<Held> held_by(std::size_t kind, std::span<const Named> named, bool is_self) const;
  std::vector<mad::PKey> table_of(const std::vector<Held>& held) const;
  std::uint32_t list_for(std::vector<Held> held, bool is_self);
  bool has_room(const std::vector<Held>& held) const { return keys_ + held.size() <= kMaxHeldKeys; }

  Memberships& result_;
  const fabric::Topology& topology_;
  fabric::PortIndex self_;
  std::span<const Guest> guests_;
  std::vector<std::pair<mad::Guid, fabric::PortIndex>> ports_by_guid_;
  std::array<std::vector<Said>, kKindsOfNode> said_of_kind_;  // by key
  std::vector<Named> named_;
  std::vector<std::uint32_t> index0_;  // partitions, in the policy's order
  std::map<std::vector<Held>, std::uint32_t> list_of_held_;
  std::array<std::optional<std::uint32_t>, kKindsOfNode> list_of_kind_;  // that no rule names
  std::size_t next_named_ = 0;
  std::size_t keys_ = 0;  // of all lists
};

void MembershipsBuilder::sort_keys() {
  std::vector<std::uint32_t>& order = result_.by_key_;
  order.resize(partitions().size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return partitions()[a].key < partitions()[b].key;
  });
  for (std::uint32_t i = 0; i < partitions().size(); ++i) {
    if (partitions()[i].index0) index0_.push_back(i);
  }
}

void MembershipsBuilder::find_guids() {
  for (const fabric::PortIndex port : topology_.endports()) {
    const mad::Guid guid = topology_.port(port).guid;
    if (guid.value != 0) ports_by_guid_.emplace_back(guid, port);
  }
  for (std::size_t i = 0; i < guests_.size(); ++i) {
    ports_by_guid_.emplace_back(guests_[i].guid, guest(i));
  }
  std::sort(ports_by_guid_.begin(), ports_by_guid_.end());
}

void MembershipsBuilder::hear_rules() {
  for (const std::uint32_t index : result_.by_key_) hear(partitions()[index]);
  std::stable_sort(named_.begin(), named_.end(),
                   [](const Named& a, const Named& b) { return a.port < b.port; });
}

// A rule for a kind of node replaces what was said of that kind; those that name ports are kept
// with their place among them.
void MembershipsBuilder::hear(const Partition& partition) {
  std::array<Said, kKindsOfNode> of_kind{};
  Said said{partition.key, 0, 0};
  for (const Rule& rule : partition.rules) {
    said.kinds = kinds_of(rule.membership);
    if (rule.who == Who::Self && self_ != fabric::kNoPort) name(self_, said);
    if (rule.who == Who::Port) {
      const auto first = std::lower_bound(ports_by_guid_.begin(), ports_by_guid_.end(),
                                          std::pair(rule.port, fabric::PortIndex{}));
      for (auto at = first; at != ports_by_guid_.end() && at->first == rule.port; ++at) {
        name(at->second, said);
      }
    }
    for (std::size_t kind = 0; kind < kKindsOfNode; ++kind) {
      if (means_kind(rule.who, kind)) of_kind[kind] = said;
    }
    ++said.rule;
  }
  for (std::size_t kind = 0; kind < kKindsOfNode; ++kind) {
    if (of_kind[kind].kinds != 0) said_of_kind_[kind].push_back(of_kind[kind]);
  }
}

// `named`: by key, then by rule, as hear_rules() leaves it.
std::vector<Memberships::Held> MembershipsBuilder::held_by(std::size_t kind,
                                                           std::span<const Named> named,
                                                           bool is_self) const {
  std::vector<Held> held;
  const auto add = [&](const Said& said) {
    if (held.empty() || held.back().key != said.key) held.push_back({said.key, 0});
    held.back().kinds = said.kinds;  // the last rule counts
  };
  std::size_t next = 0;
  for (const Said& of_kind : said_of_kind_[kind]) {
    while (next < named.size() && before(named[next].said, of_kind)) add(named[next++].said);
    add(of_kind);
  }
  while (next < named.size()) add(named[next++].said);
  // Default has the highest key there is.
  if (held.empty() || held.back().key != kDefaultBaseKey) {
    held.push_back({kDefaultBaseKey, kHoldsLimited});
  }
  if (is_self && (held.back().kinds & kHoldsFull) == 0) held.back().kinds = kHoldsFull;
  return held;
}

std::vector<mad::PKey> MembershipsBuilder::table_of(const std::vector<Held>& held) const {
  std::vector<mad::PKey> table;
  const auto append = [&](const Held& one) {
    if ((one.kinds & kHoldsFull) != 0) table.push_back(full_key(one.key));
    if ((one.kinds & kHoldsLimited) != 0) table.push_back(limited_key(one.key));
  };
  auto first = held.end() - 1;
  for (const std::uint32_t index : index0_) {
    const BaseKey key = partitions()[index].key;
    const auto found = std::lower_bound(held.begin(), held.end(), Held{key, 0});
    if (found == held.end() || found->key != key) continue;
    first = found;
    break;
  }
  append(*first);
  for (auto one = held.begin(); one != held.end(); ++one) {
    if (one != first) append(*one);
  }
  return table;
}

std::uint32_t MembershipsBuilder::list_for(std::vector<Held> held, bool is_self) {
  const auto known = list_of_held_.find(held);
  if (known != list_of_held_.end()) return known->second;
  if (held.size() > 1 && !has_room(held)) {
    ++result_.ports_cut_short_;
    return list_for({{kDefaultBaseKey, is_self ? kHoldsFull : kHoldsLimited}}, is_self);
  }
  keys_ += held.size();
  const auto index = static_cast<std::uint32_t>(result_.lists_.size());
  result_.lists_.push_back({held, table_of(held)});
  list_of_held_.emplace(std::move(held), index);
  return index;
}

void MembershipsBuilder::assign_lists() {
  result_.list_of_port_.assign(topology_.port_count() + guests_.size(), Memberships::kNoList);
  for (const fabric::PortIndex port : topology_.endports()) assign_list(port);
  for (std::size_t i = 0; i < guests_.size(); ++i) assign_list(guest(i));
}

// Ports in ascending order.
void MembershipsBuilder::assign_list(fabric::PortIndex port) {
  while (next_named_ < named_.size() && named_[next_named_].port < port) ++next_named_;
  const std::size_t first = next_named_;
  while (next_named_ < named_.size() && named_[next_named_].port == port) ++next_named_;
  const std::span<const Named> named = std::span(named_).subspan(first, next_named_ - first);
  const std::size_t kind = kind_of(port);
  const bool is_self = port == self_;
  std::uint32_t& list = result_.list_of_port_[port.value];
  if (!named.empty() || is_self) {
    list = list_for(held_by(kind, named, is_self), is_self);
    return;
  }
  if (!list_of_kind_[kind]) list_of_kind_[kind] = list_for(held_by(kind, {}, false), false);
  list = *list_of_kind_[kind];
}

// Of each port with guests behind it, all that they hold together.
void MembershipsBuilder::join_lists() {
  std::map<fabric::PortIndex, std::vector<Held>> joined;
  for (std::size_t i = 0; i < guests_.size(); ++i) {
    const fabric::PortIndex host = guests_[i].host;
    if (result_.list_of_port_[host.value] == Memberships::kNoList) continue;
    const auto [all, is_first] = joined.try_emplace(host);
    if (is_first) all->second = result_.lists_[result_.list_of_port_[host.value]].held;
    const auto& more = result_.lists_[result_.list_of_port_[guest(i).value]].held;
    all->second.insert(all->second.end(), more.begin(), more.end());
  }
  for (auto& [host, all] : joined) {
    std::sort(all.begin(), all.end());
    std::vector<Held> merged;
    for (const Held& one : all) {
      if (merged.empty() || merged.back().key != one.key) {
        merged.push_back(one);
      } else {
        merged.back().kinds |= one.kinds;
      }
    }
    // Half of it would stop packets that are allowed.
    const bool fits = has_room(merged) || list_of_held_.count(merged) != 0;
    if (!fits) ++result_.ports_cut_short_;
    result_.list_through_.emplace(host,
                                  fits ? list_for(std::move(merged), false) : Memberships::kNoList);
  }
}

Memberships::Memberships(Policy policy, const fabric::Topology& topology, fabric::PortIndex self,
                         std::span<const Guest> guests)
    : policy_(std::move(policy)) {
  MembershipsBuilder(*this, topology, self, guests).build();
}

}  // namespace heddle::partitions
