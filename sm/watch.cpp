// SPDX-License-Identifier: BSD-3-Clause
#include "sm/watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "mad/capability.hpp"
#include "mad/sm_info.hpp"
#include "mad/validation.hpp"
#include "sm/discovery.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;

// Besides the one that answers again.
constexpr std::size_t kManyMissed = 2;
// A port that calls itself an SM's and does not say which is asked in so many looks, and then in
// each of so many: each time holds up the look, but it may be a master that only hangs.
constexpr unsigned kLooksAtFirst = 3;
constexpr unsigned kLooksThen = 6;
// Misses closer to each other than that are of one look, whatever the interval of light sweeps.
constexpr base::Duration kOneLook = std::chrono::seconds(1);
constexpr const char* kAnotherMaster = "another subnet manager calls itself master";

Request ask(DeviceId device, mad::AttributeId attribute, ObservedEnd of) {
  Request request;
  request.device = device;
  request.purpose = Purpose::Watch;
  request.attribute = attribute;
  request.subject = of.node.value;
  request.detail = of.port.value;
  return request;
}

ObservedEnd subject_of(const Request& request) {
  return {{request.subject}, {static_cast<std::uint8_t>(request.detail)}};
}

// One look is one miss, by however many cables, and so are looks that traps ask for in between.
base::Duration apart(const Options& options) {
  return std::max(options.sweep_interval, kOneLook);
}

}  // namespace

void Watch::begin(Context& context, const Cables& cables, Patience& patience) {
  auto looked_into = std::move(looked_into_);
  const unsigned looks = looks_;
  *this = {};
  looked_into_ = std::move(looked_into);
  looks_ = looks + 1;
  patience_ = &patience;
  if (!context.picture.own) return found("the own port has not answered yet");
  ask_own_port(context);
  ask_switches(context, cables.all);
  ask_behind_silent_links(context);
  ask_along_cables(context, cables);
  ask_neighbour(context);
  ask_managers(context);
}

void Watch::ask_own_port(Context& context) {
  const ObservedEnd own = *context.picture.own;
  Request request = ask(*context.picture.device(own), mad::AttributeId::PortInfo, own);
  request.modifier = own.port.value | mad::kSmSupportExtendedSpeeds;
  context.transactions.submit(request);
}

// Port states tell what PortStateChange would have told if nobody had cleared it, which is rare: so
// every other switch is asked for them, and the others the next time.
void Watch::ask_switches(Context& context, bool all_states) {
  const Picture& picture = context.picture;
  bool has_turn = looks_ % 2 == 0;
  for (std::uint32_t n = 0; n < picture.observation.size(); ++n) {
    if (!picture.observation.is_switch({n})) continue;
    const ObservedEnd port0{ObservedIndex{n}, {0}};
    // Who answers there must say first who it is: that is asked along the cable.
    if (patience_->is_missed(picture.observation[port0.node].info.node_guid)) continue;
    context.transactions.submit(ask(*picture.device(port0), mad::AttributeId::SwitchInfo, port0));
    has_turn = !has_turn;
    if (all_states || has_turn) ask_port_states(context, port0.node);
  }
}

void Watch::ask_port_states(Context& context, ObservedIndex of) {
  const auto& node = context.picture.observation[of];
  const auto& port0 = node.ports.front().info;
  const bool has = port0 && (port0->capability_mask & mad::kIsCapabilityMask2Supported) != 0 &&
                   (port0->capability_mask2 & mad::kIsSwitchPortStateTableSupported) != 0;
  if (!has) return;
  const ObservedEnd end{of, {0}};
  for (std::uint32_t block = 0; block * mad::kPortsPerStateBlock < node.ports.size(); ++block) {
    Request request =
        ask(*context.picture.device(end), mad::AttributeId::SwitchPortStateTable, end);
    request.modifier = block;
    request.optional = true;  // SwitchInfo tells whether the switch is there
    context.transactions.submit(request);
  }
}

// A host that boots raises its link long before its agent answers; nothing else would tell.
void Watch::ask_behind_silent_links(Context& context) {
  const fabric::Observation& observation = context.picture.observation;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    if (!observation.is_switch({n})) continue;
    const auto ports = observation.ports({n});
    for (unsigned p = 1; p < ports.size(); ++p) {
      const auto& port = ports[p];
      if (port.sighting || !port.info || port.info->port_state == mad::PortState::Down) continue;
      ask_beyond(context, {ObservedIndex{n}, {static_cast<std::uint8_t>(p)}});
    }
  }
}

void Watch::ask_beyond(Context& context, ObservedEnd end) {
  const DeviceId device = *context.picture.device(end);
  if (context.transactions.route(device).hop_count >= context.options.max_hops) return;
  Request request = ask(device, mad::AttributeId::NodeInfo, end);
  request.beyond = end.port;
  context.transactions.submit(request);
}

