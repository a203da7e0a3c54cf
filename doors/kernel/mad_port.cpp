// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/mad_port.hpp"

#include <algorithm>
#include <cerrno>

#include "doors/kernel/directed_route_check.hpp"
#include "doors/refusal.hpp"
#include "mad/smp.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr std::uint32_t kPrivilegedQKey = 0x8000'0000;  // stands for the queue pair's own
constexpr std::uint8_t kCommunicationClass = 0x07;

constexpr std::uint8_t number(mad::Method method) {
  return static_cast<std::uint8_t>(method);
}

// What ib_mad does not even dispatch.
bool is_valid(const MadView& view, std::uint16_t attribute, std::uint32_t qpn) {
  if (view.base_version != mad::kBaseVersion) return false;
  if (is_subnet_class(view.management_class) != (qpn == 0)) return false;
  return view.management_class != kCommunicationClass || view.method == number(mad::Method::Send) ||
         attribute == static_cast<std::uint16_t>(mad::AttributeId::ClassPortInfo);
}

std::uint16_t attribute_of(std::span<const std::byte> mad) {
  return mad::decode<mad::MADHeader>(mad.first<kMadHeaderBytes>()).attribute_id;
}

// The size that ib_mad takes, as it counts it.
bool fits(const Agent& agent, const MadView& view, std::size_t size) {
  if (size <= mad::kMadBytes) return size >= class_header_bytes(view.management_class);
  return agent.kernel_rmpp && view.is_active_rmpp() && size <= kMaxMessageBytes;
}

}  // namespace

void MadPort::remove_agent(AgentId id) {
  for (auto send = sends_.begin(); send != sends_.end();) {
    const SendId old = send->first;
    const bool its = send->second.agent == id;
    ++send;
    if (its) finish(old);
  }
  for (auto reception = receptions_.begin(); reception != receptions_.end();) {
    const bool its = std::get<0>(reception->first) == id;
    if (its) reception_timers_.erase({reception->second.due, reception->first});
    reception = its ? receptions_.erase(reception) : std::next(reception);
  }
  agents_.remove(id);
}

// --- sending ------------------------------------------------------------------------------------

std::errc MadPort::send(AgentId id, const UserMadHeader& header, mad::Payload mad,
                        base::Instant now) {
  const Agent* agent = agents_.find(id);
  if (agent == nullptr || mad.size() < kRmppHeaderEnd) return std::errc::invalid_argument;
  MadView view(mad);
  if (!fits(*agent, view, mad.size())) return std::errc::invalid_argument;
  if (!view.is_response()) {
    view.transaction_id = std::uint64_t{id} << 32 | (view.transaction_id & 0xffff'ffff);
    put_transaction_id(mad, view.transaction_id);
  }
  const bool own_rmpp = agent->user_rmpp && view.is_active_rmpp();
  if (!own_rmpp && is_duplicate(*agent->owner, header, view)) return std::errc::invalid_argument;
  if (sends_.size() >= kMaxTrackedSends) return std::errc::not_enough_memory;

  Send send;
  send.agent = id;
  send.owner = agent->owner;
  send.header = header;
  send.management_class = view.management_class;
  send.is_response = view.is_response();
  send.transaction_id = view.transaction_id;
  send.retries_left = header.retries;
  send.mad = std::move(mad);
  if (agent->kernel_rmpp && may_rmpp(view.management_class)) {
    // Of the program's RMPP header only the Active flag counts.
    if (view.is_active_rmpp()) {
      start_rmpp(std::move(send), now);
      return {};
    }
    put_rmpp_header(send.mad, {});
  }
  send.mad.resize(mad::kMadBytes, std::byte{0});
  if (view.management_class == 0x81) {
    const auto smp = mad::decode_smp(send.mad);
    if (!smp || !may_send(*smp, hardware_.port_number())) return std::errc::invalid_argument;
  }
  if (may_leave(*agent, header.peer)) emit(agent->qpn, header.peer, send.mad);
  if (header.timeout_ms != 0) track(std::move(send), now);
  return {};
}

// What the hardware would drop or never send: nobody is told, requests time out.
bool MadPort::may_leave(const Agent& agent, const mad::Address& peer) const {
  if (peer.qpn != agent.qpn) return false;
  if (agent.qpn == 0) return true;
  const bool good_key = (peer.q_key & kPrivilegedQKey) != 0;
  return good_key && hardware_.has_p_key(peer.p_key_index);
}

void MadPort::emit(std::uint32_t qpn, const mad::Address& peer, mad::Payload mad) {
  mad::Datagram datagram{peer, std::move(mad)};
  if (qpn == 1) datagram.peer.q_key = mad::kManagementQKey;
  hardware_.transmit(std::move(datagram));
}

// Two requests of a file may not share a transaction id and class while both are under way, nor
// may two answers to the same place.
bool MadPort::is_duplicate(const AgentOwner& owner, const UserMadHeader& header,
                           const MadView& view) const {
  const auto [begin, end] = by_transaction_.equal_range(view.transaction_id);
  return std::any_of(begin, end, [&](const auto& entry) {
    const Send& other = sends_.at(entry.second);
    if (other.owner != &owner || other.management_class != view.management_class) return false;
    if (other.is_response != view.is_response()) return false;
    return !other.is_response || (other.header.peer.lid == header.peer.lid &&
                                  other.header.peer.global_route == header.peer.global_route);
  });
}

void MadPort::track(Send send, base::Instant now) {
  const SendId id = ++last_send_;
  const base::Instant due = now + std::chrono::milliseconds(send.header.timeout_ms);
  by_transaction_.emplace(send.transaction_id, id);
  Send& kept = sends_.emplace(id, std::move(send)).first->second;
  set_due(id, kept, due);
}

void MadPort::set_due(SendId id, Send& send, base::Instant due) {
  send_timers_.erase({send.due, id});
  send.due = due;
  if (due != base::kNever) send_timers_.insert({due, id});
}

void MadPort::finish(SendId id) {
  const auto send = sends_.find(id);
  if (send == sends_.end()) return;
  send_timers_.erase({send->second.due, id});
  const auto [begin, end] = by_transaction_.equal_range(send->second.transaction_id);
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second != id) continue;
    by_transaction_.erase(entry);
    break;
  }
  sends_.erase(send);
}

