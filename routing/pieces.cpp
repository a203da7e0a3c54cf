// SPDX-License-Identifier: BSD-3-Clause
#include "routing/pieces.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace heddle::routing {
namespace {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabric::Topology;
using End = fabric::TopologyBuilder::End;

// More notes than these are not told of one piece, and only of so many pieces.
constexpr std::size_t kNotesOfPiece = 4;
constexpr std::size_t kPiecesNoted = 8;

End end_of(const Topology& topology, fabric::PortIndex port) {
  return {topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

void add_node(const Topology& topology, NodeIndex node, fabric::TopologyBuilder& builder) {
  builder.add_node(topology.node(node));
  for (unsigned number = 0; number <= topology.node(node).port_count; ++number) {
    const auto port = topology.port_of(node, mad::PortNumber{static_cast<std::uint8_t>(number)});
    builder.set_port_guid(end_of(topology, port), topology.port(port).guid);
  }
}

void give_lids(const Topology& whole, const fabric::LidMap& lids, Piece& piece) {
  piece.lids = fabric::LidMap(piece.topology.port_count());
  for (const fabric::PortIndex port : piece.topology.endports()) {
    const auto node = piece.topology.node(piece.topology.node_of(port)).guid;
    const auto range =
        lids.range(whole.port_of(*whole.find_node(node), piece.topology.number_of(port)));
    if (range.base == mad::kNoLid) continue;
    HEDDLE_CHECK(piece.lids.assign(port, range));
  }
}

std::vector<mad::Lid> lids_of(const Piece& piece) {
  std::vector<mad::Lid> all;
  for (const fabric::PortIndex port : piece.topology.endports()) {
    const auto range = piece.lids.range(port);
    if (range.base == mad::kNoLid) continue;
    for (unsigned i = 0; i < range.count(); ++i) {
      all.push_back(mad::Lid{static_cast<std::uint16_t>(range.base.value + i)});
    }
  }
  return all;
}

void take_rows(const Piece& piece, const fabric::ForwardingTables& own,
               fabric::ForwardingTables& tables) {
  for (std::uint32_t s = 0; s < piece.switches.size(); ++s) {
    const auto from = own.row(SwitchIndex{s});
    std::copy(from.begin(), from.end(), tables.row(piece.switches[s]).begin());
  }
}

// The maps of switches that have some of their own.
void take_maps(const Piece& piece, const fabric::VlMaps& own, fabric::VlMaps& maps) {
  if (own.uniform()) return;
  for (std::uint32_t s = 0; s < piece.switches.size(); ++s) {
    const unsigned ports = piece.topology.node(SwitchIndex{s}).port_count;
    for (unsigned in = 0; in <= ports; ++in) {
      for (unsigned out = 0; out <= ports; ++out) {
        const mad::PortNumber from{static_cast<std::uint8_t>(in)};
        const mad::PortNumber to{static_cast<std::uint8_t>(out)};
        const auto& map = own.at(SwitchIndex{s}, from, to);
        if (map != own.everywhere()) maps.set(piece.switches[s], ports, from, to, map);
      }
    }
  }
}

fabric::Lanes join_lanes(const std::vector<Piece>& pieces, const std::vector<Routes>& routes) {
  fabric::Lanes lanes;
  std::vector<fabric::ServiceLevels::Part> parts;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const fabric::Lanes& own = routes[i].lanes;
    if (own.vls > 1 && lanes.vls == 1) lanes.maps = fabric::VlMaps(own.maps.everywhere());
    lanes.vls = std::max(lanes.vls, own.vls);
  }
  if (lanes.vls == 1) return lanes;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (routes[i].lanes.vls > 1) take_maps(pieces[i], routes[i].lanes.maps, lanes.maps);
    parts.push_back({&routes[i].lanes.levels, pieces[i].switches, lids_of(pieces[i])});
  }
  lanes.levels = fabric::ServiceLevels::side_by_side(parts);
  return lanes;
}

void join_notes(const Topology& topology, const Piece& piece, Routes& own, Routes& whole) {
  const auto& node = topology.node(piece.switches.front());
  const std::string name = node.description.empty() ? base::hex(node.guid.value) : node.description;
  own.notes.resize(std::min(own.notes.size(), kNotesOfPiece));
  whole.notes.push_back(
      fmt::format("island of {} ({} switches): {}", name, piece.switches.size(), own.engine));
  for (std::string& note : own.notes) whole.notes.push_back(std::move(note));
}

}  // namespace

Piece cut_out(const Topology& topology, const fabric::LidMap& lids,
              std::span<const SwitchIndex> switches) {
  fabric::TopologyBuilder builder;
  for (const SwitchIndex at : switches) {
    add_node(topology, NodeIndex{at.value}, builder);
    for (unsigned number = 1; number <= topology.node(at).port_count; ++number) {
      const auto port = topology.port_of(at, mad::PortNumber{static_cast<std::uint8_t>(number)});
      const auto peer = topology.peer(port);
      if (peer == fabric::kNoPort) continue;
      // A host is added once for each of its ports here, and is still one node.
      const NodeIndex there = topology.node_of(peer);
      if (!topology.is_switch(there)) add_node(topology, there, builder);
      builder.add_link(end_of(topology, port), end_of(topology, peer),
                       topology.port(port).slowness);
    }
  }
  auto built = std::move(builder).build();
  HEDDLE_CHECK(!built.has_error());
  Piece piece{std::move(*built), {}, {switches.begin(), switches.end()}};
  give_lids(topology, lids, piece);
  return piece;
}

bool lanes_agree(const fabric::Lanes& a, const fabric::Lanes& b) {
  return a.vls == 1 || b.vls == 1 || a.maps.everywhere() == b.maps.everywhere();
}

base::Result<Routes> join_pieces(const Request& whole, const std::vector<Piece>& pieces,
                                 std::vector<Routes> routes) {
  HEDDLE_CHECK(pieces.size() == routes.size() && !pieces.empty());
  for (const Routes& own : routes) {
    const auto agrees = [&](const Routes& other) { return lanes_agree(own.lanes, other.lanes); };
    if (!std::all_of(routes.begin(), routes.end(), agrees)) {
      return base::error("islands want service levels on lanes in different ways");
    }
  }
  Routes joined;
  joined.tables =
      fabric::ForwardingTables(whole.topology.switch_count(), whole.lids.top(), whole.parallel);
  joined.lanes = join_lanes(pieces, routes);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    take_rows(pieces[i], routes[i].tables, joined.tables);
    const auto known = std::find(names.begin(), names.end(), routes[i].engine);
    if (known == names.end()) names.push_back(routes[i].engine);
    if (i < kPiecesNoted) join_notes(whole.topology, pieces[i], routes[i], joined);
  }
  joined.engine = fmt::format("{}", fmt::join(names, ","));
  if (pieces.size() > kPiecesNoted) {
    joined.notes.push_back(fmt::format("and {} more islands", pieces.size() - kPiecesNoted));
  }
  return joined;
}

}  // namespace heddle::routing
