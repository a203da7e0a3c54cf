// SPDX-License-Identifier: BSD-3-Clause
// How a planned fabric is routed: what all commands of `heddle plan` let the user say about it, and
// one engine's tables with their proof.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/plan_input.hpp"
#include "app/plan_progress.hpp"
#include "app/planned_fabric.hpp"
#include "base/result.hpp"
#include "config/config.hpp"
#include "plan/verdict.hpp"
#include "routing/engine.hpp"
#include "routing/selection.hpp"

namespace heddle::app {

// Options of the subnet manager: of [routing] all that shape tables, of [lids] the LMC.
struct PlanRouting {
  config::Config usual;        // what the command takes where nobody says anything
  std::filesystem::path file;  // of a subnet manager; empty: none
  // What the command line says, in its order; it wins.
  std::vector<std::function<void(config::Config&)>> said;
};

// --config, --routing, --roots, --lmc, --vls and an option for each other of [routing], named as in
// the file with dashes. `usual` says what --routing is without it.
void add_plan_routing(CLI::App& command, PlanRouting& routing, const std::string& usual = "auto");

// For the end of a command's parsing: throws CLI::ValidationError on options that do not go
// together.
void check_plan_routing(const PlanRouting& routing);

// Those of `live`, the text of a configuration file, if there is no other file.
base::Result<config::Config> settle(const PlanRouting& routing,
                                    const std::optional<std::string>& live);

// All but "file", which needs one.
std::vector<std::string> all_engines();
// A line for each.
std::string engine_list();

// As the subnet manager would choose with these options. Reads the files they name.
base::Result<routing::Policy> policy_of(const config::Config& config, const PlannedFabric& fabric);

// What every command that routes begins with.
struct Prepared {
  sim::Blueprint blueprint;
  PlannedFabric fabric;
  routing::Policy policy;
  std::optional<LivePicture> live;
  std::vector<std::string> warnings;  // what was complained of, for whoever reads no complaints
};
// Reads FABRIC and all files, and complains of what makes numbers doubtful.
base::Result<Prepared> prepare(const PlanInput& input, const PlanRouting& routing,
                               PlanProgress& progress);

// Whether the plan gives everybody the LIDs that are held already.
bool keeps_lids(const Prepared& prepared);

// Of a live fabric: complains, and remembers it, when what stands in its switches is not what would
// be computed anew, for then changes are told against tables that it does not have.
void note_standing(Prepared& prepared, const fabric::Topology& topology,
                   const fabric::ForwardingTables& tables, PlanProgress& progress);

class EngineTrials {
 public:
  // All references outlive this.
  EngineTrials(const PlannedFabric& fabric, const routing::Policy& policy, PlanProgress& progress)
      : fabric_(fabric), policy_(policy), progress_(progress) {}

  // To try, as the policy has them.
  const std::vector<std::string>& engines() const { return policy_.engines; }

  // The tables of an engine that exists, proven or not; none if it refused the fabric.
  std::optional<routing::Routes> route(plan::Verdict& verdict,
                                       const base::ParallelFor& parallel) const;
  void prove(const routing::Routes& routes, plan::Verdict& verdict,
             const base::ParallelFor& parallel) const;

 private:
  const PlannedFabric& fabric_;
  const routing::Policy& policy_;
  PlanProgress& progress_;
};

}  // namespace heddle::app
