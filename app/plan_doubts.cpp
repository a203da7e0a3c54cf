// SPDX-License-Identifier: BSD-3-Clause
#include "app/plan_doubts.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "app/plan_input.hpp"
#include "base/text.hpp"
#include "fabric/islands.hpp"
#include "plan/check.hpp"
#include "plan/finding.hpp"

namespace heddle::app {
namespace {

std::string named(const sim::PlannedNode& node) {
  const std::string& name = node.description.empty() ? node.name : node.description;
  return fmt::format("\"{}\"{}", base::printable(name),
                     node.line == 0 ? "" : fmt::format(" (line {})", node.line));
}

void doubt_lids(const sim::Blueprint& blueprint, std::vector<std::string>& doubts) {
  std::map<mad::Lid, const sim::PlannedNode*> owners;
  std::size_t twice = 0;
  std::string first;
  for (const sim::PlannedNode& node : blueprint.nodes) {
    for (const sim::PlannedPort& port : node.ports) {
      if (port.lid == mad::kNoLid) continue;
      const auto [other, is_new] = owners.emplace(port.lid, &node);
      if (is_new || other->second == &node) continue;
      if (twice++ > 0) continue;
      first = fmt::format("{} and {} hold the same LID {}", named(*other->second), named(node),
                          port.lid.value);
    }
  }
  if (twice == 0) return;
  const std::string more =
      twice == 1 ? "" : fmt::format(", and there are {} more such LIDs", twice - 1);
  doubts.push_back(fmt::format(
      "{}{}: whoever comes later gets another LID here, so these are not the tables of the fabric "
      "as it is; heddle plan check lists all of these",
      first, more));
}

void doubt_lmc(const sim::Blueprint& blueprint, const PlannedFabric& fabric,
               std::vector<std::string>& doubts) {
  for (const sim::PlannedNode& node : blueprint.nodes) {
    if (node.type == mad::NodeType::Switch) continue;
    for (const sim::PlannedPort& port : node.ports) {
      if (port.lid == mad::kNoLid || port.lmc == fabric.lmc) continue;
      doubts.push_back(fmt::format(
          "{} holds LIDs with LMC {}, and this is planned with LMC {}: --lmc {} plans with what is "
          "there",
          named(node), port.lmc, fabric.lmc, port.lmc));
      return;
    }
  }
}

struct Piece {
  const sim::PlannedNode* first = nullptr;  // of its switches
  std::size_t switches = 0, hosts = 0;
};

void doubt_islands(const sim::Blueprint& blueprint, const PlannedFabric& fabric,
                   std::vector<std::string>& doubts) {
  const auto& topology = fabric.topology;
  const fabric::Islands islands(topology);
  std::vector<Piece> pieces(islands.count());
  for (const sim::PlannedNode& node : blueprint.nodes) {
    const auto index = topology.find_node(node.guid);
    if (!index || !topology.is_switch(*index)) continue;
    Piece& piece = pieces[islands.of(fabric::SwitchIndex{index->value})];
    if (piece.switches++ == 0) piece.first = &node;
  }
  std::size_t alone = 0;
  for (const fabric::PortIndex port : topology.endports()) {
    const auto at = topology.attachment(port);
    if (at && at->out.value == 0) continue;
    if (at) ++pieces[islands.of(at->at)].hosts;
    alone += at ? 0u : 1u;
  }
  if (alone > 0 && topology.switch_count() > 0) {
    doubts.push_back(fmt::format(
        "{} ports of hosts hang on no switch: they are in no load and no bandwidth", alone));
  }
  if (pieces.size() < 2) return;
  std::string list;
  for (std::size_t i = 0; i < pieces.size() && i < 4; ++i) {
    list += fmt::format("{}{} switches with {} hosts around {}", i == 0 ? "" : ", ",
                        pieces[i].switches, pieces[i].hosts, named(*pieces[i].first));
  }
  doubts.push_back(
      fmt::format("no cable joins the {} pieces of this fabric ({}{}): tables and loads are of "
                  "each for itself, "
                  "and hosts of different pieces get nothing from each other in bandwidths",
                  pieces.size(), list, pieces.size() > 4 ? ", ..." : ""));
}

// Engines for trees take such a link only where there is no way by the levels.
void doubt_levels(const sim::Blueprint& blueprint, std::vector<std::string>& doubts) {
  const plan::Inventory inventory = inventory_of(blueprint);
  const plan::Levels levels = plan::find_levels(inventory);
  if (!levels.is_tree || levels.levels.size() < 2 || levels.cross_links == 0) return;
  plan::Findings findings;
  plan::check_symmetry(inventory, levels, findings);
  for (const plan::Finding& finding : std::move(findings).take()) {
    if (finding.code != "cross-link") continue;
    const std::string where = finding.line == 0 ? "" : fmt::format(" (line {})", finding.line);
    const std::string more =
        levels.cross_links == 1 ? "" : fmt::format("; {} links do", levels.cross_links);
    doubts.push_back(finding.text + where + more);
    return;
  }
}

}  // namespace

std::vector<std::string> doubts_of(const sim::Blueprint& blueprint, const PlannedFabric& fabric) {
  std::vector<std::string> doubts;
  doubt_lids(blueprint, doubts);
  doubt_lmc(blueprint, fabric, doubts);
  doubt_islands(blueprint, fabric, doubts);
  doubt_levels(blueprint, doubts);
  return doubts;
}

}  // namespace heddle::app