// --- time ---------------------------------------------------------------------------------------

base::Instant MadPort::deadline() const {
  base::Instant next = base::kNever;
  if (!send_timers_.empty()) next = send_timers_.begin()->first;
  if (!reception_timers_.empty()) next = std::min(next, reception_timers_.begin()->first);
  return next;
}

void MadPort::advance(base::Instant now) {
  while (!send_timers_.empty() && send_timers_.begin()->first <= now) {
    time_out(send_timers_.begin()->second, now);
  }
  while (!reception_timers_.empty() && reception_timers_.begin()->first <= now) {
    const ReceptionKey key = reception_timers_.begin()->second;
    give_up(key, now);
  }
}

void MadPort::time_out(SendId id, base::Instant now) {
  Send& send = sends_.at(id);
  if (send.retries_left > 0) {
    --send.retries_left;
    if (send.rmpp && retry_rmpp(id, now)) return;
    set_due(id, send, now + std::chrono::milliseconds(send.header.timeout_ms));
    const Agent* agent = agents_.find(send.agent);
    if (!send.rmpp && agent != nullptr && may_leave(*agent, send.header.peer)) {
      emit(agent->qpn, send.header.peer, send.mad);
    }
    return;
  }
  const Agent agent = *agents_.find(send.agent);
  Arrival back{send.header, send.mad};
  back.header.status = ETIMEDOUT;
  back.mad.resize(kMadHeaderBytes);
  finish(id);
  agent.owner->deliver(std::move(back));
}

// --- receiving ----------------------------------------------------------------------------------

void MadPort::receive(const mad::Datagram& datagram, base::Instant now) {
  if (datagram.payload.size() != mad::kMadBytes || datagram.peer.qpn > 1) return;
  const MadView view(datagram.payload);
  if (!is_valid(view, attribute_of(datagram.payload), datagram.peer.qpn)) return;
  const Agent* agent = view.is_response()
                           ? agents_.find(static_cast<AgentId>(view.transaction_id >> 32))
                           : agents_.taker_of(view, datagram.payload);
  if (agent == nullptr || agent->qpn != datagram.peer.qpn) {
    if (!view.is_response()) refuse(datagram);
    return;
  }
  const bool reassembled = agent->kernel_rmpp && view.is_active_rmpp();
  if (!reassembled) return hand_over(*agent, view, datagram);
  auto message = take_rmpp(*agent, view, datagram, now);
  if (message) hand_over(*agent, view, std::move(*message));
}

void MadPort::hand_over(const Agent& agent, const MadView& view, mad::Datagram message) {
  if (view.is_response()) {
    const auto send =
        find_send(agent, view.transaction_id, view.management_class, message.peer.path_bits);
    const bool own_rmpp = agent.user_rmpp && view.is_active_rmpp();
    if (!send && !own_rmpp) return;  // an answer that nobody awaits
    if (send) finish(*send);
  }
  Arrival arrival;
  arrival.header.id = agent.slot;
  arrival.header.peer = message.peer;
  arrival.header.peer.q_key = 0;  // not told
  arrival.mad = std::move(message.payload);
  agent.owner->deliver(std::move(arrival));
}

std::optional<MadPort::SendId> MadPort::find_send(const Agent& agent, std::uint64_t transaction_id,
                                                  std::uint8_t management_class,
                                                  std::uint8_t path_bits) const {
  const auto mask = static_cast<std::uint8_t>((1u << hardware_.lmc()) - 1);
  const auto [begin, end] = by_transaction_.equal_range(transaction_id);
  for (auto entry = begin; entry != end; ++entry) {
    const Send& send = sends_.at(entry->second);
    if (send.agent != agent.id || send.management_class != management_class) continue;
    if (send.is_response) continue;  // an answer awaits none, whatever its timeout
    const bool same_path = agent.qpn == 0 || ((send.header.peer.path_bits ^ path_bits) & mask) == 0;
    if (same_path) return entry->second;
  }
  return std::nullopt;
}

void MadPort::refuse(const mad::Datagram& datagram) {
  if (!hardware_.alone()) return;
  if (auto refusal = refusal_of(datagram)) emit(1, refusal->peer, std::move(refusal->payload));
}

}  // namespace heddle::doors::kernel