// Each cable once, from a switch.
void Watch::ask_along_cables(Context& context, const Cables& cables) {
  const auto looked_along = [&](const fabric::ObservedNode& node) {
    return cables.all || cables.of.count(node.info.node_guid) != 0;
  };
  if (!cables.all && cables.of.empty() && patience_->missed() == 0) return;
  const fabric::Observation& observation = context.picture.observation;
  for (std::uint32_t n = 0; n < observation.size(); ++n) {
    if (!observation.is_switch({n})) continue;
    const auto& node = observation[ObservedIndex{n}];
    if (patience_->is_missed(node.info.node_guid)) continue;
    for (unsigned p = 1; p < node.ports.size(); ++p) {
      const auto& sighting = node.ports[p].sighting;
      if (!sighting || !node.ports[p].info) continue;
      const auto& other = observation[sighting->node];
      const bool missed = patience_->is_missed(other.info.node_guid);
      if (!missed && !looked_along(node)) continue;
      const bool other_asks = other.is_switch() && looked_along(other) && sighting->node.value < n;
      if (!other_asks) ask_beyond(context, {ObservedIndex{n}, {static_cast<std::uint8_t>(p)}});
    }
  }
}

// Two hosts and one cable: no switch will report that the other host was changed for another.
void Watch::ask_neighbour(Context& context) {
  const ObservedEnd own = *context.picture.own;
  const auto& node = context.picture.observation[own.node];
  if (node.is_switch() || !node.ports[own.port.value].info ||
      node.ports[own.port.value].info->port_state == mad::PortState::Down) {
    return;
  }
  Request request = ask(*context.picture.device(own), mad::AttributeId::NodeInfo, own);
  request.beyond = own.port;
  context.transactions.submit(request);
}

void Watch::ask_managers(Context& context) {
  std::vector<DeviceId> devices;
  for (auto& [device, asked] : context.picture.silent_sms) {
    if (asked < kLooksAtFirst || asked % kLooksThen == 0) devices.push_back(device);
    ++asked;
  }
  for (const OtherSM& other : context.picture.other_sms) devices.push_back(other.device);
  for (const DeviceId device : devices) {
    Request request = ask(device, mad::AttributeId::SMInfo, *context.picture.own);
    request.optional = true;
    context.transactions.submit(request);
  }
}

void Watch::on_manager(Context& context, const Answer& answer) {
  auto& others = context.picture.other_sms;
  const DeviceId device = answer.request.device;
  const auto known = std::find_if(others.begin(), others.end(),
                                  [&](const OtherSM& other) { return other.device == device; });
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  const auto info = well ? mad::decode<mad::SMInfo>(answer.data) : mad::SMInfo{};
  const auto claims_office = [&](const mad::SMInfo& who) {
    return who.sm_state == mad::SMState::Master && may_take_part(context.options, who.guid);
  };
  if (known == others.end()) {
    const auto end = well ? context.picture.end_of(device) : std::nullopt;
    if (!end || !complaints_about(context.picture, *end, info).empty()) return;
    forget_manager(context.picture, device);  // it is silent no longer
    others.push_back(other_manager(device, info, context.options.sm_key));
    if (claims_office(info)) found(kAnotherMaster);
    return;
  }
  if (info.guid != known->guid) {
    forget_manager(context.picture, device);
    context.picture.silent_sms.emplace(device, 0);  // it may only have been busy
    return;
  }
  const bool claims = claims_office(info) && known->state != mad::SMState::Master;
  *known = other_manager(device, info, context.options.sm_key);
  if (claims) found(kAnotherMaster);
}

void Watch::on_answer(Context& context, const Answer& answer) {
  switch (answer.request.attribute) {
    case mad::AttributeId::SMInfo:
      return on_manager(context, answer);
    case mad::AttributeId::SwitchInfo:
      return on_switch_info(context, answer);
    case mad::AttributeId::SwitchPortStateTable:
      return on_port_states(context, answer);
    case mad::AttributeId::PortInfo:
      return on_own_port(context, answer);
    case mad::AttributeId::NodeInfo:
      return on_neighbour(context, answer);
    default:
      return;
  }
}

void Watch::on_switch_info(Context& context, const Answer& answer) {
  const NodeName name = context.picture.name(subject_of(answer.request).node);
  const ObservedIndex node = subject_of(answer.request).node;
  if (!answer.answered || answer.status != mad::kStatusOk) {
    return suspect(context, node, text(name) + " no longer answers");
  }
  answered_.insert(node.value);
  const auto& before = context.picture.observation[node].switch_info;
  const auto now = mad::decode<mad::SwitchInfo>(answer.data);
  if (now.port_state_change) {
    context.events.say(SwitchChanged{name});
    return suspect(context, node, "a port of " + text(name) + " changed its state");
  }
  if (!before || before->linear_fdb_top != now.linear_fdb_top) {
    suspect(context, node, text(name) + " lost its forwarding table");
  }
}

