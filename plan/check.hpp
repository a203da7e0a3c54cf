// SPDX-License-Identifier: BSD-3-Clause
// What can be said of a fabric without routing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.hpp"
#include "plan/finding.hpp"
#include "plan/inventory.hpp"

namespace heddle::plan {

// --- one function per question, each adds what it finds -----------------------------------------

// duplicate-guid, duplicate-port-guid, no-guid, duplicate-name.
void check_guids(const Inventory& fabric, Findings& findings);

// Of what ports hold already: no-lid (others have one), duplicate-lid, unaligned-lid, bad-lid. A
// fabric of which no port holds a LID has not been brought up, and nothing is wrong with that.
void check_lids(const Inventory& fabric, Findings& findings);

// below-ports: slower or narrower than both its ends can; below-level: than most links between the
// same two levels of switches, or to hosts on the same switch.
struct Levels;
void check_links(const Inventory& fabric, const Levels& levels, Findings& findings);

// lids, mlids, vls, p-keys (info: what there is and what is used); too-many-lids, few-vls when
// it does not fit. What is not known is not counted. `lmc`: of host ports, 0..7.
void check_budgets(const Inventory& fabric, std::uint8_t lmc, Findings& findings);

// islands (pieces that no cable joins), alone (a node without a cable).
void check_islands(const Inventory& fabric, Findings& findings);

// uneven-up, uneven-hosts: a switch whose links up, or hosts, are not those of most switches of
// its level; no-link, few-links: two switches without the links that most such pairs have;
// cross-link: a link between switches of one level, where nearly all others join two. Nothing if
// the fabric is no tree.
void check_symmetry(const Inventory& fabric, const Levels& levels, Findings& findings);

// Hosts with several adapters: wrong-rail, missing-rail.
void check_rails(const Inventory& fabric, Findings& findings);

// --- what they share ----------------------------------------------------------------------------

// The level of each switch, counted from the hosts; and what goes up and down there.
struct Levels {
  struct Level {
    std::size_t switches = 0;
    std::size_t hosts = 0;     // ports of hosts that hang there
    std::size_t links_up = 0;  // to switches of a higher level
    double down_gigabits = 0;  // of all links to hosts and lower levels, data rate
    double up_gigabits = 0;
    // Down over up: 1 is as much as comes in, 2 half of it. 0 for the top level.
    double oversubscription() const { return up_gigabits > 0 ? down_gigabits / up_gigabits : 0; }
  };
  std::vector<std::uint32_t> of;  // by node of the inventory; kNone for hosts
  std::vector<Level> levels;
  std::size_t cross_links = 0;  // between switches of one level
  std::size_t links = 0;        // between switches
  bool is_tree = false;         // hardly any link joins two switches of one level

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
};
Levels find_levels(const Inventory& fabric);

// All of it but cabling, in the order above; and the levels.
Levels check_fabric(const Inventory& fabric, std::uint8_t lmc, Findings& findings);

}  // namespace heddle::plan
