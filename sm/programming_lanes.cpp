// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_lanes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "mad/capability.hpp"
#include "mad/link.hpp"
#include "mad/sl_to_vl_mapping_table.hpp"
#include "sm/served_ports.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;
using fabric::SwitchIndex;
using fabric::VlMap;
using mad::PortNumber;

// Whether the device of a port has SL to VL tables at all. A switch says so at its port 0.
bool maps_levels(const Picture& picture, PortIndex port) {
  const auto end = picture.frozen.end_of[port.value];
  const auto& node = picture.observation[end.node];
  const auto& info = node.ports[node.is_switch() ? 0 : end.port.value].info;
  return info && (info->capability_mask & mad::kIsSLMappingSupported) != 0;
}

Request request_for(const Picture& picture, PortIndex out, std::uint32_t modifier,
                    mad::Method method) {
  Request request;
  request.device = *picture.device(picture.frozen.end_of[out.value]);
  request.purpose = Purpose::Lanes;
  request.method = method;
  request.attribute = mad::AttributeId::SLtoVLMappingTable;
  request.modifier = modifier;
  request.subject = out.value;
  return request;
}

VlMap decoded(const mad::SmpData& data) {
  const auto table = mad::decode<mad::SLtoVLMappingTable>(data);
  VlMap map;
  for (std::size_t sl = 0; sl < map.size(); ++sl) map[sl] = table.vl_by_sl[sl].value;
  return map;
}

}  // namespace

unsigned vls_of_port(const Picture& picture, PortIndex port) {
  const auto end = picture.frozen.end_of[port.value];
  const auto& info = picture.observation.port(end).info;
  const auto& link = picture.intent.ports[port.value].link;
  const bool is_port0 = end.port.value == 0;
  if (!info || (!link && !is_port0)) return 1;
  const bool runs = is_port0 || info->port_state == mad::PortState::Active;
  const auto code = runs ? info->operational_vls : link->operational_vls;
  return std::max(mad::data_vl_count(code), 1u);
}

void tell_unwritten(Context& context, const Answer& answer, std::string_view tables) {
  const Request& request = answer.request;
  Picture& picture = context.picture;
  if (!picture.falls_silent(request.device)) return;
  const NodeName name = picture.name(picture.frozen.end_of[request.subject].node);
  picture.problems.push_back(fmt::format(
      "{} {} its {}", text(name), answer.answered ? "refused" : "did not answer for", tables));
  if (answer.answered) {
    context.events.say(SetRefused{name, request.attribute, request.modifier, answer.status});
  } else {
    context.events.say(
        DeviceSilent{context.transactions.route(request.device).text(), name, request.attribute});
  }
}

unsigned DataVls::of(Picture& picture) {
  const auto& topology = *picture.frozen.topology;
  const auto news = port_news_.since_last(picture);
  if (news.is_all) {
    vls_.assign(topology.port_count(), 0);
    count_ = {vls_.size()};
  }
  for (const PortIndex port : news.ports) {
    const bool is_channel = topology.channel_by_port(port) != fabric::kNoChannel;
    const unsigned vls = is_channel ? vls_of_port(picture, port) : 0;
    --count_[vls_[port.value]];
    ++count_[vls];
    vls_[port.value] = static_cast<std::uint8_t>(vls);
  }
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    if (!maps_levels(picture, topology.port_of(SwitchIndex{s}, {0}))) return 1;
  }
  const auto least = std::find_if(count_.begin() + 1, count_.end(),
                                  [](std::size_t channels) { return channels > 0; });
  return least == count_.end() ? 1u : static_cast<unsigned>(least - count_.begin());
}

bool LaneProgramming::sends(const Context& context, PortIndex port) const {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  const auto end = picture.frozen.end_of[port.value];
  if (!picture.device(end).has_value() || !maps_levels(picture, port)) return false;
  if (end.port.value == 0) {
    return !routes_decide() && topology.node(topology.node_of(port)).enhanced_port0;
  }
  return topology.peer(port) != fabric::kNoPort &&
         picture.intent.ports[port.value].link.has_value();
}

