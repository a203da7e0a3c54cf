// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "mad/capability.hpp"
#include "sm/port_set.hpp"

namespace heddle::sm {
namespace {

using fabric::ObservedEnd;
using fabric::PortIndex;
using fabric::SwitchIndex;

// Request::detail of a recheck, which is no link step.
constexpr std::uint32_t kRecheck = 0xFF;

std::pair<mad::Guid, mad::PortNumber> key_of(const Picture& picture, PortIndex port) {
  const auto& topology = *picture.frozen.topology;
  return {topology.node(topology.node_of(port)).guid, topology.number_of(port)};
}

// The capabilities of the device: a switch keeps them at its port 0.
std::uint32_t capabilities(const Picture& picture, PortIndex port) {
  const auto& topology = *picture.frozen.topology;
  const auto node = topology.node_of(port);
  const auto* info = picture.info(topology.is_switch(node) ? topology.port_of(node, {0}) : port);
  return info != nullptr ? info->capability_mask : 0;
}

bool has_multicast_fdb_top(const Picture& picture, SwitchIndex of) {
  const PortIndex port0 = picture.frozen.topology->port_of(of, mad::PortNumber{0});
  return (capabilities(picture, port0) & mad::kIsMulticastFDBTopSupported) != 0;
}

// A switch that has no MulticastFDBTop keeps the field at 0.
fabric::SwitchIntent wish_for(const Picture& picture, SwitchIndex of) {
  fabric::SwitchIntent wish = picture.intent.switches;
  if (!has_multicast_fdb_top(picture, of)) wish.multicast_fdb_top = mad::kNoLid;
  return wish;
}

mad::SmpData encoded(const auto& attribute) {
  mad::SmpData data;
  mad::encode(attribute, std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

// Of each table, as far as LIDs are in use. There must be routes.
std::uint32_t block_count(const Picture& picture) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(picture.routes->routes.tables.block_count(),
                            picture.lids->top().value / fabric::kLftBlockLids + 1));
}

// Without what is a matter of the moment.
fabric::PortIntent lasting(fabric::PortIntent wish) {
  if (wish.link) wish.link->is_idle = false;
  return wish;
}

// Of two in ascending order.
std::vector<PortIndex> united(const std::vector<PortIndex>& a, const std::vector<PortIndex>& b) {
  std::vector<PortIndex> all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

}  // namespace

bool has_multicast_fdb_top(const Picture& picture) {
  for (std::uint32_t s = 0; s < picture.frozen.topology->switch_count(); ++s) {
    if (has_multicast_fdb_top(picture, SwitchIndex{s})) return true;
  }
  return false;
}

bool Programming::settled(const Context& context, PortIndex port, const mad::PortInfo& info) const {
  const auto& wish = context.picture.intent.ports[port.value];
  const bool pleased = (!wish.endport || fabric::satisfied(*wish.endport, info)) &&
                       (!wish.link || fabric::satisfied(*wish.link, info));
  if (pleased) return true;
  const auto known = settled_.find(key_of(context.picture, port));
  if (known == settled_.end() || known->second.wish != lasting(wish)) return false;
  const mad::PortInfo& outcome = known->second.outcome;
  return outcome.lid == info.lid && outcome.master_sm_lid == info.master_sm_lid &&
         outcome.neighbor_mtu == info.neighbor_mtu &&
         outcome.operational_vls == info.operational_vls && outcome.hoq_life == info.hoq_life &&
         fabric::same_wishes(outcome, info);
}

void Programming::set_port(Context& context, Purpose purpose, PortIndex port, LinkStep step) {
  const fabric::ObservedEnd end = context.picture.frozen.end_of[port.value];
  const auto device = context.picture.device(end);
  if (!device) return;
  Request request;
  request.device = *device;
  request.purpose = purpose;
  request.method = mad::Method::Set;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = port_info_modifier(context.picture, end);
  request.subject = port.value;
  request.detail = static_cast<std::uint32_t>(step);
  context.transactions.submit(request);
}

void Programming::write_lids(Context& context, const Knows& knows) {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  reregister_.assign(topology.port_count(), false);
  addressed_.assign(topology.switch_count(), false);
  for (const PortIndex port : picture.all_endports()) {
    const auto& wish = picture.intent.ports[port.value].endport;
    const auto* info = picture.info(port);
    if (!wish || info == nullptr) continue;
    reregister_[port.value] =
        !knows(port, info->master_sm_lid, wish->master_sm_lid) || info->lid != wish->lids.base;
    if (settled(context, port, *info)) continue;
    set_port(context, Purpose::Lids, port, LinkStep::Fields);
    const fabric::NodeIndex node = topology.node_of(port);
    if (topology.is_switch(node)) addressed_[node.value] = true;
  }
}

// Who lost a link has packets that it cannot send on any more.
std::vector<SwitchIndex> Programming::in_order(std::size_t switches) const {
  std::vector<SwitchIndex> order = transition_.beside_losses;
  std::vector<bool> taken(switches);
  for (const SwitchIndex first : order) taken[first.value] = true;
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (!taken[s]) order.push_back(SwitchIndex{s});
  }
  return order;
}

TableWork Programming::write_tables(Context& context, bool verify) {
  TableWork work;
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  doubted_.assign(topology.switch_count(), verify);
  verifies_ = verify;
  unseen_ = 0;
  all_written_ = false;
  const auto order = in_order(topology.switch_count());
  std::vector<SwitchIndex> told;
  for (const SwitchIndex index : order) {
    const fabric::ObservedIndex at = picture.frozen.node_of[index.value];
    const auto& node = picture.observation[at];
    // The doubt outlives this sweep where nothing can be read.
    const auto device = picture.device({at, {0}});
    const bool is_locked = device && context.transactions.is_locked(*device);
    if (verify && is_locked) context.picture.observation.table(at).forget();
    if (fabric::satisfied(wish_for(picture, index), *node.switch_info)) {
      told.push_back(index);
    } else {
      if (picture.routes) {
        work.blocks += fabric::changed_blocks(picture.routes->routes.tables, index,
                                              picture.lids->top(), node.table)
                           .size();
      }
      ++unseen_;
      context.transactions.submit(
          table_request(context, index, mad::Method::Set, mad::AttributeId::SwitchInfo, 0));
      doubted_[index.value] = true;
      ++work.switches;
    }
  }
  work.blocks += write_blocks_of(context, told, verify);
  return work;
}

bool Programming::waits_for_silent(const Context& context) const {
  const Picture& picture = context.picture;
  if (step_ + 1 >= transition_.steps) return false;
  const std::size_t switches = picture.frozen.topology->switch_count();
  for (std::uint32_t s = 0; s < switches; ++s) {
    const auto node = picture.frozen.node_of[s];
    const auto device = picture.device({node, {0}});
    if (!device || !context.transactions.is_locked(*device)) continue;
    const auto& table = picture.observation[node].table;
    const std::uint32_t last = picture.lids->top().value / fabric::kLftBlockLids;
    for (std::uint32_t block = 0; block <= last; ++block) {
      if (!table.holds(block, wanted_block(picture, SwitchIndex{s}, block))) return true;
    }
  }
  return false;
}

bool Programming::go_on_with_tables(Context& context) {
  const std::size_t switches = context.picture.frozen.topology->switch_count();
  if (step_ + 1 < transition_.steps) find_stuck(context.picture);
  if (std::exchange(empties_more_, false)) {
    write_blocks_of(context, in_order(switches), false);
    return true;
  }
  if (++step_ >= transition_.steps) {
    all_written_ = true;  // or asked for: what a switch did not take stays unseen
    return false;
  }
  std::vector<SwitchIndex> due;
  for (const SwitchIndex at : in_order(switches)) {
    const auto late = transition_.late_of(at);
    const bool waits = std::any_of(late.begin(), late.end(),
                                   [this](const auto& entry) { return entry.step == step_; });
    if (waits || (step_ == 1 && !transition_.emptied.empty())) due.push_back(at);
  }
  write_blocks_of(context, due, false);
  return true;
}

Request Programming::table_request(const Context& context, SwitchIndex of, mad::Method method,
                                   mad::AttributeId attribute, std::uint32_t modifier) const {
  Request request;
  request.device = *context.picture.device({context.picture.frozen.node_of[of.value], {0}});
  request.purpose = Purpose::Tables;
  request.method = method;
  request.attribute = attribute;
  request.modifier = modifier;
  request.subject = of.value;
  return request;
}

Programming::Block Programming::wanted_block(const Picture& picture, SwitchIndex of,
                                             std::uint32_t block) const {
  const auto wanted = picture.routes->routes.tables.block(of, block);
  Block bytes;
  std::copy(wanted.begin(), wanted.end(), bytes.begin());
  const auto& held = picture.observation[picture.frozen.node_of[of.value]].table;
  const std::size_t first = block * bytes.size();
  const auto held_back = [&](std::size_t i) {
    return held.known(block) ? held.block(block)[i] : mad::kNoPortNumber.value;
  };
  for (const auto& entry : transition_.late_of(of, block)) {
    const std::size_t i = entry.lid.value % bytes.size();
    if (entry.step > step_ || is_stuck(entry.lid.value)) bytes[i] = held_back(i);
  }
  if (step_ > 0 && stuck_.empty()) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!is_emptied(first + i)) continue;
    // With what somebody keeps, even entries that do not change may lock up.
    const bool stuck = is_stuck(first + i);
    const bool waits = step_ == 0 && held_back(i) != bytes[i];
    if (stuck || waits) bytes[i] = mad::kNoPortNumber.value;
  }
  return bytes;
}

