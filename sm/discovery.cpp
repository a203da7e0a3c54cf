// SPDX-License-Identifier: BSD-3-Clause
#include "sm/discovery.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "mad/capability.hpp"
#include "mad/link.hpp"
#include "mad/sm_info.hpp"
#include "mad/validation.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::ObservedIndex;
using fabric::ObservedNode;

// Request::subject of the very first question, which no node asks.
constexpr std::uint32_t kOwnNode = 0xFFFF'FFFF;

std::string_view as_text(const mad::NodeDescription& description) {
  return {description.node_string.data(), description.node_string.size()};
}

Request get(DeviceId device, mad::AttributeId attribute, std::uint32_t modifier, ObservedEnd of) {
  Request request;
  request.device = device;
  request.purpose = Purpose::Discovery;
  request.attribute = attribute;
  request.modifier = modifier;
  request.subject = of.node.value;
  request.detail = of.port.value;
  return request;
}

// The same node, asked twice, may differ only in the port the question came in by, and in its
// SystemImageGUID if that was changed meanwhile.
bool same_device(const mad::NodeInfo& a, const mad::NodeInfo& b) {
  return a.node_type == b.node_type && a.num_ports == b.num_ports && a.device_id == b.device_id &&
         a.vendor_id == b.vendor_id;
}

// The PortGUID is that of the port that the question came in by, or of all ports of a switch. A
// restart may have changed it.
void name_port(ObservedNode& node, mad::PortNumber port, const mad::NodeInfo& info) {
  if (node.is_switch()) {
    node.info.port_guid = info.port_guid;
  } else if (port.value < node.ports.size()) {
    node.ports[port.value].guid = info.port_guid;
  }
}

// A node is asked for its own NodeInfo, not for that of whoever is behind a port.
bool asks_itself(const Request& request) {
  return request.attribute == mad::AttributeId::NodeInfo && request.subject != kOwnNode &&
         request.beyond.value == 0;
}

}  // namespace

void forget_manager(Picture& picture, DeviceId device) {
  auto& managers = picture.other_sms;
  managers.erase(std::remove_if(managers.begin(), managers.end(),
                                [&](const OtherSM& sm) { return sm.device == device; }),
                 managers.end());
  picture.silent_sms.erase(device);
}

std::vector<std::string> complaints_about(const Picture& picture, fabric::ObservedEnd end,
                                          const mad::SMInfo& info) {
  auto complaints = mad::validate(info);
  const auto& node = picture.observation[end.node];
  const mad::Guid port = node.port_guid(end.port);
  if (info.guid != port && info.guid != node.info.node_guid) {
    complaints.push_back("its subnet manager says that its port is " + base::hex(info.guid.value) +
                         ", and it is " + base::hex(port.value));
  }
  return complaints;
}

void Discovery::begin(Context& context) {
  const DeviceId own = context.transactions.add_device({});
  Request request;
  request.device = own;
  request.purpose = Purpose::Discovery;
  request.attribute = mad::AttributeId::NodeInfo;
  request.subject = kOwnNode;
  context.transactions.submit(request);
}

void Discovery::on_answer(Context& context, const Answer& answer) {
  if (KeyRecovery::has_asked(answer.request)) {
    if (!key_recovery_.on_answer(context, answer)) return;
  }
  if (asks_itself(answer.request)) return on_own_word(context, answer);
  if (!answer.answered) return on_silence(context, answer);
  switch (answer.request.attribute) {
    case mad::AttributeId::NodeInfo:
      return on_node_info(context, answer);
    case mad::AttributeId::NodeDescription:
      if (answer.status == mad::kStatusOk) {
        context.picture.observation.change(ObservedIndex{answer.request.subject}).description =
            base::printable(as_text(mad::decode<mad::NodeDescription>(answer.data)));
      }
      return;
    case mad::AttributeId::SwitchInfo:
      return on_switch_info(context, answer);
    case mad::AttributeId::PortInfo:
      return on_port_info(context, answer);
    case mad::AttributeId::LinearForwardingTable:
      return on_table_block(context, answer);
    case mad::AttributeId::SMInfo:
      return on_sm_info(context, answer);
    case mad::AttributeId::MlnxExtendedPortInfo:
      return on_vendor_speed(context, answer);
    default:
      return;
  }
}

