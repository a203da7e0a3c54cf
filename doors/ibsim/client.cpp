// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/client.hpp"

#include <algorithm>
#include <utility>

#include "mad/mad_header.hpp"

namespace heddle::doors::ibsim {
namespace {

constexpr std::uint64_t kUsersBits = 0xffff'ffff;
constexpr auto kTrap = static_cast<std::uint8_t>(mad::Method::Trap);
constexpr auto kSend = static_cast<std::uint8_t>(mad::Method::Send);
constexpr auto kTrapRepress = static_cast<std::uint8_t>(mad::Method::TrapRepress);

bool is_response(std::uint8_t method) {
  return mad::is_response(static_cast<mad::Method>(method));
}

// The classes that OpenSM registers: subnet management by LID and by directed route, subnet
// administration, performance, congestion control.
bool registered_by_sm(std::uint8_t management_class) {
  constexpr std::array<std::uint8_t, 5> kClasses{0x01, 0x81, 0x03, 0x04, 0x21};
  return std::find(kClasses.begin(), kClasses.end(), management_class) != kClasses.end();
}

}  // namespace

Client::Client(const sim::World& world, Outstanding& outstanding, ClientTag tag, Place place,
               DatagramSocket socket, SocketAddress control, SocketAddress data)
    : world_(world),
      outstanding_(outstanding),
      tag_(tag),
      place_(std::move(place)),
      socket_(std::move(socket)),
      control_(control),
      data_(data) {}

std::optional<Client::Outgoing> Client::take(std::span<const std::byte> message,
                                             base::Instant now) {
  last_heard = now;
  auto request = Request::from_datagram(message);
  if (request.has_error()) {
    ++counters_.garbage;
    return std::nullopt;
  }
  ++counters_.requests;
  const std::uint8_t method = request->method();
  if (method == kTrapRepress) {
    request->set_transaction(trap_of(request->transaction()));
  } else if (!is_response(method)) {
    request->set_transaction(tagged(request->transaction(), tag_));
    if (method != kSend && !outstanding_.add(*request, now)) {
      ++counters_.lost;
      return std::nullopt;
    }
  }
  return Outgoing{request->datagram(), request->transaction()};
}

void Client::return_undeliverable(mad::TransactionId transaction) {
  const auto request = outstanding_.take(transaction);
  if (!request) return;
  ++counters_.undeliverable;
  enqueue(request->timed_out());
}

void Client::return_expired(const Request& request) {
  ++counters_.timed_out;
  enqueue(request.timed_out());
}

// libumad2sim writes its agent's number into the transaction id of a TrapRepress as well, which has
// to be the trap's own.
mad::TransactionId Client::trap_of(mad::TransactionId repress) const {
  for (const mad::TransactionId trap : traps_) {
    if ((trap.value & kUsersBits) == (repress.value & kUsersBits)) return trap;
  }
  return mad::TransactionId{repress.value & kUsersBits};
}

bool Client::wants(const mad::Datagram& datagram) {
  const auto header = mad::decode<mad::MADHeader>(
      std::span<const std::byte>(datagram.payload).first<mad::kBytes<mad::MADHeader>>());
  const auto method = static_cast<std::uint8_t>(header.method);
  if (is_response(method)) {
    return tag_of(header.transaction_id) == tag_ && outstanding_.answered(header.transaction_id);
  }
  if (!is_sm_ || !registered_by_sm(static_cast<std::uint8_t>(header.management_class))) {
    return false;
  }
  if (method == kTrap) traps_[next_trap_++ % kTrapsRemembered] = header.transaction_id;
  return true;
}

void Client::receive(const mad::Datagram& datagram) {
  if (datagram.payload.size() < mad::kBytes<mad::MADHeader> || !wants(datagram)) return;
  enqueue(Request::to_client(datagram, own_lid()));
}

void Client::enqueue(const Request& request) {
  if (waiting_.size() >= kMostWaiting) {
    ++counters_.lost;
    return;
  }
  waiting_.push_back(request.bytes());
  if (waiting_.size() == 1 && on_waiting_) on_waiting_();
}

Sent Client::flush() {
  std::size_t sent = 0;
  const Sent outcome = socket_.send(waiting_, sent);
  counters_.received += sent;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(sent));
  return outcome;
}

}  // namespace heddle::doors::ibsim
