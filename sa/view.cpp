// SPDX-License-Identifier: BSD-3-Clause
#include "sa/view.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.hpp"
#include "fabric/changed_ports.hpp"
#include "mad/mgid.hpp"
#include "sa/query.hpp"

namespace heddle::sa {

using fabric::kNoPort;
using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

namespace {

// Entries of tables, for links between switches that carry something else than the others.
constexpr std::size_t kMostLookedAt = std::size_t{1} << 21;

}  // namespace

View::At View::at(NodeIndex of_switch) {
  return of_switch.value < kNoSwitch ? static_cast<At>(of_switch.value) : kNoSwitch;
}

View::Ways::Ways(Subnet of, const Ways* before) : subnet(std::move(of)) {
  const fabric::Topology& topology = *subnet.topology;
  HEDDLE_CHECK(subnet.registers->ports.size() == topology.port_count());
  HEDDLE_CHECK(subnet.registers->nodes.size() == topology.node_count());
  HEDDLE_CHECK(subnet.registers->switches.size() == topology.switch_count());
  const bool goes_on = before != nullptr && topology.shares_nodes_with(*before->subnet.topology);
  goes_on ? change_steps(*before) : find_steps();
  find_crossings();
  find_goals();
  find_trunk();
  names = goes_on && has_names_of(*before) ? before->names : find_names();
  for (const PortIndex port : topology.endports()) {
    if (subnet.lids->base(port) == mad::kNoLid) continue;
    const auto type = subnet.registers->nodes[topology.node_of(port).value].node_type;
    if (type == mad::NodeType::Router) routers.push_back(port);
  }
  if (!subnet.qos_policy) return;
  const PortIndex self = subnet.managers.empty() ? kNoPort : subnet.managers.front().port;
  rulebook.emplace(subnet.qos_policy, topology, subnet.memberships.get(), self);
}

void View::Ways::find_steps() {
  const fabric::Topology& topology = *subnet.topology;
  steps.resize(topology.port_count());
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) steps[p] = step_of({p});
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) rate_port0(SwitchIndex{s});
}

// Where nothing that a step is made of has changed, it is the one of before.
void View::Ways::change_steps(const Ways& before) {
  const fabric::Topology& topology = *subnet.topology;
  const auto changed = fabric::changed_ports(topology, *subnet.registers, *before.subnet.topology,
                                             *before.subnet.registers);
  steps = before.steps;
  for (const PortIndex port : changed) steps[port.value] = step_of(port);
  NodeIndex rated{kNoSwitch};
  for (const PortIndex port : changed) {
    const NodeIndex node = topology.node_of(port);
    if (!topology.is_switch(node) || node == rated) continue;
    rate_port0(SwitchIndex{node.value});
    rated = node;
  }
}

bool View::Ways::has_names_of(const Ways& before) const {
  const auto now = subnet.topology->endports(), then = before.subnet.topology->endports();
  const auto is_called_alike = [&](PortIndex port) {
    return subnet.topology->port(port).guid == before.subnet.topology->port(port).guid;
  };
  return std::equal(now.begin(), now.end(), then.begin(), then.end()) &&
         *subnet.lids == *before.subnet.lids &&
         std::all_of(now.begin(), now.end(), is_called_alike);
}

std::shared_ptr<const GuidIndex> View::Ways::find_names() const {
  const auto endports = subnet.topology->endports();
  GuidIndex index(endports.size());
  for (const PortIndex port : endports) {
    const mad::Guid guid = subnet.topology->port(port).guid;
    if (guid != mad::Guid{} && subnet.lids->base(port) != mad::kNoLid) index.add(guid, port);
  }
  return std::make_shared<const GuidIndex>(std::move(index));
}

View::Step View::Ways::step_of(PortIndex port) const {
  Step step;
  step.reach = reach_of(port);
  const PortIndex peer = subnet.topology->peer(port);
  if (peer == kNoPort) return step;
  const NodeIndex node = subnet.topology->node_of(peer);
  if (subnet.topology->is_switch(node)) step.at = at(node);
  return step;
}

// The MTU in use on the link, as the subnet manager set it; port 0 of a switch has no link.
Reach View::Ways::reach_of(PortIndex port) const {
  const mad::PortInfo& info = subnet.registers->ports[port.value];
  const bool linked = subnet.topology->peer(port) != kNoPort;
  Reach reach;
  reach.mtu = linked ? info.neighbor_mtu : info.mtu_cap;
  if (mad::mtu_bytes(reach.mtu) == 0) reach.mtu = mad::Mtu::Bytes256;
  const auto width = mad::active_width(info);
  const auto speed = mad::active_speed(info);
  reach.rate = width && speed ? mad::rate_rank(*width, *speed) : mad::RateRank{0};
  return reach;
}