// The way by which the node was met first.
std::string Discovery::route_to(const Context& context, ObservedIndex node) const {
  for (const auto& device : context.picture.devices.of(node)) {
    if (device) return context.transactions.route(*device).text();
  }
  return {};
}

bool Discovery::believable(Context& context, const mad::NodeInfo& info,
                           fabric::ObservedIndex asker) const {
  const bool own = asker.value == kOwnNode;
  auto complaints = mad::validate(info);
  // Port 0 is inside a switch: no cable leads there.
  if (info.local_port_num.value == 0 && !(own && info.node_type == mad::NodeType::Switch)) {
    complaints.push_back("it says that its port 0 was reached through a cable");
  }
  for (const auto& complaint : complaints) {
    context.events.say(DeviceLies{{info.node_guid, ""}, complaint});
    const std::string problem =
        "node " + base::hex(info.node_guid.value) + " is ignored: " + complaint;
    if (asker.value == kOwnNode) {
      context.picture.problems.push_back(problem);
    } else {
      context.picture.note(asker, problem);
    }
  }
  return complaints.empty();
}

// Kept, so that the light sweeps between do not take the same answer for news.
void Discovery::disbelieve(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  if (request.subject == kOwnNode) return;
  context.picture.observation.change(ObservedIndex{request.subject})
      .disbelieved.insert_or_assign(static_cast<std::uint8_t>(request.detail),
                                    mad::decode<mad::NodeInfo>(answer.data));
}

void Discovery::on_node_info(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const Request& request = answer.request;
  if (answer.status != mad::kStatusOk) return on_silence(context, answer);
  const auto info = mad::decode<mad::NodeInfo>(answer.data);
  if (!believable(context, info, {request.subject})) return disbelieve(context, answer);

  mad::DirectedRoute route = context.transactions.route(request.device);
  if (request.beyond.value != 0) route = route.then(request.beyond);
  auto known = picture.observation.find(info.node_guid);
  const bool is_twin = known && !same_device(picture.observation[*known].info, info);
  const bool in_doubt =
      known && info.system_image_guid != picture.observation[*known].info.system_image_guid;
  // Where the known one was, there is nobody else to ask.
  const bool is_there = is_twin && route_to(context, *known) == route.text();
  if ((is_twin || in_doubt) && !is_there && doubt(context, *known, answer)) return;
  if (is_twin || in_doubt) {
    tell_of_twin(context, *known, answer, route);
    return disbelieve(context, answer);
  }
  const ObservedIndex node = known ? *known : meet(context, info, route, request.key);
  const ObservedEnd entered{node, info.local_port_num};
  if (request.subject == kOwnNode) {
    picture.own = entered;
  } else {
    const ObservedEnd from{{request.subject}, {static_cast<std::uint8_t>(request.detail)}};
    picture.observation.change(from).sighting = entered;
    auto& back = picture.observation.change(entered).sighting;
    // A CA cannot be looked through, so the way in is all that will ever be known of its link.
    // So it is for the port by which a switch was first entered: its route runs through it.
    const bool first_entry = !known || !picture.observation[node].is_switch();
    if (first_entry && !back) back = from;
  }
  meet_port(context, node, info, route, request.key);
}

// Where the known one was, it can only be that one: it is not what it was, and a look at everything
// will show that.
void Discovery::tell_of_twin(Context& context, ObservedIndex known, const Answer& answer,
                             const mad::DirectedRoute& route) const {
  const mad::Guid guid = context.picture.observation[known].info.node_guid;
  const std::string first = route_to(context, known);
  const std::string second = route.text();
  if (first == second) return;
  context.events.say(DuplicateGuid{guid, first, second});
  context.picture.note({answer.request.subject}, "two devices have the node GUID " +
                                                     base::hex(guid.value) + ", at " + first +
                                                     " and " + second + "; the latter is ignored");
}

// Either its SystemImageGUID was changed since it answered last, or one of the two answers was not
// what it had sent, or there are two of them. It says so itself; then whoever is behind that port
// is asked once more. False if that was done already.
bool Discovery::doubt(Context& context, ObservedIndex node, const Answer& answer) {
  const ObservedEnd from{{answer.request.subject},
                         {static_cast<std::uint8_t>(answer.request.detail)}};
  const auto is_same = [&](const Doubt& doubt) { return doubt.node == node && doubt.from == from; };
  const bool is_new = std::none_of(doubts_.begin(), doubts_.end(), is_same);
  if (!is_new || answer.request.subject == kOwnNode) return false;
  doubts_.push_back({node, from, mad::decode<mad::NodeInfo>(answer.data), false});
  ask_itself(context, node);
  return true;
}

