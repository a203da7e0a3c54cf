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

}  // namespace

void PartitionProgramming::Former::take(std::vector<Key> keys, std::vector<Work> work) {
  keys_ = std::move(keys);
  work_ = std::move(work);
  next_ = 0;
  positions_.clear();
}

std::size_t PartitionProgramming::Former::position_of(const Key& key) {
  constexpr std::size_t kNear = 64;  // a switch that is gone leaves as many behind, at most
  const auto from = keys_.begin() + static_cast<std::ptrdiff_t>(next_);
  const auto end = keys_.size() - next_ < kNear ? keys_.end() : from + kNear;
  const auto near = std::find(from, end, key);
  if (near != end) return static_cast<std::size_t>(near - keys_.begin());
  if (positions_.empty()) {
    for (std::size_t i = 0; i < keys_.size(); ++i) positions_.emplace(keys_[i], i);
  }
  const auto found = positions_.find(key);
  return found == positions_.end() ? keys_.size() : found->second;
}

PartitionProgramming::Work* PartitionProgramming::Former::find(const Key& key) {
  const std::size_t at = position_of(key);
  if (at == keys_.size()) return nullptr;
  next_ = at + 1;
  return work_[at].failed ? nullptr : &work_[at];
}

PartitionProgramming::Key PartitionProgramming::key_of(const Context& context, PortIndex port) {
  const auto& topology = *context.picture.frozen.topology;
  return {topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

void PartitionProgramming::begin(Context& context,
                                 std::shared_ptr<const partitions::Memberships> memberships,
                                 Enforcement enforcement, bool others) {
  const auto& topology = *context.picture.frozen.topology;
  enforcement_ = enforcement;
  if (!others) former_.take(std::move(keys_), std::move(work_));
  work_.clear();
  keys_.clear();
  work_.reserve(topology.endports().size());
  slot_.assign(topology.port_count(), kNone);
  for (const PortIndex port : context.picture.all_endports()) {
    const auto wanted = memberships->of(port);
    add_work(context, port, wanted);
    begin_endport(context, port);
    const PortIndex peer = topology.peer(port);
    if (peer == fabric::kNoPort || !topology.is_switch(topology.node_of(peer))) continue;
    if (enforcement_ == Enforcement::Off) continue;
    add_work(context, peer, memberships->through(port)).enforces = true;
    begin_switch_port(context, peer);
  }
  former_.clear();
  memberships_ = std::move(memberships);  // the former ones were needed until here
}

PartitionProgramming::Work& PartitionProgramming::add_work(const Context& context, PortIndex port,
                                                           std::span<const mad::PKey> wanted) {
  slot_[port.value] = static_cast<std::uint32_t>(work_.size());
  keys_.push_back(key_of(context, port));
  work_.emplace_back().wanted = wanted;
  return work_.back();
}

// A port that is still ACTIVE has not restarted since we made it so.
void PartitionProgramming::take_over(const Context& context, PortIndex port) {
  const auto* info = context.picture.info(port);
  const bool kept = info != nullptr && info->port_state == mad::PortState::Active;
  Work* const known = kept ? former_.find(keys_[slot_[port.value]]) : nullptr;
  if (known == nullptr) return;
  Work& work = work_of(port);
  Work& before = *known;
  const bool alike = before.held.capacity == work.held.capacity && !work.enforces &&
                     std::equal(before.wanted.begin(), before.wanted.end(), work.wanted.begin(),
                                work.wanted.end());
  const bool stood = before.plan.to_write.empty() && before.plan.left_out.empty();
  work.held.blocks = std::move(before.held.blocks);
  if (!alike || !stood) return;
  work.plan = std::move(before.plan);
  work.stands = true;
}

void PartitionProgramming::begin_endport(Context& context, PortIndex port) {
  const Picture& picture = context.picture;
  const auto end = picture.frozen.end_of[port.value];
  if (!picture.device(end) || picture.info(port) == nullptr) return;
  work_of(port).held.capacity = picture.observation[end.node].info.partition_cap;
  take_over(context, port);
  read(context, port);
}

void PartitionProgramming::begin_switch_port(Context& context, PortIndex port) {
  const Picture& picture = context.picture;
  const auto& node = picture.observation[picture.frozen.end_of[port.value].node];
  Work& work = work_of(port);
  work.held.capacity = node.switch_info->partition_enforcement_cap;
  // A table that cannot hold what it should is not worth reading.
  if (work.held.capacity < work.wanted.size()) return;
  take_over(context, port);
  read(context, port);
}

// Asks for the blocks that are not known; when there are none, goes on at once.
void PartitionProgramming::read(Context& context, PortIndex port) {
  Work& work = work_of(port);
  const std::size_t count = mad::p_key_block_count(work.held.capacity);
  work.held.blocks.resize(count);
  const auto device = context.picture.device(context.picture.frozen.end_of[port.value]);
  for (std::size_t block = 0; block < count; ++block) {
    if (work.held.blocks[block]) continue;
    // Who is silent is read when it answers again; to ask meanwhile would only take time.
    if (device && context.transactions.is_locked(*device)) return;
    ++work.unread;
    submit(context, port, mad::Method::Get, static_cast<std::uint16_t>(block));
  }
  if (work.unread == 0 && !work.stands) write(context, port);
}

void PartitionProgramming::write(Context& context, PortIndex port) {
  Work& work = work_of(port);
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
  mad::encode(work_of(PortIndex{request.subject}).plan.blocks[request.detail],
              std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void PartitionProgramming::on_answer(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  Work& work = work_of(PortIndex{request.subject});
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
  Work& work = work_of(PortIndex{request.subject});
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
  for (std::size_t p = 0; p < slot_.size(); ++p) {
    auto& link = intent.ports[p].link;
    if (!link || !link->is_switch_port) continue;
    const Work* work = slot_[p] == kNone ? nullptr : &work_[slot_[p]];
    const bool stands = work != nullptr && !work->failed;
    link->enforce_inbound = stands && work->inbound;
    link->enforce_outbound = stands && work->outbound;
  }
}

std::vector<std::vector<mad::PKeyTable>> PartitionProgramming::tables() const {
  std::vector<std::vector<mad::PKeyTable>> tables(slot_.size());
  for (std::size_t p = 0; p < slot_.size(); ++p) {
    if (slot_[p] == kNone) continue;
    for (const auto& block : work_[slot_[p]].held.blocks) {
      if (!block) break;
      tables[p].push_back(*block);
    }
  }
  return tables;
}

}  // namespace heddle::sm
