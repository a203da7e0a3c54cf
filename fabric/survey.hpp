// SPDX-License-Identifier: BSD-3-Clause
// What the walks of a verification share: the wiring, laid out flat, and where each LID leads.
// For what looks at whole tables: the verification and routing/transition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/forwarding_tables.hpp"
#include "fabric/islands.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

inline constexpr std::uint32_t kNowhere = 0xFFFF'FFFF;
inline constexpr std::size_t kPortValues = 256;

// Where each port of each switch leads, flat, for the two inner loops.
struct Wiring {
  explicit Wiring(const Topology& topology);
  std::uint32_t step(std::uint32_t at, std::uint8_t out) const {
    return next_switch[first_port[at] + std::min<std::uint32_t>(out, ports[at])];
  }
  std::vector<std::uint32_t> first_port;   // by switch
  std::vector<std::uint32_t> ports;        // by switch, port 0 included
  std::vector<std::uint32_t> next_switch;  // by port; a cable to the same switch included.
                                           // And kNowhere behind each switch's last one
};

// What is known about one LID before any walk.
struct Target {
  std::uint32_t at = kNowhere;  // the switch it hangs on; kNowhere: nothing to prove
  std::uint8_t out = 0;
  std::uint32_t switch_row = kNowhere;  // a switch's own LID: which one among those
};

// Everything but `forwards` is read by all walks at once; of that each LID writes its own bits.
struct Survey {
  Survey(const Topology& topology, const LidMap& lids, const ForwardingTables& tables);

  const Topology& topology;
  const ForwardingTables& tables;
  Wiring wiring;
  Islands islands;
  std::vector<Target> targets;          // by LID
  std::vector<std::uint8_t> has_hosts;  // by switch
  // By switch, a bit for each switch LID's row: which switches forward packets of channel adapters
  // to it.
  std::size_t forwards_words;  // for each switch
  std::vector<std::uint64_t> forwards;
};

// One block of LIDs, each LID's entries of all switches side by side: a walk for one LID then stays
// in the first-level cache.
class Columns {
 public:
  explicit Columns(std::size_t switch_count)
      : switches_(switch_count), entries_(kLftBlockLids * switch_count) {}
  void load(const ForwardingTables& tables, std::size_t block);
  // Out port by switch; index: of the LID in the block.
  const std::uint8_t* of(std::size_t index) const { return entries_.data() + index * switches_; }

 private:
  std::size_t switches_;
  std::vector<std::uint8_t> entries_;
};

}  // namespace heddle::fabric