// Port 0 has no link: it is as fast as the fastest one of its switch, and so slows no path.
void View::Ways::rate_port0(SwitchIndex of) {
  const fabric::Topology& topology = *subnet.topology;
  mad::RateRank fastest = 0;
  for (unsigned p = 1; p <= topology.node(of).port_count; ++p) {
    const PortIndex port = topology.port_of(of, {static_cast<std::uint8_t>(p)});
    if (topology.peer(port) != kNoPort) fastest = std::max(fastest, steps[port.value].reach.rate);
  }
  steps[topology.port_of(of, mad::PortNumber{0}).value].reach.rate = fastest;
}

void View::Ways::find_crossings() {
  if (!subnet.tables) return;
  row_size = subnet.tables->row_size();
  for (std::uint32_t s = 0; s < subnet.topology->switch_count(); ++s) {
    const SwitchIndex index{s};
    crossings.push_back({subnet.topology->port_of(index, mad::PortNumber{0}).value,
                         subnet.topology->node(index).port_count});
  }
}

void View::Ways::find_goals() {
  goals.resize(subnet.lids->top().value + std::size_t{1});
  for (const PortIndex port : subnet.topology->endports()) {
    const auto range = subnet.lids->range(port);
    if (range.base == mad::kNoLid) continue;
    for (unsigned i = 0; i < range.count(); ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(range.base.value + i)};
      goals[lid.value] = goal_of(port, lid);
    }
  }
  if (!subnet.virtual_ports) return;
  for (const VirtualPort& guest : subnet.virtual_ports->all()) {
    if (guest.own_lid) goals[guest.lid.value] = goal_of(guest.host, guest.lid);
  }
}

// A packet that passes the owner's switch and is not handed over there never arrives: the same
// table would send it on again.
View::Goal View::Ways::goal_of(PortIndex owner, mad::Lid lid) {
  Goal goal{owner, kNoSwitch, {}};
  const auto last = subnet.topology->attachment(owner);
  routed_lids += last.has_value();
  if (!last || last->at.value >= crossings.size() || lid.value >= row_size) return goal;
  if (subnet.tables->entry(last->at, lid.value) != last->out.value) return goal;
  goal.at = at(NodeIndex{last->at.value});
  goal.reach = steps[subnet.topology->port_of(last->at, last->out).value].reach;
  return goal;
}

void View::Ways::find_trunk() {
  const std::uint64_t all = routed_lids * subnet.topology->switch_count();
  if (all == 0 || subnet.proven_routes != all) return;
  const auto channels = subnet.topology->channels();
  const Reach usual = usual_reach(channels);
  const auto is_odd = [&](const fabric::Channel& channel) { return carried_by(channel) != usual; };
  const auto odd =
      static_cast<std::size_t>(std::count_if(channels.begin(), channels.end(), is_odd));
  if (odd * row_size > kMostLookedAt) return;
  passes_odd.assign(row_size, 0);
  for (const fabric::Channel& channel : channels) {
    if (is_odd(channel)) note_who_passes(channel);
  }
  trunk = usual;
}

Reach View::Ways::carried_by(const fabric::Channel& channel) const {
  return steps[subnet.topology->port_of(channel.from, channel.out).value].reach;
}

// What more than half of them carry, if that is the same.
Reach View::Ways::usual_reach(std::span<const fabric::Channel> channels) const {
  Reach found;
  std::ptrdiff_t ahead = 0;  // of all others
  for (const fabric::Channel& channel : channels) {
    const Reach reach = carried_by(channel);
    if (ahead == 0) found = reach;
    ahead += reach == found ? 1 : -1;
  }
  return found;
}

void View::Ways::note_who_passes(const fabric::Channel& channel) {
  for (std::uint32_t lid = 0; lid < row_size; ++lid) {
    passes_odd[lid] |= subnet.tables->entry(channel.from, lid) == channel.out.value;
  }
}

View::View(Subnet subnet, const View* before)
    : ways_(std::make_shared<const Ways>(std::move(subnet),
                                         before != nullptr ? before->ways_.get() : nullptr)),
      aliases_(std::make_shared<const AliasGuids>()) {}

View View::with(std::shared_ptr<const AliasGuids> aliases) const {
  View other = *this;
  other.aliases_ = std::move(aliases);
  return other;
}

PortIndex View::find(mad::Guid guid) const {
  const PortIndex port = ways_->names->find(guid);
  if (port != kNoPort) return port;
  if (const VirtualPort* virtual_port = guest(guid)) return virtual_port->host;
  return aliases_->empty() ? kNoPort : ways_->names->find(aliases_->owner(guid));
}

