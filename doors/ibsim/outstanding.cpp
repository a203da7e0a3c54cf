// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/outstanding.hpp"

namespace heddle::doors::ibsim {

bool Outstanding::add(const Request& request, base::Instant now) {
  const mad::TransactionId transaction = request.transaction();
  const ClientTag tag = tag_of(transaction);
  if (tag >= counts_.size()) counts_.resize(std::size_t{tag} + 1);
  const auto known = slots_.find(transaction.value);
  std::uint32_t slot = 0;
  if (known != slots_.end()) {
    slot = known->second;
    unlink(slot);
  } else {
    if (slots_.size() >= kMost || counts_[tag] >= kMostOfOneClient) return false;
    slot = free_slot();
    slots_.emplace(transaction.value, slot);
    ++counts_[tag];
  }
  entries_[slot].request = request;
  entries_[slot].when = now + kPatience;
  append(slot);
  return true;
}

std::uint32_t Outstanding::free_slot() {
  if (free_.empty()) {
    entries_.emplace_back();
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Outstanding::append(std::uint32_t slot) {
  entries_[slot].before = last_;
  entries_[slot].after = kNone;
  (last_ == kNone ? first_ : entries_[last_].after) = slot;
  last_ = slot;
}

void Outstanding::unlink(std::uint32_t slot) {
  const Entry& entry = entries_[slot];
  (entry.before == kNone ? first_ : entries_[entry.before].after) = entry.after;
  (entry.after == kNone ? last_ : entries_[entry.after].before) = entry.before;
}

void Outstanding::release(std::uint32_t slot) {
  const mad::TransactionId transaction = entries_[slot].request.transaction();
  unlink(slot);
  slots_.erase(transaction.value);
  --counts_[tag_of(transaction)];
  free_.push_back(slot);
}

bool Outstanding::answered(mad::TransactionId transaction) {
  const auto known = slots_.find(transaction.value);
  if (known == slots_.end()) return false;
  release(known->second);
  return true;
}

std::optional<Request> Outstanding::take(mad::TransactionId transaction) {
  const auto known = slots_.find(transaction.value);
  if (known == slots_.end()) return std::nullopt;
  const std::uint32_t slot = known->second;
  release(slot);
  return entries_[slot].request;
}

std::vector<Request> Outstanding::take_expired(base::Instant now) {
  std::vector<Request> expired;
  while (first_ != kNone && entries_[first_].when <= now) {
    expired.push_back(entries_[first_].request);
    release(first_);
  }
  return expired;
}

base::Instant Outstanding::next() const {
  return first_ == kNone ? base::kNever : entries_[first_].when;
}

void Outstanding::forget(ClientTag client) {
  if (client >= counts_.size() || counts_[client] == 0) return;
  for (std::uint32_t slot = first_; slot != kNone;) {
    const std::uint32_t after = entries_[slot].after;
    if (tag_of(entries_[slot].request.transaction()) == client) release(slot);
    slot = after;
  }
}

}  // namespace heddle::doors::ibsim
