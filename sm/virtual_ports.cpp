// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports: who has them, and what they are. programming_virtual.cpp writes.
#include "sm/virtual_ports.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "mad/capability.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::PortIndex;
using mad::AttributeId;

// Light sweeps come by every port within so many of them; in a small fabric all are asked by each.
constexpr std::size_t kWatchRounds = 60;
constexpr std::size_t kFewestWatched = 64;
// Of a virtual port; a table that claims more is used so far. A thousand of 2,048 blocks each
// behind one port would hold up a sweep for hours.
constexpr std::uint16_t kMostVirtualKeys = 512;

const mad::PortInfo* info_of(const Picture& picture, PortIndex port) {
  const ObservedEnd end = picture.frozen.end_of[port.value];
  const auto& info = picture.observation.port(end).info;
  return info ? &*info : nullptr;
}

bool has_virtual_ports(const mad::PortInfo& info) {
  return (info.capability_mask & mad::kIsCapabilityMask2Supported) != 0 &&
         (info.capability_mask2 & mad::kIsVirtualizationSupported) != 0;
}

std::uint16_t top_of(const mad::VirtualizationInfo& info) {
  const unsigned cap = info.vport_cap == 0 ? 0u : info.vport_cap - 1u;
  return static_cast<std::uint16_t>(
      std::min<unsigned>({info.vport_index_top, cap, kMostVirtualPorts}));
}

// As far as the manager has a say in it. A shared LID is its port's.
bool shows_the_same(const mad::VPortInfo& a, const mad::VPortInfo& b) {
  const bool same_lid = !a.lid_required || a.vport_lid == b.vport_lid;
  return a.vport_guid == b.vport_guid && a.vport_state == b.vport_state &&
         a.lid_required == b.lid_required && same_lid;
}

bool exists(mad::PortState state) {
  return state == mad::PortState::Init || state == mad::PortState::Armed ||
         state == mad::PortState::Active;
}

}  // namespace

void VirtualPorts::begin_sweep() {
  changed_.clear();
  suspects_.clear();
  looked_ = false;
}

std::optional<DeviceId> VirtualPorts::device_of(const Context& context, const Host& host) const {
  const auto node = context.picture.observation.find(host.node);
  return node ? context.picture.device({*node, host.number}) : std::nullopt;
}

void VirtualPorts::submit(Context& context, std::uint32_t host, mad::Method method,
                          AttributeId attribute, std::uint32_t modifier, std::uint32_t detail) {
  const auto device = device_of(context, hosts_[host]);
  if (!device) return;
  Request request;
  request.device = *device;
  request.purpose = Purpose::Virtual;
  request.method = method;
  request.attribute = attribute;
  request.modifier = modifier;
  request.subject = host;
  request.detail = detail;
  request.optional = attribute == AttributeId::VirtualizationInfo && detail == kWatch;
  context.transactions.submit(request);
}

bool VirtualPorts::look(Context& context, const std::set<mad::Guid>& visited) {
  if (std::exchange(looked_, true)) return false;
  bool asked = false;
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    if (visited.count(hosts_[h].node) == 0 || !device_of(context, hosts_[h])) continue;
    ask(context, h, AttributeId::VirtualizationInfo, 0, kLook);
    asked = true;
  }
  return asked;
}

void VirtualPorts::watch(Context& context) {
  const std::size_t share = (hosts_.size() + kWatchRounds - 1) / kWatchRounds;
  std::size_t left = std::min(hosts_.size(), std::max(kFewestWatched, share));
  for (; left > 0; --left) {
    watched_ = (watched_ + 1) % hosts_.size();
    ask(context, static_cast<std::uint32_t>(watched_), AttributeId::VirtualizationInfo, 0, kWatch);
  }
}