void Discovery::ask_itself(Context& context, ObservedIndex node) {
  const auto devices = context.picture.devices.of(node);
  for (std::size_t p = 0; p < devices.size(); ++p) {
    if (!devices[p]) continue;
    const ObservedEnd end{node, {static_cast<std::uint8_t>(p)}};
    return context.transactions.submit(get(*devices[p], mad::AttributeId::NodeInfo, 0, end));
  }
}

void Discovery::on_own_word(Context& context, const Answer& answer) {
  const ObservedIndex node{answer.request.subject};
  auto& info = context.picture.observation.change(node).info;
  const bool known = answer.answered && answer.status == mad::kStatusOk;
  bool is_other = false;
  if (known) {
    auto now = mad::decode<mad::NodeInfo>(answer.data);
    // These two are of the port that the question came in by.
    now.port_guid = info.port_guid;
    now.local_port_num = info.local_port_num;
    const bool is_it = now.node_guid == info.node_guid;
    is_other = is_it && !same_device(now, info);
    if (is_it && !is_other) info = now;
  } else {
    on_silence(context, answer);
  }
  is_misled_ |= is_other;
  for (Doubt& doubt : doubts_) {
    if (doubt.node != node || std::exchange(doubt.settled, true)) continue;
    const bool may_be_it = !known && same_device(doubt.seen, info);
    if (may_be_it) info.system_image_guid = doubt.seen.system_image_guid;
    if (!is_other) look_beyond(context, doubt.from);
  }
}

// One who answered to another key than the first of them keeps it until its PortInfo tells more.
void Discovery::choose_key(Context& context, DeviceId device, mad::Guid port,
                           std::uint8_t answered_to) const {
  if (answered_to != 0) {
    context.transactions.set_key(device, context.keys.for_strangers()[answered_to]);
  } else {
    context.transactions.set_key(device, context.keys.of(port));
  }
}

fabric::ObservedIndex Discovery::meet(Context& context, const mad::NodeInfo& info,
                                      const mad::DirectedRoute& route, std::uint8_t answered_to) {
  Picture& picture = context.picture;
  const ObservedIndex node = picture.observation.add(info);
  const ObservedNode& seen = picture.observation[node];
  picture.devices.make_room(node, seen.is_switch() ? 1 : seen.ports.size());
  if (!seen.is_switch()) return node;

  const DeviceId device = context.transactions.add_device(route);
  picture.devices.place({node, {0}}, device);
  choose_key(context, device, info.port_guid, answered_to);
  context.transactions.submit(get(device, mad::AttributeId::SwitchInfo, 0, {node, {0}}));
  read_switch(context, node);
  return node;
}

void Discovery::read_switch(Context& context, fabric::ObservedIndex node) {
  const DeviceId device = *context.picture.device({node, {0}});
  context.transactions.submit(get(device, mad::AttributeId::NodeDescription, 0, {node, {0}}));
  const std::size_t ports = context.picture.observation[node].ports.size();
  for (unsigned port = 0; port < ports; ++port) {
    read_port(context, {node, {static_cast<std::uint8_t>(port)}}, true);
  }
}

void Discovery::read_again(Context& context, fabric::ObservedEnd end) {
  const DeviceId device = *context.picture.device(end);
  context.transactions.submit(get(device, mad::AttributeId::NodeDescription, 0, end));
  read_port(context, end, true);
}

void Discovery::meet_port(Context& context, fabric::ObservedIndex node, const mad::NodeInfo& info,
                          const mad::DirectedRoute& route, std::uint8_t answered_to) {
  Picture& picture = context.picture;
  ObservedNode& seen = picture.observation.change(node);
  const ObservedEnd end{node, info.local_port_num};
  if (const auto device = picture.device(end)) {
    context.transactions.add_route(*device, route);
    name_port(seen, end.port, info);
    return;
  }
  if (seen.is_switch()) return name_port(seen, end.port, info);
  const DeviceId device = context.transactions.add_device(route);
  picture.devices.place(end, device);
  choose_key(context, device, info.port_guid, answered_to);
  name_port(seen, end.port, info);
  if (seen.description.empty()) {
    context.transactions.submit(get(device, mad::AttributeId::NodeDescription, 0, end));
  }
  read_port(context, end, true);
}

