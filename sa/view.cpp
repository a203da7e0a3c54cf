// SPDX-License-Identifier: BSD-3-Clause
#include "sa/view.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

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

std::optional<Reach> View::walk(PortIndex from, mad::Lid to) const {
  const PortIndex goal = lids().owner(to);
  if (goal == kNoPort) return std::nullopt;
  Reach reach = steps_[from.value].reach;
  if (goal == from) return reach;
  const NodeIndex start = topology().node_of(from);
  std::uint32_t at = start.value;
  if (!topology().is_switch(start)) {
    const Step& first = steps_[from.value];
    if (first.peer == goal) return reach;
    at = first.at;
  }
  for (unsigned passed = 0; passed < kMaxSwitchesOnPath; ++passed) {
    if (at == kNoSwitch || !subnet_.tables) return std::nullopt;
    const SwitchIndex here{at};
    const mad::PortNumber out = subnet_.tables->out_port(here, to);
    if (out.value > topology().node(here).port_count) return std::nullopt;
    const PortIndex port = topology().port_of(here, out);
    reach = least(reach, steps_[port.value].reach);
    if (port == goal) return reach;
    const Step& step = steps_[port.value];
    if (step.peer == goal) return reach;
    at = step.at;
  }
  return std::nullopt;
}

}  // namespace heddle::sa
