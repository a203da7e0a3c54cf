// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <set>
#include <utility>

#include "partitions/policy.hpp"
#include "partitions/tables.hpp"

namespace heddle::partitions {
namespace {

constexpr std::array<std::pair<std::string_view, Enforcement>, 4> kEnforcementWords{
    {{"off", Enforcement::Off},
     {"in", Enforcement::In},
     {"out", Enforcement::Out},
     {"both", Enforcement::Both}}};

// What stays undone although the table has room.
EnforcementGap gap_of(bool lacks_inbound, bool lacks_outbound) {
  if (lacks_inbound && lacks_outbound) return EnforcementGap::NoDirections;
  if (lacks_inbound) return EnforcementGap::NoInbound;
  return lacks_outbound ? EnforcementGap::NoOutbound : EnforcementGap::None;
}

// The full key of each partition. A limited key in the table matches no packet that carries it
// (IBA vol. 1, 10.9.3), so a limited member could send to nobody, not even to subnet
// administration; and what the full key lets pass between two limited members the end ports refuse.
std::vector<mad::PKey> full_keys(std::span<const mad::PKey> keys) {
  std::vector<mad::PKey> full;
  std::set<mad::PKey> known;
  for (const mad::PKey key : keys) {
    const mad::PKey wanted = full_key(base_of(key));
    if (known.insert(wanted).second) full.push_back(wanted);
  }
  return full;
}

// Whether their full keys are more than that. A partition has two keys at most.
bool exceed(std::span<const mad::PKey> keys, std::size_t capacity) {
  if (keys.size() <= capacity || keys.size() > 2 * capacity) return keys.size() > capacity;
  return full_keys(keys).size() > capacity;
}

}  // namespace

std::optional<Enforcement> enforcement_of(std::string_view word) {
  for (const auto& [name, enforcement] : kEnforcementWords) {
    if (name == word) return enforcement;
  }
  return std::nullopt;
}

std::string_view name_of(Enforcement enforcement) {
  return kEnforcementWords[static_cast<std::size_t>(enforcement)].first;
}

std::string_view describe(EnforcementGap gap) {
  switch (gap) {
    case EnforcementGap::None:
      return {};
    case EnforcementGap::NoTable:
      return "the switch has no table for P_Keys at its ports (PartitionEnforcementCap is 0)";
    case EnforcementGap::TableFull:
      return "the end port holds more P_Keys than the switch port has room for "
             "(PartitionEnforcementCap)";
    case EnforcementGap::NoInbound:
      return "the switch cannot check what comes in (InboundEnforcementCap is 0)";
    case EnforcementGap::NoOutbound:
      return "the switch cannot check what goes out (OutboundEnforcementCap is 0)";
    case EnforcementGap::NoDirections:
      return "the switch cannot check P_Keys at its ports (InboundEnforcementCap and "
             "OutboundEnforcementCap are 0)";
  }
  return {};
}

EnforcementGap enforcement_gap(Enforcement policy, const mad::SwitchInfo& info,
                               std::span<const mad::PKey> peer_keys) {
  if (policy == Enforcement::Off || peer_keys.empty()) return EnforcementGap::None;
  if (info.partition_enforcement_cap == 0) return EnforcementGap::NoTable;
  const bool wants_inbound = policy != Enforcement::Out;
  const bool wants_outbound = policy != Enforcement::In;
  const bool lacks_inbound = wants_inbound && !info.inbound_enforcement_cap;
  const bool lacks_outbound = wants_outbound && !info.outbound_enforcement_cap;
  const bool checks = wants_inbound > lacks_inbound || wants_outbound > lacks_outbound;
  if (checks && exceed(peer_keys, info.partition_enforcement_cap)) return EnforcementGap::TableFull;
  return gap_of(lacks_inbound, lacks_outbound);
}

EnforcementPlan plan_enforcement(Enforcement policy, const mad::SwitchInfo& info,
                                 const HeldTable& held, std::span<const mad::PKey> peer_keys) {
  const EnforcementGap gap = enforcement_gap(policy, info, peer_keys);
  EnforcementPlan plan;
  if (policy == Enforcement::Off || peer_keys.empty() || gap == EnforcementGap::NoTable ||
      gap == EnforcementGap::TableFull) {
    return plan;
  }
  plan.inbound = policy != Enforcement::Out && info.inbound_enforcement_cap;
  plan.outbound = policy != Enforcement::In && info.outbound_enforcement_cap;
  if (!plan.inbound && !plan.outbound) return plan;
  HeldTable table = held;
  table.capacity = info.partition_enforcement_cap;
  plan.table = plan_table(table, full_keys(peer_keys));
  return plan;
}

}  // namespace heddle::partitions
