// SPDX-License-Identifier: BSD-3-Clause
// Tries engines in the operator's order until one gives tables that are proven, and tells why the
// others did not. updn is the last resort when the list has none that works: it exists for every
// fabric and holds no credit loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/table_changes.hpp"
#include "fabric/verification.hpp"
#include "routing/certificate.hpp"
#include "routing/engine.hpp"
#include "routing/lane_certificate.hpp"

namespace heddle::routing {

struct Policy {
  std::vector<std::string> engines{"auto"};  // in the order to try
  bool fallback = true;                      // updn after them, if it is not among them
  // The operator asked for exactly these engines' tables even if they hold a credit loop
  // (never if they do not reach everything).
  bool accept_credit_loops = false;
  // Whether credit loops must be impossible even if connections are answered on the service level
  // they were made on, as most are. If not, a path is told to be reversible only where its level is
  // the same both ways.
  bool cover_replies = true;
  // Data VLs that an engine may use, 1..15; not more than every link has. With more than one,
  // whoever does not use the service level of its PathRecord can close a credit loop, so the
  // operator must ask for them.
  unsigned max_vls = 1;
  Options options;
  friend bool operator==(const Policy&, const Policy&) = default;
};

struct Rejected {
  std::string engine;
  std::string reason;  // for a person; names the credit loop when that was it
};

// How repaired tables relate to those that they were made from, their home's.
struct Kinship {
  std::shared_ptr<const Certificate> certificate;  // home's
  // By its channel: a line in which all dependencies lead forward, home's and the repaired ones'.
  std::vector<std::uint32_t> places;
  // Those that home has not: from one of its channels to another.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  std::vector<fabric::SwitchIndex> at_home;  // by switch
};

// The same of routes on several VLs: everything by lane of home's.
struct LaneKinship {
  std::shared_ptr<const LaneCertificate> certificate;  // home's
  std::vector<std::uint32_t> places;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  std::vector<fabric::SwitchIndex> at_home;  // by switch
  bool replies = true;  // answers on the levels of their requests lead forward, too
};

struct Selected {
  Routes routes;
  fabric::Verification proof;
  std::vector<Rejected> rejected;  // those tried before
  // They are the engine's own, from the fabric and nothing else; not so near an earlier fabric's.
  bool fresh = true;
  // Of fresh ones on one VL without a credit loop: what a repair is held against. Null otherwise.
  std::shared_ptr<const Certificate> certificate = nullptr;
  std::shared_ptr<const Kinship> kin = nullptr;  // of a repair whose line was proven
  // Of all others that hold no credit loop.
  std::shared_ptr<const LaneCertificate> lanes = nullptr;
  std::shared_ptr<const LaneKinship> lane_kin = nullptr;  // of a repair on several VLs
  // Where `kin` is: the entries that differ from home's, by LID, then by switch.
  std::vector<fabric::TableChange> changes = {};
};

// Tables to be preferred to an engine's fresh ones, proven; nothing if there are none.
using Refine = std::function<std::optional<Selected>(const Routes& fresh)>;

// An error when nothing in the list gives acceptable tables; it says why, engine by engine.
base::Result<Selected> select_routes(const fabric::Topology& topology, const fabric::LidMap& lids,
                                     const Policy& policy,
                                     const base::ParallelFor& parallel = base::inline_for,
                                     const Refine& refine = {});

// Why tables with these lanes and this proof may not be programmed, for a person; nothing when they
// may.
std::optional<std::string> objection(const fabric::Topology& topology, const Policy& policy,
                                     const fabric::Lanes& lanes, const fabric::Verification& proof);

// Routes that no engine made as they are; nothing where there is an objection. `departed`: see
// fabric::verify.
std::optional<Selected> select_if_proven(const fabric::Topology& topology,
                                         const fabric::LidMap& lids, const Policy& policy,
                                         Routes routes,
                                         const std::vector<fabric::DepartedLid>& departed,
                                         const base::ParallelFor& parallel);

}  // namespace heddle::routing