VlMap LaneProgramming::wanted(const Context& context, PortIndex out, PortNumber in) const {
  const auto& topology = *context.picture.frozen.topology;
  const unsigned vls = vls_of_port(context.picture, out);
  if (!routes_decide()) {
    return qos::folded(chosen_[static_cast<std::size_t>(qos::kind_of(topology, out))], vls);
  }
  const auto& maps = routes_->routes.lanes.maps;
  const auto node = topology.node_of(out);
  VlMap map = maps.everywhere();
  if (topology.is_switch(node)) {
    const SwitchIndex at{node.value};
    const bool from_switch =
        in.value != 0 && topology.channel_by_port(at, in) != fabric::kNoChannel;
    map = maps.at(at, from_switch ? in : PortNumber{0}, topology.number_of(out));
  }
  for (std::uint8_t& vl : map) vl = static_cast<std::uint8_t>(vl % vls);
  return map;
}

template <class Visit>
void LaneProgramming::for_each_input(const Context& context, PortIndex out, Visit visit) const {
  const auto& topology = *context.picture.frozen.topology;
  const auto node = topology.node_of(out);
  visit(PortNumber{0});
  // Of port 0 OpenSM writes that one too, whatever comes in elsewhere.
  if (!topology.is_switch(node) || topology.number_of(out).value == 0) return;
  for (unsigned in = 1; in <= topology.node(node).port_count; ++in) {
    const PortNumber number{static_cast<std::uint8_t>(in)};
    const PortIndex port = topology.port_of(node, number);
    if (port != out && topology.peer(port) != fabric::kNoPort) visit(number);
  }
}

LaneProgramming::Key LaneProgramming::key_of(const Context& context, PortIndex port) {
  const auto& topology = *context.picture.frozen.topology;
  return {topology.guid(topology.node_of(port)), topology.number_of(port)};
}

LaneProgramming::Held& LaneProgramming::held(const Context& context, PortIndex out) {
  const auto& topology = *context.picture.frozen.topology;
  const auto node = topology.node_of(out);
  Held& tables = held_[key_of(context, out)];
  tables.resize(topology.is_switch(node) ? topology.node(node).port_count + 1u : 1u, kUnknown);
  return tables;
}

std::uint8_t LaneProgramming::index_of(const VlMap& map) {
  const auto known = std::find(maps_.begin(), maps_.end(), map);
  if (known != maps_.end()) return static_cast<std::uint8_t>(known - maps_.begin());
  if (maps_.size() == kUnknown) return kUnknown;  // too many to remember; read again next time
  maps_.push_back(map);
  return static_cast<std::uint8_t>(maps_.size() - 1);
}

void LaneProgramming::begin(Context& context, bool others) {
  routes_ = context.picture.routes;
  step_ = Step::Idle;
  failed_ = refused_ = false;
  writing_.clear();
  const auto& wishes = context.options.lane_tables;
  if (!routes_ || (!routes_decide() && !wishes)) return;
  for (std::size_t kind = 0; wishes && kind < chosen_.size(); ++kind) {
    chosen_[kind] = qos::lanes_of(*wishes, static_cast<qos::PortKind>(kind)).sl_to_vl;
  }
  step_ = Step::Reading;
  const Picture& picture = context.picture;
  std::size_t served = 0;
  for (std::uint32_t p = 0; p < picture.frozen.topology->port_count(); ++p) {
    const PortIndex out{p};
    if (!sends(context, out)) continue;
    ++served;
    const auto end = picture.frozen.end_of[p];
    // A port that is still ACTIVE has not restarted since we made it so.
    const auto& info = picture.observation.port(end).info;
    Held& tables = held(context, out);
    if (others || !info || info->port_state != mad::PortState::Active) {
      std::fill(tables.begin(), tables.end(), kUnknown);
    }
    for_each_input(context, out, [&](PortNumber in) {
      if (tables[in.value] == kUnknown) submit(context, out, in, mad::Method::Get);
    });
  }
  forget_others(held_, served, [&](const auto& visit) {
    for (std::uint32_t p = 0; p < picture.frozen.topology->port_count(); ++p) {
      if (sends(context, PortIndex{p})) visit(key_of(context, PortIndex{p}));
    }
  });
}

