// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_partitions.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "mad/p_key_table.hpp"

namespace heddle::sm {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using partitions::Enforcement;

const mad::PortInfo* info_of(const Picture& picture, PortIndex port) {
  const auto end = picture.frozen.end_of[port.value];
  const auto& info = picture.observation[end.node].ports[end.port.value].info;
  return info ? &*info : nullptr;
}

}  // namespace

PartitionProgramming::Key PartitionProgramming::key_of(const Context& context, PortIndex port) {
  const auto& topology = *context.picture.frozen.topology;
  return {topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

void PartitionProgramming::begin(Context& context, const partitions::Memberships& memberships,
                                 Enforcement enforcement, bool others) {
  const auto& topology = *context.picture.frozen.topology;
  enforcement_ = enforcement;
  known_.clear();
  for (std::size_t p = 0; p < keys_.size(); ++p) {
    if (!work_[p].held.blocks.empty() && !work_[p].failed) {
      known_.emplace(keys_[p], std::move(work_[p].held.blocks));
    }
  }
  work_.assign(topology.port_count(), {});
  keys_.clear();
  for (std::uint32_t p = 0; p < topology.port_count(); ++p) {
    keys_.push_back(key_of(context, PortIndex{p}));
  }
  for (const PortIndex port : topology.endports()) {
    work_[port.value].wanted = memberships.of(port);
    begin_endport(context, port, others);
    const PortIndex peer = topology.peer(port);
    if (peer == fabric::kNoPort || !topology.is_switch(topology.node_of(peer))) continue;
    if (enforcement_ == Enforcement::Off) continue;
    work_[peer.value].wanted = memberships.of(port);
    begin_switch_port(context, peer, others);
  }
}

// A port that is still ACTIVE has not restarted since we made it so.
void PartitionProgramming::take_over(const Context& context, PortIndex port, bool others) {
  const auto* info = info_of(context.picture, port);
  const bool kept = info != nullptr && info->port_state == mad::PortState::Active;
  const auto known = known_.find(keys_[port.value]);
  if (others || !kept || known == known_.end()) return;
  work_[port.value].held.blocks = std::move(known->second);
}

void PartitionProgramming::begin_endport(Context& context, PortIndex port, bool others) {
  const Picture& picture = context.picture;
  const auto end = picture.frozen.end_of[port.value];
  if (!picture.device(end) || info_of(picture, port) == nullptr) return;
  work_[port.value].held.capacity = picture.observation[end.node].info.partition_cap;
  take_over(context, port, others);
  read(context, port);
}

void PartitionProgramming::begin_switch_port(Context& context, PortIndex port, bool others) {
  const Picture& picture = context.picture;
  const auto& node = picture.observation[picture.frozen.end_of[port.value].node];
  Work& work = work_[port.value];
  work.enforces = true;
  work.held.capacity = node.switch_info->partition_enforcement_cap;
  // A table that cannot hold what it should is not worth reading.
  if (work.held.capacity < work.wanted.size()) return;
  take_over(context, port, others);
  read(context, port);
}

// Asks for the blocks that are not known; when there are none, goes on at once.
void PartitionProgramming::read(Context& context, PortIndex port) {
  Work& work = work_[port.value];
  const std::size_t count = mad::p_key_block_count(work.held.capacity);
  work.held.blocks.resize(count);
  for (std::size_t block = 0; block < count; ++block) {
    if (work.held.blocks[block]) continue;
    ++work.unread;
    submit(context, port, mad::Method::Get, static_cast<std::uint16_t>(block));
  }
  if (work.unread == 0) write(context, port);
}

void PartitionProgramming::write(Context& context, PortIndex port) {
  Work& work = work_[port.value];
  if (work.enforces) {
    const auto end = context.picture.frozen.end_of[port.value];
    const auto& switch_info = *context.picture.observation[end.node].switch_info;
    auto plan = partitions::plan_enforcement(enforcement_, switch_info, work.held, work.wanted);
    work.inbound = plan.inbound;
    work.outbound = plan.outbound;
    work.plan = std::move(plan.table);
  } else {
    work.plan = partitions::plan_table(work.held, work.wanted);
    if (!work.plan.left_out.empty()) {
      const PortName name = context.picture.name(port);
      context.events.say(PKeyTableFull{name, work.held.capacity, work.plan.left_out.size()});
      context.picture.problems.push_back("the P_Key table of " + text(name) +
                                         " is full: " + std::to_string(work.plan.left_out.size()) +
                                         " keys found no room");
    }
  }
  for (const std::uint16_t block : work.plan.to_write) {
    submit(context, port, mad::Method::Set, block);
  }
}

void PartitionProgramming::submit(Context& context, PortIndex port, mad::Method method,
                                  std::uint16_t block) {
  const Picture& picture = context.picture;
  const auto end = picture.frozen.end_of[port.value];
  const bool is_switch = picture.observation[end.node].is_switch();
  Request request;
  request.device = *picture.device(end);
  request.purpose = Purpose::Partitions;
  request.method = method;
  request.attribute = mad::AttributeId::PKeyTable;
  request.modifier = mad::p_key_table_modifier(block, is_switch ? end.port : mad::PortNumber{});
  request.subject = port.value;
  request.detail = block;
  context.transactions.submit(request);
}

mad::SmpData PartitionProgramming::data_for(const Request& request) const {
  mad::SmpData data;
  mad::encode(work_[request.subject].plan.blocks[request.detail],
              std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void PartitionProgramming::on_answer(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  Work& work = work_[request.subject];
  const bool is_get = request.method == mad::Method::Get;
  if (!answer.answered || answer.status != mad::kStatusOk) {
    fail(context, answer);
  } else {
    work.held.blocks[request.detail] = mad::decode<mad::PKeyTable>(answer.data);
  }
  if (!is_get || --work.unread != 0) return;
  // What could not be read is written whole, unless the device does not answer at all.
  if (!work.failed) write(context, PortIndex{request.subject});
}

void PartitionProgramming::fail(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  Work& work = work_[request.subject];
  if (std::exchange(work.failed, true)) return;
  Picture& picture = context.picture;
  const PortName name = picture.name(PortIndex{request.subject});
  picture.problems.push_back(text(name) + (answer.answered ? " refused" : " did not answer for") +
                             " its P_Key table");
  if (answer.answered) {
    context.events.say(SetRefused{name.node, request.attribute, request.modifier, answer.status});
  } else if (picture.falls_silent(request.device)) {
    context.events.say(DeviceSilent{context.transactions.route(request.device).text(), name.node,
                                    request.attribute});
  }
}

void PartitionProgramming::set_enforcement(fabric::Intent& intent) const {
  for (std::size_t p = 0; p < work_.size(); ++p) {
    auto& link = intent.ports[p].link;
    if (!link || !link->is_switch_port) continue;
    link->enforce_inbound = work_[p].inbound && !work_[p].failed;
    link->enforce_outbound = work_[p].outbound && !work_[p].failed;
  }
}

std::vector<std::vector<mad::PKeyTable>> PartitionProgramming::tables() const {
  std::vector<std::vector<mad::PKeyTable>> tables(work_.size());
  for (std::size_t p = 0; p < work_.size(); ++p) {
    for (const auto& block : work_[p].held.blocks) {
      if (!block) break;
      tables[p].push_back(*block);
    }
  }
  return tables;
}

}  // namespace heddle::sm
