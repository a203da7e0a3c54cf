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

std::size_t part_of(mad::Guid guid, std::size_t parts) {
  return static_cast<std::size_t>(scatter(guid.value) % parts);
}

}  // namespace

template <class Value>
const Value* AliasGuids::Parts<Value>::find(mad::Guid guid) const {
  const auto& in = part[part_of(guid, kParts)];
  if (!in) return nullptr;
  const auto found = in->find(guid);
  return found == in->end() ? nullptr : &found->second;
}

template <class Value>
typename AliasGuids::Parts<Value>::Part& AliasGuids::Parts<Value>::own(mad::Guid guid) {
  const std::size_t at = part_of(guid, kParts);
  if (!part[at]) {
    part[at] = std::make_shared<Part>();
  } else if (shared[at]) {
    part[at] = std::make_shared<Part>(*part[at]);
  }
  shared[at] = false;
  return *part[at];
}

std::shared_ptr<const AliasGuids> AliasGuids::share() {
  by_port_.shared.set();
  owners_.shared.set();
  return std::shared_ptr<const AliasGuids>(new AliasGuids(*this));
}

const AliasGuids::Entries* AliasGuids::find(mad::Guid port) const {
  return by_port_.find(port);
}

std::vector<std::pair<mad::Guid, const AliasGuids::Entries*>> AliasGuids::all() const {
  std::vector<std::pair<mad::Guid, const Entries*>> all;
  for (const auto& part : by_port_.part) {
    if (!part) continue;
    // tidy: allow unordered because all are sorted below
    for (const auto& [port, entries] : *part) all.emplace_back(port, &entries);
  }
  std::sort(all.begin(), all.end());
  return all;
}

mad::Guid AliasGuids::at(mad::Guid port, std::size_t entry) const {
  const Entries* entries = find(port);
  return entries == nullptr || entry >= entries->size() ? mad::Guid{} : (*entries)[entry];
}

mad::Guid AliasGuids::owner(mad::Guid alias) const {
  const Seat* seat = owners_.find(alias);
  return seat == nullptr ? mad::Guid{} : seat->port;
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
  if (const Seat* held = owners_.find(alias)) clear(*held);
  clear({port, entry});
  if (alias == mad::Guid{}) return;
  Entries& entries = by_port_.own(port)[port];
  if (entries.size() <= entry) entries.resize(entry + 1);
  entries[entry] = alias;
  touched_.add({port, entry});
  owners_.own(alias)[alias] = {port, entry};
  ++size_;
}

void AliasGuids::clear(Seat seat) {
  const mad::Guid held = at(seat.port, seat.entry);
  if (held == mad::Guid{}) return;
  touched_.add(seat);
  owners_.own(held).erase(held);
  --size_;
  auto& part = by_port_.own(seat.port);
  Entries& entries = part[seat.port];
  entries[seat.entry] = {};
  while (!entries.empty() && entries.back() == mad::Guid{}) entries.pop_back();
  if (entries.empty()) part.erase(seat.port);
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
