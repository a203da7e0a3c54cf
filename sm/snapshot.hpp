// SPDX-License-Identifier: BSD-3-Clause
// What the SM publishes after each sweep: an immutable picture for summaries, dumps and, later, SA
// answers. Readers on other threads keep it alive and never see it change.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/registers.hpp"
#include "fabric/topology.hpp"
#include "fabric/verification.hpp"
#include "mad/sm_info.hpp"
#include "routing/selection.hpp"
#include "sa/view.hpp"

namespace heddle::sm {

// The phases of a sweep, in order.
enum class Phase : std::uint8_t { Discovery, Lids, Routing, Tables, Links };
inline constexpr std::size_t kPhaseCount = 5;

struct SweepStatistics {
  std::uint64_t number = 0;  // 1 is the first sweep of this process
  base::Duration phase[kPhaseCount]{};
  base::Duration total{};
  std::uint64_t gets_sent = 0;  // requests, retries included
  std::uint64_t sets_sent = 0;
  std::uint64_t retries = 0;
  std::uint64_t unanswered = 0;  // given up after the last attempt
  std::uint64_t late = 0;        // answers that came after we gave up
};

// What a manager that only watches would have written in a sweep.
struct ShadowReport {
  std::map<mad::AttributeId, std::uint64_t> writes;  // Sets by attribute
  std::uint64_t of_the_office = 0;  // of these, what only tells a port who is master
  std::uint64_t sets() const {
    std::uint64_t all = 0;
    for (const auto& [attribute, count] : writes) all += count;
    return all;
  }
  friend bool operator==(const ShadowReport&, const ShadowReport&) = default;
};
// "13 PortInfo, 4 LinearForwardingTable; 12 of them only name the new master".
std::string text(const ShadowReport& report);

// Another subnet manager that answered.
struct OtherManager {
  mad::Guid guid{};  // of its port
  std::uint8_t priority = 0;
  mad::SMState state{};
  fabric::PortIndex port = fabric::kNoPort;  // kNoPort: its port is not in the topology
  bool may_take_part = true;                 // as Options::allowed_sm_guids has it
};

struct Snapshot {
  SweepStatistics sweep;
  fabric::Topology topology;
  fabric::LidMap lids;
  // Never null.
  std::shared_ptr<const fabric::Registers> registers = std::make_shared<const fabric::Registers>();
  // Null until the fabric has been routed (a fabric without switches never is).
  std::shared_ptr<const routing::Selected> routes;
  // Multicast trees that may close a credit loop with these or each other; nothing where that is
  // not known: routes on several lanes.
  std::optional<std::size_t> unsafe_trees;
  fabric::PortIndex sm_port = fabric::kNoPort;
  std::uint8_t lmc = 0;

  // Ports with a link that are ACTIVE, and those that should be and are not.
  std::size_t active_ports = 0;
  std::size_t inactive_ports = 0;
  std::vector<std::string> problems;  // for a person, each names its node and port
  std::vector<OtherManager> other_managers;
  // What subnet administration answers from; null unless we are master of a subnet.
  std::shared_ptr<const sa::View> view;
  std::optional<ShadowReport> shadow;  // nothing was written, and all else is as if it had been
};

}  // namespace heddle::sm
