// SPDX-License-Identifier: BSD-3-Clause
#include "qos/rulebook.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle::qos {
namespace {

using fabric::PortIndex;

// A port as groups ask about it.
struct Candidate {
  mad::Guid guid{};
  std::string name;
  std::uint8_t kinds{};
  std::vector<mad::PKey> keys;
  std::vector<std::string_view> partitions;
};

std::uint8_t kind_of(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::Switch:
      return kSwitches;
    case mad::NodeType::Router:
      return kRouters;
    default:
      return kAdapters;
  }
}

Candidate candidate(const fabric::Topology& topology, const partitions::Memberships* memberships,
                    PortIndex port, PortIndex self) {
  const fabric::Node& node = topology.node(topology.node_of(port));
  Candidate found;
  found.guid = topology.port(port).guid;
  found.name = fmt::format("{}/P{}", node.description, topology.number_of(port).value);
  found.kinds = kind_of(node.type);
  if (port == self) found.kinds |= kSelf;
  if (memberships == nullptr) {
    found.keys = {partitions::full_key(partitions::kDefaultBaseKey)};
    found.partitions = {"Default"};
    return found;
  }
  const auto keys = memberships->of(port);
  found.keys.assign(keys.begin(), keys.end());
  for (const mad::PKey key : keys) {
    const auto* partition = memberships->find(partitions::base_of(key));
    if (partition != nullptr) found.partitions.push_back(partition->name);
  }
  return found;
}

template <class T, class U>
bool has(const std::vector<T>& some, const U& wanted) {
  return std::find(some.begin(), some.end(), wanted) != some.end();
}

bool belongs(const PortGroup& group, const Candidate& port) {
  return (group.kinds & port.kinds) != 0 || contains(group.port_guids, port.guid.value) ||
         has(group.port_names, port.name) ||
         std::any_of(port.keys.begin(), port.keys.end(),
                     [&](mad::PKey key) {
                       return contains(group.p_keys, partitions::base_of(key).value);
                     }) ||
         std::any_of(group.partitions.begin(), group.partitions.end(),
                     [&](const std::string& name) { return has(port.partitions, name); });
}

// Who is in any of these groups; empty when none is named.
std::vector<bool> united(const std::vector<std::vector<bool>>& members,
                         const std::vector<std::uint32_t>& groups) {
  std::vector<bool> all;
  for (const std::uint32_t group : groups) {
    all.resize(members[group].size());
    for (std::size_t port = 0; port < all.size(); ++port) {
      if (members[group][port]) all[port] = true;
    }
  }
  return all;
}

bool is_one(const std::vector<bool>& ports, PortIndex port) {
  return ports.empty() || ports[port.value];
}

// A thing that is not asked for is met; one that the query does not say is not.
template <class Value>
bool meets(const Ranges& wanted, const std::optional<Value>& said) {
  return wanted.empty() || (said && contains(wanted, *said));
}

}  // namespace

Rulebook::Rulebook(std::shared_ptr<const Policy> policy, const fabric::Topology& topology,
                   const partitions::Memberships* memberships, PortIndex self)
    : policy_(std::move(policy)) {
  const auto& groups = policy_->groups;
  std::vector<std::vector<bool>> members(groups.size(), std::vector<bool>(topology.port_count()));
  for (const PortIndex port : topology.endports()) {
    if (groups.empty()) break;
    const Candidate asked = candidate(topology, memberships, port, self);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      members[g][port.value] = belongs(groups[g], asked);
    }
  }
  for (const Rule& rule : policy_->rules) {
    ends_.push_back({united(members, rule.sources), united(members, rule.destinations)});
  }
}

std::vector<std::uint32_t> Rulebook::rules_for(const Question& question) const {
  std::optional<std::uint16_t> key;
  if (question.p_key) key = partitions::base_of(*question.p_key).value;
  std::vector<std::uint32_t> found;
  for (std::uint32_t r = 0; r < policy_->rules.size(); ++r) {
    const Rule& rule = policy_->rules[r];
    if (meets(rule.service_ids, question.service_id) &&
        meets(rule.qos_classes, question.qos_class) && meets(rule.p_keys, key)) {
      found.push_back(r);
    }
  }
  return found;
}

const Level* Rulebook::level(std::span<const std::uint32_t> rules, PortIndex from,
                             PortIndex to) const {
  for (const std::uint32_t index : rules) {
    const Ends& ends = ends_[index];
    if (is_one(ends.sources, from) && is_one(ends.destinations, to)) {
      return &policy_->levels[policy_->rules[index].level];
    }
  }
  return policy_->default_level ? &policy_->levels[*policy_->default_level] : nullptr;
}

}  // namespace heddle::qos
