// SPDX-License-Identifier: BSD-3-Clause
// RMPP for agents that left it to the kernel, with Linux' own times and windows: an Ack is awaited
// for at most 2 s, a message for 40 s, and a whole one is remembered for 10 s so that its last Ack
// can be repeated.
#include <algorithm>
#include <chrono>
#include <utility>

#include "doors/kernel/mad_port.hpp"

namespace heddle::doors::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kMaxAckTime{2000};
constexpr seconds kMaxMessageTime{40};
constexpr seconds kMemoryOfWholeMessage{10};

milliseconds ack_time(std::uint32_t timeout_ms) {
  const milliseconds wanted(timeout_ms);
  return timeout_ms == 0 ? kMaxAckTime : std::min(wanted, kMaxAckTime);
}

// Acks, Stops and Aborts carry the header of what they are about, with the response bit turned.
mad::Payload about(const mad::Payload& segment, const mad::RMPPHeader& rmpp) {
  const std::size_t header_bytes = class_header_bytes(MadView(segment).management_class);
  mad::Payload reply(segment.begin(), segment.begin() + static_cast<long>(header_bytes));
  reply.resize(mad::kMadBytes, std::byte{0});
  reply[3] ^= std::byte{mad::kResponseBit};
  put_rmpp_header(reply, rmpp);
  return reply;
}

}  // namespace

// --- sending ------------------------------------------------------------------------------------

void MadPort::start_rmpp(Send send, base::Instant now) {
  send.rmpp.emplace(send.mad);
  send.mad.resize(kRmppHeaderEnd);
  const SendId id = ++last_send_;
  by_transaction_.emplace(send.transaction_id, id);
  sends_.emplace(id, std::move(send));
  send_segments(id, now);
}

// As many as the window admits; then an Ack is awaited, even of a message without an answer.
void MadPort::send_segments(SendId id, base::Instant now) {
  Send& send = sends_.at(id);
  const Agent* agent = agents_.find(send.agent);
  while (auto segment = send.rmpp->next_segment()) {
    if (may_leave(*agent, send.header.peer)) {
      emit(agent->qpn, send.header.peer, std::move(*segment));
    }
  }
  set_due(id, send, now + ack_time(send.header.timeout_ms));
}

// False when everything has arrived and only the answer is awaited.
bool MadPort::retry_rmpp(SendId id, base::Instant now) {
  Send& send = sends_.at(id);
  if (send.rmpp->all_acknowledged()) return false;
  send.rmpp->rewind();
  send_segments(id, now);
  return true;
}

void MadPort::take_ack(const Agent& agent, const MadView& view, const mad::Datagram& datagram,
                       base::Instant now) {
  // An Ack has the response bit turned, so requests are found by their own, answers by both.
  const auto [begin, end] = by_transaction_.equal_range(view.transaction_id);
  const auto entry = std::find_if(begin, end, [&](const auto& candidate) {
    const Send& send = sends_.at(candidate.second);
    return send.agent == agent.id && send.management_class == view.management_class &&
           send.rmpp.has_value();
  });
  if (entry == end) return;
  const SendId id = entry->second;
  Send& send = sends_.at(id);
  const auto judged = send.rmpp->acknowledge(view.rmpp.data1, view.rmpp.data2);
  if (judged.verdict == RmppSend::Verdict::Old) return;
  if (judged.verdict == RmppSend::Verdict::Wrong) {
    say_abort(agent.qpn, send.header.peer, datagram.payload, judged.why);
    return finish(id);  // the program is not told, as on Linux
  }
  send.retries_left = send.header.retries;
  if (!send.rmpp->all_acknowledged()) return send_segments(id, now);
  if (send.header.timeout_ms == 0) return finish(id);
  set_due(id, send, now + milliseconds(send.header.timeout_ms));
}

// The transfer ends without a word to the program, as on Linux.
void MadPort::take_stop_or_abort(const Agent& agent, const MadView& view) {
  const auto [begin, end] = by_transaction_.equal_range(view.transaction_id);
  for (auto entry = begin; entry != end; ++entry) {
    const Send& send = sends_.at(entry->second);
    if (send.agent != agent.id || !send.rmpp) continue;
    return finish(entry->second);
  }
}

// --- receiving ----------------------------------------------------------------------------------