void Programming::note_tables(Context& context) const {
  const Picture& picture = context.picture;
  if (!picture.routes) return;
  for (std::uint32_t s = 0; s < picture.frozen.topology->switch_count(); ++s) {
    holds_all(context.picture, SwitchIndex{s}, block_count(picture));
  }
}

// The answers to what others ask of us pass the block of our own LID.
std::uint64_t Programming::write_blocks_of(Context& context,
                                           const std::vector<SwitchIndex>& switches, bool verify) {
  Picture& picture = context.picture;
  if (!picture.routes) return 0;
  std::uint64_t changed = 0;
  const std::uint32_t count = block_count(picture);
  const std::uint32_t last = picture.lids->base(picture.sm_port).value / fabric::kLftBlockLids;
  std::vector<SwitchIndex> due;
  for (const SwitchIndex of : switches) {
    if (!verify && holds_all(picture, of, count)) continue;
    due.push_back(of);
    for (std::uint32_t block = 0; block < count; ++block) {
      if (block != last && write_block(context, of, block, verify)) ++changed;
    }
  }
  for (const SwitchIndex of : due) {
    if (last < count && write_block(context, of, last, verify)) ++changed;
    // Blocks of LIDs that nobody holds now are not worth a question, nor the belief in them.
    if (verify) picture.observation.table(picture.frozen.node_of[of.value]).forget_from(count);
  }
  return changed;
}

