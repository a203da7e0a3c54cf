// SPDX-License-Identifier: BSD-3-Clause
// The middle of a sweep: SL to VL tables and forwarding tables, in an order in which no old routes
// see what was made for the new ones.
#include <algorithm>
#include <utility>

#include "sm/machine.hpp"

namespace heddle::sm {

using fabric::PortIndex;

// Unless they are known to get on on one. A fabric that comes up has no old routes.
bool Core::Machine::may_stand_on_lanes(const routing::InPlace& held) const {
  const bool found = home && home->found;
  if (held.selected && !found) return held.selected->routes.lanes.vls > 1;
  const auto& nodes = picture.frozen.node_of;
  return std::any_of(nodes.begin(), nodes.end(), [this](fabric::ObservedIndex node) {
    const auto& info = picture.observation[node].switch_info;
    return info && info->linear_fdb_top != 0;
  });
}

// Old routes that are free of credit loops only lane by lane must not see others' SL to VL tables,
// nor new ones the old tables: where there are such, what changes is emptied in between.
void Core::Machine::go_on_with_lanes(Context& with) {
  const bool empties = !tables_begun && old_routes_had_lanes && programming.empties_first();
  if (empties && lane_programming.has_to_write(with)) return begin_tables();
  if (!lane_programming.go_on(with) && !arbitration_programming.go_on(with)) finish_lanes();
}

void Core::Machine::go_on_with_tables(Context& with) {
  if (programming.lacks_footing() && hurried < kMaxHurried) return begin_anew();
  if (programming.waits_for_silent(with)) return begin_multicast();
  if (lane_programming.has_to_write(with)) {
    stage = Stage::Lanes;
  } else if (!programming.go_on_with_tables(with)) {
    begin_multicast();
  }
}

// Routes that are free of credit loops only lane by lane are of no use where packets cannot be made
// to keep to their lanes.
void Core::Machine::finish_lanes() {
  if (lane_programming.failed() && picture.routes->routes.lanes.vls > 1) {
    lanes_failed = true;
    lanes_refused = lanes_refused || lane_programming.refused();
    if (tables_begun) in_place = {};  // some of it has been emptied
    ask_for_routes();
    return await_routes();
  }
  if (!tables_begun) return begin_tables();
  stage = Stage::Tables;
}

// What clients send to us has the level that the routes give to that path.
void Core::Machine::set_sm_levels() {
  const auto& levels = picture.routes->routes.lanes.levels;
  if (levels.uniform() && !levels_in_use) return;
  levels_in_use = !levels.uniform();
  const auto& topology = *picture.frozen.topology;
  const auto settings = port_settings();
  for (const PortIndex port : topology.endports()) {
    const auto attachment = topology.attachment(port);
    mad::ServiceLevel level = settings.sm_sl;
    if (attachment && levels_in_use) level = {levels.level(attachment->at, settings.sm_lid)};
    picture.intent.set_sm_level(port, level);
  }
}

void Core::Machine::begin_tables() {
  Context with = context();
  stage = Stage::Tables;
  tables_begun = true;
  set_sm_levels();
  const TableWork work = programming.write_tables(with, ways_doubted);
  // Where all had to be read, switches that are kept by patience were not.
  const bool all_known = !others_may_have_written || !patience.keeps_switch(picture.observation);
  tables_are_ours = !election.rival_seen() && !options.shadow && all_known;
  announce_phase(work.switches + work.blocks);
  const auto& proof = picture.routes->proof;
  say(RoutesChosen{picture.routes->routes.engine, proof.routes, work.blocks, proof.max_hops,
                   picture.routes->routes.lanes.vls, picture.routes->routes.notes});
}

}  // namespace heddle::sm
