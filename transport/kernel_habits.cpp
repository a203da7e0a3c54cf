// SPDX-License-Identifier: BSD-3-Clause
#include "transport/kernel_habits.hpp"

#include <algorithm>

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

  const auto management_class = static_cast<std::uint8_t>(header->management_class);
  const std::uint64_t id =
      std::uint64_t{agent_of(management_class)} << 32 | sender_half(header->transaction_id).value;
  set_transaction_id(datagram.payload, mad::TransactionId{id});
  if (!mad::awaits_response(header->method)) return to_medium_(std::move(datagram));

  const Key key{management_class, id};
  const auto [entry, is_new] = waiting_.try_emplace(key);
  if (!is_new) return give_back(std::move(datagram));
  entry->second = {timers_.emplace(now_ + options_.timeout, key), datagram};
  to_medium_(std::move(datagram));
}

void KernelHabits::give_back(mad::Datagram request) {
  const auto id = peek_header(request.payload)->transaction_id;
  set_transaction_id(request.payload, sender_half(id));
  reduce_to_header(request.payload);
  refused_.push_back({Arrival::SendFailed, std::move(request)});
}

void KernelHabits::advance(base::Instant now) {
  now_ = std::max(now_, now);
  while (!timers_.empty() && timers_.begin()->first <= now_) {
    const auto found = waiting_.find(timers_.begin()->second);
    timers_.erase(timers_.begin());
    give_back(std::move(found->second.request));
    waiting_.erase(found);
  }
  if (refused_.empty()) return;
  // Whoever receives may send again, and be refused again.
  std::vector<Received> batch = std::exchange(refused_, {});
  if (receiver_) receiver_(batch);
}

base::Instant KernelHabits::deadline() const {
  if (!refused_.empty()) return now_;
  return timers_.empty() ? base::kNever : timers_.begin()->first;
}

void KernelHabits::arrive(mad::Datagram datagram) {
  const auto header = peek_header(datagram.payload);
  if (!header) return;
  if (mad::is_response(header->method)) {
    const auto found = waiting_.find(
        {static_cast<std::uint8_t>(header->management_class), header->transaction_id.value});
    if (found == waiting_.end()) return;
    timers_.erase(found->second.timer);
    waiting_.erase(found);
    set_transaction_id(datagram.payload, sender_half(header->transaction_id));
  }
  Received received{Arrival::Message, std::move(datagram)};
  if (receiver_) receiver_(std::span<Received>(&received, 1));
}

}  // namespace heddle::transport
