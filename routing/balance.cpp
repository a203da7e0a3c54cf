// SPDX-License-Identifier: BSD-3-Clause
#include "routing/balance.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <unordered_map>
#include <utility>

#include "base/spares.hpp"
#include "routing/cheapest_first.hpp"
#include "routing/column_buffer.hpp"
#include "routing/companies.hpp"
#include "routing/counter_rows.hpp"
#include "routing/destinations.hpp"
#include "routing/lone_lids.hpp"
#include "routing/port_costs.hpp"
#include "routing/relief.hpp"
#include "routing/target_order.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

// Choices: to look at each of them is faster than any order.
constexpr std::size_t kFew = 5;

// Some destinations of one switch, which are routed together.
struct Visit {
  SwitchIndex target{};
  std::uint32_t first = 0, count = 0;  // into by_switch of the target
  bool is_lone = false;                // one LID for LoneLids, as are its neighbours in the batch
};

// All that batches share and do not change.
struct Plan {
  Plan(const Request& request, const CompactChannels& all_channels);
  Destinations destinations;
  std::vector<std::uint32_t> system;  // by switch; equal for one chassis
  const CompactChannels& channels;
  std::vector<std::uint8_t> counts_for;  // by channel: what a packet does in loads
  std::vector<std::uint8_t> with_kin;    // by switch, for Companies
  std::vector<std::uint32_t> subtree;    // by switch, as in TargetOrder
  std::vector<Visit> visits;             // in the order they are dealt to ports
  std::vector<std::size_t> first;        // batch b is [first[b], first[b + 1]) of visits
  std::vector<std::uint64_t> identity;   // by switch, for what is drawn
  std::vector<std::size_t> turns;        // batches, in the order threads shall take them
  std::uint32_t scatter = 0;
  bool shifts = false;
  bool ordered = false;   // by the operator
  bool all_alike = true;  // no channel counts for more or less than another

  std::span<const Destination> of(const Visit& visit) const {
    return std::span(destinations.by_switch[visit.target.value]).subspan(visit.first, visit.count);
  }
  // Neither by lot nor in an order of the operator's.
  bool deals_by_load() const { return scatter == 0 && !ordered; }
  // The end of the visits from this one on that are lone, or are not, as this one.
  std::size_t end_of_stretch(std::size_t visit, std::size_t end) const {
    const bool lone = visits[visit].is_lone;
    while (visit < end && visits[visit].is_lone == lone) ++visit;
    return visit;
  }

 private:
  void visit_in_order(const Request& request, const TargetOrder& order);
  void order_batches();
  void weigh_channels(const Request& request);
  void add_visits(SwitchIndex target, std::uint32_t begin);
  void find_lone_ones();
};

Plan::Plan(const Request& request, const CompactChannels& all_channels)
    : destinations(request.topology, request.lids), channels(all_channels) {
  scatter = request.options.scatter_ports;
  shifts = request.options.port_shifting;
  TargetOrder order = order_targets(request.topology, destinations.hosts);
  visit_in_order(request, order);
  order_batches();
  weigh_channels(request);
  subtree = std::move(order.subtree);
  std::unordered_map<mad::Guid, std::uint32_t> known;
  known.reserve(request.topology.switch_count());
  for (std::uint32_t s = 0; s < request.topology.switch_count(); ++s) {
    const auto& node = request.topology.node(SwitchIndex{s});
    const bool alone = node.system_image_guid == mad::Guid{};
    const mad::Guid guid = alone ? node.guid : node.system_image_guid;
    system.push_back(known.emplace(guid, static_cast<std::uint32_t>(known.size())).first->second);
    identity.push_back(node.guid.value);
  }
  find_lone_ones();
  with_kin = Companies::with_kin(request.topology, kFew + 1);
}

