// SPDX-License-Identifier: BSD-3-Clause
#include "sa/view.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "sa/query.hpp"

namespace heddle::sa {

using fabric::kNoPort;
using fabric::NodeIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

View::View(Subnet subnet) : subnet_(std::move(subnet)), steps_(topology().port_count()) {
  HEDDLE_CHECK(subnet_.port_infos.size() == topology().port_count());
  HEDDLE_CHECK(subnet_.node_infos.size() == topology().node_count());
  HEDDLE_CHECK(subnet_.switch_infos.size() == topology().switch_count());
  for (std::uint32_t p = 0; p < topology().port_count(); ++p) {
    Step& step = steps_[p];
    step.reach = reach_of(PortIndex{p});
    step.peer = topology().peer(PortIndex{p});
    if (step.peer == kNoPort) continue;
    const NodeIndex node = topology().node_of(step.peer);
    if (topology().is_switch(node)) step.at = node.value;
  }
  for (std::uint32_t s = 0; s < topology().switch_count(); ++s) rate_port0(SwitchIndex{s});
  find_crossings();
  for (const PortIndex port : topology().endports()) {
    const mad::Guid guid = topology().port(port).guid;
    if (guid != mad::Guid{} && lids().base(port) != mad::kNoLid) by_guid_.emplace(guid, port);
  }
}

// The MTU in use on the link, as the subnet manager set it; port 0 of a switch has no link.
Reach View::reach_of(PortIndex port) const {
  const mad::PortInfo& info = subnet_.port_infos[port.value];
  const bool linked = topology().peer(port) != kNoPort;
  Reach reach;
  reach.mtu = linked ? info.neighbor_mtu : info.mtu_cap;
  if (mad::mtu_bytes(reach.mtu) == 0) reach.mtu = mad::Mtu::Bytes256;
  const auto width = mad::active_width(info);
  const auto speed = mad::active_speed(info);
  reach.rate = width && speed ? mad::rate_rank(*width, *speed) : mad::RateRank{0};
  return reach;
}

// Port 0 has no link: it is as fast as the fastest one of its switch, and so slows no path.
void View::rate_port0(SwitchIndex of) {
  mad::RateRank fastest = 0;
  for (unsigned p = 1; p <= topology().node(of).port_count; ++p) {
    const PortIndex port = topology().port_of(of, {static_cast<std::uint8_t>(p)});
    if (topology().peer(port) != kNoPort)
      fastest = std::max(fastest, steps_[port.value].reach.rate);
  }
  steps_[topology().port_of(of, mad::PortNumber{0}).value].reach.rate = fastest;
}

PortIndex View::find(mad::Guid port_guid) const {
  const auto found = by_guid_.find(port_guid);
  return found == by_guid_.end() ? kNoPort : found->second;
}

PortIndex View::find(const mad::Gid& gid) const {
  const bool ours = gid.prefix == subnet_.prefix || gid.prefix == mad::kDefaultGidPrefix;
  return ours ? find(gid.guid) : kNoPort;
}

mad::Gid View::gid(PortIndex port) const {
  return {subnet_.prefix, topology().port(port).guid};
}

mad::Lid View::lid(PortIndex port) const {
  const NodeIndex node = topology().node_of(port);
  if (!topology().is_switch(node)) return lids().base(port);
  return lids().base(topology().port_of(node, mad::PortNumber{0}));
}

bool View::holds(PortIndex port, mad::PKey key) const {
  if (subnet_.memberships) return subnet_.memberships->holds(port, key);
  return partitions::base_of(key) == partitions::kDefaultBaseKey;
}

std::optional<mad::PKey> View::key_between(PortIndex from, PortIndex to,
                                           std::optional<mad::PKey> wanted) const {
  constexpr mad::PKey kDefault = partitions::full_key(partitions::kDefaultBaseKey);
  if (!subnet_.memberships) {
    if (wanted && partitions::base_of(*wanted) != partitions::kDefaultBaseKey) return std::nullopt;
    return kDefault;
  }
  if (!wanted) return subnet_.memberships->best_common_key(from, to);
  if (!subnet_.memberships->may_talk_with(from, to, *wanted)) return std::nullopt;
  const auto key = partitions::base_of(*wanted);
  const bool limited =
      subnet_.memberships->membership(from, key) == partitions::Membership::Limited;
  return limited ? partitions::limited_key(key) : partitions::full_key(key);
}

bool View::may_see(const Query& query, PortIndex port) const {
  if (query.trusted || !subnet_.memberships) return true;
  const NodeIndex node = topology().node_of(port);
  const PortIndex seen =
      topology().is_switch(node) ? topology().port_of(node, mad::PortNumber{0}) : port;
  return may_talk(query.requester, seen);
}

mad::ServiceLevel View::level(PortIndex from, mad::Lid to) const {
  const auto attachment = topology().attachment(from);
  if (!subnet_.lanes || !attachment) return mad::ServiceLevel{0};
  return mad::ServiceLevel{subnet_.lanes->levels.level(attachment->at, to)};
}

bool View::may_talk(PortIndex a, PortIndex b) const {
  if (a == kNoPort || b == kNoPort) return false;
  return a == b || !subnet_.memberships || subnet_.memberships->may_talk(a, b);
}

void View::find_crossings() {
  if (!subnet_.tables) return;
  row_size_ = subnet_.tables->row_size();
  for (std::uint32_t s = 0; s < topology().switch_count(); ++s) {
    const SwitchIndex index{s};
    crossings_.push_back({subnet_.tables->row(index).data(),
                          topology().port_of(index, mad::PortNumber{0}).value,
                          topology().node(index).port_count});
  }
}

// A packet under way, one switch at a time.
class View::Walker {
 public:
  Walker(const View& view, PortIndex from, mad::Lid to)
      : view_(view), to_(to), goal_(view.lids().owner(to)) {
    under_way_ = goal_ != kNoPort;
    if (!under_way_) return;
    const Step& first = view.steps_[from.value];
    reach_ = first.reach;
    const NodeIndex start = view.topology().node_of(from);
    at_ = view.topology().is_switch(start) ? start.value : first.at;
    if (goal_ == from || first.peer == goal_) arrive();
  }