// Whoever holds what it is to hold in the end is not written to on the way there, unless somebody
// else is stuck.
bool Programming::goes_straight() const {
  return transition_.steps == 1 || stuck_.empty();
}

// Most switches do after a small change; blocks are looked at one by one where something differs.
bool Programming::holds_all(Picture& picture, SwitchIndex of, std::size_t blocks) const {
  if (!goes_straight()) return false;
  auto& held = picture.observation.table(picture.frozen.node_of[of.value]);
  return held.holds_row({picture.routes, &picture.routes->routes.tables}, of, blocks);
}

bool Programming::write_block(Context& context, SwitchIndex of, std::uint32_t block, bool verify) {
  const Picture& picture = context.picture;
  const auto& table = picture.observation[picture.frozen.node_of[of.value]].table;
  const bool is_final = table.holds(block, picture.routes->routes.tables.block(of, block));
  // Nearly always all is written at once, and there are hundreds of thousands of blocks.
  const bool holds = (is_final && goes_straight()) || transition_.steps == 1
                         ? is_final
                         : table.holds(block, wanted_block(picture, of, block));
  const bool differs = !is_final || !holds;
  if (holds && !verify) return differs;
  ++unseen_;
  context.transactions.submit(table_request(context, of,
                                            holds ? mad::Method::Get : mad::Method::Set,
                                            mad::AttributeId::LinearForwardingTable, block));
  return differs;
}