void Discovery::read_port(Context& context, fabric::ObservedEnd end, bool extended) {
  const auto device = context.picture.device(end);
  const std::uint32_t modifier = end.port.value | (extended ? mad::kSmSupportExtendedSpeeds : 0u);
  context.transactions.submit(get(*device, mad::AttributeId::PortInfo, modifier, end));
}

void Discovery::on_port_info(Context& context, const Answer& answer) {
  const ObservedEnd end{{answer.request.subject},
                        {static_cast<std::uint8_t>(answer.request.detail)}};
  if (answer.status != mad::kStatusOk) {
    // Devices older than the extended speeds may refuse a modifier with that bit.
    if (answer.request.modifier & mad::kSmSupportExtendedSpeeds) {
      return read_port(context, end, false);
    }
    return on_silence(context, answer);
  }
  ObservedNode& node = context.picture.observation.change(end.node);
  const auto info = mad::decode<mad::PortInfo>(answer.data);
  if (try_another_key(context, answer, info)) return;
  node.ports[end.port.value].info = info;
  if (context.picture.own == end) doubt_tables(context, end);
  if (end.port.value == 0 || !node.is_switch()) {
    // The other port of our own adapter may be another SM's.
    const bool is_own = context.picture.own == end;
    forget_manager(context.picture, *context.picture.device(end));
    if ((info.capability_mask & mad::kIsSM) != 0 && !is_own) {
      context.transactions.submit(
          get(*context.picture.device(end), mad::AttributeId::SMInfo, 0, end));
    }
  }
  if (info.port_state == mad::PortState::Down) return;
  ask_vendor_speed(context, end);
  look_beyond(context, end);
}

// True if the port is asked once more.
bool Discovery::try_another_key(Context& context, const Answer& answer, const mad::PortInfo& info) {
  const ObservedNode& node = context.picture.observation[{answer.request.subject}];
  const std::uint32_t port = answer.request.detail;
  if (node.is_switch() && port != 0) return false;
  const DeviceId device = answer.request.device;
  const mad::Guid guid = node.port_guid({static_cast<std::uint8_t>(port)});
  if (!hides_key(info)) {
    if (info.m_key != mad::MKey{}) context.transactions.set_key(device, info.m_key);
    context.transactions.unlock(device);
    context.keys.unlock(guid);
    return false;
  }
  const auto candidates = context.keys.candidates(guid);
  std::size_t next = answer.request.key;
  if (next < candidates.size() && candidates[next] == context.transactions.key(device)) ++next;
  if (next < candidates.size()) {
    context.transactions.set_key(device, candidates[next]);
    Request again = answer.request;
    again.key = static_cast<std::uint8_t>(next + 1);
    context.transactions.submit(again);
    return true;
  }
  key_recovery_.add({{answer.request.subject}, {static_cast<std::uint8_t>(port)}}, device, guid);
  return false;
}

// The standard's PortInfo shows FDR10 as QDR. A link that stayed up is not asked twice.
void Discovery::ask_vendor_speed(Context& context, fabric::ObservedEnd end) {
  ObservedNode& node = context.picture.observation.change(end.node);
  fabric::ObservedPort& port = node.ports[end.port.value];
  const bool may_be_fdr10 = node.info.vendor_id == mad::kMellanoxVendorId && end.port.value != 0 &&
                            mad::active_speed(*port.info) == mad::LinkSpeed::QDR;
  if (!may_be_fdr10) return;
  const auto* before = known_port(context, end);
  const bool stayed_up = before != nullptr && before->info &&
                         before->info->port_state == mad::PortState::Active &&
                         port.info->port_state == mad::PortState::Active;
  if (stayed_up && before->vendor) {
    port.vendor = before->vendor;
    return;
  }
  Request request = get(*context.picture.device(end), mad::AttributeId::MlnxExtendedPortInfo,
                        mad::mlnx_extended_port_info_modifier(end.port), end);
  request.optional = true;
  context.transactions.submit(request);
}

void Discovery::on_vendor_speed(Context& context, const Answer& answer) {
  auto& node = context.picture.observation.change(ObservedIndex{answer.request.subject});
  auto& vendor = node.ports[answer.request.detail].vendor;
  const bool known = answer.answered && answer.status == mad::kStatusOk;
  vendor =
      known ? mad::decode<mad::MlnxExtendedPortInfo>(answer.data) : mad::MlnxExtendedPortInfo{};
}

