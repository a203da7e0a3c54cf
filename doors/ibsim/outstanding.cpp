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
  } else {
    if (slots_.size() >= kMost || counts_[tag] >= kMostOfOneClient) return false;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_.emplace(transaction.value, slot);
    ++counts_[tag];
  }
  entries_[slot] = {request, ++serial_};
  deadlines_.push_back({now + kPatience, transaction, serial_});
  return true;
}

void Outstanding::release(std::uint32_t slot) {
  --counts_[tag_of(entries_[slot].request.transaction())];
  free_.push_back(slot);
}

std::optional<Request> Outstanding::take(mad::TransactionId transaction) {
  const auto known = slots_.find(transaction.value);
  if (known == slots_.end()) return std::nullopt;
  std::optional<Request> request = entries_[known->second].request;
  release(known->second);
  slots_.erase(known);
  if (slots_.empty()) deadlines_.clear();
  return request;
}

std::vector<Request> Outstanding::take_expired(base::Instant now) {
  std::vector<Request> expired;
  while (!deadlines_.empty() && deadlines_.front().when <= now) {
    const Deadline due = deadlines_.front();
    deadlines_.pop_front();
    const auto known = slots_.find(due.transaction.value);
    // Answered since, or sent again and waiting anew.
    if (known == slots_.end() || entries_[known->second].serial != due.serial) continue;
    expired.push_back(entries_[known->second].request);
    release(known->second);
    slots_.erase(known);
  }
  return expired;
}

base::Instant Outstanding::next() const {
  return deadlines_.empty() ? base::kNever : deadlines_.front().when;
}

void Outstanding::forget(ClientTag client) {
  if (client >= counts_.size() || counts_[client] == 0) return;
  for (const Deadline& deadline : deadlines_) {
    if (tag_of(deadline.transaction) != client) continue;
    const auto known = slots_.find(deadline.transaction.value);
    if (known == slots_.end()) continue;
    release(known->second);
    slots_.erase(known);
  }
}

}  // namespace heddle::doors::ibsim