void Programming::on_block(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const Request& request = answer.request;
  const SwitchIndex of{request.subject};
  auto& table = picture.observation.table(picture.frozen.node_of[of.value]);
  std::array<std::uint8_t, fabric::kLftBlockLids> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = std::to_integer<std::uint8_t>(answer.data[i]);
  }
  table.learn(request.modifier, entries);
  const bool holds = table.holds(request.modifier, wanted_block(picture, of, request.modifier));
  if (holds) {
    --unseen_;
    return;
  }
  if (request.method == mad::Method::Get) {
    return context.transactions.submit(
        table_request(context, of, mad::Method::Set, request.attribute, request.modifier));
  }
  const NodeName name = picture.name(picture.frozen.node_of[of.value]);
  const bool news = is_news({name.guid.value, request.attribute, request.modifier});
  note_failed_table(name.guid, request, news);
  picture.problems.push_back(text(name) + " holds other routes than it was told to");
}

bool Programming::wants(const Context& context, PortIndex port, LinkStep step) const {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  const auto* info = picture.info(port);
  if (info == nullptr) return false;
  // Of what a port with LIDs is wanted only this depends on the routes, and could not be written
  // with the LIDs.
  const auto& endport = picture.intent.ports[port.value].endport;
  if (step == LinkStep::Fields && endport && info->master_sm_sl != endport->master_sm_sl) {
    return !settled(context, port, *info);
  }
  const auto number = topology.number_of(port);
  const auto node = topology.node_of(port);
  if (number.value == 0) {
    // Only an enhanced port 0 has a state to bring up.
    const bool starts = topology.is_switch(node) && topology.node(node).enhanced_port0;
    if (step == LinkStep::Arm) return starts && info->port_state == mad::PortState::Init;
    if (step == LinkStep::Activate) return starts && info->port_state == mad::PortState::Armed;
    return false;
  }
  if (!picture.intent.ports[port.value].link) return false;
  switch (step) {
    case LinkStep::Fields:
      return topology.is_switch(node) && !settled(context, port, *info);
    case LinkStep::Arm:
      return info->port_state == mad::PortState::Init;
    case LinkStep::Activate: {
      if (info->port_state != mad::PortState::Armed) return false;
      const auto* peer = picture.info(topology.peer(port));
      return peer != nullptr && (peer->port_state == mad::PortState::Armed ||
                                 peer->port_state == mad::PortState::Active);
    }
    case LinkStep::Done:
      return false;
  }
  return false;
}

bool Programming::tells_clients(const Context& context, PortIndex port) const {
  return context.options.reregister && reregister_[port.value] &&
         (capabilities(context.picture, port) & mad::kIsClientReregistrationSupported) != 0;
}

std::uint64_t Programming::raises_to_come(const Context& context) const {
  std::uint64_t sets = 0;
  for (const PortIndex port : to_raise_) {
    const bool starts = wants(context, port, LinkStep::Arm);
    const bool goes_on = starts || wants(context, port, LinkStep::Activate);
    sets += (starts ? 1u : 0u) + (goes_on ? 1u : 0u);
  }
  return sets;
}

// Nearly all are Active and as they should be, and the phase looks at the rest several times. Those
// that were so before still are, unless something of them is another now.
void Programming::look_at_links(Context& context) {
  const auto news = port_news_.since_last(context.picture);
  std::vector<PortIndex> waiting;  // to be raised, or to be asked
  for (const PortIndex port : context.picture.frozen.topology->endports()) {
    if (reregister_[port.value]) waiting.push_back(port);
  }
  // Of other nodes nothing is waiting that is not news.
  if (!news.is_all) waiting = united(waiting, to_raise_);
  to_raise_.clear();
  for (const PortIndex port : united(news.ports, waiting)) {
    if (needs_work(context, port)) to_raise_.push_back(port);
  }
}

bool Programming::needs_work(const Context& context, PortIndex port) const {
  const auto* info = context.picture.info(port);
  if (info == nullptr) return false;
  return info->port_state != mad::PortState::Active || wants(context, port, LinkStep::Fields) ||
         tells_clients(context, port);
}