const VirtualPort* View::guest(mad::Guid guid) const {
  if (!subnet().virtual_ports || ways_->names->find(guid) != kNoPort) return nullptr;
  return subnet().virtual_ports->find(guid);
}

const VirtualPort* View::guest(mad::Lid lid) const {
  return subnet().virtual_ports ? subnet().virtual_ports->find(lid) : nullptr;
}

PortIndex View::member(mad::Guid guid) const {
  const VirtualPort* virtual_port = guest(guid);
  return virtual_port != nullptr ? virtual_port->member : find(guid);
}

const VirtualPort* View::guest(const mad::Address& peer) const {
  const VirtualPort* by_lid = guest(peer.lid);
  if (by_lid != nullptr || !peer.global_route) return by_lid;
  const VirtualPort* by_gid = guest(peer.global_route->remote.guid);
  return by_gid != nullptr && by_gid->host == find(peer.lid) ? by_gid : nullptr;
}

PortIndex View::find(const mad::Gid& gid) const {
  const bool ours = gid.prefix == subnet().prefix || gid.prefix == mad::kDefaultGidPrefix;
  return ours ? find(gid.guid) : kNoPort;
}

PortIndex View::router_to(const mad::Gid& gid) const {
  const bool foreign = gid.prefix != subnet().prefix && gid.prefix != mad::kDefaultGidPrefix &&
                       !mad::is_multicast(gid);
  if (!foreign || !subnet().prefix_routes) return kNoPort;
  const auto& routers = ways_->routers;
  for (const PrefixRoute& route : *subnet().prefix_routes) {
    if (route.prefix && *route.prefix != gid.prefix) continue;
    const auto router = std::find_if(routers.begin(), routers.end(), [&](PortIndex port) {
      return !route.router || topology().port(port).guid == *route.router;
    });
    if (router != routers.end()) return *router;
  }
  return kNoPort;
}

mad::Gid View::gid(PortIndex port) const {
  return {subnet().prefix, topology().port(port).guid};
}

mad::Lid View::lid(PortIndex port) const {
  const NodeIndex node = topology().node_of(port);
  if (!topology().is_switch(node)) return lids().base(port);
  return lids().base(topology().port_of(node, mad::PortNumber{0}));
}

bool View::holds(PortIndex port, mad::PKey key) const {
  if (subnet().memberships) return subnet().memberships->holds(port, key);
  return partitions::base_of(key) == partitions::kDefaultBaseKey;
}

std::optional<mad::PKey> View::key_between(PortIndex from, PortIndex to,
                                           std::optional<mad::PKey> wanted) const {
  constexpr mad::PKey kDefault = partitions::full_key(partitions::kDefaultBaseKey);
  if (!subnet().memberships) {
    if (wanted && partitions::base_of(*wanted) != partitions::kDefaultBaseKey) return std::nullopt;
    return kDefault;
  }
  if (!wanted) return subnet().memberships->best_common_key(from, to);
  if (!subnet().memberships->may_talk_with(from, to, *wanted)) return std::nullopt;
  const auto key = partitions::base_of(*wanted);
  const bool limited =
      subnet().memberships->membership(from, key) == partitions::Membership::Limited;
  return limited ? partitions::limited_key(key) : partitions::full_key(key);
}

std::optional<mad::PKey> View::key_between(PortIndex from, PortIndex to,
                                           const qos::Ranges& allowed) const {
  if (!subnet().memberships) {
    const auto key = key_between(from, to, std::nullopt);
    return contains(allowed, partitions::base_of(*key).value) ? key : std::nullopt;
  }
  const auto keys = subnet().memberships->common_keys(from, to);
  const auto found = std::find_if(keys.begin(), keys.end(), [&](mad::PKey key) {
    return contains(allowed, partitions::base_of(key).value);
  });
  return found == keys.end() ? std::nullopt : std::optional(*found);
}

bool View::may_see(const Query& query, PortIndex port) const {
  if (query.trusted || !subnet().memberships) return true;
  const NodeIndex node = topology().node_of(port);
  const PortIndex seen =
      topology().is_switch(node) ? topology().port_of(node, mad::PortNumber{0}) : port;
  return may_talk(query.member(), seen);
}

mad::ServiceLevel View::level(PortIndex from, mad::Lid to) const {
  const auto attachment = topology().attachment(from);
  if (!subnet().lanes || !attachment) return mad::ServiceLevel{0};
  return mad::ServiceLevel{subnet().lanes->levels.level(attachment->at, lids().host_lid(to))};
}

bool View::levels_matter() const {
  return subnet().lanes && (subnet().lanes->vls > 1 || !subnet().lanes->levels.uniform());
}

