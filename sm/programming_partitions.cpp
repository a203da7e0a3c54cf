// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_partitions.hpp"

#include <algorithm>

#include "mad/p_key_table.hpp"
#include "partitions/policy.hpp"

namespace heddle::sm {
namespace {

using fabric::PortIndex;
using fabric::Topology;
using partitions::Enforcement;
using partitions::EnforcementGap;

}  // namespace

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

PartitionProgramming::Work PartitionProgramming::Former::take(const Key& key) {
  const std::size_t at = position_of(key);
  if (at == keys_.size()) return {};
  next_ = at + 1;
  return std::move(work_[at]);
}

void PartitionProgramming::begin(Context& context,
                                 std::shared_ptr<const partitions::Memberships> memberships,
                                 Enforcement enforcement, bool others) {
  enforcement_ = enforcement;
  if (others) {
    keys_.clear();
    work_.clear();
    tables_.reset();
  }
  line_up(*context.picture.frozen.topology);
  for (const PortIndex port : context.picture.all_endports()) {
    begin_endport(context, port, memberships->of(port));
    const PortIndex facing = facing_port(*context.picture.frozen.topology, port);
    if (facing != fabric::kNoPort) begin_switch_port(context, facing, memberships->through(port));
  }
  memberships_ = std::move(memberships);  // the former ones were needed until here
  tell_gaps(context);
}

// In the log once for each switch, and again for another reason; as a problem with each sweep, as
// long as it is so. Where everybody holds the one key that there is, packets have no other.
void PartitionProgramming::tell_gaps(Context& context) {
  const Picture& picture = context.picture;
  std::map<mad::Guid, Gap> gaps;
  for (const PortIndex port : picture.all_endports()) {
    const PortIndex facing = facing_port(*picture.frozen.topology, port);
    if (facing == fabric::kNoPort) continue;
    const EnforcementGap what = work_of(facing).gap;
    if (what == EnforcementGap::None) continue;
    const Topology& topology = *picture.frozen.topology;
    const mad::Guid guid = topology.guid(topology.node_of(facing));
    Gap& gap = gaps.try_emplace(guid, Gap{what, 0, facing}).first->second;
    gap.what = std::min(gap.what, what);
    ++gap.ports;
  }
  if (!gaps.empty() && has_only_default(context)) gaps.clear();
  for (const auto& [guid, gap] : gaps) {
    const NodeName name = picture.name(gap.at).node;
    const std::string reason(partitions::describe(gap.what));
    context.picture.problems.push_back(text(name) + " does not check all P_Keys at " +
                                       std::to_string(gap.ports) + " of its ports: " + reason);
    const auto told = gaps_.find(guid);
    if (told != gaps_.end() && told->second.what == gap.what) continue;
    context.events.say(PKeysUnchecked{name, gap.ports, reason});
  }
  gaps_ = std::move(gaps);
}

bool PartitionProgramming::has_only_default(const Context& context) const {
  const auto is_default = [](mad::PKey key) {
    return partitions::base_of(key) == partitions::kDefaultBaseKey;
  };
  for (const PortIndex port : context.picture.all_endports()) {
    const auto keys = memberships_->through(port);
    if (!std::all_of(keys.begin(), keys.end(), is_default)) return false;
  }
  return true;
}

PortIndex PartitionProgramming::facing_port(const Topology& topology, PortIndex endport) const {
  const PortIndex peer = topology.peer(endport);
  const bool checks = enforcement_ != Enforcement::Off && peer != fabric::kNoPort &&
                      topology.is_switch(topology.node_of(peer));
  return checks ? peer : fabric::kNoPort;
}

void PartitionProgramming::line_up(const Topology& topology) {
  std::vector<Key> keys;
  keys.reserve(std::max(keys_.size(), topology.endports().size()));
  std::vector<std::uint32_t> slots(topology.port_count(), kNone);
  const auto append = [&](PortIndex port) {
    slots[port.value] = static_cast<std::uint32_t>(keys.size());
    keys.emplace_back(topology.guid(topology.node_of(port)), topology.number_of(port));
  };
  for (const PortIndex port : topology.endports()) {
    append(port);
    const PortIndex facing = facing_port(topology, port);
    if (facing != fabric::kNoPort) append(facing);
  }
  if (slots != slot_) tables_.reset();
  slot_ = std::move(slots);
  if (keys == keys_) return;
  tables_.reset();
  Former former(std::move(keys_), std::move(work_));
  work_.clear();
  work_.reserve(keys.size());
  for (const Key& key : keys) work_.push_back(former.take(key));
  keys_ = std::move(keys);
}

// What was planned for it stands if the port kept its table and the same keys are wanted of it.
void PartitionProgramming::renew(const Context& context, PortIndex port, std::uint16_t capacity,
                                 std::span<const mad::PKey> wanted, bool enforces) {
  Work& work = work_of(port);
  const auto* info = context.picture.info(port);
  // A port that is still ACTIVE has not restarted since we made it so.
  const bool kept = info != nullptr && info->port_state == mad::PortState::Active && !work.failed;
  const bool alike =
      kept && !enforces && work.held.capacity == capacity &&
      std::equal(wanted.begin(), wanted.end(), work.wanted.begin(), work.wanted.end());
  work.stands = alike && work.plan.to_write.empty() && work.plan.left_out.empty();
  work.whole = work.whole && work.stands;
  if (!kept && !work.held.blocks.empty()) blocks_to_change(work).clear();
  if (!work.stands) work.plan = {};
  work.held.capacity = capacity;
  work.wanted = wanted;
  work.enforces = enforces;
  work.unread = 0;
  work.inbound = work.outbound = work.failed = false;
}

void PartitionProgramming::begin_endport(Context& context, PortIndex port,
                                         std::span<const mad::PKey> wanted) {
  const Picture& picture = context.picture;
  const auto end = picture.frozen.end_of[port.value];
  renew(context, port, picture.observation[end.node].info.partition_cap, wanted, false);
  const Work& work = work_of(port);
  if (work.stands && work.whole) return;
  if (!picture.device(end) || picture.info(port) == nullptr) {
    forget(port);
  } else {
    read(context, port);
  }
}

void PartitionProgramming::begin_switch_port(Context& context, PortIndex port,
                                             std::span<const mad::PKey> wanted) {
  const Picture& picture = context.picture;
  const auto& node = picture.observation[picture.frozen.end_of[port.value].node];
  const std::uint16_t capacity = node.switch_info->partition_enforcement_cap;
  const auto gap = partitions::enforcement_gap(enforcement_, *node.switch_info, wanted);
  // A table that cannot hold what it should, or is not heeded, is not worth reading.
  const bool fits = gap != EnforcementGap::NoTable && gap != EnforcementGap::TableFull &&
                    gap != EnforcementGap::NoDirections;
  if (!fits) forget(port);
  renew(context, port, capacity, wanted, true);
  work_of(port).gap = gap;
  if (fits) read(context, port);
}

void PartitionProgramming::forget(PortIndex port) {
  blocks_to_change(work_of(port)).clear();
  work_of(port) = {};
}

std::vector<std::optional<mad::PKeyTable>>& PartitionProgramming::blocks_to_change(Work& work) {
  tables_.reset();
  return work.held.blocks;
}

// Asks for the blocks that are not known; when there are none, goes on at once.
void PartitionProgramming::read(Context& context, PortIndex port) {
  Work& work = work_of(port);
  const std::size_t count = mad::p_key_block_count(work.held.capacity);
  if (work.held.blocks.size() != count) blocks_to_change(work).resize(count);
  const auto device = context.picture.device(context.picture.frozen.end_of[port.value]);
  for (std::size_t block = 0; block < count; ++block) {
    if (work.held.blocks[block]) continue;
    // Who is silent is read when it answers again; to ask meanwhile would only take time.
    if (device && context.transactions.is_locked(*device)) return;
    ++work.unread;
    submit(context, port, mad::Method::Get, static_cast<std::uint16_t>(block));
  }
  work.whole = work.unread == 0;
  if (work.whole && !work.stands) write(context, port);
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
    blocks_to_change(work)[request.detail] = mad::decode<mad::PKeyTable>(answer.data);
  }
  if (!is_get || --work.unread != 0) return;
  work.whole = !work.failed;
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
    const auto& link = intent.ports[p].link;
    if (!link || !link->is_switch_port) continue;
    const Work* work = slot_[p] == kNone ? nullptr : &work_[slot_[p]];
    const bool stands = work != nullptr && !work->failed;
    const bool inbound = stands && work->inbound, outbound = stands && work->outbound;
    if (link->enforce_inbound == inbound && link->enforce_outbound == outbound) continue;
    fabric::LinkIntent& changed = *intent.ports.change(p).link;
    changed.enforce_inbound = inbound;
    changed.enforce_outbound = outbound;
  }
}

std::shared_ptr<const sa::PKeyTables> PartitionProgramming::tables() {
  if (tables_ != nullptr) return tables_;
  sa::PKeyTables tables;
  tables.make_room(slot_.size(), work_.size());
  for (const std::uint32_t slot : slot_) {
    tables.add_port();
    if (slot == kNone) continue;
    for (const auto& block : work_[slot].held.blocks) {
      if (!block) break;
      tables.add_block(*block);
    }
  }
  tables_ = std::make_shared<const sa::PKeyTables>(std::move(tables));
  return tables_;
}

}  // namespace heddle::sm