void Programming::write_links(Context& context, LinkStep step) {
  const auto& topology = *context.picture.frozen.topology;
  if (step == LinkStep::Fields) {
    raised_twice_.clear();  // of another sweep
    look_at_links(context);
    recheck_uneven_links(context);
  }
  untold_.clear();
  for (const PortIndex port : to_raise_) {
    if (wants(context, port, step)) {
      set_port(context, Purpose::Links, port, step);
    } else if (step == LinkStep::Activate && tells_clients(context, port)) {
      untold_.push_back(topology.port(port).guid);
    }
  }
}

void Programming::tell_clients(Context& context, PortIndex port) {
  set_port(context, Purpose::Links, port, LinkStep::Activate);
}

std::set<mad::Guid> Programming::unheard(const Context& context) const {
  const auto& topology = *context.picture.frozen.topology;
  std::set<mad::Guid> ports;
  for (const PortIndex port : topology.endports()) {
    if (tells_clients(context, port)) ports.insert(topology.port(port).guid);
  }
  return ports;
}

mad::SmpData Programming::data_for(const Context& context, const Request& request) const {
  const Picture& picture = context.picture;
  if (request.attribute == mad::AttributeId::SwitchInfo) {
    const auto& node = picture.observation[picture.frozen.node_of[request.subject]];
    const auto wish = wish_for(picture, SwitchIndex{request.subject});
    return encoded(fabric::with(wish, *node.switch_info));
  }
  if (request.attribute == mad::AttributeId::LinearForwardingTable) {
    const auto block = wanted_block(picture, SwitchIndex{request.subject}, request.modifier);
    mad::SmpData data;
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(block[i]);
    return data;
  }
  HEDDLE_CHECK(request.attribute == mad::AttributeId::PortInfo);
  const PortIndex port{request.subject};
  const mad::PortInfo& observed = *picture.info(port);
  const auto& wish = picture.intent.ports[port.value];
  const auto step = static_cast<LinkStep>(request.detail);
  mad::PortInfo info = wish.endport ? fabric::with(*wish.endport, observed)
                                    : unchanged(context, request.device, observed);
  if (wish.link && step == LinkStep::Fields) {
    const mad::PortInfo link = fabric::with(*wish.link, observed);
    info.neighbor_mtu = link.neighbor_mtu;
    info.operational_vls = link.operational_vls;
    info.hoq_life = link.hoq_life;
    info.vl_stall_count = link.vl_stall_count;
    info.vl_high_limit = link.vl_high_limit;
    info.link_width_enabled = link.link_width_enabled;
    info.link_speed_enabled = link.link_speed_enabled;
    info.link_speed_ext_enabled = link.link_speed_ext_enabled;
    info.link_speed_ext2_enabled = link.link_speed_ext2_enabled;
    info.local_phy_errors = link.local_phy_errors;
    info.overrun_errors = link.overrun_errors;
    info.partition_enforcement_inbound = link.partition_enforcement_inbound;
    info.partition_enforcement_outbound = link.partition_enforcement_outbound;
  }
  if (step == LinkStep::Arm) info.port_state = mad::PortState::Armed;
  if (step == LinkStep::Activate) {
    if (wants(context, port, step)) info.port_state = mad::PortState::Active;
    // Clients hear of a new SM only now, when their routes stand.
    info.client_reregister = tells_clients(context, port);
  }
  return encoded(info);
}

void Programming::on_answer(Context& context, const Answer& answer) {
  if (!answer.answered) return on_silence(context, answer);
  if (answer.status != mad::kStatusOk) return on_refusal(context, answer);
  switch (answer.request.attribute) {
    case mad::AttributeId::PortInfo:
      return on_port_info(context, answer);
    case mad::AttributeId::SwitchInfo:
      return on_switch_info(context, answer);
    case mad::AttributeId::LinearForwardingTable:
      return on_block(context, answer);
    default:
      return;
  }
}