void Discovery::look_beyond(Context& context, fabric::ObservedEnd end) {
  const ObservedNode& node = context.picture.observation[end.node];
  const bool is_own_port = context.picture.own == end;
  if (end.port.value == 0 || (!node.is_switch() && !is_own_port)) return;
  if (node.ports[end.port.value].sighting) return;
  const DeviceId device = *context.picture.device(end);
  if (context.transactions.route(device).hop_count >= context.options.max_hops) {
    context.events.say(RouteTooLong{context.picture.name(end)});
    context.picture.note(end.node, "what hangs on " + text(context.picture.name(end)) +
                                       " is further away than max_hops allows");
    return;
  }
  Request request = get(device, mad::AttributeId::NodeInfo, 0, end);
  request.beyond = end.port;
  context.transactions.submit(request);
}

void Discovery::on_switch_info(Context& context, const Answer& answer) {
  if (answer.status != mad::kStatusOk) return on_silence(context, answer);
  const ObservedIndex index{answer.request.subject};
  ObservedNode& node = context.picture.observation.change(index);
  const auto info = mad::decode<mad::SwitchInfo>(answer.data);
  node.switch_info = info;
  auto complaints = mad::validate(info);
  if (info.linear_fdb_cap == 0) {
    complaints.push_back("LinearFDBCap is 0: it takes no forwarding table and is left out");
  }
  for (const auto& complaint : complaints) {
    context.events.say(DeviceLies{context.picture.name(index), complaint});
    context.picture.note(index, text(context.picture.name(index)) + ": " + complaint);
  }
  if (info.linear_fdb_cap < 2) {
    context.events.say(SwitchTooSmall{context.picture.name(index), info.linear_fdb_cap, {1}});
    context.picture.note(index, text(context.picture.name(index)) +
                                    " is ignored: it has no linear forwarding table");
    return;
  }
  read_table(context, index);
}

// While the own port was down, another manager may have had the office. It is read before any other
// device is met.
void Discovery::doubt_tables(const Context& context, ObservedEnd own) {
  const auto* before = known_port(context, own);
  if (before == nullptr || !before->info) return;
  const auto& now = *context.picture.observation.port(own).info;
  written_by_others_ = written_by_others_ || now.port_state < before->info->port_state ||
                       now.lid != before->info->lid ||
                       now.master_sm_lid != before->info->master_sm_lid;
}

void Discovery::read_table(Context& context, fabric::ObservedIndex index) {
  const ObservedNode& node = context.picture.observation[index];
  auto& table = context.picture.observation.table(index);
  const unsigned top = node.switch_info->linear_fdb_top;
  // Zero is a table that nobody has set up; beyond the capacity is nonsense, told already.
  if (top == 0 || top >= node.switch_info->linear_fdb_cap) return;
  const auto before = known_ != nullptr ? known_->find(node.info.node_guid) : std::nullopt;
  if (before && !written_by_others_) {
    const ObservedNode& old = (*known_)[*before];
    // A switch that lost its tables lost its LinearFDBTop with them.
    if (old.switch_info && old.switch_info->linear_fdb_top == top) {
      table = old.table;
      return;
    }
  }
  const auto blocks = static_cast<std::uint32_t>(top / fabric::kLftBlockLids + 1);
  table.make_room(blocks);
  for (std::uint32_t block = 0; block < blocks; ++block) read_block(context, index, block);
}

void Discovery::read_block(Context& context, fabric::ObservedIndex index, std::uint32_t block) {
  const ObservedEnd end{index, {0}};
  Request request =
      get(*context.picture.device(end), mad::AttributeId::LinearForwardingTable, block, end);
  request.detail = block;
  context.transactions.submit(request);
}

// Who does not answer this time holds an unknown block.
bool Discovery::reads_again(Context& context, const std::set<TableBlock>& blocks) {
  if (std::exchange(has_read_again_, true)) return false;
  for (const auto& [guid, block] : blocks) {
    const auto node = context.picture.observation.find(guid);
    if (!node || !context.picture.observation[*node].table.known(block)) continue;
    context.picture.observation.table(*node).forget_block(block);
    read_block(context, *node, block);
  }
  return !context.transactions.idle();
}