// In the order of the topology, with what is known of them.
std::vector<VirtualPorts::Host> VirtualPorts::take_hosts(Context& context) {
  std::vector<Host> now;
  if (!context.options.virtualization) return now;
  const auto& topology = *context.picture.frozen.topology;
  std::map<PortKey, Host*> before;
  for (Host& host : hosts_) before.emplace(PortKey{host.node, host.number}, &host);
  for (const PortIndex port : context.picture.all_endports()) {
    const auto* info = info_of(context.picture, port);
    const auto node = topology.node_of(port);
    if (info == nullptr || topology.is_switch(node) || !has_virtual_ports(*info)) continue;
    const PortKey key{topology.node(node).guid, topology.number_of(port)};
    const auto known = before.find(key);
    Host& host = now.emplace_back(known == before.end() ? Host{} : std::move(*known->second));
    host.node = key.first;
    host.number = key.second;
    host.port = port;
    host.of_info.next_sweep();
    for (auto& [index, vport] : host.vports) {
      vport.of_state.next_sweep();
      vport.of_keys.next_sweep();
    }
  }
  return now;
}

void VirtualPorts::begin(Context& context, bool all, bool doubt) {
  doubt_ = doubt;
  hosts_ = take_hosts(context);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    Host& host = hosts_[h];
    const auto device = device_of(context, host);
    // Of one that is silent for a while what is known holds.
    if (!device || context.transactions.is_locked(*device)) continue;
    // A port that is still ACTIVE has not restarted since we made it so.
    const bool kept = info_of(context.picture, host.port)->port_state == mad::PortState::Active;
    const bool same = changed_.count({host.node, host.number}) == 0;
    // One that always says that something changed says nothing.
    const bool says_so = !(all && host.stuck);
    host.known = host.known && kept && same && says_so && !doubt;
    if (host.known && !all) continue;
    host.gap = Host::Gap::None;
    ask(context, h, AttributeId::VirtualizationInfo, 0, kFirst);
  }
}

void VirtualPorts::on_answer(Context& context, const Answer& answer) {
  const auto attribute = answer.request.attribute;
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  const bool asks_only = attribute == AttributeId::VirtualizationInfo &&
                         (answer.request.detail <= kWatch || answer.request.detail == kTell);
  if (!well) return asks_only ? void() : on_failure(context, answer);
  switch (attribute) {
    case AttributeId::VirtualizationInfo:
      return on_virtualization_info(context, answer);
    case AttributeId::VPortState:
      return on_states(context, answer);
    case AttributeId::VPortInfo:
      return answer.request.method == mad::Method::Set ? on_led(context, answer)
                                                       : on_vport_info(context, answer);
    case AttributeId::VNodeInfo:
      return on_vnode_info(context, answer);
    case AttributeId::VNodeDescription:
    case AttributeId::VPortPKeyTable:
      return on_keys(context, answer);
    default:
      return;
  }
}

void VirtualPorts::on_virtualization_info(Context& context, const Answer& answer) {
  const std::uint32_t h = answer.request.subject;
  Host& host = hosts_[h];
  const auto info = mad::decode<mad::VirtualizationInfo>(answer.data);
  const bool differs = info.virtualization_enable != host.info.virtualization_enable ||
                       info.vport_index_top != host.info.vport_index_top ||
                       info.vport_cap != host.info.vport_cap;
  const bool has_news = differs || (info.vport_state_change && !host.stuck);
  switch (answer.request.detail) {
    case kLook:
      if (differs || info.vport_state_change) changed_.insert({host.node, host.number});
      return;
    case kWatch:
      if (has_news) suspects_.insert(host.node);
      return;
    case kTell:
      return;
    case kSecond:
      host.info = info;
      host.stuck = info.vport_state_change;
      return read(context, h);
    default:
      break;
  }
  if (answer.request.method == mad::Method::Set) {
    return ask(context, h, AttributeId::VirtualizationInfo, 0, kSecond);
  }
  host.info = info;
  host.known = host.known && !differs && !has_news;
  // The bit is cleared before they are read, so that what changes meanwhile raises it again.
  const bool wanted = !info.virtualization_enable || info.vport_state_change;
  if (!wanted) host.of_info = {};
  if (wanted && !host.of_info.waits()) {
    set(context, h, AttributeId::VirtualizationInfo, 0, kFirst);
  } else if (!host.known) {
    read(context, h);
  }
}

