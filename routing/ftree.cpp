// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ftree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "routing/tree_distances.hpp"
#include "routing/tree_levels.hpp"
#include "routing/tree_pieces.hpp"
#include "routing/tree_shape.hpp"

namespace heddle::routing {
namespace {

using Group = TreeShape::Group;

constexpr std::uint8_t kNoPort = mad::kNoPortNumber.value;

// A port that owns LIDs. Places number the hosts of the fabric subtree by subtree, and from 0 again
// the switches; the formula takes them for the destination's number.
struct Destination {
  std::uint32_t place = 0;
  mad::Lid base{};
  std::uint8_t lmc = 0;
  mad::PortNumber out{};  // of the switch it hangs on; 0 for that switch itself
};

// All that the switches' tables are made from.
struct Plan {
  Plan(const Request& request, const TreeLevels& levels);

  // By switch: its hosts by place, its own LIDs last.
  std::vector<std::vector<Destination>> by_switch;
  // By switch: its hosts' LIDs ascend by one from place to place, and it has no others.
  std::vector<std::uint8_t> in_a_row;
  std::size_t host_count = 0;
  TreeShape shape;
  TreeDistances distances;
  // By switch: destination switches whose packets must take this group, (destination, group).
  std::vector<std::vector<std::pair<std::uint32_t, Group>>> bound;

 private:
  void collect_destinations(const Request& request, const TreeLevels& levels);
  void bind_ways_from_tops();
};

Plan::Plan(const Request& request, const TreeLevels& levels)
    : by_switch(request.topology.switch_count()),
      in_a_row(request.topology.switch_count()),
      shape(request.topology, levels.level),
      distances(shape, request.parallel),
      bound(request.topology.switch_count()) {
  collect_destinations(request, levels);
  bind_ways_from_tops();
}

void Plan::collect_destinations(const Request& request, const TreeLevels& levels) {
  for (const fabric::PortIndex endport : request.topology.endports()) {
    const auto range = request.lids.range(endport);
    const auto attachment = request.topology.attachment(endport);
    if (!attachment || range.base == mad::kNoLid) continue;
    by_switch[attachment->at.value].push_back({0, range.base, range.lmc, attachment->out});
  }
  std::uint32_t host = 0, place = 0;
  const auto hosts = count_hosts(request.topology);
  for (const auto at : order_by_subtree(request.topology, levels.level, hosts)) {
    auto& own = by_switch[at.value];
    // The switch itself, which has port 0, comes last.
    std::sort(own.begin(), own.end(), [](const Destination& a, const Destination& b) {
      return static_cast<std::uint8_t>(a.out.value - 1) <
             static_cast<std::uint8_t>(b.out.value - 1);
    });
    bool in_row = true;
    const Destination* before = nullptr;
    for (Destination& to : own) {
      if (to.out.value == 0) {
        to.place = place;
        continue;
      }
      to.place = host++;
      in_row &= to.lmc == 0 && (before == nullptr || before->base.value + 1 == to.base.value);
      before = &to;
    }
    in_a_row[at.value] = in_row && before != nullptr ? 1 : 0;
    ++place;
  }
  host_count = host;
}

// Where an island's top has no direct way to a switch, all switches without one come to the top,
// and from there a single way leads back along the order.
void Plan::bind_ways_from_tops() {
  for (std::uint32_t to = 0; to < shape.switch_count(); ++to) {
    const std::uint32_t top = shape.top_of_island(to);
    if (distances.direct(top)[to] != TreeDistances::kNoWay) continue;
    for (std::uint32_t at = to; at != top; at = shape.toward_top(at)) {
      const std::uint32_t before = shape.toward_top(at);
      bound[before].emplace_back(to, shape.toward(before, at));
    }
  }
}

// The table of one switch. Scratch memory: one per thread.
class Writer {
 public:
  explicit Writer(const Plan& plan)
      : plan_(plan), pattern_(std::max(plan.host_count, plan.shape.switch_count())) {}

  void write(std::uint32_t at, std::span<std::uint8_t> row) {
    at_ = at;
    row_ = row;
    divider_ = plan_.shape.divider(at);
    make_pattern();
    for (std::size_t first = 0; first < plan_.shape.switch_count();
         first += TreeDistances::kColumns) {
      find_nearer(first);
      const std::size_t left = plan_.shape.switch_count() - first;
      for (std::size_t i = 0; i < std::min(left, TreeDistances::kColumns); ++i) {
        send_to(static_cast<std::uint32_t>(first + i), i);
      }
    }
    for (const auto& [to, group] : plan_.bound[at]) send_down(to, std::span(&group, 1));
    arrive();
  }

 private:
  // By column: how many groups lead nearer, and the last of them.
  struct Nearer {
    std::array<std::uint8_t, TreeDistances::kColumns> count;
    std::array<std::uint8_t, TreeDistances::kColumns> last;
  };

