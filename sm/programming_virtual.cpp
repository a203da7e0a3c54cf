// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports: what they get. Reading them is in virtual_ports.cpp.
#include <algorithm>
#include <unordered_set>

#include "sm/virtual_ports.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;
using mad::AttributeId;

}  // namespace

bool VirtualPorts::is_managed(const VPort& vport) {
  return vport.known && !vport.twin;
}

// It may have refused the one that it was given.
bool VirtualPorts::has_its_lid(const VPort& vport) {
  const bool to_have = vport.info.lid_required && vport.lid != mad::kNoLid;
  return !to_have || vport.info.vport_lid == vport.lid;
}

template <class Visit>
void VirtualPorts::each_managed(const Visit& visit) {
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    for (auto& [index, vport] : hosts_[h].vports) {
      if (is_managed(vport)) visit(h, index, vport);
    }
  }
}

// Of two with one GUID the one that works goes on: a machine that moves may be in both places for
// a moment. A port is before all virtual ones.
void VirtualPorts::settle(const Context& context) {
  if (hosts_.empty()) return;
  const auto& topology = *context.picture.frozen.topology;
  std::unordered_set<mad::Guid> taken;
  for (const PortIndex port : topology.endports()) taken.insert(topology.port(port).guid);
  for (const bool works : {true, false}) {
    for (Host& host : hosts_) {
      for (auto& [index, vport] : host.vports) {
        if ((vport.info.vport_state == mad::PortState::Active) != works) continue;
        vport.twin = vport.known && !taken.insert(vport.info.vport_guid).second;
      }
    }
  }
  auto next = static_cast<std::uint32_t>(topology.port_count());
  each_managed([&](std::uint32_t, std::uint16_t, VPort& vport) { vport.member = next++; });
}

void VirtualPorts::request_lids(bool reassign, std::vector<LidRequest>& requests) const {
  for (const Host& host : hosts_) {
    for (const auto& [index, vport] : host.vports) {
      if (!is_managed(vport) || !vport.info.lid_required) continue;
      LidRequest request;
      request.port = host.port;
      request.port_guid = vport.info.vport_guid;
      if (!reassign) request.held = vport.info.vport_lid;
      request.vport = index;
      requests.push_back(request);
    }
  }
}

std::vector<partitions::Guest> VirtualPorts::guests() const {
  std::vector<partitions::Guest> guests;
  for (const Host& host : hosts_) {
    for (const auto& [index, vport] : host.vports) {
      if (is_managed(vport)) guests.push_back({vport.info.vport_guid, host.port});
    }
  }
  return guests;
}

void VirtualPorts::set(Context& context, std::uint32_t host, AttributeId attribute,
                       std::uint32_t modifier, std::uint32_t detail) {
  submit(context, host, mad::Method::Set, attribute, modifier, detail);
}

mad::SmpData VirtualPorts::data_for(const Request& request) const {
  mad::SmpData data{};
  const auto bytes = std::span<std::byte, mad::kSmpDataBytes>(data);
  const Host& host = hosts_[request.subject];
  if (request.attribute == AttributeId::VirtualizationInfo) {
    mad::VirtualizationInfo info;
    info.virtualization_enable = true;
    info.vport_state_change = request.detail == kFirst;
    info.vclient_reregister = request.detail == kTell;
    mad::encode(info, bytes);
    return data;
  }
  const auto found = host.vports.find(static_cast<std::uint16_t>(request.detail));
  if (found == host.vports.end()) return data;
  const VPort& vport = found->second;
  if (request.attribute == AttributeId::VPortPKeyTable) {
    mad::encode(vport.plan.blocks[mad::vport_block_of(request.modifier)], bytes);
    return data;
  }
  mad::VPortInfo info = vport.info;
  info.vport_state = static_cast<mad::PortState>(request.detail >> 16);
  info.client_reregister = false;
  if (vport.lid != mad::kNoLid) info.vport_lid = vport.lid;
  mad::encode(info, bytes);
  return data;
}

void VirtualPorts::tell_clients(Context& context, PortIndex port) {
  const auto found =
      std::lower_bound(hosts_.begin(), hosts_.end(), port,
                       [](const Host& host, PortIndex at) { return host.port < at; });
  if (found == hosts_.end() || found->port != port || found->vports.empty()) return;
  set(context, static_cast<std::uint32_t>(found - hosts_.begin()), AttributeId::VirtualizationInfo,
      0, kTell);
}

// That of the VPort which it names, if that has one of its own, or its port's.
void VirtualPorts::share_lid(const Picture& picture, Host& host, VPort& vport) const {
  const auto named = host.vports.find(vport.info.lid_by_vport_index);
  const bool has_own =
      named != host.vports.end() && named->second.info.lid_required && is_managed(named->second);
  vport.lid = has_own ? named->second.lid : picture.lids->base(host.port);
}

