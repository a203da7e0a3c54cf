// SPDX-License-Identifier: BSD-3-Clause
#include "routing/balance.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "routing/destinations.hpp"
#include "routing/target_order.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// The cost of a port for the next LID: its load in the upper bits (hosts times LIDs, times the
// slowness of its link), its LIDs in the next 16, its position in the lowest 8, so that one
// comparison decides. A port that was skipped for one target, because a link is lost somewhere,
// should not get two of the next one's LIDs instead: all other switches skipped it too, and
// together they would overload a single link down there. So what went to the same target weighs
// most, then what went to its subtree, and an old debt least.
using Cost = std::uint64_t;
constexpr unsigned kPositionBits = 8;
constexpr unsigned kLoadShift = 24;
constexpr Cost kPosition = (Cost{1} << kPositionBits) - 1;
constexpr Cost kLoad = ~Cost{0} << kLoadShift;
constexpr Cost kWeightInAll = 1;
constexpr Cost kWeightInSubtree = 9;  // or more than an old debt
constexpr Cost kWeightInTarget = 36;  // or more than that; four times, for cheap division

Cost cost_of_one_more(std::uint32_t traffic) {
  return kWeightInTarget * traffic << kLoadShift | Cost{1} << kPositionBits;
}
// What is left of a rise once the next target is routed.
Cost after_target(Cost rise) {
  return (rise & kLoad) / (kWeightInTarget / kWeightInSubtree) + (rise & ~kLoad);
}
// And of a cost once the next subtree is.
Cost after_subtree(Cost at_its_beginning, Cost cost) {
  const Cost before = at_its_beginning >> kLoadShift;
  const Cost rise = (cost >> kLoadShift) - before;
  return (before + rise / (kWeightInSubtree / kWeightInAll)) << kLoadShift | (cost & ~kLoad);
}

// Some destinations of one switch, which are routed together.
struct Visit {
  SwitchIndex target{};
  std::uint32_t first = 0, count = 0;  // into by_switch of the target
};

// All that batches share and do not change.
struct Plan {
  explicit Plan(const Request& request);
  std::vector<std::vector<Destination>> by_switch;
  std::vector<std::uint32_t> hosts;   // by switch
  std::vector<std::uint32_t> system;  // by switch; equal for one chassis
  CompactChannels channels;
  std::vector<std::uint32_t> subtree;   // by switch, as in TargetOrder
  std::vector<Visit> visits;            // in the order they are dealt to ports
  std::vector<std::size_t> first;       // batch b is [first[b], first[b + 1]) of visits
  std::vector<std::uint64_t> identity;  // by switch, for what is drawn
  std::uint32_t scatter = 0;
  bool shifts = false;
  bool all_alike = true;  // no channel counts for more or less than another

  std::span<const Destination> of(const Visit& visit) const {
    return std::span(by_switch[visit.target.value]).subspan(visit.first, visit.count);
  }

 private:
  void visit_in_order(const Request& request, const TargetOrder& order);
  void weigh_channels(const Request& request);
};

Plan::Plan(const Request& request) : channels(request.topology) {
  Destinations destinations(request.topology, request.lids);
  by_switch = std::move(destinations.by_switch);
  hosts = std::move(destinations.hosts);
  scatter = request.options.scatter_ports;
  shifts = request.options.port_shifting;
  TargetOrder order = order_targets(request.topology, hosts);
  visit_in_order(request, order);
  weigh_channels(request);
  subtree = std::move(order.subtree);
  std::map<mad::Guid, std::uint32_t> known;
  for (std::uint32_t s = 0; s < request.topology.switch_count(); ++s) {
    const auto& node = request.topology.node(SwitchIndex{s});
    const bool alone = node.system_image_guid == mad::Guid{};
    const mad::Guid guid = alone ? node.guid : node.system_image_guid;
    system.push_back(known.emplace(guid, static_cast<std::uint32_t>(known.size())).first->second);
    identity.push_back(node.guid.value);
  }
}