  // What a row would be if every destination were reached by climbing any way.
  void make_pattern() {
    if (plan_.shape.up(at_).empty()) return;
    use_ways([](const Group&) { return true; });
    const std::size_t all = pattern_.size();
    const std::size_t turns = ways_.size() * plan_.shape.cables_up(at_);
    const std::size_t period = std::min(all, divider_ * turns);
    std::uint32_t turn = 0;
    for (std::size_t have = 0; have < period; ++turn) {
      const std::size_t more = std::min<std::size_t>(divider_, period - have);
      std::fill_n(pattern_.data() + have, more, port_of_turn(turn));
      have += more;
    }
    for (std::size_t have = period; have < all; have *= 2) {
      std::copy_n(pattern_.data(), std::min(have, all - have), pattern_.data() + have);
    }
    for (std::size_t place = 0; place < all; ++place) {
      if (pattern_[place] == kNoPort) {
        pattern_[place] = port_instead(static_cast<std::uint32_t>(place), 0);
      }
    }
  }

  // The ways up that may be taken, for port_for: all their ports, and where each turn leads.
  template <class IsTaken>
  void use_ways(IsTaken is_taken) {
    const auto groups = plan_.shape.up(at_);
    all_ports_.clear();
    const auto nominal = plan_.shape.ways_up(at_);
    ways_.assign(nominal.size(), nullptr);
    for (std::size_t i = 0; i < nominal.size(); ++i) {
      if (nominal[i] == TreeShape::kMissing || !is_taken(groups[nominal[i]])) continue;
      const Group& group = groups[nominal[i]];
      ways_[i] = &group;
      const auto ports = plan_.shape.ports(group);
      all_ports_.insert(all_ports_.end(), ports.begin(), ports.end());
    }
  }

  std::uint8_t port_of_turn(std::uint32_t turn) const {
    const auto count = static_cast<std::uint32_t>(ways_.size());
    const Group* group = ways_[turn % count];
    const std::uint32_t cable = turn / count % plan_.shape.cables_up(at_);
    if (group == nullptr || cable >= group->port_count) return kNoPort;
    return plan_.shape.ports(*group)[cable];
  }

  // For those whose turn leads nowhere. Each switch sends them elsewhere, or all of them together
  // would meet again on one link farther down.
  std::uint8_t port_instead(std::uint32_t place, std::uint32_t sibling) const {
    return all_ports_[(place + sibling + at_) % all_ports_.size()];
  }

  // The formula. Destinations that follow each other take the ways in turn; at the switches above,
  // where only some of them come by, the turn is as much slower. The LIDs of one port take
  // different ways as far down as there are some.
  std::uint8_t port_for(std::uint32_t place, std::uint32_t sibling) const {
    const std::uint8_t port = port_of_turn(place / divider_ + sibling / divider_);
    return port != kNoPort ? port : port_instead(place, sibling);
  }

  // Down there is one way almost always, but it may have several cables.
  std::uint8_t port_down(std::span<const Group> ways, std::uint32_t place,
                         std::uint32_t sibling) const {
    const std::uint32_t turn = place / divider_ + sibling / divider_;
    const auto count = static_cast<std::uint32_t>(ways.size());
    const auto ports = plan_.shape.ports(ways[turn % count]);
    return ports[turn / count % ports.size()];
  }

  void find_nearer(std::size_t first) {
    constexpr std::size_t kColumns = TreeDistances::kColumns;
    const std::uint8_t* descending = plan_.distances.descending(at_) + first;
    const std::uint8_t* direct = plan_.distances.direct(at_) + first;
    // Who can descend may do nothing else. 0: nothing is nearer than that.
    std::array<std::uint8_t, kColumns> down{}, up{};
    for (std::size_t i = 0; i < kColumns; ++i) {
      const bool descends = descending[i] != TreeDistances::kNoWay;
      down[i] = descends ? descending[i] : std::uint8_t{0};
      up[i] = direct[i] == TreeDistances::kNoWay ? std::uint8_t{0} : direct[i];
    }
    down_ = compare(plan_.shape.down(at_), down,
                    [&](std::uint32_t to) { return plan_.distances.descending(to) + first; });
    up_ = compare(plan_.shape.up(at_), up,
                  [&](std::uint32_t to) { return plan_.distances.direct(to) + first; });
  }

  template <class RowOf>
  static Nearer compare(std::span<const Group> groups,
                        const std::array<std::uint8_t, TreeDistances::kColumns>& than,
                        RowOf row_of) {
    Nearer nearer{};
    if (groups.empty()) return nearer;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const std::uint8_t* row = row_of(groups[k].to);
      const auto number = static_cast<std::uint8_t>(k);
      for (std::size_t i = 0; i < TreeDistances::kColumns; ++i) {
        const bool is_nearer = row[i] < than[i];
        nearer.count[i] = static_cast<std::uint8_t>(nearer.count[i] + (is_nearer ? 1 : 0));
        nearer.last[i] = is_nearer ? number : nearer.last[i];
      }
    }
    return nearer;
  }