void VirtualPorts::read(Context& context, std::uint32_t h) {
  Host& host = hosts_[h];
  const std::uint16_t top = host.info.virtualization_enable ? top_of(host.info) : 0;
  host.known = true;
  host.vports.erase(host.vports.upper_bound(top), host.vports.end());
  if (top == 0) return;
  for (std::uint32_t block = 0; block <= top / mad::kVPortsPerStateBlock; ++block) {
    ask(context, h, AttributeId::VPortState, block, 0);
  }
}

// One that is Down is nobody's: its function is not in use.
void VirtualPorts::on_states(Context& context, const Answer& answer) {
  const std::uint32_t h = answer.request.subject;
  const auto states = mad::decode<mad::VPortState>(answer.data).vport_states;
  const std::size_t first = answer.request.modifier * mad::kVPortsPerStateBlock;
  const std::size_t top = top_of(hosts_[h].info);
  for (std::size_t i = 0; i < states.size() && first + i <= top; ++i) {
    const auto index = static_cast<std::uint16_t>(first + i);
    if (index == 0) continue;
    if (exists(states[i])) {
      ask(context, h, AttributeId::VPortInfo, index, index);
    } else {
      hosts_[h].vports.erase(index);
    }
  }
}

void VirtualPorts::on_vport_info(Context& context, const Answer& answer) {
  Host& host = hosts_[answer.request.subject];
  const auto index = static_cast<std::uint16_t>(answer.request.detail);
  const auto info = mad::decode<mad::VPortInfo>(answer.data);
  if (info.vport_guid == mad::Guid{} || !exists(info.vport_state)) {
    host.vports.erase(index);
    return;
  }
  VPort& vport = host.vports[index];
  const bool same = vport.known && vport.info.vport_guid == info.vport_guid;
  const bool stayed = same && vport.info.vport_state == mad::PortState::Active &&
                      info.vport_state == mad::PortState::Active && !doubt_;
  const Refusal of_state = shows_the_same(vport.info, info) ? vport.of_state : Refusal{};
  // What is known of one that works holds until it has been read again.
  if (!same) vport = {};
  vport.of_state = of_state;
  vport.info = info;
  if (stayed) return;
  ask(context, answer.request.subject, AttributeId::VNodeInfo, index, index);
}

void VirtualPorts::on_vnode_info(Context& context, const Answer& answer) {
  Host& host = hosts_[answer.request.subject];
  const auto index = static_cast<std::uint16_t>(answer.request.detail);
  VPort& vport = host.vports[index];
  vport.node = mad::decode<mad::VNodeInfo>(answer.data);
  vport.known = vport.unplanned = true;
  vport.keys.capacity = std::min(vport.node.partition_cap, kMostVirtualKeys);
  vport.keys.blocks.assign(mad::p_key_block_count(vport.keys.capacity), std::nullopt);
  ask(context, answer.request.subject, AttributeId::VNodeDescription, index, index);
  for (std::size_t block = 0; block < vport.keys.blocks.size(); ++block) {
    ask(context, answer.request.subject, AttributeId::VPortPKeyTable,
        mad::vport_block_modifier(index, static_cast<std::uint16_t>(block)), index);
  }
}