// A change that PortStateChange did not tell, because somebody else has cleared it.
void Watch::on_port_states(Context& context, const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk) return;
  const ObservedIndex node = subject_of(answer.request).node;
  const auto table = mad::decode<mad::SwitchPortStateTable>(answer.data);
  const auto ports = context.picture.observation.ports(node);
  const std::size_t first = answer.request.modifier * mad::kPortsPerStateBlock;
  bool differs = false;
  for (std::size_t i = 0; i < table.port_states.size() && first + i < ports.size(); ++i) {
    const auto& info = ports[first + i].info;
    const auto state = table.port_states[i];
    if (first + i == 0 || state == mad::PortState::NoChange || !info) continue;
    differs = differs || info->port_state != state;
  }
  const mad::Guid guid = context.picture.observation[node].info.node_guid;
  const auto key = std::pair(guid, answer.request.modifier);
  if (!differs) {
    looked_into_.erase(key);
    return;
  }
  const auto [known, is_new] = looked_into_.try_emplace(key, table);
  if (!is_new && known->second == table) return;
  known->second = table;
  suspicion_.entirely.insert(guid);
  suspect(context, node,
          "a port of " + text(context.picture.name(node)) + " is in another state than it was");
}

void Watch::on_own_port(Context& context, const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk) {
    return found("the own port no longer answers");
  }
  const ObservedEnd own = subject_of(answer.request);
  const auto& before = context.picture.observation.port(own).info;
  const auto now = mad::decode<mad::PortInfo>(answer.data);
  if (!before || before->port_state != now.port_state) {
    return found("the own port changed its state");
  }
  if (before->lid != now.lid || before->master_sm_lid != now.master_sm_lid) {
    found("somebody else changed the LIDs of the own port");
  }
}

void Watch::on_neighbour(Context& context, const Answer& answer) {
  const ObservedEnd end = subject_of(answer.request);
  const auto& port = context.picture.observation.port(end);
  const auto& sighting = port.sighting;
  const std::string where = text(context.picture.name(end));
  if (!answer.answered) {
    if (!sighting) return;
    const auto& other = context.picture.observation[sighting->node];
    // A switch is asked by itself: if it answered, it is the cable that leads nowhere.
    const bool is_silent = !other.is_switch() || answered_.count(sighting->node.value) == 0;
    if (is_silent &&
        patience_->endures(other.info.node_guid, context.options, apart(context.options)))
      return;
    return suspect_cable(context, end, "nothing answers any more behind " + where);
  }
  if (answer.status != mad::kStatusOk) return;
  const auto info = mad::decode<mad::NodeInfo>(answer.data);
  if (!sighting) {
    const auto& disbelieved = context.picture.observation[end.node].disbelieved;
    const auto known = disbelieved.find(end.port.value);
    if (known != disbelieved.end() && known->second == info) return;
    return suspect_cable(context, end, "a device began to answer behind " + where);
  }
  const auto& there = context.picture.observation[sighting->node];
  if (there.info.node_guid != info.node_guid) {
    return suspect_cable(context, end, "another device hangs on " + where);
  }
  if (sighting->port != info.local_port_num) {
    return suspect_cable(context, end, "another port hangs on " + where);
  }
  if (there.port_guid(sighting->port) != info.port_guid) {
    return suspect_cable(context, end, "a port has another GUID than before, behind " + where);
  }
  if (!patience_->is_missed(info.node_guid)) return;
  patience_->on_answer(info.node_guid);
  // So many were not all busy: the ways to them had died. One look after another would take long.
  if (patience_->missed() >= kManyMissed) return found("several that were silent answer again");
  suspicion_.entirely.insert(info.node_guid);
  suspicion_.returned = true;
  suspect(context, sighting->node, text(context.picture.name(sighting->node)) + " answers again");
}

void Watch::suspect(const Context& context, ObservedIndex node, std::string reason) {
  suspicion_.nodes.insert(context.picture.observation[node].info.node_guid);
  if (suspicion_.reason.empty()) suspicion_.reason = std::move(reason);
}

// Two hosts and one cable: from the own port on, everything is new.
void Watch::suspect_cable(const Context& context, ObservedEnd end, std::string reason) {
  if (!context.picture.observation[end.node].is_switch()) return found(std::move(reason));
  suspicion_.cables.push_back(end);
  suspect(context, end.node, std::move(reason));
}

void Watch::found(std::string reason) {
  if (reason_.empty()) reason_ = std::move(reason);
}

}  // namespace heddle::sm