// Those of the operator's order first, neighbours of one switch together; then switch by switch.
// With such an order there is one batch: batches do not see each other's loads.
void Plan::visit_in_order(const Request& request, const TargetOrder& order) {
  std::vector<std::uint32_t> listed(destinations.by_switch.size());
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
    const auto begin = destinations.by_switch[at].begin() + listed[at];
    const auto found = std::find_if(begin, destinations.by_switch[at].end(),
                                    [&](const Destination& to) { return to.base == base; });
    if (found == destinations.by_switch[at].end()) continue;  // without a LID, or listed twice
    std::rotate(begin, found, found + 1);
    const bool goes_on = !visits.empty() && visits.back().target == place->at;
    if (!goes_on) visits.push_back({place->at, listed[at], 0});
    ++visits.back().count;
    ++listed[at];
  }
  ordered = !visits.empty();
  first.push_back(0);
  for (std::size_t batch = 0; batch < order.batch_count(); ++batch) {
    for (std::size_t i = order.first[batch]; i < order.first[batch + 1]; ++i) {
      add_visits(order.targets[i], listed[order.targets[i].value]);
    }
    if (!ordered || batch + 1 == order.batch_count()) first.push_back(visits.size());
  }
}

// From that one of the destinations there on. The switch's own LID gets a visit to itself: beside
// those of hosts it would count for nothing, and all switches' would go by the same port.
void Plan::add_visits(SwitchIndex target, std::uint32_t begin) {
  const auto all = static_cast<std::uint32_t>(destinations.by_switch[target.value].size());
  const std::uint32_t own = destinations.hosts[target.value];
  if (!ordered && begin < own && own < all) {
    visits.push_back({target, begin, own - begin});
    begin = own;
  }
  if (begin < all) visits.push_back({target, begin, all - begin});
}

// However many threads share the batches, each beginning with a range of these: every half of them
// has as many LIDs, and every half of a half. So those of the most LIDs go to the places whose
// bits, the last one first, count up.
void Plan::order_batches() {
  const std::size_t count = first.size() - 1;
  std::vector<std::pair<std::size_t, std::size_t>> by_lids;  // the most of them first
  for (std::size_t batch = 0; batch < count; ++batch) {
    std::size_t lids = 0;
    for (std::size_t i = first[batch]; i < first[batch + 1]; ++i) lids += visits[i].count;
    by_lids.emplace_back(~lids, batch);
  }
  std::sort(by_lids.begin(), by_lids.end());
  const auto bits = static_cast<unsigned>(std::bit_width(count));
  for (std::size_t place = 0; place < std::size_t{1} << bits; ++place) {
    std::size_t turned = 0;
    for (unsigned bit = 0; bit < bits; ++bit) turned |= (place >> bit & 1) << (bits - 1 - bit);
    if (turned < count) turns.push_back(by_lids[turned].second);
  }
}

void Plan::weigh_channels(const Request& request) {
  const auto& topology = request.topology;
  counts_for.assign(channels.count(), 1);
  if (request.options.avoid_throttled_links) counts_for = channels.slowness(topology);
  for (const auto& [node, port] : request.options.uncounted_ports) {
    const auto at = topology.find_node(node);
    if (!at || !topology.is_switch(*at)) continue;
    for (std::uint32_t c = channels.first[at->value]; c < channels.first[at->value + 1]; ++c) {
      if (channels.out[c] == port.value) counts_for[c] = 0;
    }
  }
  all_alike =
      std::all_of(counts_for.begin(), counts_for.end(), [](std::uint8_t one) { return one == 1; });
}

