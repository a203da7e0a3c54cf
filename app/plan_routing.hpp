// SPDX-License-Identifier: BSD-3-Clause
// How a planned fabric is routed: what all commands of `heddle plan` let the user say about it, and
// one engine's tables with their proof.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/plan_progress.hpp"
#include "app/planned_fabric.hpp"
#include "base/result.hpp"
#include "mad/types.hpp"
#include "plan/verdict.hpp"
#include "routing/engine.hpp"
#include "routing/selection.hpp"

namespace heddle::app {

struct PlanRouting {
  std::vector<std::string> engines{"auto"};  // names of engines that exist, not "file"
  std::vector<mad::Guid> root_guids;
  std::filesystem::path torus_config;  // empty: torus-2QoS finds axes and origin
  std::uint8_t lmc = 0;
  unsigned vls = 1;  // data VLs that engines may use, if all switches have them
};

// --routing, --roots, --torus-config, --lmc and --vls. `usual` says what --routing is without it.
void add_plan_routing(CLI::App& command, PlanRouting& routing, const std::string& usual = "auto");

// All but "file", which needs one.
std::vector<std::string> all_engines();
// A line for each.
std::string engine_list();

// As the subnet manager would choose with these options. Reads the files they name.
base::Result<routing::Policy> policy_of(const PlanRouting& routing, const PlannedFabric& fabric);

class EngineTrials {
 public:
  // All references outlive this.
  EngineTrials(const PlannedFabric& fabric, const routing::Policy& policy, PlanProgress& progress)
      : fabric_(fabric), policy_(policy), progress_(progress) {}

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