// Those of the operator's order first, neighbours of one switch together; then switch by switch.
// With such an order there is one batch: batches do not see each other's loads.
void Plan::visit_in_order(const Request& request, const TargetOrder& order) {
  std::vector<std::uint32_t> listed(by_switch.size());
  std::unordered_map<mad::Guid, fabric::PortIndex> port_of;
  if (!request.options.routing_order.empty()) {
    for (const fabric::PortIndex port : request.topology.endports()) {
      port_of.emplace(request.topology.port(port).guid, port);
    }
  }
  for (const mad::Guid guid : request.options.routing_order) {
    const auto port = port_of.find(guid);
    if (port == port_of.end()) continue;
    const auto place = request.topology.attachment(port->second);
    if (!place) continue;
    const std::uint32_t at = place->at.value;
    const auto base = request.lids.base(port->second);
    const auto begin = by_switch[at].begin() + listed[at];
    const auto found = std::find_if(begin, by_switch[at].end(),
                                    [&](const Destination& to) { return to.base == base; });
    if (found == by_switch[at].end()) continue;  // without a LID, or listed twice
    std::rotate(begin, found, found + 1);
    const bool goes_on = !visits.empty() && visits.back().target == place->at;
    if (!goes_on) visits.push_back({place->at, listed[at], 0});
    ++visits.back().count;
    ++listed[at];
  }
  const bool ordered = !visits.empty();
  first.push_back(0);
  for (std::size_t batch = 0; batch < order.batch_count(); ++batch) {
    for (std::size_t i = order.first[batch]; i < order.first[batch + 1]; ++i) {
      const SwitchIndex target = order.targets[i];
      const auto all = static_cast<std::uint32_t>(by_switch[target.value].size());
      const std::uint32_t begin = listed[target.value];
      if (begin < all) visits.push_back({target, begin, all - begin});
    }
    if (!ordered || batch + 1 == order.batch_count()) first.push_back(visits.size());
  }
}

void Plan::weigh_channels(const Request& request) {
  const auto& topology = request.topology;
  channels.counts_for.assign(channels.count(), 1);
  if (request.options.avoid_throttled_links) channels.weigh_slow_links(topology);
  for (const auto& [node, port] : request.options.uncounted_ports) {
    const auto at = topology.find_node(node);
    if (!at || !topology.is_switch(*at)) continue;
    for (std::uint32_t c = channels.first[at->value]; c < channels.first[at->value + 1]; ++c) {
      if (channels.out[c] == port.value) channels.counts_for[c] = 0;
    }
  }
  all_alike = std::all_of(channels.counts_for.begin(), channels.counts_for.end(),
                          [](std::uint8_t one) { return one == 1; });
}

// The same for the same draw wherever and whenever, so that a loss moves only what it must.
std::uint64_t draw(std::uint64_t seed, std::uint64_t at, std::uint64_t lid, std::uint64_t choice) {
  std::uint64_t mixed = (seed << 32 | lid << 8 | choice) ^ at;
  for (int round = 0; round < 2; ++round) {
    mixed = (mixed ^ mixed >> 31) * 0x9E37'79B9'7F4A'7C15;
  }
  return mixed ^ mixed >> 29;
}