// Or a description.
void VirtualPorts::on_keys(Context&, const Answer& answer) {
  Host& host = hosts_[answer.request.subject];
  const auto found = host.vports.find(static_cast<std::uint16_t>(answer.request.detail));
  if (found == host.vports.end()) return;
  VPort& vport = found->second;
  if (answer.request.attribute == AttributeId::VNodeDescription) {
    const auto text = mad::decode<mad::VNodeDescription>(answer.data);
    vport.description =
        base::printable(std::string_view(text.node_string.data(), text.node_string.size()));
    return;
  }
  const std::uint16_t block = mad::vport_block_of(answer.request.modifier);
  if (block >= vport.keys.blocks.size()) return;
  vport.keys.blocks[block] = mad::decode<mad::PKeyTable>(answer.data);
  const bool taken = answer.request.method == mad::Method::Get ||
                     vport.keys.blocks[block] == vport.plan.blocks[block];
  if (!taken) vport.of_keys.note();
}

// What could not be read or did not arrive is asked for by the next sweep; for what was refused
// there is no haste.
void VirtualPorts::on_failure(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  Host& host = hosts_[request.subject];
  if (answer.answered && request.method == mad::Method::Set) return note_refusal(context, answer);
  if (answer.answered && request.attribute == AttributeId::VNodeDescription) return;
  host.known = false;
  host.gap = answer.answered ? Host::Gap::Refused : Host::Gap::Silent;
  const bool vanished = answer.answered && request.attribute == AttributeId::VPortInfo;
  if (vanished) {
    host.vports.erase(static_cast<std::uint16_t>(request.detail));
    host.gap = Host::Gap::None;
  }
  if (!answer.answered && context.picture.falls_silent(request.device)) {
    context.events.say(DeviceSilent{context.transactions.route(request.device).text(),
                                    context.picture.name(host.port).node, request.attribute});
  }
}

void VirtualPorts::note_refusal(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  Host& host = hosts_[request.subject];
  Refusal* refusal = &host.of_info;
  if (request.attribute != AttributeId::VirtualizationInfo) {
    const auto vport = host.vports.find(static_cast<std::uint16_t>(request.detail));
    if (vport == host.vports.end()) return;
    const bool keys = request.attribute == AttributeId::VPortPKeyTable;
    refusal = keys ? &vport->second.of_keys : &vport->second.of_state;
  } else if (host.info.virtualization_enable) {
    host.stuck = true;
    read(context, request.subject);
  }
  if (!refusal->note()) return;
  context.events.say(SetRefused{context.picture.name(host.port).node, request.attribute,
                                request.modifier, answer.status});
}

void VirtualPorts::tell_vport(std::uint16_t index, const VPort& vport,
                              std::vector<std::string>& problems) {
  const auto tell = [&](const char* what) {
    problems.push_back("virtual port " + std::to_string(index) + ' ' + what);
  };
  if (vport.twin) {
    problems.push_back("virtual port " + std::to_string(index) +
                       " is left alone: somebody else has its GUID " +
                       text(NodeName{vport.info.vport_guid, ""}));
    return;
  }
  if (vport.of_state.lasts()) tell("does not take its LID or state");
  if (vport.of_keys.lasts()) tell("does not take its P_Keys");
  if (!vport.plan.left_out.empty()) tell("has no room for all its P_Keys");
}

void VirtualPorts::tell_problems(Context& context) const {
  for (const Host& host : hosts_) {
    std::vector<std::string> problems;
    if (host.gap == Host::Gap::Silent)
      problems.emplace_back("did not answer for its virtual ports");
    if (host.gap == Host::Gap::Refused) {
      problems.emplace_back("does not let all be read of its virtual ports");
    }
    if (host.of_info.lasts()) problems.emplace_back("refused what was asked of its virtual ports");
    const std::uint16_t top = top_of(host.info);
    if (host.info.virtualization_enable && host.info.vport_index_top > top) {
      problems.push_back("has more than " + std::to_string(top) +
                         " virtual ports; the others are left alone");
    }
    for (const auto& [index, vport] : host.vports) tell_vport(index, vport, problems);
    for (const std::string& problem : problems) {
      context.picture.problems.push_back(text(context.picture.name(host.port)) + ' ' + problem);
    }
  }
}

}  // namespace heddle::sm