mad::ServiceLevel View::level_of(mad::PKey key) const {
  const auto* memberships = subnet().memberships.get();
  const auto* partition =
      memberships == nullptr ? nullptr : memberships->find(partitions::base_of(key));
  return partition == nullptr ? mad::ServiceLevel{0} : partition->sl;
}

bool View::may_talk(PortIndex a, PortIndex b) const {
  if (a == kNoPort || b == kNoPort) return false;
  return a == b || !subnet().memberships || subnet().memberships->may_talk(a, b);
}

// A packet under way, one switch at a time.
class View::Walker {
 public:
  Walker(const View& view, PortIndex from, mad::Lid to) : ways_(*view.ways_), to_(to) {
    if (to.value >= ways_.goals.size()) return;
    goal_ = ways_.goals[to.value];
    if (goal_.owner == kNoPort) return;
    const Step& first = ways_.steps[from.value];
    reach_ = first.reach;
    at_ = first.at;
    under_way_ = true;
    if (goal_.owner == from) arrive();
    if (arrived_ || at_ != kNoSwitch) return;
    // From a switch's own port, or along the one cable between two adapters.
    const NodeIndex start = view.topology().node_of(from);
    if (view.topology().is_switch(start)) at_ = View::at(start);
    if (view.topology().peer(from) == goal_.owner) arrive();
  }

  // Where it is proven that it arrives, and all that is passed carries the same.
  void leap() {
    if (!under_way_ || !ways_.trunk || at_ == kNoSwitch || goal_.at == kNoSwitch) return;
    if (ways_.passes_odd[to_.value] != 0) return;
    if (at_ != goal_.at) reach_ = least(reach_, *ways_.trunk);
    at_ = goal_.at;
  }

  bool under_way() const { return under_way_; }
  void cross() {
    under_way_ = false;
    if (at_ == kNoSwitch) return;
    if (at_ == goal_.at) {
      reach_ = least(reach_, goal_.reach);
      return arrive();
    }
    if (at_ >= ways_.crossings.size() || to_.value >= ways_.row_size) return;
    if (++passed_ > kMaxSwitchesOnPath) return;
    const Crossing& here = ways_.crossings[at_];
    const std::uint32_t out = ways_.subnet.tables->entry({at_}, to_.value);
    if (out == 0 || out > here.port_count) return;
    const Step& step = ways_.steps[here.first_port + out];
    reach_ = least(reach_, step.reach);
    at_ = step.at;
    under_way_ = true;
  }
  std::optional<Reach> arrive_by_steps() {
    while (under_way_) cross();
    return result();
  }
  std::optional<Reach> result() const {
    return arrived_ ? std::optional<Reach>(reach_) : std::nullopt;
  }

 private:
  void arrive() {
    arrived_ = true;
    under_way_ = false;
  }

  const Ways& ways_;
  mad::Lid to_;
  Goal goal_;
  Reach reach_;
  At at_ = kNoSwitch;
  unsigned passed_ = 0;
  bool under_way_ = false;
  bool arrived_ = false;
};

std::optional<Reach> View::walk(PortIndex from, mad::Lid to) const {
  Walker walker(*this, from, to);
  walker.leap();
  return walker.arrive_by_steps();
}

std::vector<View::Stop> View::trace(PortIndex from, mad::Lid to) const {
  if (!Walker(*this, from, to).arrive_by_steps()) return {};
  const PortIndex goal = lids().owner(to);
  std::vector<Stop> stops{{topology().node_of(from), std::nullopt, std::nullopt}};
  const auto leave_by = [&](PortIndex port) {
    const PortIndex peer = topology().peer(port);
    stops.back().out = topology().number_of(port);
    stops.push_back({topology().node_of(peer), topology().number_of(peer), std::nullopt});
  };
  if (topology().node_of(from) == topology().node_of(goal) && from == goal) return stops;
  if (!topology().is_switch(stops.back().node)) leave_by(from);
  // It arrives, as was seen: at the goal's node, or at a switch that goes on.
  while (stops.back().node != topology().node_of(goal)) {
    const fabric::SwitchIndex at{stops.back().node.value};
    leave_by(topology().port_of(at, mad::PortNumber{subnet().tables->entry(at, to.value)}));
  }
  return stops;
}

View::RoundTrip View::walk_both(PortIndex from, mad::Lid from_lid, PortIndex to,
                                mad::Lid to_lid) const {
  Walker there(*this, from, to_lid);
  Walker back(*this, to, from_lid);
  there.leap();
  back.leap();
  while (there.under_way() || back.under_way()) {
    if (there.under_way()) there.cross();
    if (back.under_way()) back.cross();
  }
  return {there.result(), back.result()};
}

}  // namespace heddle::sa
