// SPDX-License-Identifier: BSD-3-Clause
// Proof before push: looks at finished tables and says whether every sender reaches every receiver,
// nobody else gets a copy, and no packet can return to where it was or goes where nobody is. It
// shares no code with what makes the tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "multicast/membership.hpp"
#include "multicast/tables.hpp"

namespace heddle::multicast {

enum class TreeFault : std::uint8_t {
  Cycle,         // the links of this LID close a circle; `at` and `port`: one of them
  OneWay,        // `at` forwards to `port`, and the switch there does not forward back
  NotReached,    // `member` receives nothing from members elsewhere, or lacks its bit
  Stranger,      // `port` of `at` leads to an endport that is no receiver
  NoLink,        // `port` of `at` has no link or does not exist
  NoTable,       // `at` has no entry for this LID, but is given one
  ForeignEntry,  // nobody is a member of this LID, but `at` holds an entry for it
  Idle,          // the tree ends at `at`, where nobody is a member
};

struct TreeFaultSample {
  TreeFault fault{};
  mad::Lid mlid{};
  fabric::SwitchIndex at{};
  mad::PortNumber port{};
  mad::Guid member{};
};

struct TreeVerification {
  std::size_t mlids = 0;                 // that were looked at
  std::uint64_t deliveries = 0;          // pairs of a member's switch and a receiver that work
  std::uint64_t faults = 0;              // all of them
  std::vector<TreeFaultSample> samples;  // the first few, at most kMaxSamples
  bool proven() const { return faults == 0; }

  static constexpr std::size_t kMaxSamples = 16;
};

// `roles` are the members of all LIDs (Groups::roles()), in any order. Members that the topology
// does not know or whose switch has no entry for the LID are left out, and nobody is expected to
// reach beyond switches without one.
TreeVerification verify(const fabric::Topology& topology, const Tables& tables,
                        std::span<const RoleChange> roles);

// The same again and again for one topology, which must outlive it.
class Verifier {
 public:
  explicit Verifier(const fabric::Topology& topology);  // O(ports log ports)
  ~Verifier();
  Verifier(Verifier&&) noexcept;
  Verifier& operator=(Verifier&&) noexcept;

  TreeVerification verify(const Tables& tables, std::span<const RoleChange> roles);
  // Of these LIDs only, of which `roles` must hold all members: what one join touched. O(switches)
  // and the size of the tree for each.
  TreeVerification verify(const Tables& tables, std::span<const RoleChange> roles,
                          std::span<const mad::Lid> mlids);

 private:
  class Ground;
  class Judge;
  std::unique_ptr<Ground> ground_;
};

// "leaf-1 port 3 forwards 0xc004 to a port without a link".
std::string describe(const fabric::Topology& topology, const TreeFaultSample& sample);

}  // namespace heddle::multicast
