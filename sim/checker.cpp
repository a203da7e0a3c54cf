// SPDX-License-Identifier: BSD-3-Clause
#include "sim/checker.hpp"

#include <fmt/format.h>

#include "sim/forwarding.hpp"
#include "sim/subnet_view.hpp"

namespace heddle::sim {
namespace {

std::uint8_t state_number(mad::PortState state) {
  return static_cast<std::uint8_t>(state);
}

// One link, from one end; the other end's turn comes by itself.
void check_port(const SubnetView& view, PortIndex port, ComplaintList& complaints) {
  const Devices& devices = view.devices;
  const Line& line = devices.lines[port];
  if (line.peer == kNone || devices.cables[line.cable].cut) return;
  const bool powered = devices.nodes[devices.lines[line.peer].node].powered;
  const mad::PortInfo& here = devices.ports[port].info;
  const mad::PortInfo& there = devices.ports[line.peer].info;
  constexpr auto kDisabled = mad::PortPhysicalState::Disabled;
  if (!powered || here.port_physical_state == kDisabled || there.port_physical_state == kDisabled) {
    return;
  }
  if (line.state != mad::PortState::Active) {
    complaints.add(
        fmt::format("{} is in state {}, not Active", view.name(port), state_number(line.state)));
  }
  if (here.neighbor_mtu != there.neighbor_mtu) {
    complaints.add(fmt::format("{} and {} differ in NeighborMTU ({} and {})", view.name(port),
                               view.name(line.peer), static_cast<unsigned>(here.neighbor_mtu),
                               static_cast<unsigned>(there.neighbor_mtu)));
  }
  if (here.operational_vls != there.operational_vls) {
    complaints.add(fmt::format("{} and {} differ in OperationalVLs ({} and {})", view.name(port),
                               view.name(line.peer), here.operational_vls, there.operational_vls));
  }
}

// Follows the tables to one LID from every switch at once: each switch is walked once.
class WalkToLid {
 public:
  WalkToLid(const SubnetView& view, PortIndex owner, mad::Lid lid)
      : view_(view), owner_(owner), lid_(lid), verdicts_(view.devices.switches.size()) {}

  // Empty when the LID is reached from this switch, else why not.
  const std::string& from(NodeIndex start) {
    path_.clear();
    NodeIndex node = start;
    std::string end;
    while (true) {
      Verdict& verdict = verdict_of(node);
      if (verdict.known) {
        end = verdict.why;
        break;
      }
      if (verdict.walking) {
        end = fmt::format("the tables go in a circle by {}", view_.devices.plan.nodes[node].name);
        break;
      }
      verdict.walking = true;
      path_.push_back(node);
      const auto next = step(node, end);
      if (next == kNone) break;
      node = next;
    }
    for (const NodeIndex passed : path_) verdict_of(passed) = {true, false, end};
    return verdict_of(start).why;
  }

 private:
  struct Verdict {
    bool known = false;
    bool walking = false;
    std::string why;
  };

  Verdict& verdict_of(NodeIndex node) { return verdicts_[view_.devices.nodes[node].switch_index]; }

  // The next switch, or kNone at the end of the way; `why` is empty if that is the owner.
  NodeIndex step(NodeIndex node, std::string& why) {
    const Devices& devices = view_.devices;
    const std::uint8_t out = devices.route(devices.switch_at(node), lid_);
    const std::string& name = devices.plan.nodes[node].name;
    if (out == 0) {
      if (devices.nodes[node].first_port != owner_) why = name + " keeps it for itself";
      return kNone;
    }
    if (out > devices.nodes[node].port_count) {
      why = name + " has no route";
      return kNone;
    }
    const PortIndex port = devices.port_at(node, out);
    const Line& line = devices.lines[port];
    if (line.peer == kNone || line.state != mad::PortState::Active ||
        devices.lines[line.peer].state != mad::PortState::Active) {
      why = view_.name(port) + " leads nowhere: its link is not Active";
      return kNone;
    }
    const NodeIndex next = devices.lines[line.peer].node;
    if (devices.is_switch(next)) return next;
    if (line.peer != owner_) why = view_.name(line.peer) + " is not the owner";
    return kNone;
  }

