// SPDX-License-Identifier: BSD-3-Clause
#include "routing/auto.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fabric/islands.hpp"
#include "fabric/verification.hpp"
#include "routing/dragonfly.hpp"
#include "routing/dragonfly_plus.hpp"
#include "routing/ftree.hpp"
#include "routing/grid_routes.hpp"
#include "routing/patterns.hpp"
#include "routing/pieces.hpp"
#include "routing/torus_qos.hpp"
#include "routing/updn.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {
namespace {

// Whole grids are safe by their rules; of damaged ones this must be seen, because there is a better
// way out than the last resort.
base::Result<Routes> only_proven(const Request& request, base::Result<Routes> routes) {
  if (!routes) return routes;
  const auto proof = fabric::verify(request.topology, request.lids, routes->tables, routes->lanes,
                                    request.parallel);
  if (proof.proven() && proof.replies_safe()) return routes;
  return base::error("with what is missing, its lanes hold a credit loop");
}

base::Result<Routes> route_as_grid(const Request& request) {
  // Only the operator can say which way the axes of the file point.
  if (request.options.torus) return only_proven(request, TorusQos{}.route(request));
  const CompactChannels channels(request.topology);
  const auto grid = recognise_grid(request.topology, channels);
  if (!grid) return base::error("no grid: " + grid.error().message);
  auto routes = route_grid(request, *grid, channels);
  if (routes) routes->engine = "dor";
  if (routes && grid->missing() == 0) return routes;
  auto proven = only_proven(request, std::move(routes));
  if (proven || request.data_vls < 2) return proven;
  // Rings of four, which were taken for two axes each, may be passed the other way round.
  auto around = only_proven(request, TorusQos{}.route(request));
  return around ? std::move(around) : std::move(proven);
}

// Weave tries its luck on an uneven tree if LIDs times channels are no more than this: a few
// seconds on one core.
constexpr std::size_t kMostWorkToCompare = 64'000'000;
// ftree keeps a tree unless another engine gives random pairs so many times what it gives: its ways
// are the regular ones.
constexpr double kGainWanted = 1.1;
// Enough to tell engines apart by a hundredth, on a fabric of any size.
constexpr std::uint64_t kPacketsToCompare = 1u << 19;

double share_of_pairs(const Request& request, const Routes& routes) {
  PatternOptions options;
  options.with_shifts = false;
  options.most_packets = kPacketsToCompare;
  return measure_patterns(request.topology, request.lids, routes.tables, options, request.parallel)
      .effective_bandwidth;
}

// On a tree whose switches differ the formula may send much of everything by one link. What it
// costs to know is a small part of what it costs to be wrong. What the busiest link carries would
// not tell: an engine may relieve just that one, and not what else is on the way.
Routes best_of_uneven_tree(const Request& request, Routes tree) {
  const double of_tree = share_of_pairs(request, tree);
  double above = of_tree * kGainWanted;
  std::string shares = fmt::format("ftree {:.3f}", of_tree);
  Routes best = std::move(tree);
  const auto compare = [&](base::Result<Routes> routes) {
    if (routes.has_error()) return;
    const double share = share_of_pairs(request, *routes);
    shares += fmt::format(", {} {:.3f}", routes->engine, share);
    if (share <= above) return;
    above = share;
    best = std::move(*routes);
  };
  compare(UpDown{}.route(request));
  compare(route_whole_dragonfly_plus(request));  // with few cables across it looks like a tree
  const std::size_t work = request.topology.channels().size() * request.lids.top().value;
  if (work <= kMostWorkToCompare) compare(Weave{}.route(request));
  best.notes.insert(best.notes.begin(),
                    fmt::format("auto: an uneven tree; what random pairs get of their cables: {}; "
                                "{} is taken",
                                shares, best.engine));
  return best;
}

base::Result<Routes> route_one_piece(const Request& request) {
  auto tree = route_tree(request);
  if (tree && !tree->even) return best_of_uneven_tree(request, std::move(tree->routes));
  if (tree) {
    tree->routes.notes.insert(tree->routes.notes.begin(), "auto: the fabric is a tree");
    return std::move(tree->routes);
  }
  std::string why = "auto: " + tree.error().message;
  for (const auto& shape : {&route_as_grid, &route_whole_dragonfly, &route_whole_dragonfly_plus}) {
    auto routes = shape(request);
    if (routes) {
      routes->notes.insert(routes->notes.begin(), std::move(why));
      return routes;
    }
    why += "; " + routes.error().message;
  }
  auto woven = Weave{}.route(request);
  if (woven) woven->notes.insert(woven->notes.begin(), std::move(why));
  return woven;
}

// Roots of other islands are none of this one's business.
Options options_for(const Request& whole, const Piece& piece) {
  Options options = whole.options;
  auto& roots = options.root_guids;
  roots.erase(std::remove_if(roots.begin(), roots.end(),
                             [&](mad::Guid guid) {
                               return whole.topology.find_node(guid) &&
                                      !piece.topology.find_node(guid);
                             }),
              roots.end());
  return options;
}

base::Result<Routes> route_in_pieces(const Request& request, const fabric::Islands& islands) {
  std::vector<Piece> pieces;
  std::vector<Routes> routes;
  fabric::Lanes first;  // of the first island that needs more than one VL
  for (std::size_t i = 0; i < islands.count(); ++i) {
    pieces.push_back(cut_out(request.topology, request.lids, islands.members(i)));
    const Piece& piece = pieces.back();
    const Options options = options_for(request, piece);
    Request own{piece.topology,   piece.lids,       options,
                request.parallel, request.data_vls, request.cover_replies};
    auto made = route_one_piece(own);
    if (made && !lanes_agree(first, made->lanes)) {
      own.data_vls = 1;  // which agrees with everything
      made = route_one_piece(own);
    }
    if (made.has_error()) return made.error();
    if (first.vls == 1) first = made->lanes;
    routes.push_back(std::move(*made));
  }
  return join_pieces(request, pieces, std::move(routes));
}

}  // namespace

base::Result<Routes> Auto::route(const Request& request) const {
  const fabric::Islands islands(request.topology);
  if (islands.count() > 1) return route_in_pieces(request, islands);
  return route_one_piece(request);
}

}  // namespace heddle::routing