  void send_to(std::uint32_t to, std::size_t column) {
    if (to == at_ || plan_.by_switch[to].empty()) return;
    const auto down = plan_.shape.down(at_);
    const auto up = plan_.shape.up(at_);
    if (down_.count[column] == 1) {
      send_down(to, down.subspan(down_.last[column], 1));
    } else if (down_.count[column] > 1) {
      send_down_nearer(to);
    } else if (up_.count[column] == up.size() && !up.empty()) {
      climb_any_way(to);
    } else if (up_.count[column] > 0) {
      const std::uint8_t than = plan_.distances.direct(at_)[to];
      use_ways([&](const Group& way) { return plan_.distances.direct(way.to)[to] < than; });
      climb(to);
    } else {
      const std::uint32_t next = plan_.shape.toward_top(at_);
      if (next == at_ || plan_.shape.island(to) != plan_.shape.island(at_)) return;
      send_down(to, std::span(&plan_.shape.toward(at_, next), 1));
    }
  }

  void send_down_nearer(std::uint32_t to) {
    const std::uint8_t than = plan_.distances.descending(at_)[to];
    nearer_.clear();
    for (const Group& group : plan_.shape.down(at_)) {
      if (plan_.distances.descending(group.to)[to] < than) nearer_.push_back(group);
    }
    send_down(to, nearer_);
  }

  void send_down(std::uint32_t to, std::span<const Group> ways) {
    if (ways.size() == 1 && ways.front().port_count == 1) {
      const std::uint8_t port = plan_.shape.ports(ways.front()).front();
      for (const Destination& one : plan_.by_switch[to]) {
        std::fill_n(row_.begin() + one.base.value, 1u << one.lmc, port);
      }
      return;
    }
    for (const Destination& one : plan_.by_switch[to]) {
      for_each_lid(one, [&](std::uint32_t sibling) { return port_down(ways, one.place, sibling); });
    }
  }

  void climb(std::uint32_t to) {
    for (const Destination& one : plan_.by_switch[to]) climb_to(one);
  }
  void climb_to(const Destination& one) {
    for_each_lid(one, [&](std::uint32_t sibling) { return port_for(one.place, sibling); });
  }

  void climb_any_way(std::uint32_t to) {
    const auto& destinations = plan_.by_switch[to];
    const bool own_lid = destinations.back().out.value == 0;
    const std::size_t hosts = destinations.size() - (own_lid ? 1 : 0);
    std::size_t done = 0;
    if (plan_.in_a_row[to] != 0) {
      const Destination& first = destinations.front();
      std::copy_n(pattern_.begin() + first.place, hosts, row_.begin() + first.base.value);
      done = hosts;
    }
    for (; done < destinations.size() && destinations[done].lmc == 0; ++done) {
      row_[destinations[done].base.value] = pattern_[destinations[done].place];
    }
    if (done == destinations.size()) return;
    use_ways([](const Group&) { return true; });
    for (; done < destinations.size(); ++done) climb_to(destinations[done]);
  }

  template <class PortOf>
  void for_each_lid(const Destination& to, PortOf port_of) {
    for (std::uint32_t sibling = 0; sibling < 1u << to.lmc; ++sibling) {
      row_[to.base.value + sibling] = port_of(sibling);
    }
  }

  void arrive() {
    for (const Destination& own : plan_.by_switch[at_]) {
      std::fill_n(row_.begin() + own.base.value, 1u << own.lmc, own.out.value);
    }
  }

  const Plan& plan_;
  std::uint32_t at_ = 0;
  std::span<std::uint8_t> row_;
  std::uint32_t divider_ = 1;
  std::vector<std::uint8_t> pattern_;  // out port by place
  Nearer down_{}, up_{};
  std::vector<const Group*> ways_;       // by turn; null: none to take
  std::vector<std::uint8_t> all_ports_;  // of these
  std::vector<Group> nearer_;
};

// Pairs of switches with hosts that no direct way joins.
std::size_t count_detours(const Plan& plan, const std::vector<std::uint32_t>& hosts) {
  std::size_t detours = 0;
  for (std::uint32_t from = 0; from < hosts.size(); ++from) {
    if (hosts[from] == 0) continue;
    const std::uint8_t* distance = plan.distances.direct(from);
    for (std::uint32_t to = 0; to < hosts.size(); ++to) {
      detours += distance[to] == TreeDistances::kNoWay && hosts[to] > 0 &&
                 plan.shape.island(from) == plan.shape.island(to);
    }
  }
  return detours;
}

}  // namespace

base::Result<Routes> FatTree::route(const Request& request) const {
  auto levels = find_levels(request.topology, request.options.root_guids);
  if (levels.has_error()) return levels.error();
  const Plan plan(request, *levels);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top());
  request.parallel(request.topology.switch_count(), [&](std::size_t begin, std::size_t end) {
    Writer writer(plan);
    for (std::size_t s = begin; s < end; ++s) {
      const fabric::SwitchIndex at{static_cast<std::uint32_t>(s)};
      writer.write(at.value, tables.row(at));
    }
  });
  auto notes = std::move(levels->notes);
  if (const std::size_t detours = count_detours(plan, count_hosts(request.topology)); detours > 0) {
    notes.push_back(fmt::format(
        "{} pairs of leaf switches are joined by detours, as too many links are missing", detours));
  }
  return Routes{std::string(name()), std::move(tables), std::move(notes)};
}

}  // namespace heddle::routing