  const SubnetView& view_;
  PortIndex owner_;
  mad::Lid lid_;
  std::vector<Verdict> verdicts_;
  std::vector<NodeIndex> path_;  // scratch memory
};

// The switch that a port's traffic enters first; kNone when it has none.
NodeIndex entry_switch(const SubnetView& view, PortIndex endpoint) {
  const Devices& devices = view.devices;
  if (!view.is_host(endpoint)) return devices.lines[endpoint].node;
  const PortIndex peer = devices.lines[endpoint].peer;
  if (peer == kNone || !devices.is_switch(devices.lines[peer].node)) return kNone;
  return devices.lines[peer].node;
}

// Whether any switch fails; hosts are told one by one only then.
void check_one_lid(const SubnetView& view, PortIndex owner, mad::Lid lid,
                   ComplaintList& complaints) {
  WalkToLid walk(view, owner, lid);
  bool all_well = true;
  for (const NodeIndex node : view.switches) all_well = walk.from(node).empty() && all_well;
  if (all_well) return;
  for (const PortIndex from : view.endpoints) {
    const NodeIndex entry = entry_switch(view, from);
    if (from == owner || entry == kNone || walk.from(entry).empty()) continue;
    complaints.add(fmt::format("{} does not reach LID {} of {}: {}", view.name(from), lid.value,
                               view.name(owner), walk.from(entry)));
  }
}

// The LIDs that virtual ports have for themselves, those that work.
std::vector<mad::Lid> guest_lids(const SubnetView& view, PortIndex host) {
  std::vector<mad::Lid> lids;
  const auto& all = view.devices.ports[host].virtual_ports;
  if (!all) return lids;
  for (const VirtualPort& each : all->ports) {
    if (each.lid_required && each.state == mad::PortState::Active) lids.push_back(each.lid);
  }
  return lids;
}

void append(Complaints& all, Complaints some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

}  // namespace

Complaints check_lids(const World& world, EndpointId sm) {
  const SubnetView view(world.devices(), sm);
  ComplaintList complaints;
  std::vector<PortIndex> owners(std::size_t{mad::kLastUnicastLid.value} + 1, kNone);
  for (const PortIndex port : view.endpoints) {
    const mad::PortInfo& info = view.devices.ports[port].info;
    const unsigned count = 1u << info.lmc;
    const unsigned last = info.lid.value + count - 1;
    if (!mad::is_unicast(info.lid) || last > mad::kLastUnicastLid.value) {
      complaints.add(fmt::format("{} has LID {}", view.name(port), info.lid.value));
      continue;
    }
    if (info.lid.value % count != 0) {
      complaints.add(fmt::format("{} has LID {}, which is not a multiple of {}", view.name(port),
                                 info.lid.value, count));
    }
    std::vector<mad::Lid> all = guest_lids(view, port);
    for (unsigned lid = info.lid.value; lid <= last; ++lid) {
      all.push_back(mad::Lid{static_cast<std::uint16_t>(lid)});
    }
    for (const mad::Lid lid : all) {
      if (!mad::is_unicast(lid)) {
        complaints.add(
            fmt::format("{} has a virtual port with LID {}", view.name(port), lid.value));
        continue;
      }
      if (owners[lid.value] != kNone) {
        complaints.add(fmt::format("{} and {} both have LID {}", view.name(owners[lid.value]),
                                   view.name(port), lid.value));
      }
      owners[lid.value] = port;
    }
  }
  return std::move(complaints).finish();
}

Complaints check_links(const World& world, EndpointId sm) {
  const SubnetView view(world.devices(), sm);
  ComplaintList complaints;
  for (const PortIndex endpoint : view.endpoints) {
    if (view.is_host(endpoint)) {
      check_port(view, endpoint, complaints);
      continue;
    }
    const Device& device = view.devices.nodes[view.devices.lines[endpoint].node];
    for (unsigned port = 1; port <= device.port_count; ++port) {
      check_port(view, device.first_port + port, complaints);
    }
  }
  return std::move(complaints).finish();
}

Complaints check_master_sm_lid(const World& world, EndpointId sm) {
  const SubnetView view(world.devices(), sm);
  const mad::PortInfo& manager = view.devices.ports[sm].info;
  ComplaintList complaints;
  for (const PortIndex port : view.endpoints) {
    const mad::Lid told = view.devices.ports[port].info.master_sm_lid;
    if (owns_lid(manager, told)) continue;
    complaints.add(fmt::format("{} takes LID {} for the master's, which is {}", view.name(port),
                               told.value, manager.lid.value));
  }
  return std::move(complaints).finish();
}

Complaints check_reachability(const World& world, EndpointId sm) {
  const SubnetView view(world.devices(), sm);
  ComplaintList complaints;
  for (const PortIndex owner : view.endpoints) {
    const mad::PortInfo& info = view.devices.ports[owner].info;
    if (!mad::is_unicast(info.lid)) continue;
    for (unsigned offset = 0; offset < 1u << info.lmc; ++offset) {
      const mad::Lid lid{static_cast<std::uint16_t>(info.lid.value + offset)};
      check_one_lid(view, owner, lid, complaints);
    }
    for (const mad::Lid lid : guest_lids(view, owner)) check_one_lid(view, owner, lid, complaints);
  }
  return std::move(complaints).finish();
}

Complaints judge(const World& world, EndpointId sm, const LevelOf& level_of) {
  Complaints all = check_lids(world, sm);
  append(all, check_links(world, sm));
  append(all, check_master_sm_lid(world, sm));
  append(all, check_reachability(world, sm));
  append(all, check_credit_loops(world, sm, level_of));
  return all;
}

}  // namespace heddle::sim
