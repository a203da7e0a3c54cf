// SPDX-License-Identifier: BSD-3-Clause
#include "sm/patience.hpp"

#include <algorithm>
#include <utility>

#include "sm/ways.hpp"

namespace heddle::sm {
namespace {

using fabric::Observation;
using fabric::ObservedEnd;
using fabric::ObservedIndex;
using fabric::ObservedNode;
using fabric::ObservedPort;

bool is_up(const ObservedPort& port) {
  return port.info && port.info->port_state != mad::PortState::Down;
}

// Something that is out there, as far as this port can tell, and did not say who it is.
bool is_silent(const Observation& observation, ObservedEnd end) {
  const ObservedPort& port = observation.port(end);
  return is_up(port) && !port.sighting &&
         observation[end.node].disbelieved.count(end.port.value) == 0;
}

bool has_gaps(const ObservedNode& node) {
  if (!node.is_switch()) {
    return std::all_of(node.ports.begin(), node.ports.end(),
                       [](const ObservedPort& port) { return !port.info; });
  }
  return !node.switch_info || !node.ports.front().info;
}

// The nodes of an old picture that a new one lacks, and how they hang on it.
class Takeover {
 public:
  Takeover(const Observation& old, Observation& now)
      : old_(old), now_(now), is_of_old_(now.size()), seen_(old.size()) {}

  // What hung on a silent port; nothing if nobody did, or it has been met elsewhere.
  std::optional<ObservedEnd> behind(ObservedEnd end) const {
    const auto node = old_.find(now_[end.node].info.node_guid);
    if (!node || end.port.value >= old_[*node].ports.size()) return std::nullopt;
    const auto& sighting = old_[*node].ports[end.port.value].sighting;
    if (!sighting || now_.find(old_[sighting->node].info.node_guid)) return std::nullopt;
    return sighting;
  }

  // The node that hung on `from` by `first`, and what of `may_stay` hangs on it and on nothing that
  // answered. Returns how many there are.
  template <class MayStay>
  std::size_t collect(ObservedEnd from, ObservedEnd first, const MayStay& may_stay) {
    const std::size_t before = taken_.size();
    std::vector<ObservedIndex> queue;
    const auto meet = [&](ObservedIndex node) {
      if (seen_[node.value] || now_.find(old_[node].info.node_guid)) return;
      seen_[node.value] = true;
      if (may_stay(old_[node])) queue.push_back(node);
    };
    meet(first.node);
    if (!queue.empty()) bridges_.push_back({from, first});
    for (std::size_t i = 0; i < queue.size(); ++i) {
      taken_.push_back(queue[i]);
      if (!old_[queue[i]].is_switch()) continue;
      for (const ObservedPort& port : old_[queue[i]].ports) {
        if (port.sighting) meet(port.sighting->node);
      }
    }
    return taken_.size() - before;
  }

  // Adds them all, and the cables that lead to them. Returns their new indices.
  std::vector<ObservedIndex> carry_out() {
    std::vector<ObservedIndex> added;
    for (const ObservedIndex node : taken_) added.push_back(add(old_[node]));
    for (const auto& [from, first] : bridges_) {
      const ObservedEnd there{*now_.find(old_[first.node].info.node_guid), first.port};
      now_.change(from).sighting = there;
      now_.change(from).dark = false;
      now_.change(there).sighting = from;
    }
    for (const ObservedIndex node : taken_) {
      for (std::size_t p = 0; p < old_[node].ports.size(); ++p) {
        join({node, {static_cast<std::uint8_t>(p)}});
      }
    }
    return added;
  }

 private:
  ObservedIndex add(const ObservedNode& known) {
    ObservedNode node = known;
    for (ObservedPort& port : node.ports) port.sighting.reset();
    const ObservedIndex index = now_.add(std::move(node));
    is_of_old_.resize(now_.size());
    is_of_old_[index.value] = true;
    return index;
  }

  void join(ObservedEnd old_end) {
    const auto& sighting = old_.port(old_end).sighting;
    if (!sighting) return;
    const auto here = now_.find(old_[old_end.node].info.node_guid);
    const auto there = now_.find(old_[sighting->node].info.node_guid);
    if (!here || !there) return;
    if (sighting->port.value >= now_.ports(*there).size()) return;
    const ObservedEnd end{*here, old_end.port}, back{*there, sighting->port};
    if (!is_of_old_[there->value] && !is_silent(now_, back)) return;
    const auto& seen = now_.port(back).sighting;
    if (seen && *seen != end) return;
    now_.change(end).sighting = back;
    auto& other = now_.change(back);
    other.sighting = end;
    other.dark = false;
  }

