// SPDX-License-Identifier: BSD-3-Clause
// What becomes of flows that all begin to send at once, each sender as fast as its link and its
// congestion control let it: which ports are asked for more than their links carry, who waits for
// them, and which packets the switches mark (IBA vol. 1, A10.2).
//
// A fluid, not packets: a port that is asked for d times what it carries fills its buffer at d - 1
// packets for each that leaves, and marks from its threshold on. The ports before it, held back for
// want of credits, wait; they mark when they are in the Victim_Mask.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/time.hpp"
#include "sim/congestion_settings.hpp"
#include "sim/patterns.hpp"
#include "sim/walker.hpp"

namespace heddle::sim {

class Overload {
 public:
  // Each flow sends `packets` packets of `words` four-byte words.
  Overload(const Devices& devices, const std::vector<Flow>& flows, std::uint64_t packets,
           std::uint32_t words, base::Instant now);

  // What the flow asks of the ports on its way. Each flow once, before anything else.
  void add(const Devices& devices, const Flow& flow, const Walk& way);

  // Whether any port of a switch is asked for more than its link carries.
  bool exists() const { return worst_.times > 0; }
  CrowdedPort worst() const { return worst_; }

  // Marks the flow's packets where they meet congestion, in the counters and logs of all concerned;
  // how many of them were marked.
  std::uint64_t mark(Devices& devices, const Flow& flow, const Walk& way);

  // What the ports count of all that: how often and how long, at the end.
  void settle(Devices& devices) const;

 private:
  // A port that is congested or waits for one that is.
  struct Crowd {
    std::optional<MarkingRule> rule;
    double eligible = 0;        // packets that came when the buffer was above the threshold
    double wait = 0;            // microseconds
    double congested = 0;       // microseconds
    std::uint16_t waiting = 0;  // lanes, a bit each
    std::uint16_t marking = 0;
  };
  Crowd& crowd_at(const Devices& devices, PortIndex out);
  std::uint64_t mark_at(Devices& devices, const Flow& flow, PortIndex out, std::uint8_t lane,
                        double times);

  std::uint64_t packets_;
  std::uint32_t words_;
  base::Instant now_;
  std::vector<double> span_;            // by sender: microseconds until it has sent all
  std::vector<double> demand_;          // by port: what is asked of it, as a multiple of its link
  std::vector<std::uint64_t> through_;  // by port: packets
  std::map<PortIndex, Crowd> crowds_;
  CrowdedPort worst_;
};

}  // namespace heddle::sim
