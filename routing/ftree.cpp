// SPDX-License-Identifier: BSD-3-Clause
#include "routing/ftree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/byte_vector.hpp"
#include "routing/host_classes.hpp"
#include "routing/tree_distances.hpp"
#include "routing/tree_levels.hpp"
#include "routing/tree_pieces.hpp"
#include "routing/tree_shape.hpp"

namespace heddle::routing {
namespace {

constexpr std::uint8_t kNoPort = mad::kNoPortNumber.value;

// LIDs that follow each other: of one port, or of ports (with one LID each) that follow each other.
// The formula takes places for the destinations' numbers. They number the hosts of the fabric
// subtree by subtree, each class of hosts from 0, and from 0 again the switches.
struct Run {
  std::uint32_t place = 0;  // of the first
  std::uint16_t first_lid = 0;
  std::uint16_t lids = 0;
  bool is_one_port = false;
};

// Where LIDs leave the switch that they hang on.
struct Arrival {
  fabric::LidMap::Range range{};
  mad::PortNumber out{};  // 0 for the switch's own
  // Of hosts: which HostClass. Those of one class are numbered, and so spread over the ways up, as
  // if there were no others: compute nodes do not all meet on the ways that I/O nodes leave.
  std::uint8_t rank = 0;
};

// All that the switches' tables are made from.
struct Plan {
  Plan(const Request& request, const TreeLevels& levels);

  std::span<const Run> runs_to(std::uint32_t at) const {
    return std::span(runs).subspan(first_run[at], first_run[at + 1] - first_run[at]);
  }

  std::vector<std::vector<Arrival>> arrivals;  // by switch: hosts by port, its own LIDs last
  std::vector<Run> runs;
  std::vector<std::uint32_t> first_run;  // by switch, one more at the end
  // The same runs, joined to longer ones wherever LIDs and places go on alike, whatever switches
  // they belong to; without those of one port that has several LIDs.
  std::vector<Run> stretches;
  std::vector<std::uint8_t> has_siblings;  // by column of the distances: some port that has
  std::size_t host_count = 0;
  TreeShape shape;
  TreeDistances distances;
  // By switch: destination switches whose packets must take this group, (destination, group).
  std::vector<std::vector<std::pair<std::uint32_t, TreeShape::Group>>> bound;
  // By switch: without hosts, and with direct ways from all switches that have hosts and all that
  // nothing lies below. Then from elsewhere, where no packet of a host comes from, one may descend
  // to any of those first: a turn that no host's packet takes closes no cycle (fabric::verify).
  std::vector<std::uint8_t> is_near_to_all;

