// SPDX-License-Identifier: BSD-3-Clause
#include "transport/kernel_habits.hpp"

#include <algorithm>
#include <utility>

#include "transport/header.hpp"

namespace heddle::transport {

KernelHabits::KernelHabits(KernelHabitsOptions options, ToMedium to_medium, SetIsSm set_is_sm)
    : options_(options), to_medium_(std::move(to_medium)), set_is_sm_(std::move(set_is_sm)) {}

void KernelHabits::set_receiver(Receiver receiver) {
  receiver_ = std::move(receiver);
}

void KernelHabits::set_is_sm(bool is_sm) {
  if (set_is_sm_) set_is_sm_(is_sm);
}

std::uint32_t KernelHabits::agent_of(std::uint8_t management_class) {
  const auto next = options_.first_agent + static_cast<std::uint32_t>(agents_.size());
  return agents_.try_emplace(management_class, next).first->second;
}

void KernelHabits::send(mad::Datagram datagram) {
  const auto header = peek_header(datagram.payload);
  if (!header) return;
  const bool is_short = datagram.payload.size() < mad::kMadBytes;
  if (is_short && !is_rmpp_message(datagram.payload)) datagram.payload.resize(mad::kMadBytes);
  if (mad::is_response(header->method)) return to_medium_(std::move(datagram));

  const auto agent = agent_of(static_cast<std::uint8_t>(header->management_class));
  const std::uint64_t id = std::uint64_t{agent} << 32 | sender_half(header->transaction_id).value;
  set_transaction_id(datagram.payload, mad::TransactionId{id});
  if (!mad::awaits_response(header->method)) return to_medium_(std::move(datagram));

  const auto slot = free_.empty() ? static_cast<std::uint32_t>(slots_.size()) : free_.back();
  if (!waiting_.try_emplace(id, slot).second) return give_back(datagram.peer, datagram.payload);
  wait_for(slot, id, datagram);
  to_medium_(std::move(datagram));
}

void KernelHabits::wait_for(std::uint32_t slot, std::uint64_t id, const mad::Datagram& request) {
  if (slot == slots_.size()) {
    slots_.emplace_back();
  } else {
    free_.pop_back();
  }
  Waiting& waiting = slots_[slot];
  waiting = {now_ + options_.timeout, id, request.peer, {}, last_, kNone};
  std::copy_n(request.payload.begin(), kHeaderBytes, waiting.header.begin());
  (last_ == kNone ? first_ : slots_[last_].after) = slot;
  last_ = slot;
}

KernelHabits::Waiting KernelHabits::take(std::uint32_t slot) {
  const Waiting& waiting = slots_[slot];
  (waiting.before == kNone ? first_ : slots_[waiting.before].after) = waiting.after;
  (waiting.after == kNone ? last_ : slots_[waiting.after].before) = waiting.before;
  free_.push_back(slot);
  waiting_.erase(waiting.id);
  return waiting;
}

void KernelHabits::give_back(const mad::Address& peer, std::span<const std::byte> request) {
  mad::Datagram header{peer, mad::Payload(request.begin(), request.end())};
  const auto id = peek_header(header.payload)->transaction_id;
  set_transaction_id(header.payload, sender_half(id));
  reduce_to_header(header.payload);
  refused_.push_back({Arrival::SendFailed, std::move(header)});
}

void KernelHabits::advance(base::Instant now) {
  now_ = std::max(now_, now);
  while (first_ != kNone && slots_[first_].due <= now_) {
    const Waiting late = take(first_);
    give_back(late.peer, late.header);
  }
  if (refused_.empty()) return;
  // Whoever receives may send again, and be refused again.
  std::vector<Received> batch = std::exchange(refused_, {});
  if (receiver_) receiver_(batch);
}

base::Instant KernelHabits::deadline() const {
  if (!refused_.empty()) return now_;
  return first_ == kNone ? base::kNever : slots_[first_].due;
}

void KernelHabits::arrive(mad::Datagram datagram) {
  const auto header = peek_header(datagram.payload);
  if (!header) return;
  if (mad::is_response(header->method)) {
    const auto found = waiting_.find(header->transaction_id.value);
    if (found == waiting_.end()) return;
    const std::uint32_t slot = found->second;
    if (peek_header(slots_[slot].header)->management_class != header->management_class) return;
    take(slot);
    set_transaction_id(datagram.payload, sender_half(header->transaction_id));
  }
  Received received{Arrival::Message, std::move(datagram)};
  if (receiver_) receiver_(std::span<Received>(&received, 1));
}

}  // namespace heddle::transport