void Programming::on_port_info(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const PortIndex port{answer.request.subject};
  const ObservedEnd end = picture.frozen.end_of[port.value];
  auto& info = picture.observation.change(end).info;
  const auto now = mad::decode<mad::PortInfo>(answer.data);
  if (answer.request.detail == kRecheck) {
    fabric_moved_ |= now.port_state != info->port_state || now.lid != info->lid;
    // It restarted, and lost what it held.
    if (end.port.value == 0 && now.lid != info->lid) picture.observation.table(end.node).forget();
    return;
  }
  // Nobody is asked for a lower state: it fell back by itself since it was read. Where that was
  // before PortStateChange was cleared, nothing else will ever tell.
  if (now.port_state < info->port_state) {
    note_fallen(port, is_news({picture.name(end.node).guid.value, mad::AttributeId::PortInfo,
                               static_cast<std::uint32_t>(end.port.value)}));
  }
  // What was asked for depends on the state in which the port was thought to be.
  const bool is_outcome = now.port_state == info->port_state;
  info = now;
  const bool has_key = end.port.value == 0 || !picture.observation[end.node].is_switch();
  if (has_key && now.m_key != mad::MKey{}) {
    context.transactions.set_key(answer.request.device, now.m_key);
  }
  if (static_cast<LinkStep>(answer.request.detail) == LinkStep::Fields && is_outcome &&
      !settled(context, port, now)) {
    settled_[key_of(picture, port)] = {lasting(picture.intent.ports[port.value]), now};
  }
  const auto step = static_cast<LinkStep>(answer.request.detail);
  if (step == LinkStep::Activate) reregister_[port.value] = false;
  if (answer.repeated && answer.request.purpose == Purpose::Links && step != LinkStep::Fields) {
    raised_twice_.insert(port);
  }
}

void Programming::note_fallen(PortIndex port, bool news) {
  fallen_.ports.push_back(port);
  fallen_.news |= news;
}

void Programming::on_switch_info(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const SwitchIndex index{answer.request.subject};
  auto& seen = *picture.observation.change(picture.frozen.node_of[index.value]).switch_info;
  const bool cleared = seen.port_state_change;
  seen = mad::decode<mad::SwitchInfo>(answer.data);
  if (cleared) recheck_settled_ports(context, index);
  // The blocks come only now: a switch that restarts after this shows a LinearFDBTop of 0, whereas
  // this very Set would have hidden a restart since it was read. That has left a PortStateChange
  // standing where this cleared none; and where it did, whoever asks port 0 for its LID finds it
  // out, unless we have just given it its LID again.
  const bool may_have_restarted = cleared ? addressed_[index.value] : seen.port_state_change;
  --unseen_;
  write_blocks_of(context, {index}, verifies_ || may_have_restarted);
}

// A port may have come up or gone down between our reading it and our clearing PortStateChange:
// that change would never be seen again. Ports that are yet to be raised tell it themselves, by
// the answer to the first Set. A switch that restarted since it got its LID has lost that.
void Programming::recheck_settled_ports(Context& context, SwitchIndex of) {
  const Picture& picture = context.picture;
  const auto& topology = *picture.frozen.topology;
  for (unsigned p = 0; p <= topology.node(of).port_count; ++p) {
    const PortIndex port = topology.port_of(of, {static_cast<std::uint8_t>(p)});
    const auto* info = picture.info(port);
    if (info == nullptr) continue;
    const bool starts =
        info->port_state == mad::PortState::Init || info->port_state == mad::PortState::Armed;
    if (!starts || p == 0) recheck(context, Purpose::Tables, port);
  }
}

void Programming::recheck(Context& context, Purpose purpose, PortIndex port) {
  const Picture& picture = context.picture;
  Request request;
  request.device = *picture.device(picture.frozen.end_of[port.value]);
  request.purpose = purpose;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = picture.frozen.topology->number_of(port).value;
  request.subject = port.value;
  request.detail = kRecheck;
  context.transactions.submit(request);
}