 private:
  void collect_arrivals(const Request& request);
  void collect_runs(const Request& request, const TreeLevels& levels);
  void join_runs();
  void find_near_to_all();
  void bind_ways_from_tops();
};

Plan::Plan(const Request& request, const TreeLevels& levels)
    : arrivals(request.topology.switch_count()),
      shape(request.topology, levels.level),
      distances(shape, request.parallel),
      bound(request.topology.switch_count()) {
  collect_arrivals(request);
  collect_runs(request, levels);
  find_near_to_all();
  bind_ways_from_tops();
}

void Plan::collect_arrivals(const Request& request) {
  const HostClasses classes(request.options);
  for (std::uint32_t s = 0; s < arrivals.size(); ++s) {
    const auto& node = request.topology.node(fabric::SwitchIndex{s});
    arrivals[s].reserve(node.port_count - request.topology.channels_from({s}).size() + 1);
  }
  for (const fabric::PortIndex endport : request.topology.endports()) {
    const auto range = request.lids.range(endport);
    const auto attachment = request.topology.attachment(endport);
    if (!attachment || range.base == mad::kNoLid) continue;
    arrivals[attachment->at.value].push_back(
        {range, attachment->out,
         static_cast<std::uint8_t>(classes.of(request.topology.port(endport).guid))});
  }
  // Port 0, the switch itself, comes last.
  const auto turn = [](const Arrival& one) { return static_cast<std::uint8_t>(one.out.value - 1); };
  for (auto& own : arrivals) {
    std::sort(own.begin(), own.end(),
              [&](const Arrival& a, const Arrival& b) { return turn(a) < turn(b); });
  }
}

void Plan::collect_runs(const Request& request, const TreeLevels& levels) {
  std::vector<std::vector<Run>> by_switch(arrivals.size());
  std::array<std::uint32_t, kHostClasses> host{};  // of each class, counted so far
  std::uint32_t place = 0;
  const auto hosts = count_hosts(request.topology);
  for (const auto at : order_by_subtree(request.topology, levels.level, hosts)) {
    auto& own = by_switch[at.value];
    for (const auto& [range, out, rank] : arrivals[at.value]) {
      const bool continues = !own.empty() && out.value != 0 && range.lmc == 0 &&
                             !own.back().is_one_port &&
                             own.back().first_lid + own.back().lids == range.base.value &&
                             own.back().place + own.back().lids == host[rank];
      if (continues) {
        ++own.back().lids;
      } else {
        own.push_back({out.value == 0 ? place : host[rank], range.base.value, range.count(),
                       range.lmc > 0 || out.value == 0});
      }
      host[rank] += out.value != 0 ? 1 : 0;
    }
    ++place;
  }
  for (const auto& own : by_switch) {
    first_run.push_back(static_cast<std::uint32_t>(runs.size()));
    runs.insert(runs.end(), own.begin(), own.end());
  }
  first_run.push_back(static_cast<std::uint32_t>(runs.size()));
  host_count = *std::max_element(host.begin(), host.end());
  join_runs();
}

void Plan::join_runs() {
  has_siblings.resize(distances.width());
  for (std::uint32_t at = 0; at < arrivals.size(); ++at) {
    for (const Run& run : runs_to(at)) {
      const bool siblings = run.is_one_port && run.lids > 1;
      if (siblings) has_siblings[at] = 1;
      if (!siblings) stretches.push_back(run);
    }
  }
  std::sort(stretches.begin(), stretches.end(),
            [](const Run& a, const Run& b) { return a.first_lid < b.first_lid; });
  std::size_t count = 0;
  for (const Run& run : stretches) {
    Run& last = stretches[count == 0 ? 0 : count - 1];
    if (count > 0 && last.first_lid + last.lids == run.first_lid &&
        last.place + last.lids == run.place) {
      last.lids = static_cast<std::uint16_t>(last.lids + run.lids);
    } else {
      stretches[count++] = run;
    }
  }
  stretches.resize(count);
}

void Plan::find_near_to_all() {
  const auto has_hosts = [&](std::uint32_t at) {
    return !arrivals[at].empty() && arrivals[at].front().out.value != 0;
  };
  is_near_to_all.resize(shape.switch_count());
  std::vector<std::uint32_t> island(shape.switch_count());
  for (std::uint32_t at = 0; at < shape.switch_count(); ++at) {
    island[at] = shape.island(at);
    is_near_to_all[at] = has_hosts(at) ? 0 : 1;
  }
  for (std::uint32_t from = 0; from < shape.switch_count(); ++from) {
    if (!has_hosts(from) && !shape.down(from).empty()) continue;
    const std::uint8_t* const hops = distances.direct(from);
    const std::uint32_t here = island[from];
    for (std::size_t to = 0; to < is_near_to_all.size(); ++to) {
      const bool is_far = hops[to] == TreeDistances::kNoWay && island[to] == here;
      is_near_to_all[to] = is_far ? std::uint8_t{0} : is_near_to_all[to];
    }
  }
}

// Where an island's top has no direct way to a switch, all switches without one come to the top,
// and from there a single way leads back along the order.
void Plan::bind_ways_from_tops() {
  for (std::uint32_t to = 0; to < shape.switch_count(); ++to) {
    const std::uint32_t top = shape.top_of_island(to);
    if (distances.direct(top)[to] != TreeDistances::kNoWay || is_near_to_all[to] != 0) continue;
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
    find_only_ports(plan_.shape.up(at), only_up_);
    find_only_ports(plan_.shape.down(at), only_down_);
    make_pattern();
    climb_to_all();
    for (std::size_t first = 0; first < plan_.shape.switch_count();
         first += TreeDistances::kColumns) {
      find_nearer(first);
      find_others(first);
      send_to_others(first);
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
    use_ways([](const TreeShape::Group&) { return true; });
    const std::size_t all = pattern_.size();
    const std::size_t turns = ways_.size() * plan_.shape.cables_up(at_);
    const std::size_t period = std::min(all, divider_ * turns);
    std::uint32_t turn = 0;
    bool is_whole = true;
    for (std::size_t have = 0; have < period; ++turn) {
      const std::size_t more = std::min<std::size_t>(divider_, period - have);
      const std::uint8_t port = port_of_turn(turn);
      is_whole = is_whole && port != kNoPort;
      std::fill_n(pattern_.data() + have, more, port);
      have += more;
    }
    for (std::size_t have = period; have < all; have *= 2) {
      std::copy_n(pattern_.data(), std::min(have, all - have), pattern_.data() + have);
    }
    for (std::size_t place = 0; place < all && !is_whole; ++place) {
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
      const TreeShape::Group& group = groups[nominal[i]];
      ways_[i] = &group;
      const auto ports = plan_.shape.ports(group);
      all_ports_.insert(all_ports_.end(), ports.begin(), ports.end());
    }
  }

  std::uint8_t port_of_turn(std::uint32_t turn) const {
    const auto count = static_cast<std::uint32_t>(ways_.size());
    const TreeShape::Group* group = ways_[turn % count];
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
  std::uint8_t port_down(std::span<const TreeShape::Group> ways, std::uint32_t place,
                         std::uint32_t sibling) const {
    const std::uint32_t turn = place / divider_ + sibling / divider_;
    const auto count = static_cast<std::uint32_t>(ways.size());
    const auto ports = plan_.shape.ports(ways[turn % count]);
    return ports[turn / count % ports.size()];
  }

  void find_nearer(std::size_t first) {
    for (std::size_t i = 0; i < TreeDistances::kColumns; i += base::kByteVector) {
      compare(plan_.shape.down(at_), plan_.distances.descending(0) + first + i, down_, i);
      compare(plan_.shape.up(at_), plan_.distances.direct(0) + first + i, up_, i);
    }
  }

  // hops: of the switches in turn, from this column on.
  void compare(std::span<const TreeShape::Group> groups, const std::uint8_t* hops, Nearer& nearer,
               std::size_t column) const {
    const std::size_t width = plan_.distances.width();
    const base::ByteVector own = base::load_bytes(hops + at_ * width);
    // 0 where there is no way: nothing is nearer than that.
    const base::ByteVector than =
        own & base::is_less(own, base::repeat_byte(TreeDistances::kNoWay));
    base::ByteVector count{}, last{}, number{};
    for (const TreeShape::Group& group : groups) {
      const base::ByteVector is_nearer =
          base::is_less(base::load_bytes(hops + group.to * width), than);
      count -= is_nearer;
      last ^= (last ^ number) & is_nearer;
      number += 1;
    }
    base::store_bytes(count, nearer.count.data() + column);
    base::store_bytes(last, nearer.last.data() + column);
  }

  // As if every way up led everywhere, which it mostly does: a few long runs.
  void climb_to_all() {
    if (plan_.shape.up(at_).empty()) return;
    for (const Run& run : plan_.stretches) {
      std::copy_n(pattern_.begin() + run.place, run.lids, row_.begin() + run.first_lid);
    }
  }

  // The columns for which that is not all.
  void find_others(std::size_t first) {
    const auto ups = static_cast<std::uint8_t>(plan_.shape.up(at_).size());
    const std::uint8_t none = ups == 0 ? 1 : 0;
    const std::uint8_t* siblings = plan_.has_siblings.data() + first;
    for (std::size_t i = 0; i < TreeDistances::kColumns; ++i) {
      const int missing = ups - up_.count[i];
      others_[i] = static_cast<std::uint8_t>(missing | down_.count[i] | siblings[i] | none);
    }
  }

  void send_to_others(std::size_t first) {
    constexpr std::size_t kSome = 8;
    const std::size_t left = std::min(plan_.shape.switch_count() - first, TreeDistances::kColumns);
    for (std::size_t begin = 0; begin < left; begin += kSome) {
      std::uint8_t any = 0;
      for (std::size_t i = begin; i < begin + kSome; ++i) any |= others_[i];
      if (any == 0) continue;  // mostly
      for (std::size_t i = begin; i < std::min(begin + kSome, left); ++i) {
        if (others_[i] == 0) continue;
        const auto to = static_cast<std::uint32_t>(first + i);
        const std::uint8_t only = to == at_ ? kNoPort : only_port(i);
        if (only != kNoPort) {
          fill(to, only);
        } else {
          send_to(to, i);
        }
      }
    }
  }

  // By group: the port of its only cable; kNoPort if there are several.
  using OnlyPorts = std::array<std::uint8_t, kNoPort + std::size_t{1}>;
  void find_only_ports(std::span<const TreeShape::Group> groups, OnlyPorts& only) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      only[i] = groups[i].port_count == 1 ? plan_.shape.ports(groups[i]).front() : kNoPort;
    }
  }
  // By which alone that switch is nearer: mostly there is such a port if not all lead nearer that
  // lead up.
  std::uint8_t only_port(std::size_t column) const {
    if (down_.count[column] == 1) return only_down_[down_.last[column]];
    if (down_.count[column] == 0 && up_.count[column] == 1) return only_up_[up_.last[column]];
    return kNoPort;
  }

  void send_to(std::uint32_t to, std::size_t column) {
    if (to == at_) return;
    const auto down = plan_.shape.down(at_);
    if (down_.count[column] == 1) {
      send_down(to, down.subspan(down_.last[column], 1));
    } else if (down_.count[column] > 1) {
      send_down_nearer(to);
    } else if (up_.count[column] > 0) {
      const std::uint8_t than = plan_.distances.direct(at_)[to];
      use_ways(
          [&](const TreeShape::Group& way) { return plan_.distances.direct(way.to)[to] < than; });
      climb(to);
    } else if (plan_.is_near_to_all[to] != 0 && plan_.shape.island(to) == plan_.shape.island(at_)) {
      // Spread out, so that no link is part of very many ways.
      send_down(to, down.subspan((to + at_) % down.size(), 1));
    } else {
      const std::uint32_t next = plan_.shape.toward_top(at_);
      if (next == at_ || plan_.shape.island(to) != plan_.shape.island(at_))
        return fill(to, kNoPort);
      send_down(to, std::span(&plan_.shape.toward(at_, next), 1));
    }
  }

  void fill(std::uint32_t to, std::uint8_t port) {
    for (const Run& run : plan_.runs_to(to)) {
      if (run.lids == 1) {
        row_[run.first_lid] = port;  // a switch's own
      } else {
        std::fill_n(row_.begin() + run.first_lid, run.lids, port);
      }
    }
  }

  void send_down_nearer(std::uint32_t to) {
    const std::uint8_t than = plan_.distances.descending(at_)[to];
    nearer_.clear();
    for (const TreeShape::Group& group : plan_.shape.down(at_)) {
      if (plan_.distances.descending(group.to)[to] < than) nearer_.push_back(group);
    }
    send_down(to, nearer_);
  }

  void send_down(std::uint32_t to, std::span<const TreeShape::Group> ways) {
    if (ways.size() == 1 && ways.front().port_count == 1) {
      send_by(to, ways.front());
      return;
    }
    for (const Run& run : plan_.runs_to(to)) {
      set_each(run, [&](std::uint32_t place, std::uint32_t sibling) {
        return port_down(ways, place, sibling);
      });
    }
  }

  // The only way, by the only cable.
  void send_by(std::uint32_t to, const TreeShape::Group& way) {
    fill(to, plan_.shape.ports(way).front());
  }

  void climb(std::uint32_t to) {
    for (const Run& run : plan_.runs_to(to)) {
      set_each(run, [&](std::uint32_t place, std::uint32_t sibling) {
        return port_for(place, sibling);
      });
    }
  }

  template <class PortOf>
  void set_each(const Run& run, PortOf port_of) {
    for (std::uint32_t i = 0; i < run.lids; ++i) {
      row_[run.first_lid + i] =
          run.is_one_port ? port_of(run.place, i) : port_of(run.place + i, std::uint32_t{0});
    }
  }

  void arrive() {
    for (const auto& [range, out, rank] : plan_.arrivals[at_]) {
      std::fill_n(row_.begin() + range.base.value, range.count(), out.value);
    }
  }

  const Plan& plan_;
  std::uint32_t at_ = 0;
  std::span<std::uint8_t> row_;
  std::uint32_t divider_ = 1;
  std::vector<std::uint8_t> pattern_;  // out port by place
  Nearer down_{}, up_{};
  std::array<std::uint8_t, TreeDistances::kColumns> others_{};
  OnlyPorts only_down_{}, only_up_{};
  std::vector<const TreeShape::Group*> ways_;  // by turn; null: none to take
  std::vector<std::uint8_t> all_ports_;        // of these
  std::vector<TreeShape::Group> nearer_;
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

// Whether from every switch one way at most leads down to each switch with hosts. Where there are
// more, the formula's numbers for the ways up and down fall together, and much meets on few links.
bool leads_down_once(const TreeShape& shape, const std::vector<std::uint32_t>& hosts) {
  const std::size_t words = hosts.size() / 64 + 1;
  std::vector<std::uint64_t> below(hosts.size() * words);  // by switch, a bit for each switch
  for (const std::uint32_t at : shape.bottom_up()) {
    std::uint64_t* const own = below.data() + at * words;
    for (const TreeShape::Group& down : shape.down(at)) {
      const std::uint64_t* const theirs = below.data() + down.to * words;
      for (std::size_t word = 0; word < words; ++word) {
        if ((own[word] & theirs[word]) != 0) return false;
        own[word] |= theirs[word];
      }
    }
    if (hosts[at] > 0) own[at / 64] |= std::uint64_t{1} << (at % 64);
  }
  return true;
}

// Damage does not make a tree uneven: ways that are missing are counted as if they were there.
bool is_even(const Plan& plan, const TreeLevels& levels, const std::vector<std::uint32_t>& hosts) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::size_t, 3>> first;
  std::vector<std::uint8_t> above_hosts(hosts.size());
  for (const std::uint32_t at : plan.shape.bottom_up()) {
    if (hosts[at] > 0 && levels.level[at] > 0) return false;
    if (hosts[at] > 0) above_hosts[at] = 1;
    const auto up = plan.shape.up(at);
    if (above_hosts[at] == 0 || up.empty()) continue;
    for (const TreeShape::Group& group : up) above_hosts[group.to] = 1;
    const std::array<std::size_t, 3> shape{plan.shape.ways_up(at).size(), plan.shape.cables_up(at),
                                           plan.shape.divider(at)};
    const auto place = std::make_pair(plan.shape.island(at), levels.level[at]);
    if (first.emplace(place, shape).first->second != shape) return false;
  }
  return leads_down_once(plan.shape, hosts);
}

}  // namespace

base::Result<Routes> FatTree::route(const Request& request) const {
  auto made = route_tree(request);
  if (made.has_error()) return made.error();
  return std::move(made->routes);
}

base::Result<TreeRoutes> route_tree(const Request& request) {
  auto levels = find_levels(request.topology, request.options.root_guids);
  if (levels.has_error()) return levels.error();
  const Plan plan(request, *levels);
  fabric::ForwardingTables tables(request.topology.switch_count(), request.lids.top(),
                                  request.parallel);
  request.parallel(request.topology.switch_count(), [&](std::size_t begin, std::size_t end) {
    Writer writer(plan);
    for (std::size_t s = begin; s < end; ++s) {
      const fabric::SwitchIndex at{static_cast<std::uint32_t>(s)};
      writer.write(at.value, tables.row(at));
    }
  });
  auto notes = std::move(levels->notes);
  const auto hosts = count_hosts(request.topology);
  if (const std::size_t detours = count_detours(plan, hosts); detours > 0) {
    notes.push_back(fmt::format(
        "{} pairs of leaf switches are joined by detours, as too many links are missing", detours));
  }
  return TreeRoutes{{std::string(FatTree{}.name()), std::move(tables), std::move(notes)},
                    is_even(plan, *levels, hosts)};
}

}  // namespace heddle::routing