// One batch of destination switches with its own counters, so that batches may run side by side.
class Balancer {
 public:
  Balancer(const Plan& plan, const fabric::Topology& topology, std::size_t batch)
      : plan_(plan), system_uses_(topology.switch_count()), switch_uses_(topology.switch_count()) {
    for (std::size_t i = plan.first[batch]; i < plan.first[batch + 1]; ++i) {
      for (const Destination& to : plan.of(plan.visits[i])) {
        for (unsigned n = 0; n < 1u << to.lmc; ++n) {
          lids_.push_back(static_cast<std::uint16_t>(to.base.value + n));
        }
      }
    }
    chosen_.assign(lids_.size() * topology.switch_count(), mad::kNoPortNumber.value);
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      const std::uint32_t ports = plan.channels.first[s + 1] - plan.channels.first[s];
      for (std::uint32_t position = 0; position < ports; ++position) costs_.push_back(position);
    }
    costs_before_ = costs_;
    ordered_.resize(topology.switch_count());
    order_.resize(costs_.size());
  }

  // number: of the visit, among all.
  void route_to(std::size_t number, const Ways& ways) {
    const Visit& visit = plan_.visits[number];
    if (plan_.hosts[visit.target.value] > 0) enter_subtree(plan_.subtree[visit.target.value]);
    to_ = plan_.of(visit);
    shift_ = plan_.shifts ? number : 0;
    width_ = 0;
    for (const Destination& to : to_) width_ += 1u << to.lmc;
    plain_ = plan_.all_alike && plan_.scatter == 0 && shift_ == 0 && width_ == to_.size();
    traffic_.assign(width_ * plan_.hosts.size(), 0);
    const auto& order = ways.nearest_first();
    for (std::size_t i = order.size(); i-- > 1;) forward(order[i], ways.choices(order[i]));
    arrive(visit.target);
    first_column_ += width_;
  }

  // Once all targets of the batch are routed. Whole rows at a time: LIDs scattered over the range
  // would otherwise cost a cache miss for every entry.
  void write(fabric::ForwardingTables& tables) const {
    for (std::uint32_t s = 0; s < plan_.hosts.size(); ++s) {
      const auto row = tables.row(SwitchIndex{s});
      const std::uint8_t* chosen = chosen_.data() + s * lids_.size();
      for (std::size_t i = 0; i < lids_.size(); ++i) row[lids_[i]] = chosen[i];
    }
  }

 private:
  std::uint8_t* chosen_at(SwitchIndex at) {
    return chosen_.data() + at.value * lids_.size() + first_column_;
  }

  void arrive(SwitchIndex target) {
    std::uint8_t* chosen = chosen_at(target);
    for (const Destination& to : to_) {
      chosen = std::fill_n(chosen, 1u << to.lmc, to.out.value);
    }
  }

  void enter_subtree(std::uint32_t subtree) {
    if (subtree == subtree_) return;
    subtree_ = subtree;
    for (std::size_t c = 0; c < costs_.size(); ++c) {
      costs_[c] = after_subtree(costs_before_[c], costs_[c]);
    }
    costs_before_ = costs_;
  }

  // Down in a tree there is nothing to choose, and nothing but sums to make.
  void forward_by(SwitchIndex at, std::size_t position) {
    const std::size_t channel = plan_.channels.first[at.value] + position;
    const std::uint32_t* brings = traffic_.data() + at.value * width_;
    std::uint32_t* there = traffic_.data() + plan_.channels.to[channel] * width_;
    const std::uint32_t hosts = plan_.hosts[at.value];
    std::size_t column = 0;
    std::uint64_t sum = 0;
    for (const Destination& to : to_) {
      const std::uint32_t own = to.out.value == 0 ? 0 : hosts;
      for (const std::size_t end = column + (1u << to.lmc); column < end; ++column) {
        there[column] += brings[column] + own;
        sum += brings[column] + own;
      }
    }
    std::fill_n(chosen_at(at), width_, plan_.channels.out[channel]);
    const Cost rise = (kWeightInSubtree * sum << kLoadShift) + (Cost{width_} << kPositionBits);
    costs_[channel] += plan_.channels.counts_for[channel] * rise;
  }

  // One LID and nothing special: the cheapest is all that is asked for.
  void forward_one(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_.data() + first;
    const std::size_t lowest = choices.front();
    Cost least = ~Cost{0};
    if (choices.back() - lowest + 1 == choices.size()) {
      for (std::size_t i = 0; i < choices.size(); ++i) least = std::min(least, costs[lowest + i]);
    } else {
      for (const std::uint8_t choice : choices) least = std::min(least, costs[choice]);
    }
    const std::size_t position = least & kPosition;
    const std::uint32_t hosts = to_.front().is_host() ? plan_.hosts[at.value] : 0;
    const std::uint32_t traffic = traffic_[at.value] + hosts;
    costs[position] += after_target(cost_of_one_more(traffic));
    traffic_[plan_.channels.to[first + position]] += traffic;
    *chosen_at(at) = plan_.channels.out[first + position];
  }

  // Several LIDs and nothing special.
  void forward_several(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_.data() + first;
    const std::uint32_t* leads = plan_.channels.to.data() + first;
    const std::uint8_t* out = plan_.channels.out.data() + first;
    const std::uint32_t* brings = traffic_.data() + at.value * width_;
    std::uint8_t* chosen = chosen_at(at);
    cost_ = scratch_.data();
    count_ = choices.size();
    const std::span<std::uint8_t> order = in_last_order(at, choices);
    for (std::size_t i = 0; i < count_; ++i) cost_[i] = costs[order[i]];
    sort_by_cost();
    for (std::size_t column = 0; column < width_; ++column) {
      const std::uint32_t hosts = to_[column].is_host() ? plan_.hosts[at.value] : 0;
      const std::uint32_t traffic = brings[column] + hosts;
      const std::size_t position = cost_[0] & kPosition;
      traffic_[leads[position] * width_ + column] += traffic;
      chosen[column] = out[position];
      cost_[0] += cost_of_one_more(traffic);
      put_first_in_its_place(traffic);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      order[i] = static_cast<std::uint8_t>(cost_[i] & kPosition);
      Cost& cost = costs[order[i]];
      cost += after_target(cost_[i] - cost);
    }
  }

  // The choices as they were when the last target was done, if they were the same: nearly sorted.
  std::span<std::uint8_t> in_last_order(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::span<std::uint8_t> order{order_.data() + plan_.channels.first[at.value],
                                        choices.size()};
    const bool is_run = choices.back() - choices.front() + 1u == choices.size();
    const Run run{choices.front(), is_run ? choices.size() : 0};
    if (run.count == 0 || run != ordered_[at.value]) {
      std::copy(choices.begin(), choices.end(), order.begin());
    }
    ordered_[at.value] = run;
    return order;
  }

  void forward(SwitchIndex at, std::span<const std::uint8_t> choices) {
    if (choices.size() == 1) return forward_by(at, choices.front());
    if (plain_ && width_ == 1) return forward_one(at, choices);
    if (plain_) return forward_several(at, choices);
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_.data() + first;
    ports_ = plan_.channels.first[at.value + 1] - first;
    here_ = {traffic_.data() + at.value * width_, chosen_at(at),
             plan_.channels.counts_for.data() + first, plan_.channels.to.data() + first,
             plan_.channels.out.data() + first};
    rotation_ = shift_ % ports_;
    cost_ = scratch_.data();
    count_ = choices.size();
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t turned = choices[i] + ports_ - rotation_;
      cost_[i] = (costs[choices[i]] & ~kPosition) | (turned < ports_ ? turned : turned - ports_);
    }
    if (plan_.scatter == 0) sort_by_cost();
    std::size_t column = 0;
    for (const Destination& to : to_) {
      const std::uint32_t hosts = to.is_host() ? plan_.hosts[at.value] : 0;
      if (to.lmc == 0 && plan_.scatter != 0) {
        send(column, drawn(at, column), hosts);
        ++column;
      } else if (to.lmc == 0) {
        put_first_in_its_place(send(column++, 0, hosts));
      } else {
        send_by_different(at, to, column, hosts);
        column += 1u << to.lmc;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t position = position_of(i);
      costs[position] += after_target((cost_[i] & ~kPosition) - (costs[position] & ~kPosition));
    }
  }

  std::size_t position_of(std::size_t choice) const {
    const std::size_t turned = (cost_[choice] & kPosition) + rotation_;
    return turned < ports_ ? turned : turned - ports_;
  }

  // The choice with the least number drawn.
  std::size_t drawn(SwitchIndex at, std::size_t column) const {
    std::size_t least = 0;
    for (std::size_t i = 1; i < count_; ++i) {
      if (draw_of(at, column, i) < draw_of(at, column, least)) least = i;
    }
    return least;
  }
  std::uint64_t draw_of(SwitchIndex at, std::size_t column, std::size_t choice) const {
    const std::size_t channel = plan_.channels.first[at.value] + position_of(choice);
    return draw(plan_.scatter, plan_.identity[at.value], lids_[first_column_ + column],
                plan_.channels.out[channel]);
  }

  // By insertion, as they are nearly in order.
  void sort_by_cost() {
    for (std::size_t i = 1; i < count_; ++i) {
      const Cost moved = cost_[i];
      std::size_t to = i;
      for (; to > 0 && cost_[to - 1] > moved; --to) cost_[to] = cost_[to - 1];
      cost_[to] = moved;
    }
  }

  // The cheapest stood first. What carries traffic goes near the end, so the window moves on by
  // one instead of all others moving back; what carries none stays near the front.
  void put_first_in_its_place(std::uint32_t traffic) {
    const Cost moved = cost_[0];
    std::size_t to = 0;
    if (traffic == 0) {
      for (; to + 1 < count_ && cost_[to + 1] < moved; ++to) cost_[to] = cost_[to + 1];
    } else {
      ++cost_;
      for (to = count_ - 1; to > 0 && cost_[to - 1] > moved; --to) cost_[to] = cost_[to - 1];
    }
    cost_[to] = moved;
  }

  void send_by_different(SwitchIndex at, const Destination& to, std::size_t column,
                         std::uint32_t hosts) {
    forget_uses(at);
    for (unsigned i = 0; i < 1u << to.lmc; ++i) {
      const std::size_t chosen = most_different(at, column + i);
      send(column + i, chosen, hosts);
      note_use(at, chosen);
    }
    if (plan_.scatter == 0) sort_by_cost();
  }

  // Returns the traffic that the LID brings.
  std::uint32_t send(std::size_t column, std::size_t choice, std::uint32_t hosts) {
    const std::size_t position = position_of(choice);
    const std::uint32_t traffic = here_.brings[column] + hosts;
    cost_[choice] += here_.counts_for[position] * cost_of_one_more(traffic);
    traffic_[here_.to[position] * width_ + column] += traffic;
    here_.chosen[column] = here_.out[position];
    return traffic;
  }

  std::uint32_t leads_to(SwitchIndex at, std::size_t choice) const {
    return plan_.channels.to[plan_.channels.first[at.value] + position_of(choice)];
  }

  void forget_uses(SwitchIndex at) {
    for (std::size_t i = 0; i < count_; ++i) {
      link_uses_[i] = 0;
      switch_uses_[leads_to(at, i)] = 0;
      system_uses_[plan_.system[leads_to(at, i)]] = 0;
    }
  }

  void note_use(SwitchIndex at, std::size_t chosen) {
    ++link_uses_[chosen];
    ++switch_uses_[leads_to(at, chosen)];
    ++system_uses_[plan_.system[leads_to(at, chosen)]];
  }

  std::size_t most_different(SwitchIndex at, std::size_t column) const {
    const auto sameness = [&](std::size_t i) {
      const std::uint32_t to = leads_to(at, i);
      const Cost last = plan_.scatter == 0 ? cost_[i] : draw_of(at, column, i);
      return std::array<Cost, 4>{system_uses_[plan_.system[to]], switch_uses_[to], link_uses_[i],
                                 last};
    };
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < count_; ++i) {
      if (sameness(i) < sameness(chosen)) chosen = i;
    }
    return chosen;
  }

  const Plan& plan_;
  std::vector<std::uint16_t> lids_;      // of the batch, in the order they are routed
  std::vector<std::uint8_t> chosen_;     // by (switch, place in lids_): the port to leave by
  std::size_t first_column_ = 0;         // of the target in hand, in lids_
  std::vector<Cost> costs_;              // by channel; the position is that at its switch
  std::vector<Cost> costs_before_;       // the same when this subtree began
  std::uint32_t subtree_ = 0xFFFF'FFFF;  // of the latest target with hosts
  std::vector<std::uint32_t> traffic_;   // by (switch, column): hosts behind it, for this target
  std::size_t width_ = 0;                // LIDs of this visit
  // What order_ holds of a switch: choices side by side; none if others.
  struct Run {
    std::uint8_t first = 0;
    std::size_t count = 0;
    bool operator==(const Run&) const = default;
  };
  std::vector<Run> ordered_;         // by switch
  std::vector<std::uint8_t> order_;  // by channel: positions, the cheapest of the last target first
  std::span<const Destination> to_;  // of this visit
  bool plain_ = false;               // it asks for nothing but the cheapest port
  // What sending from the switch in hand needs, at hand: by column, and by position.
  struct Here {
    const std::uint32_t* brings = nullptr;
    std::uint8_t* chosen = nullptr;
    const std::uint8_t* counts_for = nullptr;
    const std::uint32_t* to = nullptr;
    const std::uint8_t* out = nullptr;
  };
  Here here_;
  // Among equals the first is the one so many positions after the lowest: for this visit, and at
  // the switch in hand, which has so many.
  std::size_t shift_ = 0;
  std::size_t rotation_ = 0, ports_ = 1;
  std::array<Cost, 512> scratch_{};  // room for 254 choices and a window that moves 255 times
  Cost* cost_ = nullptr;             // of the choices at the switch in hand
  std::size_t count_ = 0;            // of these
  std::array<std::uint32_t, 256> link_uses_{};
  std::vector<std::uint32_t> system_uses_, switch_uses_;  // by system, by switch
};

}  // namespace

fabric::ForwardingTables balanced_tables(const Request& request, const MakeWayFinder& make_finder) {
  const Plan plan(request);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top());
  request.parallel(plan.first.size() - 1, [&](std::size_t begin, std::size_t end) {
    const auto finder = make_finder();
    std::vector<SwitchIndex> targets;
    for (std::size_t batch = begin; batch < end; ++batch) {
      Balancer balancer(plan, request.topology, batch);
      targets.clear();
      for (std::size_t i = plan.first[batch]; i < plan.first[batch + 1]; ++i) {
        targets.push_back(plan.visits[i].target);
      }
      finder->expect(targets);
      for (std::size_t i = plan.first[batch]; i < plan.first[batch + 1]; ++i) {
        balancer.route_to(i, finder->toward(plan.visits[i].target));
      }
      balancer.write(tables);
    }
  });
  return tables;
}

}  // namespace heddle::routing