// They come last in their batch, so that many are dealt at once. Few are not worth a walk of their
// own.
void Plan::find_lone_ones() {
  constexpr std::ptrdiff_t kWorthIt = 8;
  if (ordered) return;
  const bool dealt_at_once = all_alike && scatter == 0 && !shifts;
  const auto has_no_host = [this](const Visit& visit) { return !of(visit).front().is_host(); };
  const auto at = [&](std::size_t i) { return visits.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t batch = 0; batch + 1 < first.size(); ++batch) {
    const auto end = at(first[batch + 1]);
    const auto lone = std::stable_partition(at(first[batch]), end, std::not_fn(has_no_host));
    const bool worth_it = dealt_at_once && end - lone >= kWorthIt;
    std::for_each(lone, end,
                  [&](Visit& visit) { visit.is_lone = worth_it && of(visit).front().lmc == 0; });
  }
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
  Balancer(const Plan& plan, std::size_t batch, fabric::ForwardingTables& tables)
      : plan_(plan),
        tables_(tables),
        widest_(widest(plan, batch)),
        pitch_(row_width(widest_)),
        chosen_(lids(plan, batch), plan.destinations.hosts.size(), widest_),
        costs_(plan.channels),
        companies_(plan.channels, plan.destinations.hosts, plan.with_kin, costs_),
        traffic_(pitch_ * plan.destinations.hosts.size()),
        own_(pitch_),
        system_uses_(plan.destinations.hosts.size()),
        switch_uses_(plan.destinations.hosts.size()) {}

  // number: of the visit, among all.
  void route_to(std::size_t number, const Ways& ways) {
    const Visit& visit = plan_.visits[number];
    to_ = plan_.of(visit);
    if (to_.front().is_host()) enter_subtree(plan_.subtree[visit.target.value]);
    shift_ = plan_.shifts ? number : 0;
    width_ = lid_count(to_);
    plain_ = plan_.all_alike && plan_.scatter == 0 && shift_ == 0 && width_ == to_.size();
    carries_ = false;
    auto own = own_.begin();
    for (const Destination& to : to_) {
      own = std::fill_n(own, to.lid_count(), to.is_host() ? kAllBits : std::uint16_t{0});
      carries_ = carries_ || to.is_host();
    }
    std::fill(own, own_.end(), std::uint16_t{0});
    own_columns_ = static_cast<std::size_t>(std::count(own_.begin(), own_.end(), kAllBits));
    own_first_ = width_ - own_columns_ <= 1 && (own_columns_ == width_ || own_[own_columns_] == 0);
    chosen_.begin(width_, tables_);
    meet(visit.target, ways.size() == plan_.destinations.hosts.size());
    if (ways.size() < plan_.destinations.hosts.size()) chosen_.clear();
    ways.farthest_first(
        [this](SwitchIndex at, std::span<const std::uint8_t> choices) { forward(at, choices); });
    add_for_followers();
    forget_traffic(visit.target);
    arrive(visit.target);
  }

  // At most kLanes visits to lone LIDs, from that number on. offers: by channel.
  void route_to_lone_ones(std::size_t number, std::size_t count,
                          std::span<const WayFinder::Lanes> offers) {
    part();
    std::array<std::uint16_t, WayFinder::kLanes> lids;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const Visit& visit = plan_.visits[number + lane];
      lids[lane] = plan_.of(visit).front().base.value;
      tables_.row(visit.target)[lids[lane]] = 0;
    }
    for (std::uint32_t s = 0; s < plan_.destinations.hosts.size(); ++s) {
      const std::uint32_t first = plan_.channels.first[s];
      const std::uint8_t* out = plan_.channels.out.data() + first;
      std::uint8_t* row = tables_.row(SwitchIndex{s}).data();
      lone_lids_.deal(offers.subspan(first, plan_.channels.first[s + 1] - first),
                      costs_.at(SwitchIndex{s}),
                      [&](std::size_t lane, std::size_t p) { row[lids[lane]] = out[p]; });
    }
  }

  // Once all targets of the batch are routed.
  void finish() { chosen_.flush(tables_); }

 private:
  static constexpr std::uint16_t kAllBits = 0xFFFF;

  // Those that go through chosen_.
  static std::vector<std::uint16_t> lids(const Plan& plan, std::size_t batch) {
    std::vector<std::uint16_t> all;
    for (std::size_t i = plan.first[batch]; i < plan.first[batch + 1]; ++i) {
      if (plan.visits[i].is_lone) continue;
      for (const Destination& to : plan.of(plan.visits[i])) {
        for (unsigned n = 0; n < to.lid_count(); ++n) {
          all.push_back(static_cast<std::uint16_t>(to.base.value + n));
        }
      }
    }
    return all;
  }
  static std::size_t widest(const Plan& plan, std::size_t batch) {
    std::size_t width = 0;
    for (std::size_t i = plan.first[batch]; i < plan.first[batch + 1]; ++i) {
      width = std::max(width, lid_count(plan.of(plan.visits[i])));
    }
    return width;
  }
  static std::size_t lid_count(std::span<const Destination> destinations) {
    std::size_t count = 0;
    for (const Destination& to : destinations) count += to.lid_count();
    return count;
  }

  void arrive(SwitchIndex target) {
    std::uint8_t* chosen = chosen_.at(target);
    for (const Destination& to : to_) {
      chosen = std::fill_n(chosen, to.lid_count(), to.out.value);
    }
  }

  void enter_subtree(std::uint32_t subtree) {
    if (subtree == subtree_) return;
    subtree_ = subtree;
    costs_.begin_subtree();
  }

  // Switches deal in company where they deal several LIDs, and all of them do.
  void meet(SwitchIndex target, bool all_deal) {
    companies_.begin_target(target);
    if (!all_deal || !plain_ || width_ == 1) return part();
    if (!met_) companies_.gather();
    met_ = true;
  }
  void part() {
    if (met_) companies_.disband();
    met_ = false;
  }

  // By position, of a switch that deals on its own.
  Cost* costs_at(SwitchIndex at) {
    companies_.leave(at);
    return costs_.at(at);
  }
  std::uint16_t* traffic_at(std::uint32_t at) { return traffic_.data() + at * pitch_; }

  // What comes from farther away, and from the hosts here.
  const std::uint16_t* all_traffic(SwitchIndex at) {
    std::uint16_t* traffic = traffic_at(at.value);
    const auto hosts = static_cast<std::uint16_t>(plan_.destinations.hosts[at.value]);
    if (hosts == 0) return traffic;
    for (std::size_t column = 0; column < pitch_; ++column) {
      traffic[column] = static_cast<std::uint16_t>(traffic[column] + (own_[column] & hosts));
    }
    return traffic;
  }
  bool brings_nothing(SwitchIndex at) {
    const std::uint16_t* traffic = traffic_at(at.value);
    std::uint16_t any = 0;
    for (std::size_t column = 0; column < pitch_; ++column)
      any = static_cast<std::uint16_t>(any | traffic[column]);
    return any == 0;
  }
  // Done with it; the next target finds nothing but zeros.
  void forget_traffic(SwitchIndex at) {
    if (carries_) clear_row(traffic_at(at.value), pitch_);
  }

  // Mostly as many as a switch has hosts, which are too few for a call.
  static void fill_few(std::uint8_t* to, std::size_t count, std::uint8_t value) {
    constexpr std::size_t kWord = 8;
    if (count < kWord) {
      for (std::size_t i = 0; i < count; ++i) to[i] = value;
      return;
    }
    for (std::size_t i = 0; i + kWord < count; i += kWord) std::fill_n(to + i, kWord, value);
    std::fill_n(to + count - kWord, kWord, value);
  }

  // Down in a tree there is nothing to choose, and nothing but sums to make.
  void forward_by(SwitchIndex at, std::size_t position) {
    const std::size_t channel = plan_.channels.first[at.value] + position;
    fill_few(chosen_.at(at), width_, plan_.channels.out[channel]);
    Cost* const costs = costs_at(at);
    const std::uint32_t sum = carries_ ? pass_on(at, plan_.channels.to[channel]) : 0;
    const Cost rise = (kWeightInSubtree * sum << kLoadShift) + width_ * kOneLid;
    costs[position] += plan_.counts_for[channel] * rise;
  }

  // Returns how much it is.
  std::uint32_t pass_on(SwitchIndex at, std::uint32_t next) {
    const std::uint16_t* traffic = all_traffic(at);
    std::uint16_t* there = traffic_at(next);
    std::uint32_t sum = 0;
    for (std::size_t column = 0; column < pitch_; ++column) {
      there[column] = static_cast<std::uint16_t>(there[column] + traffic[column]);
      sum += traffic[column];
    }
    forget_traffic(at);
    return sum;
  }

  // LIDs to which no host sends are spread like others, where they are by themselves.
  Cost rise(std::uint32_t traffic) const { return carries_ ? cost_of_one_more(traffic) : kOneLid; }

  // One LID and nothing special: the cheapest is all that is asked for.
  void forward_one(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_at(at);
    const std::size_t position = cheapest(costs, choices) & kPosition;
    const std::uint16_t traffic = carries_ ? all_traffic(at)[0] : std::uint16_t{0};
    costs[position] += after_target(rise(traffic));
    std::uint16_t& there = *traffic_at(plan_.channels.to[first + position]);
    there = static_cast<std::uint16_t>(there + traffic);
    *chosen_.at(at) = plan_.channels.out[first + position];
    forget_traffic(at);
  }

  static Cost cheapest(const Cost* costs, std::span<const std::uint8_t> choices) {
    if (!is_run(choices)) {
      Cost least = kNoCost;
      for (const std::uint8_t choice : choices) least = std::min(least, costs[choice]);
      return least;
    }
    // Two at a time, as one would have to wait for the one before.
    const Cost* first = costs + choices.front();
    const std::size_t half = choices.size() / 2;
    Cost a = first[choices.size() - 1], b = a;
    for (std::size_t i = 0; i < half; ++i) {
      a = std::min(a, first[i]);
      b = std::min(b, first[half + i]);
    }
    return std::min(a, b);
  }

  // Several LIDs, but so few choices that looking at each is faster than any order.
  void forward_several_by_few(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_at(at);
    std::array<Cost, kFew> cost;  // the choice instead of the position
    for (std::size_t i = 0; i < choices.size(); ++i) cost[i] = (costs[choices[i]] & ~kPosition) | i;
    std::uint8_t* chosen = chosen_.at(at);
    const std::uint16_t* traffic = all_traffic(at);
    for (std::size_t column = 0; column < width_; ++column) {
      Cost least = cost[0];
      for (std::size_t i = 1; i < choices.size(); ++i) least = std::min(least, cost[i]);
      const std::size_t choice = least & kPosition;
      const std::size_t channel = first + choices[choice];
      std::uint16_t& there = traffic_at(plan_.channels.to[channel])[column];
      there = static_cast<std::uint16_t>(there + traffic[column]);
      chosen[column] = plan_.channels.out[channel];
      cost[choice] += cost_of_one_more(traffic[column]);
    }
    for (std::size_t i = 0; i < choices.size(); ++i) {
      Cost& before = costs[choices[i]];
      before += after_target((cost[i] & ~kPosition) - (before & ~kPosition));
    }
    forget_traffic(at);
  }

  // Several LIDs and nothing special.
  void forward_several(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::span<const std::uint16_t> traffic(traffic_at(at.value), pitch_);
    Companies::Company* company = companies_.of(at, choices, traffic);
    if (company == nullptr) {
      deal_alone(at, choices);
    } else if (companies_.has_dealt(*company)) {
      chosen_.copy(company->dealer, at);
      follow(companies_.number_of(at));
    } else {
      companies_.deal_for(*company, at, traffic);
      deal_for_all(at, *company);
    }
    forget_traffic(at);
  }

  // What a member brings goes where no member is. So it is added for all of them that come one
  // after another, before anybody else asks what has come.
  void follow(std::uint32_t company) {
    if (followed_ != company) add_for_followers();
    followed_ = company;
    ++followers_;
  }
  void add_for_followers() {
    if (followers_ == 0) return;
    for (const auto& [place, load] : companies_.numbered(followed_).loads) {
      add_to(traffic_[place], static_cast<std::uint16_t>(load * followers_));
    }
    followers_ = 0;
  }

  void deal_alone(SwitchIndex at, std::span<const std::uint8_t> choices) {
    const std::uint32_t first = plan_.channels.first[at.value];
    const Outlets outlets{plan_.channels.out.data() + first, plan_.channels.to.data() + first};
    std::uint16_t* all = traffic_.data();
    deal(at, costs_.in_order(at, choices), outlets,
         [all](std::size_t place, std::uint16_t load) { add_to(all[place], load); });
  }

  void deal_for_all(SwitchIndex at, Companies::Company& company) {
    auto& costs = company.costs.in_order;
    std::uint16_t* all = traffic_.data();
    deal(at, std::span(costs).first(costs.size() - 1), {company.out.data(), company.to.data()},
         [all, &company](std::size_t place, std::uint16_t load) {
           add_to(all[place], load);
           company.loads.emplace_back(static_cast<std::uint32_t>(place), load);
         });
  }

  static void add_to(std::uint16_t& there, std::uint16_t load) {
    there = static_cast<std::uint16_t>(there + load);
  }

  // Where ports are and lead to, by what the costs have for a position.
  struct Outlets {
    const std::uint8_t* out;
    const std::uint32_t* leads;
  };
  template <class AddLoad>
  void deal(SwitchIndex at, std::span<Cost> costs, Outlets outlets, AddLoad add_load) {
    std::uint8_t* chosen = chosen_.at(at);
    const std::size_t pitch = pitch_;
    const auto send = [=](std::size_t column, std::size_t position) {
      chosen[column] = outlets.out[position];
    };
    const auto load = [=](std::size_t column, std::size_t position, std::uint16_t traffic) {
      add_load(outlets.leads[position] * pitch + column, traffic);
    };
    const auto hosts = static_cast<std::uint16_t>(plan_.destinations.hosts[at.value]);
    if (own_first_ && hosts != 0 && brings_nothing(at) &&
        CheapestFirst::takes_turns(costs.data(), costs.size(), hosts)) {
      dealer_.deal_alike(costs.data(), costs.size(), hosts, own_columns_, width_ > own_columns_,
                         send, load);
    } else {
      dealer_.deal(costs.data(), costs.size(), all_traffic(at), width_, send, load);
    }
  }

  void forward(SwitchIndex at, std::span<const std::uint8_t> choices) {
    if (companies_.number_of(at) != followed_) add_for_followers();
    if (choices.size() == 1) return forward_by(at, choices.front());
    if (plain_ && width_ == 1) return forward_one(at, choices);
    if (plain_ && choices.size() <= kFew) return forward_several_by_few(at, choices);
    if (plain_) return forward_several(at, choices);
    const std::uint32_t first = plan_.channels.first[at.value];
    Cost* costs = costs_at(at);
    ports_ = plan_.channels.first[at.value + 1] - first;
    here_ = {all_traffic(at), chosen_.at(at), plan_.counts_for.data() + first,
             plan_.channels.to.data() + first, plan_.channels.out.data() + first};
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
      if (to.lmc == 0 && plan_.scatter != 0) {
        send(column, drawn(at, column));
        ++column;
      } else if (to.lmc == 0) {
        put_first_in_its_place(send(column++, 0));
      } else {
        send_by_different(at, to, column);
        column += to.lid_count();
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t position = position_of(i);
      costs[position] += after_target((cost_[i] & ~kPosition) - (costs[position] & ~kPosition));
    }
    forget_traffic(at);
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
    return draw(plan_.scatter, plan_.identity[at.value], chosen_.lids()[column],
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

  void send_by_different(SwitchIndex at, const Destination& to, std::size_t column) {
    forget_uses(at);
    for (unsigned i = 0; i < to.lid_count(); ++i) {
      const std::size_t chosen = most_different(at, column + i);
      send(column + i, chosen);
      note_use(at, chosen);
    }
    if (plan_.scatter == 0) sort_by_cost();
  }

  // Returns the traffic that the LID brings.
  std::uint32_t send(std::size_t column, std::size_t choice) {
    const std::size_t position = position_of(choice);
    const std::uint16_t traffic = here_.traffic[column];
    cost_[choice] += here_.counts_for[position] * rise(traffic);
    std::uint16_t& there = traffic_at(here_.to[position])[column];
    there = static_cast<std::uint16_t>(there + traffic);
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
  fabric::ForwardingTables& tables_;
  std::size_t widest_;   // visit of the batch: LIDs
  std::size_t pitch_;    // of the rows of traffic_
  ColumnBuffer chosen_;  // the ports to leave by
  PortCosts costs_;
  Companies companies_;
  bool met_ = false;  // there may be some
  // Members of one company that have done as its dealer did, and brought nothing yet.
  std::uint32_t followed_ = Companies::kNone, followers_ = 0;
  std::uint32_t subtree_ = 0xFFFF'FFFF;  // of the latest target with hosts
  std::vector<std::uint16_t> traffic_;   // by (switch, column): hosts behind it, for this target
  std::vector<std::uint16_t> own_;       // by column: all bits, if hosts send to it
  std::size_t own_columns_ = 0;          // how many these are
  bool own_first_ = false;               // and after them comes one at most
  bool carries_ = false;                 // if they do to any
  std::size_t width_ = 0;                // LIDs of this visit
  CheapestFirst dealer_;
  LoneLids lone_lids_;
  std::span<const Destination> to_;  // of this visit
  bool plain_ = false;               // it asks for nothing but the cheapest port
  // What sending from the switch in hand needs, at hand: by column, and by position.
  struct Here {
    const std::uint16_t* traffic = nullptr;
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

// Routes batches. Holds scratch memory: one per thread.
class Worker {
 public:
  Worker(const Plan& plan, const MakeWayFinder& make_finder, fabric::ForwardingTables& tables)
      : plan_(plan), tables_(tables), finder_(make_finder()), offers_(plan.channels.count()) {}

  void route(std::size_t batch) {
    Balancer balancer(plan_, batch, tables_);
    const std::size_t end = plan_.first[batch + 1];
    for (std::size_t i = plan_.first[batch], next = i; i < end; i = next) {
      next = plan_.end_of_stretch(i, end);
      targets_.clear();
      for (std::size_t k = i; k < next; ++k) targets_.push_back(plan_.visits[k].target);
      if (plan_.visits[i].is_lone) {
        route_together(i, balancer);
      } else {
        finder_->expect(targets_);
        for (std::size_t k = i; k < next; ++k) {
          balancer.route_to(k, finder_->toward(plan_.visits[k].target));
        }
      }
    }
    balancer.finish();
  }

 private:
  void route_together(std::size_t first, Balancer& balancer) {
    for (std::size_t i = 0; i < targets_.size(); i += WayFinder::kLanes) {
      const std::size_t count = std::min(targets_.size() - i, WayFinder::kLanes);
      finder_->offer(std::span(targets_).subspan(i, count), plan_.channels, offers_);
      balancer.route_to_lone_ones(first + i, count, offers_);
    }
  }

  const Plan& plan_;
  fabric::ForwardingTables& tables_;
  std::unique_ptr<WayFinder> finder_;
  std::vector<SwitchIndex> targets_;      // of the stretch in hand
  std::vector<WayFinder::Lanes> offers_;  // by channel: to such as are lone
};

void even_out(const Plan& plan, WayFinder& finder, fabric::ForwardingTables& tables) {
  if (plan.all_alike) {
    relieve(plan.channels, plan.destinations, finder, tables);
  } else {
    CompactChannels counted = plan.channels;
    counted.counts_for = plan.counts_for;
    relieve(counted, plan.destinations, finder, tables);
  }
}

}  // namespace

fabric::ForwardingTables balanced_tables(const Request& request, const CompactChannels& channels,
                                         const MakeWayFinder& make_finder) {
  const Plan plan(request, channels);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top(),
                                  request.parallel);
  base::Spares<Worker> workers;
  const auto make = [&] { return std::make_unique<Worker>(plan, make_finder, tables); };
  request.parallel(plan.turns.size(), [&](std::size_t begin, std::size_t end) {
    workers.borrow(make, [&](Worker& worker) {
      for (std::size_t turn = begin; turn < end; ++turn) worker.route(plan.turns[turn]);
    });
  });
  if (plan.deals_by_load()) even_out(plan, *make_finder(), tables);
  return tables;
}

}  // namespace heddle::routing