  bool under_way() const { return under_way_; }
  void cross() {
    under_way_ = false;
    if (at_ >= view_.crossings_.size() || to_.value >= view_.row_size_) return;
    if (++passed_ > kMaxSwitchesOnPath) return;
    const Crossing& here = view_.crossings_[at_];
    const std::uint32_t out = here.row[to_.value];
    if (out > here.port_count) return;
    const PortIndex port{here.first_port + out};
    const Step& step = view_.steps_[port.value];
    reach_ = least(reach_, step.reach);
    if (port == goal_ || step.peer == goal_) return arrive();
    at_ = step.at;
    under_way_ = true;
  }
  std::optional<Reach> result() const {
    return arrived_ ? std::optional<Reach>(reach_) : std::nullopt;
  }

 private:
  void arrive() {
    arrived_ = true;
    under_way_ = false;
  }

  const View& view_;
  mad::Lid to_;
  PortIndex goal_;
  Reach reach_;
  std::uint32_t at_ = kNoSwitch;
  unsigned passed_ = 0;
  bool under_way_ = false;
  bool arrived_ = false;
};

std::optional<Reach> View::walk(PortIndex from, mad::Lid to) const {
  Walker walker(*this, from, to);
  while (walker.under_way()) walker.cross();
  return walker.result();
}

std::vector<View::Stop> View::trace(PortIndex from, mad::Lid to) const {
  if (!walk(from, to)) return {};
  const PortIndex goal = lids().owner(to);
  std::vector<Stop> stops{{topology().node_of(from), std::nullopt, std::nullopt}};
  const auto leave_by = [&](PortIndex port) {
    const PortIndex peer = topology().peer(port);
    stops.back().out = topology().number_of(port);
    stops.push_back({topology().node_of(peer), topology().number_of(peer), std::nullopt});
  };
  if (topology().node_of(from) == topology().node_of(goal) && from == goal) return stops;
  if (!topology().is_switch(stops.back().node)) leave_by(from);
  // It arrives, as walk() has seen: at the goal's node, or at a switch that goes on.
  while (stops.back().node != topology().node_of(goal)) {
    const fabric::SwitchIndex at{stops.back().node.value};
    leave_by(topology().port_of(at, mad::PortNumber{subnet_.tables->row(at)[to.value]}));
  }
  return stops;
}

View::RoundTrip View::walk_both(PortIndex from, mad::Lid from_lid, PortIndex to,
                                mad::Lid to_lid) const {
  Walker there(*this, from, to_lid);
  Walker back(*this, to, from_lid);
  while (there.under_way() || back.under_way()) {
    if (there.under_way()) there.cross();
    if (back.under_way()) back.cross();
  }
  return {there.result(), back.result()};
}

}  // namespace heddle::sa