std::optional<mad::Datagram> MadPort::take_rmpp(const Agent& agent, const MadView& view,
                                                const mad::Datagram& datagram, base::Instant now) {
  if (view.rmpp.version != mad::kRmppVersion) {
    say_abort(agent.qpn, datagram.peer, datagram.payload, RmppStatus::UnsupportedVersion);
    return std::nullopt;
  }
  switch (view.rmpp.type) {
    case mad::RMPPType::Data:
      return take_data(agent, view, datagram, now);
    case mad::RMPPType::Ack:
      take_ack(agent, view, datagram, now);
      return std::nullopt;
    case mad::RMPPType::Stop:
    case mad::RMPPType::Abort:
      take_stop_or_abort(agent, view);
      return std::nullopt;
    case mad::RMPPType::None:
      break;
  }
  say_abort(agent.qpn, datagram.peer, datagram.payload, RmppStatus::BadType);
  return std::nullopt;
}

std::optional<mad::Datagram> MadPort::take_data(const Agent& agent, const MadView& view,
                                                const mad::Datagram& datagram, base::Instant now) {
  if (view.rmpp.status != 0) {
    say_abort(agent.qpn, datagram.peer, datagram.payload, RmppStatus::IllegalStatus);
    return std::nullopt;
  }
  const ReceptionKey key{agent.id,           view.transaction_id, view.management_class,
                         view.class_version, view.method,         datagram.peer.lid.value,
                         datagram.peer.qpn};
  auto known = receptions_.find(key);
  if (known == receptions_.end()) {
    if (view.rmpp.data1 != 1 || !has_room_to_receive()) return std::nullopt;
    known = receptions_.emplace(key, Reception{}).first;
    known->second.first = datagram.payload;
    known->second.peer = datagram.peer;
    known->second.qpn = agent.qpn;
    set_due(key, known->second, now + kMaxMessageTime);
  }
  Reception& reception = known->second;
  if (reception.given_up) return std::nullopt;
  const auto taken = reception.rmpp.take(datagram.payload);
  switch (taken.next) {
    case RmppReceive::Next::Wait:
      return std::nullopt;
    case RmppReceive::Next::Refuse:
      say_abort(agent.qpn, datagram.peer, datagram.payload, taken.why);
      return std::nullopt;
    case RmppReceive::Next::Acknowledge:
      acknowledge(reception);
      return std::nullopt;
    case RmppReceive::Next::Complete:
      break;
  }
  acknowledge(reception);
  set_due(key, reception, now + kMemoryOfWholeMessage);
  return mad::Datagram{datagram.peer, reception.rmpp.take_message()};
}

// Whole messages are only remembered for segments that are repeated: the oldest of them goes when
// there is no room, so that a program that asks without pause is not held up.
bool MadPort::has_room_to_receive() {
  if (receptions_.size() < kMaxReceptions) return true;
  const auto oldest = reception_timers_.begin();
  const auto reception = receptions_.find(oldest->second);
  if (!reception->second.rmpp.complete()) return false;
  reception_timers_.erase(oldest);
  receptions_.erase(reception);
  return true;
}

void MadPort::acknowledge(const Reception& reception) {
  mad::RMPPHeader header;
  header.version = mad::kRmppVersion;
  header.type = mad::RMPPType::Ack;
  header.flags = mad::kRmppActive;
  header.data1 = reception.rmpp.last_in_order();
  header.data2 = std::max(reception.rmpp.window(), reception.rmpp.last_in_order());
  emit(reception.qpn, reception.peer, about(reception.first, header));
}

void MadPort::say_abort(std::uint32_t qpn, const mad::Address& peer, const mad::Payload& like,
                        RmppStatus why) {
  mad::RMPPHeader header;
  header.version = mad::kRmppVersion;
  header.type = why == RmppStatus::ResourcesExhausted ? mad::RMPPType::Stop : mad::RMPPType::Abort;
  header.flags = mad::kRmppActive;
  header.status = static_cast<std::uint8_t>(why);
  emit(qpn, peer, about(like, header));
}

// Too late: the sender is told and a message without end is dropped; a whole one is forgotten.
void MadPort::give_up(const ReceptionKey& key, base::Instant now) {
  Reception& reception = receptions_.at(key);
  if (!reception.rmpp.complete() && !reception.given_up) {
    reception.given_up = true;
    say_abort(reception.qpn, reception.peer, reception.first, RmppStatus::TotalTimeTooLong);
    return set_due(key, reception, now + kMemoryOfWholeMessage);
  }
  reception_timers_.erase({reception.due, key});
  receptions_.erase(key);
}

void MadPort::set_due(const ReceptionKey& key, Reception& reception, base::Instant due) {
  reception_timers_.erase({reception.due, key});
  reception.due = due;
  reception_timers_.insert({due, key});
}

}  // namespace heddle::doors::kernel