void Discovery::on_table_block(Context& context, const Answer& answer) {
  // An unread block is an unknown one, and unknown blocks are written: nothing is lost.
  if (answer.status != mad::kStatusOk) return;
  std::array<std::uint8_t, fabric::kLftBlockLids> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = std::to_integer<std::uint8_t>(answer.data[i]);
  }
  context.picture.observation.table({answer.request.subject}).learn(answer.request.detail, entries);
}

void Discovery::on_sm_info(Context& context, const Answer& answer) {
  if (answer.status != mad::kStatusOk) {
    context.picture.silent_sms.emplace(answer.request.device, 0);
    return;
  }
  const auto info = mad::decode<mad::SMInfo>(answer.data);
  const ObservedIndex node{answer.request.subject};
  const auto complaints = complaints_about(
      context.picture, {node, {static_cast<std::uint8_t>(answer.request.detail)}}, info);
  for (const auto& complaint : complaints) {
    context.events.say(DeviceLies{context.picture.name(node), complaint});
  }
  if (!complaints.empty()) return;  // nobody stands by for an SM that is none
  context.picture.other_sms.push_back(
      other_manager(answer.request.device, info, context.options.sm_key));
}

const fabric::ObservedPort* Discovery::known_port(const Context& context,
                                                  fabric::ObservedEnd end) const {
  if (known_ == nullptr) return nullptr;
  const auto node = known_->find(context.picture.observation[end.node].info.node_guid);
  if (!node || end.port.value >= (*known_)[*node].ports.size()) return nullptr;
  return &(*known_)[*node].ports[end.port.value];
}

// At protection levels 2 and 3 a port does not answer who has another key.
bool Discovery::ask_with_next_key(Context& context, const Request& request) {
  Request again = request;
  if (++again.key >= context.transactions.key_count()) return false;
  if (request.beyond.value == 0) {
    context.transactions.set_key(request.device, context.keys.for_strangers()[again.key]);
  }
  context.transactions.submit(again);
  return true;
}

void Discovery::on_darkness(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  if (ask_with_next_key(context, request)) return;
  Picture& picture = context.picture;
  const ObservedEnd end{{request.subject}, {static_cast<std::uint8_t>(request.detail)}};
  const auto* before = known_port(context, end);
  const bool was_dark = before != nullptr && before->dark;
  picture.observation.change(end).dark = true;
  picture.note(end.node,
               "nothing answers behind " + text(picture.name(end)) + ", although its link is up");
  if (was_dark) return;
  const auto route = context.transactions.route(request.device).then(request.beyond);
  context.events.say(DeviceSilent{route.text(), {}, request.attribute});
}

void Discovery::on_silence(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  // An SM that has just left, or is only coming.
  if (request.attribute == mad::AttributeId::SMInfo) {
    context.picture.silent_sms.emplace(request.device, 0);
    return;
  }
  if (request.optional) return on_vendor_speed(context, answer);
  if (request.beyond.value != 0) return on_darkness(context, answer);
  if (request.subject == kOwnNode && ask_with_next_key(context, request)) return;
  if (!context.picture.falls_silent(request.device)) return;
  NodeName node;
  if (request.subject != kOwnNode) {
    node = context.picture.name(fabric::ObservedIndex{request.subject});
    context.picture.note({request.subject}, text(node) + " did not answer every question");
  }
  context.events.say(
      DeviceSilent{context.transactions.route(request.device).text(), node, request.attribute});
}

void Discovery::conclude(Context& context) const {
  Picture& picture = context.picture;
  for (const auto& contradiction : picture.frozen.contradictions) {
    const NodeName twice = picture.name(contradiction.seen.node);
    context.events.say(DuplicateGuid{twice.guid, text(picture.name(contradiction.looking)),
                                     text(picture.name(contradiction.seen_there))});
    picture.problems.push_back("two devices have the node GUID " + base::hex(twice.guid.value) +
                               ": one at " + text(picture.name(contradiction.looking)) +
                               ", one at " + text(picture.name(contradiction.seen_there)));
  }
  for (const ObservedEnd end : picture.frozen.looped_cables) {
    const ObservedEnd other = *picture.observation.port(end).sighting;
    context.events.say(CableLoopsBack{picture.name(end), picture.name(other)});
  }
}

}  // namespace heddle::sm
