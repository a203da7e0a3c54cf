// SPDX-License-Identifier: BSD-3-Clause
// One spanning tree for each multicast LID, kept up to date by the smallest change: a join adds the
// shortest branch, a leave prunes what nobody needs. A tree has no direction: whoever is on it
// reaches every receiver. Ports that only send have their switch on the tree and no bit of their
// own. Where switches without multicast tables, or missing links, part the members, each part has
// a tree of its own.
//
// Trees of different LIDs take different links and roots: among equally short branches the one
// whose links carry the fewest trees is taken, and then the LID decides. The result depends on the
// topology and on the sequence of calls alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "multicast/membership.hpp"
#include "multicast/ports.hpp"
#include "multicast/tables.hpp"
#include "multicast/turns.hpp"

namespace heddle::multicast {

struct TreeOptions {
  // A tree that grew by joins and leaves is compared with a fresh one each time it has changed by
  // about its own size (32 links at least), and replaced when it has this many percent more links.
  unsigned drift_percent = 15;
};

struct TreeStatistics {
  std::uint64_t grafts = 0;    // branches added
  std::uint64_t rebuilds = 0;  // trees made anew because of drift
  std::uint64_t repairs = 0;   // trees that lost a link or switch and were joined again
  std::uint64_t avoided = 0;   // trees made anew because they would have closed a credit loop
};

class Trees {
 public:
  // `topology` is not null and is shared; it must not change.
  explicit Trees(std::shared_ptr<const fabric::Topology> topology, TreeOptions options = {});
  ~Trees();
  Trees(Trees&&) noexcept;
  Trees& operator=(Trees&&) noexcept;

  // Takes each role as it is now. Ports that the topology does not know are remembered until it
  // does. O(links of the fabric) for a branch, else O(log n) for each change.
  void apply(std::span<const RoleChange> changes);

  // Keeps every tree whose links all still exist, joins the pieces of the others, and lets members
  // that are new to the topology in. Tables and indices are those of the new topology from then on.
  // From then on the turns of all trees are put to `rule`, which must stay until the next call;
  // null asks nobody. A tree that would close a loop is made anew of turns that fit; where there is
  // no such tree it stays as it was, and is unsafe().
  void set_topology(std::shared_ptr<const fabric::Topology> topology, TurnRule* rule = nullptr);
  std::vector<mad::Lid> unsafe() const;  // rising
  // LIDs whose trees were made anew for the rule's sake since this was asked last, rising: not only
  // those that were given to the call that caused it.
  std::vector<mad::Lid> take_refitted();
  // The rule now thinks otherwise of packets to this LID: all turns of its tree are put to it.
  void ask_again(mad::Lid mlid);

  // Takes over what another manager left in the switches: of each LID that has no members yet, the
  // endports that the tables lead to become receivers, and the links between switches stay where
  // they make a tree. Gives the members that it found.
  std::vector<RoleChange> adopt(const Tables& standing);

  // Makes a tree anew, as if all members had joined at once.
  void rebuild(mad::Lid mlid);

  // What the switches should hold. A copy of it is a cheap snapshot.
  const Tables& tables() const;
  const fabric::Topology& topology() const;

  std::vector<mad::Lid> mlids() const;                   // that have members, rising
  std::size_t link_count(mad::Lid mlid) const;           // between switches
  std::vector<RoleChange> members(mad::Lid mlid) const;  // by GUID
  // Members that hang on no switch, on one without an entry for this LID, or are not in the
  // topology. Those whose switch is merely cut off from the others are not among them.
  std::vector<mad::Guid> unserved(mad::Lid mlid) const;
  // Trees that cross each channel, by ChannelIndex; both directions count alike.
  std::span<const std::uint32_t> load() const;
  const TreeStatistics& statistics() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace heddle::multicast
