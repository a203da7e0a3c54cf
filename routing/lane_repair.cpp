// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lane_repair.hpp"

#include <memory>
#include <utility>

#include "routing/damage.hpp"
#include "routing/lane_mender.hpp"
#include "routing/repair.hpp"

namespace heddle::routing {
namespace {

bool is_for_us(const Home& home) {
  const Selected& routes = *home.selected;
  const auto& lanes = routes.routes.lanes;
  return !home.found && routes.lanes != nullptr && lanes.vls > 1 && lanes.maps.uniform() &&
         routes.lanes->vls() == lanes.vls &&
         routes.lanes->switch_count() == home.topology->switch_count();
}

using Turns = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // from lane to lane

// Nobody waits for a link that has gone: what does is thrown away.
Turns forget_lost(const Damage& damage, unsigned vls, ChannelOrder& order) {
  Turns lost;
  for (std::uint32_t lane = 0; lane < damage.channels.count() * vls; ++lane) {
    if (damage.lost[lane / vls] == 0) continue;
    const auto gone = order.forget(lane);
    lost.insert(lost.end(), gone.begin(), gone.end());
  }
  return lost;
}

// Those that can be.
void take_in(const Turns& turns, ChannelOrder& order) {
  for (const auto& [held, next] : turns) {
    if (!order.has(held, next) && order.add(held, next)) order.keep(held, next);
  }
}

Selected with(const Repair& found, const std::vector<fabric::ServiceLevels::Change>& changes,
              const Home& home, const Departure& departure, std::vector<std::uint32_t> places) {
  const Selected& before = *home.selected;
  fabric::ForwardingTables tables(
      std::shared_ptr<const fabric::ForwardingTables>(home.selected, &before.routes.tables),
      departure.at_home);
  for (const Repair::Entry& entry : found.entries) tables.set(entry.at, entry.lid, entry.out);
  const auto& lanes = before.routes.lanes;
  const auto levels =
      changes.empty() ? lanes.levels : lanes.levels.with(changes, home.topology->switch_count());
  Selected selected{{before.routes.engine,
                     std::move(tables),
                     before.routes.notes,
                     {lanes.vls, levels.of_switches(departure.at_home), lanes.maps}},
                    {},
                    before.rejected,
                    false};
  selected.routes.notes.push_back(note_of(found));
  selected.lane_kin = std::make_shared<const LaneKinship>(LaneKinship{
      before.lanes, std::move(places), found.added, departure.at_home, home.policy.cover_replies});
  return selected;
}

}  // namespace

std::optional<Selected> repair_on_lanes(const Home& home, const Departure& departure,
                                        const fabric::Topology& now, const fabric::LidMap& lids,
                                        const LaneKinship* present) {
  if (!is_for_us(home)) return std::nullopt;
  const Selected& before = *home.selected;
  const Certificate channels(*home.topology);
  const Damage damage(home, departure, now, lids, channels);
  ChannelOrder order = before.lanes->order();
  const Turns lost = forget_lost(damage, before.routes.lanes.vls, order);
  PacketLanes lanes(*home.topology, *home.lids, before.routes.lanes, damage.has_hosts,
                    home.policy.cover_replies);
  LaneMender mender(damage, lanes, order, before.routes.lanes.vls);
  std::vector<std::size_t> left;
  for (std::size_t rank = 0; rank < damage.affected.size(); ++rank) {
    if (!mender.mend(damage.affected[rank], rank)) left.push_back(rank);
  }
  for (const std::size_t rank : left) {
    if (!mender.mend_on_other_levels(damage.affected[rank], rank)) return std::nullopt;
  }
  if (present != nullptr && present->certificate == before.lanes) take_in(present->added, order);
  take_in(lost, order);  // they come back with the link
  return with(mender.found(), lanes.changes(), home, departure, order.positions());
}

}  // namespace heddle::routing
