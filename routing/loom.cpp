// SPDX-License-Identifier: BSD-3-Clause
#include "routing/loom.hpp"

#include <algorithm>
#include <utility>

#include "base/prng.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint64_t kSeed = 7;

std::vector<Goal> goals_in_order(const Destinations& destinations) {
  base::Prng dice(kSeed);
  std::vector<std::uint32_t> targets;
  std::vector<Goal> goals;
  std::size_t rounds = 0;
  for (std::uint32_t s = 0; s < destinations.hosts.size(); ++s) {
    if (destinations.hosts[s] > 0) targets.push_back(s);
    rounds = std::max<std::size_t>(rounds, destinations.hosts[s]);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    dice.shuffle(targets);
    for (const std::uint32_t at : targets) {
      if (round < destinations.hosts[at]) goals.push_back({at, &destinations.by_switch[at][round]});
    }
  }
  for (std::uint32_t s = 0; s < destinations.hosts.size(); ++s) {
    const auto& group = destinations.by_switch[s];
    for (std::size_t i = destinations.hosts[s]; i < group.size(); ++i) {
      goals.push_back({s, &group[i]});
    }
  }
  return goals;
}

}  // namespace

Loom::Loom(const Request& request_in, unsigned layer_count)
    : request(request_in),
      channels(request.topology),
      destinations(request.topology, request.lids),
      islands(request.topology),
      layers(layer_count, ChannelOrder(channels)),
      loads(channels.count()),
      tables(request.topology.switch_count(), request.lids.top()),
      goals_(goals_in_order(destinations)),
      by_port_(destinations.hosts.size() * kPorts, kNoWay),
      old_(channels, layers),
      new_(channels, layers) {
  for (std::uint32_t c = 0; c < channels.count(); ++c) {
    by_port_[channels.from[c] * kPorts + channels.out[c]] = c;
  }
  std::uint64_t hosts = 0;
  for (const std::uint32_t one : destinations.hosts) hosts += one;
  // A single layer fills up in any case.
  price_ = layer_count == 1 ? 0 : hosts / 32;
  new_.set_price(price_);
}

TreeGrower Loom::new_grower() {
  TreeGrower grower(channels, layers);
  grower.set_price(price_);
  return grower;
}

void Loom::take(TreeGrower& tree, const Goal& goal, mad::Lid lid) {
  tree.keep();
  for (const std::uint32_t at : tree.nearest_first()) {
    const std::uint32_t next = tree.next(at);
    tables.set(fabric::SwitchIndex{at}, lid,
               next == kNoWay ? goal.to->out : mad::PortNumber{channels.out[next]});
  }
  if (goal.to->is_host()) tree.load(destinations.hosts, loads);
}

std::vector<std::uint32_t> Loom::ways(const fabric::ForwardingTables& of, std::uint32_t target,
                                      mad::Lid lid) const {
  std::vector<std::uint32_t> next(destinations.hosts.size(), kNoWay);
  for (std::uint32_t s = 0; s < next.size(); ++s) {
    if (s == target) continue;
    const std::uint8_t out = of.out_port(fabric::SwitchIndex{s}, lid).value;
    next[s] = by_port_[s * kPorts + out];
  }
  return next;
}

void Loom::improve_one(const Goal& goal, mad::Lid lid, std::span<const std::uint8_t> layer_of) {
  old_.adopt(goal.at, ways(tables, goal.at, lid));
  old_.unload(destinations.hosts, loads);
  const bool whole = new_.grow(goal.at, layer_of, loads, reachable(goal.at));
  if (whole && new_.cost(destinations.hosts, loads) < old_.cost(destinations.hosts, loads)) {
    take(new_, goal, lid);
    return;
  }
  new_.undo();
  old_.load(destinations.hosts, loads);
}

fabric::Lanes lanes_of(std::size_t layers, fabric::ServiceLevels levels) {
  const auto vls = static_cast<std::uint8_t>(layers);
  return {vls, std::move(levels), fabric::VlMaps(fabric::even_map(vls))};
}

Woven finish(Loom& loom, std::string note) {
  Woven woven{{"weave", std::move(loom.tables), {std::move(note)}}};
  for (const std::uint64_t load : loom.loads) {
    woven.greatest_load = std::max(woven.greatest_load, load);
    woven.whole_load += load;
  }
  return woven;
}

}  // namespace heddle::routing