void VirtualPorts::write(Context& context, std::span<const RememberedLids> memory,
                         std::shared_ptr<const partitions::Memberships> memberships) {
  const Picture& picture = context.picture;
  memberships_ = std::move(memberships);
  each_managed([&](std::uint32_t h, std::uint16_t index, VPort& vport) {
    if (!vport.info.lid_required) return;
    const auto given =
        std::lower_bound(memory.begin(), memory.end(), vport.info.vport_guid,
                         [](const auto& entry, mad::Guid guid) { return entry.port_guid < guid; });
    const bool has = given != memory.end() && given->port_guid == vport.info.vport_guid &&
                     picture.lids->is_guest(given->base) &&
                     picture.lids->owner(given->base) == hosts_[h].port;
    vport.lid = has ? given->base : mad::kNoLid;
    if (vport.of_state.waits()) return;
    // The LID that it holds may be somebody else's now.
    const bool raised = vport.info.vport_state != mad::PortState::Init;
    if (!has && raised) lead(context, h, index, mad::PortState::Down);
    if (has && !has_its_lid(vport)) lead(context, h, index, mad::PortState::NoChange);
  });
  each_managed([&](std::uint32_t h, std::uint16_t index, VPort& vport) {
    if (!vport.info.lid_required) share_lid(picture, hosts_[h], vport);
    write_keys(context, h, index, vport);
  });
}

void VirtualPorts::write_keys(Context& context, std::uint32_t h, std::uint16_t index,
                              VPort& vport) {
  const auto wanted = memberships_->of({vport.member});
  const bool planned =
      std::equal(wanted.begin(), wanted.end(), vport.planned.begin(), vport.planned.end());
  const auto stands = [&](std::uint16_t block) {
    return vport.keys.blocks[block] == vport.plan.blocks[block];
  };
  const auto& before = vport.plan.to_write;
  const bool stood =
      planned && !vport.unplanned && std::all_of(before.begin(), before.end(), stands);
  if (stood || !planned) vport.of_keys = {};
  if (stood) return;
  vport.unplanned = false;
  vport.plan = partitions::plan_table(vport.keys, wanted);
  vport.planned.assign(wanted.begin(), wanted.end());
  if (vport.plan.to_write.empty()) vport.of_keys = {};
  if (vport.of_keys.waits()) return;
  if (!planned && !vport.plan.left_out.empty()) {
    const PortName name = context.picture.name(hosts_[h].port);
    context.events.say(PKeyTableFull{name, vport.keys.capacity, vport.plan.left_out.size()});
  }
  for (const std::uint16_t block : vport.plan.to_write) {
    set(context, h, AttributeId::VPortPKeyTable, mad::vport_block_modifier(index, block), index);
  }
}

void VirtualPorts::lead(Context& context, std::uint32_t h, std::uint16_t index, mad::PortState to) {
  set(context, h, AttributeId::VPortInfo, index, static_cast<std::uint32_t>(to) << 16 | index);
}

void VirtualPorts::raise(Context& context) {
  each_managed([&](std::uint32_t h, std::uint16_t index, VPort& vport) {
    const auto state = vport.info.vport_state;
    const bool may = vport.lid != mad::kNoLid && has_its_lid(vport) && !vport.of_state.waits() &&
                     context.picture.is_active(hosts_[h].port);
    if (!may || state == mad::PortState::Active) return;
    lead(context, h, index,
         state == mad::PortState::Armed ? mad::PortState::Active : mad::PortState::Armed);
  });
}

// One that went Down meanwhile answers so, and is read again.
void VirtualPorts::on_led(Context& context, const Answer& answer) {
  const std::uint32_t h = answer.request.subject;
  const auto index = static_cast<std::uint16_t>(answer.request.detail);
  const auto wanted = static_cast<mad::PortState>(answer.request.detail >> 16);
  Host& host = hosts_[h];
  const auto found = host.vports.find(index);
  if (found == host.vports.end()) return;
  VPort& vport = found->second;
  vport.info = mad::decode<mad::VPortInfo>(answer.data);
  vport.info.client_reregister = false;
  // One that is taken down goes on to Init by itself.
  const bool any_state = wanted == mad::PortState::NoChange || wanted == mad::PortState::Down;
  const bool led = any_state || vport.info.vport_state == wanted;
  if (led && has_its_lid(vport)) {
    vport.of_state = {};
  } else {
    vport.of_state.note();
  }
  if (!led) host.known = false;
  if (led && wanted == mad::PortState::Armed) lead(context, h, index, mad::PortState::Active);
}

std::shared_ptr<const sa::VirtualPorts> VirtualPorts::published(const Picture& picture) const {
  std::vector<sa::VirtualPort> all;
  for (const Host& host : hosts_) {
    for (const auto& [index, vport] : host.vports) {
      const bool works = is_managed(vport) && vport.lid != mad::kNoLid && has_its_lid(vport) &&
                         vport.info.vport_state == mad::PortState::Active &&
                         picture.is_active(host.port);
      if (!works) continue;
      sa::VirtualPort& one = all.emplace_back();
      one.guid = vport.info.vport_guid;
      one.host = host.port;
      one.member = {vport.member};
      one.lid = vport.lid;
      one.own_lid = vport.info.lid_required;
      one.index = index;
      one.node_guid = vport.node.vnode_guid;
      one.description = vport.description;
      one.partition_cap = vport.node.partition_cap;
      for (const auto& block : vport.keys.blocks) {
        if (!block) break;
        one.p_key_table.push_back(*block);
      }
    }
  }
  return all.empty() ? nullptr : std::make_shared<const sa::VirtualPorts>(std::move(all));
}

}  // namespace heddle::sm
