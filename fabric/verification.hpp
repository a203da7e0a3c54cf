// SPDX-License-Identifier: BSD-3-Clause
// Proof before push: walks finished tables and says whether everything is reachable, whether any
// route loops, and whether the channel dependency graph has a cycle (a credit loop). It trusts no
// engine and shares no code with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/dependencies.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"

namespace heddle::fabric {

enum class RouteFault : std::uint8_t {
  NoRoute,  // an entry is 255
  DeadEnd,  // an entry leads out of a port without a link, or to the wrong endport
  Loop,     // following the entries comes back to a switch already passed
};

struct RouteFaultSample {
  RouteFault fault{};
  SwitchIndex from{};  // where the walk began
  mad::Lid to{};
  SwitchIndex at{};  // where it went wrong
};

struct Verification {
  std::uint64_t routes = 0;               // (switch, LID) pairs walked
  std::uint64_t faulty_routes = 0;        // of these, those that do not arrive
  std::vector<RouteFaultSample> samples;  // the first few, at most kMaxSamples
  unsigned max_hops = 0;  // switches passed after the first one, over the arriving routes
  double mean_hops = 0;

  std::uint64_t dependencies = 0;         // edges of the channel dependency graph
  std::vector<LaneChannel> credit_cycle;  // one shortest-found cycle, in order; empty: none exists
  // The same, when packets may also have the service level of the way back: connections are
  // answered on the level they were made on. Empty too if there is a credit_cycle already.
  std::vector<LaneChannel> reply_cycle;

  bool reaches_all() const { return faulty_routes == 0; }
  bool deadlock_free() const { return credit_cycle.empty(); }
  // Free of credit loops although answers ride the level of their requests.
  bool replies_safe() const { return deadlock_free() && reply_cycle.empty(); }
  bool proven() const { return reaches_all() && deadlock_free(); }

  static constexpr std::size_t kMaxSamples = 16;
};

// A LID that nobody owns any more, but to which packets may still be on their way.
struct DepartedLid {
  mad::Lid lid{};
  bool was_switch = false;  // then only the switches that hosts hang on sent packets to it
};

// Every switch to every LID of the map. LIDs of endports that hang on no switch are skipped, and
// so are LIDs in another island than the switch: tables cannot do anything about those.
//
// The dependency graph holds every packet that has a channel adapter or router at one end or both:
// from any switch to their LIDs, and from the switches they hang on to the LIDs of switches. What
// one switch sends to another is walked but not counted there. (On a fat tree of three levels the
// shortest ways between two middle switches always close a cycle, though no host ever uses them.)
//
// With more than one VL the graph is that of the lanes: each packet keeps to the VLs that its
// service level has on its way.
//
// `departed`: on one VL the dependencies of packets to these LIDs count too.
//
// `graph`, if not null: takes the dependencies themselves; those of replies too unless they close a
// cycle. They refer to the topology.
Verification verify(const Topology& topology, const LidMap& lids, const ForwardingTables& tables,
                    const Lanes& lanes = {}, const base::ParallelFor& parallel = base::inline_for,
                    const std::vector<DepartedLid>& departed = {},
                    std::optional<Dependencies>* graph = nullptr);

// The cycle in words, switch descriptions and ports, and the VL if there are several:
// "leaf-1/3 -> spine-2/1 -> ...", "leaf-1/3 VL 1 -> ...".
std::string describe_cycle(const Topology& topology, const std::vector<LaneChannel>& cycle);

}  // namespace heddle::fabric