  const Observation& old_;
  Observation& now_;
  std::vector<bool> is_of_old_;  // by node of now
  std::vector<bool> seen_;       // by node of old
  std::vector<ObservedIndex> taken_;
  std::vector<std::pair<ObservedEnd, ObservedEnd>> bridges_;  // from an end of now to one of old
};

// What is known of the node and was not answered now.
void fill(ObservedNode& node, const ObservedNode& known) {
  if (!node.switch_info) {
    node.switch_info = known.switch_info;
    node.table = known.table;
  }
  if (node.description.empty()) node.description = known.description;
  for (std::size_t p = 0; p < std::min(node.ports.size(), known.ports.size()); ++p) {
    if (!node.ports[p].info) node.ports[p].info = known.ports[p].info;
  }
}

void give_devices(Context& context, const std::vector<ObservedIndex>& added) {
  Picture& picture = context.picture;
  const Ways ways(picture);
  for (const ObservedIndex node : added) {
    const auto& seen = picture.observation[node];
    const std::size_t ports = seen.is_switch() ? 1 : seen.ports.size();
    picture.devices.make_room(node, ports);
    for (std::size_t p = 0; p < ports; ++p) {
      const fabric::ObservedEnd end{node, {static_cast<std::uint8_t>(p)}};
      const auto routes = ways.to(end);
      if (routes.empty()) continue;
      const DeviceId device = context.transactions.add_device(routes.front());
      picture.devices.place(end, device);
      context.transactions.set_routes(device, routes);
      context.transactions.set_key(device, context.keys.of(seen.port_guid(end.port)));
      // Who knows what hangs there now. When it answers, who it is comes first.
      context.transactions.lock(device);
    }
  }
}

}  // namespace

bool Patience::endures(mad::Guid node, const Options& options, base::Duration apart) {
  Misses& misses = misses_[node];
  const bool is_same_look = misses.count > 0 && now_ - misses.latest < apart;
  if (!is_same_look) {
    misses.latest = now_;
    ++misses.count;
  }
  return misses.count < options.node_misses;
}

void Patience::remind(mad::Guid node, std::uint32_t looks, base::Instant latest) {
  Misses& misses = misses_[node];
  if (misses.count < looks) misses = {looks, latest};
}

bool Patience::keeps_switch(const Observation& observation) const {
  return std::any_of(misses_.begin(), misses_.end(), [&](const auto& missed) {
    const auto node = observation.find(missed.first);
    return node && observation[*node].is_switch();
  });
}

void Patience::fill_gaps(Context& context, const Picture& before) {
  Picture& picture = context.picture;
  Observation& now = picture.observation;
  const std::uint32_t limit = context.options.node_misses;
  auto missed_before = std::exchange(misses_, {});
  const auto endures_again = [&](mad::Guid node) {
    const auto known = missed_before.find(node);
    if (known != missed_before.end()) misses_[node] = known->second;
    const bool stays = endures(node, context.options, context.options.sweep_interval / 2);
    if (!stays) misses_.erase(node);  // whoever comes back begins anew
    return stays;
  };
  const auto tell = [&](const NodeName& name, std::size_t behind) {
    context.events.say(SilentNodeKept{name, misses_[name.guid].count, limit, behind});
    picture.problems.push_back(text(name) + " does not answer; it is kept as it was");
  };
  for (std::uint32_t n = 0; n < now.size(); ++n) {
    const auto known = before.observation.find(now[{n}].info.node_guid);
    if (!known || !has_gaps(now[{n}]) || has_gaps(before.observation[*known])) continue;
    if (!endures_again(now[{n}].info.node_guid)) continue;
    fill(now.change(ObservedIndex{n}), before.observation[*known]);
    tell(picture.name(ObservedIndex{n}), 0);
  }
  const auto answering = static_cast<std::uint32_t>(now.size());
  Takeover takeover(before.observation, now);
  for (std::uint32_t n = 0; n < answering; ++n) {
    for (std::size_t p = 1; p < now[{n}].ports.size(); ++p) {
      const ObservedEnd end{{n}, {static_cast<std::uint8_t>(p)}};
      const bool looks = now[{n}].is_switch() || picture.own == end;
      if (!looks || !is_silent(now, end)) continue;
      const auto lost = takeover.behind(end);
      if (!lost) continue;
      const std::size_t kept = takeover.collect(end, *lost, [&](const ObservedNode& node) {
        return !has_gaps(node) && endures_again(node.info.node_guid);
      });
      if (kept > 0) tell(before.name(lost->node), kept - 1);
    }
  }
  give_devices(context, takeover.carry_out());
}

}  // namespace heddle::sm
