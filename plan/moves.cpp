// SPDX-License-Identifier: BSD-3-Clause
#include "plan/moves.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "fabric/verification.hpp"

namespace heddle::plan {
namespace {

using fabric::kNoPort;
using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::Topology;

fabric::LidMap without_ports(const fabric::LidMap& lids, const Topology& topology,
                             const std::vector<bool>& except) {
  fabric::LidMap left(topology.port_count());
  for (const PortIndex port : topology.endports()) {
    const bool counts = lids.base(port) != mad::kNoLid && !except[port.value];
    if (counts) left.assign(port, lids.range(port));
  }
  return left;
}

}  // namespace

Topology Upgrade::build() const {
  fabric::TopologyBuilder builder;
  const Topology& nodes = *topology_;
  const auto end = [&](PortIndex port) {
    return fabric::TopologyBuilder::End{nodes.node(nodes.node_of(port)).guid,
                                        nodes.number_of(port)};
  };
  for (std::uint32_t n = 0; n < nodes.node_count(); ++n) builder.add_node(nodes.node(NodeIndex{n}));
  for (std::uint32_t p = 0; p < nodes.port_count(); ++p) {
    const PortIndex port{p};
    if (nodes.port(port).guid != mad::Guid{})
      builder.set_port_guid(end(port), nodes.port(port).guid);
    if (peer_[p] != kNoPort && !(peer_[p] < port)) builder.add_link(end(port), end(peer_[p]));
  }
  auto built = std::move(builder).build();
  HEDDLE_CHECK(!built.has_error());  // the same nodes, and no port in two links
  return *std::move(built);
}

// Who had LIDs gets them again; who is new gets the lowest that nobody ever had.
fabric::LidMap Upgrade::lids_of(const Topology& topology) {
  fabric::LidMap all(topology.port_count()), lids(topology.port_count());
  for (std::uint32_t p = 0; p < remembered_.size(); ++p) {
    if (remembered_[p].base != mad::kNoLid) all.assign(PortIndex{p}, remembered_[p]);
  }
  std::uint16_t next = 1;
  for (const PortIndex port : topology.endports()) {
    auto& range = remembered_[port.value];
    for (; range.base == mad::kNoLid && next <= mad::kLastUnicastLid.value; ++next) {
      if (all.assign(port, {mad::Lid{next}, 0})) range = {mad::Lid{next}, 0};
    }
    if (range.base != mad::kNoLid) lids.assign(port, range);
  }
  return lids;
}

Figures Upgrade::measure(const base::ParallelFor& parallel) const {
  Figures figures =
      measure_figures(*topology_, *lids_, selected_->routes.tables, options_, parallel);
  figures.pairs = count_pairs(*topology_, *lids_);
  return figures;
}

base::Result<std::unique_ptr<Upgrade>> Upgrade::make(Topology topology, fabric::LidMap lids,
                                                     WhatIfOptions options,
                                                     const base::ParallelFor& parallel) {
  std::unique_ptr<Upgrade> made(new Upgrade);
  made->options_ = std::move(options);
  auto selected = routing::select_routes(topology, lids, made->options_.policy, parallel);
  if (selected.has_error()) return selected.error();
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    made->peer_.push_back(topology.peer(PortIndex{p}));
    made->remembered_.push_back(lids.range(PortIndex{p}));
  }
  made->topology_ = std::make_shared<const Topology>(std::move(topology));
  made->lids_ = std::make_shared<const fabric::LidMap>(std::move(lids));
  made->selected_ = std::make_shared<const routing::Selected>(*std::move(selected));
  made->engine_ = made->selected_->routes.engine;
  made->home_ = {made->topology_, made->lids_, made->options_.policy, made->selected_};
  made->before_ = made->measure(parallel);
  return {boost::system::in_place_value, std::move(made)};
}

MoveAnswer Upgrade::take(const Move& move, const base::ParallelFor& parallel) {
  MoveAnswer answer;
  answer.has_out = !move.out.empty();
  // Whoever is unplugged himself is expected to be gone meanwhile.
  std::vector<bool> moved(peer_.size());
  for (const auto& [a, b] : move.out) {
    moved[a.value] = moved[b.value] = true;
    peer_[a.value] = peer_[b.value] = kNoPort;
  }
  const auto take_phase = [&] {
    const std::uint64_t others = count_pairs(*topology_, without_ports(*lids_, *topology_, moved));
    MoveAnswer::Phase phase = go(parallel);
    const std::uint64_t now = count_pairs(*topology_, without_ports(*lids_, *topology_, moved));
    phase.parted = others - std::min(others, now);
    answer.phases.push_back(std::move(phase));
  };
  if (!move.out.empty()) take_phase();
  for (const auto& [a, b] : move.in) {
    peer_[a.value] = b;
    peer_[b.value] = a;
  }
  if (!move.in.empty()) take_phase();
  return answer;
}

// To the fabric as it is plugged now: what the subnet manager would do (sm/machine.cpp), which
// keeps routes near those of the last whole fabric.
MoveAnswer::Phase Upgrade::go(const base::ParallelFor& parallel) {
  MoveAnswer::Phase phase;
  WhatIf& answer = phase.answer;
  const auto before = topology_;
  const auto old = selected_;
  topology_ = std::make_shared<const Topology>(build());
  lids_ = std::make_shared<const fabric::LidMap>(lids_of(*topology_));
  answer.after.pairs = count_pairs(*topology_, *lids_);
  auto chosen = routing::select_near_home(*topology_, *lids_, options_.policy, &home_, parallel);
  if (chosen.has_error()) {
    answer.error = chosen.error().message;
    return phase;
  }
  selected_ = *std::move(chosen);
  const auto& routes = selected_->routes;
  const auto proof = fabric::verify(*topology_, *lids_, routes.tables, routes.lanes, parallel);
  answer.error = routing::objection(*topology_, options_.policy, routes.lanes, proof).value_or("");
  answer.repaired = !selected_->fresh || selected_ == home_.selected;
  if (selected_->fresh && selected_ != home_.selected) {
    home_ = {topology_, lids_, options_.policy, selected_};
  }
  const auto changes =
      compare_tables(*before, old->routes.tables, *topology_, *lids_, routes.tables);
  answer.entries = changes.entries;
  answer.lids = changes.lids;
  answer.writes = changes.writes;
  answer.after = measure(parallel);
  return phase;
}

}  // namespace heddle::plan
