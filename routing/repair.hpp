// SPDX-License-Identifier: BSD-3-Clause
// Routes around what was lost, without computing anything that was not lost. The work grows with
// what used the lost links, not with the fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "mad/types.hpp"
#include "routing/home.hpp"

namespace heddle::routing {

// What has to be written over home's tables.
struct Repair {
  struct Entry {
    fabric::SwitchIndex at{};  // of now
    mad::Lid lid{};
    mad::PortNumber out{};  // kNoPortNumber where nothing leads there any more
    mad::PortNumber was{};
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;  // those of one LID stand together
  // By channel of home's certificate: a line in which all dependencies lead forward, those of home
  // and of these entries. For fabric::Recheck, which believes none of it.
  std::vector<std::uint32_t> places;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;  // the dependencies that home has not
  std::size_t moved = 0;                                       // LIDs whose columns changed
  unsigned max_hops = 0;                                       // of the routes that moved
  std::int64_t longer = 0;  // hops that they are longer than before, all together
};

// Other work of the caller's: most of a repair's is one thread's at first, for it builds on itself.
struct Beside {
  std::size_t count = 0;
  std::function<void(std::size_t)> run;  // each number below it once, at the same time as others
};

// For each LID of now of which a lost port was a part at home: the switches from which packets
// passed it, and no others, get a way over those that still arrive. The way is a shortest one of
// those that are free of credit loops together with *all* of home's routes, also with those that
// it replaces: some packets may be under way on old entries, some on new ones. (A packet that comes
// from an old entry to a new one is the affair of routing/kin_transition.hpp.) Of several it is the
// present one, and otherwise the LIDs take turns, so that what used a lost link spreads over what
// is left. Where that leaves some without a way, longer ones over few new turns are taken. So:
//   - every route arrives: a way is only laid to a switch whose own arrives, nearest first;
//   - no credit loop: each new dependency is tried against home's certificate before it is used;
//   - nearness: an entry changes only if its packets passed what was lost. (Entries for a switch's
//     own LID that no host uses may change too, if hosts could reach it only by new turns.)
// Where home was proven, home with the entries written over it is right by this construction
// (tests/routing/repair_test.cpp holds that against fabric::verify). Tables that go to switches are
// proven all the same (select_near_home).
//
// Nothing if home has no certificate (several VLs, a credit loop that was accepted), or if some
// destination that can still be reached is not within these rules; engines must compute anew then.
// `departure` must be comparable, from `home` to `now` with `lids`. Deterministic, for any number
// of threads.
//
// `present`, if not null: the kinship of another repair, whose tables are in place. It has no say
// in the entries; the line takes in its dependencies as well, those that it can. What is `beside`
// it is done when there is a repair.
std::optional<Repair> repair(const Home& home, const Departure& departure,
                             const fabric::Topology& now, const fabric::LidMap& lids,
                             const Kinship* present = nullptr,
                             const base::ParallelFor& parallel = base::inline_for,
                             const Beside& beside = {});

// For a person.
std::string note_of(const Repair& repair);

// Home's tables with the repair in them, for `now`. The proof counts the routes there are now; its
// greatest number of hops is a bound, and its mean is home's, corrected by the routes that moved.
Selected repaired(const Home& home, const Departure& departure, const fabric::Topology& now,
                  const Repair& repair, const base::ParallelFor& parallel = base::inline_for);

}  // namespace heddle::routing