// Where one end was read in Init and the other one above it, the link came up anew in between, and
// who is at the other end may have lost what it was told before.
void Programming::recheck_uneven_links(Context& context) {
  const auto& topology = *context.picture.frozen.topology;
  for (const PortIndex port : to_raise_) {
    if (!wants(context, port, LinkStep::Arm) || topology.number_of(port).value == 0) continue;
    const PortIndex other = topology.peer(port);
    const auto* peer = context.picture.info(other);
    const bool is_above = peer != nullptr && (peer->port_state == mad::PortState::Armed ||
                                              peer->port_state == mad::PortState::Active);
    if (is_above) recheck(context, Purpose::Links, other);
  }
}

// A Set that was done a second time hides that the link had fallen in between, and with it who is
// at the other end.
void Programming::recheck_beyond_raised(Context& context) {
  const Picture& picture = context.picture;
  for (const PortIndex port : std::exchange(raised_twice_, {})) {
    const PortIndex other = picture.frozen.topology->peer(port);
    if (other == fabric::kNoPort || picture.info(other) == nullptr) continue;
    if (picture.device(picture.frozen.end_of[other.value])) {
      recheck(context, Purpose::Links, other);
    }
  }
}

void Programming::begin_sweep() {
  fabric_moved_ = false;
  fallen_ = {};
  tables_failed_.clear();
  footing_lost_ = all_written_ = false;
  failures_before_ = std::exchange(failures_, {});
}

bool Programming::is_news(const Failure& failure) {
  failures_.insert(failure);
  return failures_before_.count(failure) == 0;
}

// Hurrying helps against bad luck, not against a switch that never takes its table.
void Programming::note_failed_table(mad::Guid node, const Request& request, bool news) {
  if (request.attribute == mad::AttributeId::LinearForwardingTable) {
    failed_blocks_.emplace(request.subject, request.modifier);
  }
  tables_failed_.insert(node);
  footing_lost_ |= news;
  fabric_moved_ |= news;
}

void Programming::on_refusal(Context& context, const Answer& answer) {
  Picture& picture = context.picture;
  const Request& request = answer.request;
  const bool is_port = request.attribute == mad::AttributeId::PortInfo;
  const auto node = is_port ? picture.frozen.end_of[request.subject].node
                            : picture.frozen.node_of[request.subject];
  const NodeName name = picture.name(node);
  const bool news = is_news({name.guid.value, request.attribute, request.modifier});
  if (news) {
    context.events.say(SetRefused{name, request.attribute, request.modifier, answer.status});
  }
  if (is_port) {
    // Whoever refuses has heard.
    const auto step = static_cast<LinkStep>(request.detail);
    const bool asks = step == LinkStep::Activate;
    if (asks) reregister_[request.subject] = false;
    picture.problems.push_back(text(picture.name(PortIndex{request.subject})) +
                               " refused a setting");
    // One without a link cannot be raised.
    const bool raises = asks || step == LinkStep::Arm;
    if (raises && news) note_fallen({request.subject}, true);
    fabric_moved_ |= news && !raises;
  } else {
    picture.problems.push_back(text(picture.name(node)) + " refused its forwarding table");
    if (request.attribute == mad::AttributeId::SwitchInfo) {
      write_blocks_of(context, {SwitchIndex{request.subject}}, true);
    } else {
      note_failed_table(name.guid, request, news);
    }
  }
}

void Programming::on_silence(Context& context, const Answer& answer) {
  const Request& request = answer.request;
  const bool is_port = request.attribute == mad::AttributeId::PortInfo;
  Picture& picture = context.picture;
  const auto node = is_port ? picture.frozen.end_of[request.subject].node
                            : picture.frozen.node_of[request.subject];
  const NodeName name = picture.name(node);
  const bool news = is_news({name.guid.value, request.attribute, request.modifier});
  fabric_moved_ |= news;
  if (!is_port) note_failed_table(name.guid, request, news);
  // Written or not: until a block is read again nobody knows.
  if (request.attribute == mad::AttributeId::LinearForwardingTable) {
    picture.observation.table(picture.frozen.node_of[request.subject]).forget();
  }
  if (!picture.falls_silent(request.device)) return;
  picture.problems.push_back(text(name) + " does not answer when it is written to");
  if (!news) return;
  context.events.say(
      DeviceSilent{context.transactions.route(request.device).text(), name, request.attribute});
}

}  // namespace heddle::sm