bool LaneProgramming::is_right(const Context& context, PortIndex out, PortNumber in,
                               const Held& tables) const {
  const auto index = tables[in.value];
  return index != kUnknown && maps_[index] == wanted(context, out, in);
}

// Of switches: those of channel adapters close no credit loop.
bool LaneProgramming::has_to_write(const Context& context) {
  if (step_ != Step::Reading || failed_) return false;
  const auto& topology = *context.picture.frozen.topology;
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    for (unsigned number = 1; number <= topology.node(SwitchIndex{s}).port_count; ++number) {
      const PortIndex out = topology.port_of(SwitchIndex{s}, {static_cast<std::uint8_t>(number)});
      if (!sends(context, out)) continue;
      const Held& tables = held(context, out);
      bool right = true;
      for_each_input(context, out,
                     [&](PortNumber in) { right = right && is_right(context, out, in, tables); });
      if (!right) return true;
    }
  }
  return false;
}

bool LaneProgramming::go_on(Context& context) {
  if (step_ == Step::Reading && !failed_) {
    step_ = Step::Writing;
    write(context);
    return true;
  }
  step_ = Step::Idle;
  return false;
}

void LaneProgramming::write(Context& context) {
  const auto& topology = *context.picture.frozen.topology;
  std::vector<bool> whole(topology.switch_count());
  for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
    whole[s] = write_whole_switch(context, SwitchIndex{s});
  }
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex out{p};
    const auto node = topology.node_of(out);
    if (!sends(context, out)) continue;
    // One for all of a switch does not mean its port 0.
    if (topology.is_switch(node) && whole[node.value] && topology.number_of(out).value != 0)
      continue;
    if (write_all_inputs(context, out)) continue;
    const Held& tables = held(context, out);
    for_each_input(context, out, [&](PortNumber in) {
      if (!is_right(context, out, in, tables)) submit(context, out, in, mad::Method::Set);
    });
  }
}

// One Set for all pairs of ports, where the switch can do that and all shall be alike. True if it
// was queued.
bool LaneProgramming::write_whole_switch(Context& context, SwitchIndex of) {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  const auto& info = *picture.observation[picture.frozen.node_of[of.value]].switch_info;
  if (info.optimized_sl_to_vl == 0) return false;
  std::optional<VlMap> common;
  bool alike = true, right = true;
  for (unsigned number = 1; number <= topology.node(of).port_count; ++number) {
    const PortIndex out = topology.port_of(of, {static_cast<std::uint8_t>(number)});
    if (!sends(context, out)) continue;
    const Held& tables = held(context, out);
    for_each_input(context, out, [&](PortNumber in) {
      const VlMap map = wanted(context, out, in);
      alike = alike && (!common || *common == map);
      common = map;
      right = right && tables[in.value] != kUnknown && maps_[tables[in.value]] == map;
    });
  }
  if (!common || !alike || right) return false;
  submit_set(context, topology.port_of(of, {0}), mad::kSLtoVLAllInPorts | mad::kSLtoVLAllOutPorts,
             *common);
  return true;
}

