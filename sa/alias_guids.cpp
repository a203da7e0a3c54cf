// SPDX-License-Identifier: BSD-3-Clause
#include "sa/alias_guids.hpp"

#include <algorithm>
#include <utility>

namespace heddle::sa {
namespace {

// The first byte of an EUI-64 that no maker gives out: locally administered, of a single port.
constexpr std::uint64_t kLocallyAdministered = std::uint64_t{0x02} << 56;
constexpr std::uint64_t kLowBytes = ~std::uint64_t{0} >> 8;

// Every bit of the result depends on every bit of the value (the finalizer of splitmix64).
std::uint64_t scatter(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9;
  value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EB;
  return value ^ value >> 31;
}

}  // namespace

mad::Guid AliasGuids::at(mad::Guid port, std::size_t entry) const {
  const auto found = by_port_.find(port);
  if (found == by_port_.end() || entry >= found->second.size()) return {};
  return found->second[entry];
}

mad::Guid AliasGuids::owner(mad::Guid alias) const {
  const auto found = owners_.find(alias);
  return found == owners_.end() ? mad::Guid{} : found->second.port;
}

mad::GUIDInfo AliasGuids::block(mad::Guid port, std::uint8_t number) const {
  mad::GUIDInfo info;
  for (std::size_t i = 0; i < mad::kGuidsPerBlock; ++i) {
    info.guids[i] = at(port, number * mad::kGuidsPerBlock + i);
  }
  if (number == 0) info.guids[0] = port;
  return info;
}

void AliasGuids::set(mad::Guid port, std::size_t entry, mad::Guid alias) {
  if (alias == at(port, entry)) return;
  const auto held = owners_.find(alias);
  if (held != owners_.end()) clear(held->second);
  clear({port, entry});
  if (alias == mad::Guid{}) return;
  auto& entries = by_port_[port];
  if (entries.size() <= entry) entries.resize(entry + 1);
  entries[entry] = alias;
  owners_[alias] = {port, entry};
}

void AliasGuids::clear(Seat seat) {
  const auto found = by_port_.find(seat.port);
  if (found == by_port_.end() || seat.entry >= found->second.size()) return;
  auto& entries = found->second;
  if (entries[seat.entry] != mad::Guid{}) owners_.erase(entries[seat.entry]);
  entries[seat.entry] = {};
  while (!entries.empty() && entries.back() == mad::Guid{}) entries.pop_back();
  if (entries.empty()) by_port_.erase(found);
}

const AliasChanges::Change* AliasChanges::find(mad::Guid port, std::uint8_t block) const {
  const auto found = std::find_if(by_ticket_.begin(), by_ticket_.end(), [&](const auto& entry) {
    return entry.second.write.port == port && entry.second.write.block == block;
  });
  return found == by_ticket_.end() ? nullptr : &found->second;
}

bool AliasChanges::promises(mad::Guid alias) const {
  return std::any_of(by_ticket_.begin(), by_ticket_.end(), [&](const auto& entry) {
    const auto& guids = entry.second.write.guids.guids;
    return std::find(guids.begin(), guids.end(), alias) != guids.end();
  });
}

void AliasChanges::add(Change change) {
  change.write.ticket = ++last_ticket_;
  unwritten_.push_back(change.write);
  by_ticket_.emplace(last_ticket_, std::move(change));
}

std::optional<AliasChanges::Change> AliasChanges::finish(std::uint64_t ticket) {
  const auto found = by_ticket_.find(ticket);
  if (found == by_ticket_.end()) return std::nullopt;
  Change change = std::move(found->second);
  by_ticket_.erase(found);
  return change;
}

mad::Guid make_alias(mad::Guid port, std::size_t entry, unsigned attempt) {
  const std::uint64_t seed = scatter(port.value) + (std::uint64_t{attempt} << 16) + entry;
  return mad::Guid{kLocallyAdministered | (scatter(seed) & kLowBytes)};
}

}  // namespace heddle::sa
