// SPDX-License-Identifier: BSD-3-Clause
// The machine and the office of master: taking it over, holding it against others, giving it away.
#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "mad/notice.hpp"
#include "mad/sm_info.hpp"
#include "sm/machine.hpp"
#include "sm/port_set.hpp"

namespace heddle::sm {

// A master that something else knows to be silent is asked this often.
constexpr base::Duration kHasty = std::chrono::milliseconds(50);

// Clients do not know of it yet, and packets are under way: what works stays.
void Core::Machine::enter_office() {
  keeps_standing = (election.succeeds() || options.shadow) && options.keep_routes_on_takeover;
  heirlooms.clear();
  take_up_memory();
  // One without a LinearFDBTop has restarted, and has lost its multicast tables too.
  for (const auto node : picture.frozen.node_of) {
    const auto& info = picture.observation[node].switch_info;
    if (heirlooms.size() == picture.frozen.topology->switch_count()) break;
    heirlooms.push_back(info && info->linear_fdb_top != 0);
  }
  if (std::none_of(heirlooms.begin(), heirlooms.end(), [](bool kept) { return kept; })) {
    heirlooms.clear();
  }
}

std::shared_ptr<const routing::Home> Core::Machine::standing_routes(
    const routing::Policy& policy) const {
  auto found = std::make_shared<routing::Selected>();
  found->routes.tables = held_tables(picture);
  return std::make_shared<const routing::Home>(routing::Home{
      picture.frozen.topology, picture.routed_lids, policy, std::move(found), /*found=*/true});
}

// Only a fabric that stands is given to somebody else.
bool Core::Machine::begin_hand_over() {
  Context with = context();
  if (!election.hand_over(with)) return false;
  stage = Stage::Polling;
  return true;
}

void Core::Machine::begin_polling() {
  stage = Stage::Polling;
  polls_silent = peer_silent;
  Context with = context();
  if (election.has_to_announce()) begin_announcing(with);
  election.poll(with);
}

// Who came together with the master looked at its port before the master gave it a LID, without
// which nothing can be told.
void Core::Machine::begin_announcing(Context& with) {
  if (!picture.own) return;
  const auto& info = picture.observation.port(*picture.own).info;
  if (info && info->lid != mad::kNoLid) {
    election.count_announcement();
    return announce_rank();
  }
  Request request;
  request.device = *picture.device(*picture.own);
  request.purpose = Purpose::Election;
  request.attribute = mad::AttributeId::PortInfo;
  request.modifier = port_info_modifier(picture, *picture.own);
  request.optional = true;
  with.transactions.submit(request);
}

void Core::Machine::on_own_lid(const Answer& answer) {
  if (!answer.answered || answer.status != mad::kStatusOk || !picture.own) return;
  auto& info = picture.observation.change(*picture.own).info;
  info = mad::decode<mad::PortInfo>(answer.data);
  if (info->lid == mad::kNoLid || !election.has_to_announce()) return;
  election.count_announcement();
  announce_rank();
}

void Core::Machine::finish_polling() {
  if (auto wish = election.take_wish()) due = std::move(wish);
  // A master whose last sweep dealt no LIDs, its own link being down, has no view to show, and
  // registrations all the same.
  const bool has_files = administration.view() != nullptr || !permanent_groups_due;
  if (election.state() != mad::SMState::Master && has_files) {
    tables_are_ours = false;
    home.reset();
    close_view();
  }
  const bool master = election.state() == mad::SMState::Master && !election.polls();
  // It lives, and says to others what we do not hear.
  if (polls_silent && !master && !election.misses()) doubt_replica();
  if (!master && hastens_polls > 0) {
    --hastens_polls;
    return rest(std::min(options.poll_interval, kHasty));
  }
  rest(master ? options.sweep_interval : options.poll_interval);
}

// The key would let whoever has it command us (IBA vol. 1, 14.4.7); but OpenSM takes no SM for one
// that does not tell it, and says nothing in its question that would prove who asks.
bool Core::Machine::may_learn_sm_key(mad::MKey shown) const {
  const bool is_secret = options.sm_key != kPublicSMKey;
  const bool proved =
      options.m_key != mad::MKey{} && (shown == options.m_key || shown == keys.of(own_guid()));
  return !is_secret || options.tell_sm_key || proved;
}

mad::SmpData Core::Machine::sm_info_data(bool with_key) {
  const mad::SMInfo info{own_guid(), with_key ? options.sm_key : mad::SMKey{}, ++act_count,
                         options.priority, election.state()};
  mad::SmpData data{};
  mad::encode(info, std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

// Until our own port has told its GUID there is nothing true to say. Who asked is answered then:
// not all ask again.
void Core::Machine::hear_sm_info(const mad::Address& peer, const mad::Smp& request) {
  constexpr std::size_t kMost = 16;
  if (own_guid() != mad::Guid{}) return answer_sm_info(peer, request);
  if (asked_early.size() < kMost) asked_early.emplace_back(peer, request);
}

void Core::Machine::answer_who_asked_early() {
  if (asked_early.empty() || own_guid() == mad::Guid{}) return;
  for (const auto& [peer, request] : std::exchange(asked_early, {})) answer_sm_info(peer, request);
}

void Core::Machine::answer_sm_info(const mad::Address& peer, const mad::Smp& request) {
  mad::Smp reply = request;
  reply.method = mad::Method::GetResp;
  if (request.management_class == mad::ManagementClass::SubnDirectedRoute) {
    // The hop pointer stays as it came: the port's own agent has counted the last hop already.
    reply.direction = true;
    std::swap(reply.dr_slid, reply.dr_dlid);
  }
  reply.status = mad::kStatusOk;
  if (request.method == mad::Method::Set) {
    Context with = context();
    reply.status = election.on_control(with, request.attribute_modifier,
                                       mad::decode<mad::SMInfo>(request.data));
    if (auto wish = election.take_wish()) {
      ordered = std::move(wish);
      tables_are_ours = false;  // for a sweep that begins before that one
      if (stage == Stage::Resting) heed_order();
    }
  } else if (request.method != mad::Method::Get) {
    reply.status = mad::kStatusBadMethodAttribute;
  }
  const bool proved = request.method == mad::Method::Set && reply.status == mad::kStatusOk;
  reply.data = sm_info_data(proved || may_learn_sm_key(request.m_key));
  outputs.emplace_back(SendMad{mad::make_datagram(peer, reply)});
}

// A master looks after whoever tells of a change in itself (IBA vol. 1, 14.4.1 and 14.2.5.1).
void Core::Machine::announce_rank() {
  const auto end = picture.sm_port == fabric::kNoPort
                       ? std::nullopt
                       : std::optional(picture.frozen.end_of[picture.sm_port.value]);
  const auto* port = end ? &picture.observation.port(*end) : nullptr;
  if (port == nullptr || !port->info || port->info->lid == mad::kNoLid) return;
  const auto& node = picture.observation[end->node].info;
  mad::LocalChangesNotice change;
  change.lid = port->info->lid;
  change.other_local_changes = true;
  change.capability_mask = port->info->capability_mask;
  change.sm_priority_changed = true;
  mad::Smp trap;
  trap.management_class = mad::ManagementClass::SubnLidRouted;
  trap.method = mad::Method::Trap;
  trap.attribute_id = mad::AttributeId::Notice;
  trap.transaction_id = mad::TransactionId{++announced};
  mad::encode(mad::make_notice(mad::TrapNumber::LocalChanges, mad::NoticeType::Informational,
                               node.node_type, change.lid, change),
              std::span<std::byte, mad::kSmpDataBytes>(trap.data));
  mad::Address master;
  master.lid = port->info->master_sm_lid;
  outputs.emplace_back(SendMad{mad::make_datagram(master, trap)});
}

}  // namespace heddle::sm