// The same for one port of such a switch, whatever packets come in by. True if nothing is left to
// do for the port.
bool LaneProgramming::write_all_inputs(Context& context, PortIndex out) {
  const Picture& picture = context.picture;
  const auto end = picture.frozen.end_of[out.value];
  const auto& info = picture.observation[end.node].switch_info;
  if (!info || info->optimized_sl_to_vl == 0 || end.port.value == 0) return false;
  const Held& tables = held(context, out);
  const VlMap map = wanted(context, out, PortNumber{0});
  bool alike = true;
  unsigned wrong = 0;
  for_each_input(context, out, [&](PortNumber in) {
    alike = alike && wanted(context, out, in) == map;
    wrong += tables[in.value] == kUnknown || maps_[tables[in.value]] != map ? 1u : 0u;
  });
  if (!alike || wrong == 1) return false;
  if (wrong > 1) {
    submit_set(context, out,
               mad::kSLtoVLAllInPorts | mad::sl_to_vl_modifier(PortNumber{0}, end.port), map);
  }
  return true;
}

void LaneProgramming::submit(Context& context, PortIndex out, PortNumber in, mad::Method method) {
  const auto end = context.picture.frozen.end_of[out.value];
  const bool is_switch = context.picture.observation[end.node].is_switch();
  const std::uint32_t modifier = is_switch ? mad::sl_to_vl_modifier(in, end.port) : 0;
  if (method == mad::Method::Set)
    return submit_set(context, out, modifier, wanted(context, out, in));
  context.transactions.submit(request_for(context.picture, out, modifier, method));
}

void LaneProgramming::submit_set(Context& context, PortIndex out, std::uint32_t modifier,
                                 const VlMap& map) {
  Request request = request_for(context.picture, out, modifier, mad::Method::Set);
  writing_.emplace(next_detail_, map);
  request.detail = next_detail_++;
  context.transactions.submit(request);
}

mad::SmpData LaneProgramming::data_for(const Request& request) const {
  const VlMap& map = writing_.at(request.detail);
  mad::SLtoVLMappingTable table;
  for (std::size_t sl = 0; sl < map.size(); ++sl) table.vl_by_sl[sl] = mad::VirtualLane{map[sl]};
  mad::SmpData data{};
  mad::encode(table, std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void LaneProgramming::on_answer(Context& context, const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk) return fail(context, answer);
  learn(context, answer);
}

void LaneProgramming::learn(Context& context, const Answer& answer) {
  const VlMap map = decoded(answer.data);
  // Of what a Set of all pairs answers only the first table can be seen; it counts for all.
  const bool is_get = answer.request.method == mad::Method::Get;
  if (!is_get && writing_.at(answer.request.detail) != map) return fail(context, answer);
  remember(context, answer.request, index_of(map));
}

void LaneProgramming::remember(const Context& context, const Request& request, std::uint8_t table) {
  const auto& topology = *context.picture.frozen.topology;
  const PortIndex out{request.subject};
  const auto node = topology.node_of(out);
  if ((request.modifier & mad::kSLtoVLAllOutPorts) != 0) {
    for (unsigned number = 1; number <= topology.node(node).port_count; ++number) {
      const PortIndex port = topology.port_of(node, {static_cast<std::uint8_t>(number)});
      if (!sends(context, port)) continue;
      Held& tables = held(context, port);
      std::fill(tables.begin(), tables.end(), table);
    }
    return;
  }
  if ((request.modifier & mad::kSLtoVLAllInPorts) != 0) {
    Held& tables = held(context, out);
    std::fill(tables.begin(), tables.end(), table);
    return;
  }
  const auto in =
      topology.is_switch(node) ? mad::sl_to_vl_in_port_of(request.modifier) : PortNumber{0};
  held(context, out)[in.value] = table;
}

// Told once per device. A table that cannot be read is written; one that cannot be written makes
// the routes useless.
void LaneProgramming::fail(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  const Picture& picture = context.picture;
  if (answer.answered && request.method == mad::Method::Get) return;
  remember(context, request, kUnknown);
  // A channel adapter's tables close no credit loop, whatever they are.
  const auto node = picture.frozen.topology->node_of(PortIndex{request.subject});
  if (picture.frozen.topology->is_switch(node)) {
    failed_ = true;
    refused_ = refused_ || answer.answered;
  }
  tell_unwritten(context, answer, "SL to VL tables");
}

}  // namespace heddle::sm
