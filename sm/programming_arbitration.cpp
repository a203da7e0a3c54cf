// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_arbitration.hpp"

#include <algorithm>

#include "sm/programming_lanes.hpp"
#include "sm/served_ports.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;

mad::PortNumber number_in_modifier(const fabric::Topology& topology, PortIndex port) {
  // A channel adapter has one table and ignores the port.
  return topology.is_switch(topology.node_of(port)) ? topology.number_of(port) : mad::PortNumber{};
}

std::size_t quarter_of(const Request& request) {
  return static_cast<std::size_t>(mad::vl_arbitration_block_of(request.modifier)) - 1;
}

}  // namespace

bool ArbitrationProgramming::has_tables(const Context& context, PortIndex port) const {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  const auto* info = picture.info(port);
  if (info == nullptr || !picture.device(picture.frozen.end_of[port.value])) return false;
  if (info->vl_arbitration_high_cap == 0 && info->vl_arbitration_low_cap == 0) return false;
  const auto node = topology.node_of(port);
  if (topology.is_switch(node) && topology.number_of(port).value == 0) {
    return topology.node(node).enhanced_port0;
  }
  return picture.intent.ports[port.value].link.has_value();
}

ArbitrationProgramming::Key ArbitrationProgramming::key_of(const Context& context, PortIndex port) {
  const auto& topology = *context.picture.frozen.topology;
  return {topology.guid(topology.node_of(port)), topology.number_of(port)};
}

ArbitrationProgramming::Held& ArbitrationProgramming::held(const Context& context, PortIndex port) {
  const auto [place, is_new] = held_.try_emplace(key_of(context, port));
  if (is_new) place->second.fill(kUnknown);
  return place->second;
}

qos::Arbitration ArbitrationProgramming::wanted(const Context& context, PortIndex port) const {
  const auto& info = *context.picture.info(port);
  const auto kind = qos::kind_of(*context.picture.frozen.topology, port);
  return qos::arbitration_for(chosen_[static_cast<std::size_t>(kind)],
                              {vls_of_port(context.picture, port), info.vl_arbitration_high_cap,
                               info.vl_arbitration_low_cap},
                              needed_);
}

void set_high_limits(const std::optional<qos::LaneTables>& tables, const fabric::Topology& topology,
                     fabric::Intent& intent) {
  std::array<std::optional<std::uint8_t>, qos::kPortKinds> limits;
  for (std::size_t kind = 0; tables && kind < limits.size(); ++kind) {
    limits[kind] = qos::lanes_of(*tables, static_cast<qos::PortKind>(kind)).high_limit;
  }
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const auto& link = intent.ports[p].link;
    if (!link) continue;
    const auto kind = static_cast<std::size_t>(qos::kind_of(topology, PortIndex{p}));
    if (link->vl_high_limit == limits[kind]) continue;
    intent.ports.change(p).link->vl_high_limit = limits[kind];
  }
}

void ArbitrationProgramming::begin(Context& context, bool others) {
  step_ = Step::Idle;
  const Picture& picture = context.picture;
  const auto& tables = context.options.lane_tables;
  if (!tables || !picture.routes) return;
  const unsigned vls = picture.routes->routes.lanes.vls;
  needed_ = vls > 1 ? vls : 0;
  for (std::size_t kind = 0; kind < chosen_.size(); ++kind) {
    chosen_[kind] = qos::lanes_of(*tables, static_cast<qos::PortKind>(kind));
  }
  step_ = Step::ToRead;
  const auto& topology = *picture.frozen.topology;
  std::size_t served = 0;
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex port{p};
    if (!has_tables(context, port)) continue;
    ++served;
    // A port that is still ACTIVE has not restarted since we made it so; port 0 tells nothing.
    const bool runs = picture.info(port)->port_state == mad::PortState::Active;
    for (std::uint8_t& block : held(context, port)) {
      // What a device refuses it refuses for others too.
      if (!runs || (others && block != kRefused)) block = kUnknown;
    }
  }
  forget_others(held_, served, [&](const auto& visit) {
    for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
      if (has_tables(context, PortIndex{p})) visit(key_of(context, PortIndex{p}));
    }
  });
}

bool ArbitrationProgramming::go_on(Context& context) {
  if (step_ == Step::ToRead) {
    step_ = Step::Reading;
    submit_all(context, mad::Method::Get);
    return true;
  }
  if (step_ == Step::Reading) {
    step_ = Step::Writing;
    submit_all(context, mad::Method::Set);
    return true;
  }
  step_ = Step::Idle;
  return false;
}

// Reads what is not known, or writes what is not as it is wanted.
void ArbitrationProgramming::submit_all(Context& context, mad::Method method) {
  const auto& topology = *context.picture.frozen.topology;
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    const PortIndex port{p};
    if (!has_tables(context, port)) continue;
    const Held& blocks = held(context, port);
    const auto wishes = wanted(context, port);
    for (std::size_t quarter = 0; quarter < wishes.size(); ++quarter) {
      const std::uint8_t is = blocks[quarter];
      if (!wishes[quarter] || is == kRefused) continue;
      const bool differs =
          is == kUnknown || (method == mad::Method::Set && blocks_[is] != *wishes[quarter]);
      if (differs) submit(context, port, quarter, method);
    }
  }
}

void ArbitrationProgramming::submit(Context& context, PortIndex port, std::size_t quarter,
                                    mad::Method method) {
  const Picture& picture = context.picture;
  Request request;
  request.device = *picture.device(picture.frozen.end_of[port.value]);
  request.purpose = Purpose::Arbitration;
  request.method = method;
  request.attribute = mad::AttributeId::VLArbitrationTable;
  request.modifier =
      mad::vl_arbitration_modifier(static_cast<mad::VLArbitrationBlock>(quarter + 1),
                                   number_in_modifier(*picture.frozen.topology, port));
  request.subject = port.value;
  context.transactions.submit(request);
}

// There are as many different ones as kinds of ports and sizes of their tables, and what others
// left. What is too much to remember is read again next time.
std::uint8_t ArbitrationProgramming::index_of(const mad::VLArbitrationTable& block) {
  const auto known = std::find(blocks_.begin(), blocks_.end(), block);
  if (known != blocks_.end()) return static_cast<std::uint8_t>(known - blocks_.begin());
  if (blocks_.size() == kRefused) return kUnknown;
  blocks_.push_back(block);
  return static_cast<std::uint8_t>(blocks_.size() - 1);
}

mad::SmpData ArbitrationProgramming::data_for(const Context& context,
                                              const Request& request) const {
  const auto wishes = wanted(context, PortIndex{request.subject});
  mad::SmpData data{};
  mad::encode(*wishes[quarter_of(request)], std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void ArbitrationProgramming::on_answer(Context& context, const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk) return fail(context, answer);
  const Request& request = answer.request;
  const auto block = mad::decode<mad::VLArbitrationTable>(answer.data);
  const PortIndex port{request.subject};
  const bool is_set = request.method == mad::Method::Set;
  if (is_set && *wanted(context, port)[quarter_of(request)] != block) return fail(context, answer);
  held(context, port)[quarter_of(request)] = index_of(block);
}

// Told once per device. A table that cannot be read is written; one that cannot be written is left,
// because traffic goes on without it.
void ArbitrationProgramming::fail(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  if (answer.answered && request.method == mad::Method::Get) return;
  held(context, PortIndex{request.subject})[quarter_of(request)] =
      answer.answered ? kRefused : kUnknown;
  tell_unwritten(context, answer, "VL arbitration tables");
}

}  // namespace heddle::sm
