// SPDX-License-Identifier: BSD-3-Clause
// GUIDInfoRecord (IBA vol. 1, 15.2.5.18): the GUIDs of ports, and aliases that ports ask for. What
// is given or taken away stands in the device before the request is answered.
#include "mad/guid_info_record.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::GUIDInfoRecord;

constexpr auto kLid = component<&GUIDInfoRecord::lid>();
constexpr auto kBlock = component<&GUIDInfoRecord::block_num>();
constexpr auto kGuids = component<&GUIDInfoRecord::guid_info, &mad::GUIDInfo::guids>();
constexpr unsigned kMaxAttempts = 64;  // at a GUID that nobody has

void look_at(const View& view, const Query& query, const GUIDInfoRecord& wanted,
             fabric::PortIndex port, Records& records) {
  if (!view.may_see(query, port)) return;
  const std::uint8_t cap = view.subnet().registers->ports[port.value].guid_cap;
  const std::size_t blocks = std::max<std::size_t>(mad::guid_block_count(cap), 1);
  for (std::size_t block = 0; block < blocks && !records.full(); ++block) {
    const auto number = static_cast<std::uint8_t>(block);
    const mad::Guid own = view.topology().port(port).guid;
    records.offer(query, wanted,
                  GUIDInfoRecord{view.lid(port), number, view.aliases().block(own, number)});
  }
}

// A request to give GUIDs to a port, or to take them away.
class Change {
 public:
  Change(Registrations& registrations, const View& view, const Query& query)
      : registrations_(registrations),
        view_(view),
        query_(query),
        wanted_(query.record<GUIDInfoRecord>()) {}

  mad::Status carry_out(Records& records);

 private:
  mad::Status check();
  mad::Status plan();
  bool asks(std::size_t i) const { return (entries_ >> i & 1u) != 0; }
  std::size_t entry(std::size_t i) const { return wanted_.block_num * mad::kGuidsPerBlock + i; }
  bool is_free(mad::Guid guid) const;
  mad::Guid made(std::size_t i) const;
  bool is_member(mad::Guid alias) const;

  Registrations& registrations_;
  const View& view_;
  const Query& query_;
  GUIDInfoRecord wanted_;
  fabric::PortIndex port_ = fabric::kNoPort;
  mad::Guid own_{};
  std::uint8_t entries_ = 0;  // that are asked for
  std::uint8_t denied_ = 0;   // and of these, that stay as they are
  mad::GUIDInfo before_, after_;
};

mad::Status Change::check() {
  constexpr auto kNames = kLid | kBlock;
  constexpr unsigned kFirstBit = std::countr_zero(kGuids);
  entries_ = static_cast<std::uint8_t>((query_.header.component_mask & kGuids) >> kFirstBit);
  if ((query_.header.component_mask & kNames) != kNames || entries_ == 0) {
    return mad::kSAReqInsufficientComponents;
  }
  port_ = view_.find(wanted_.lid);
  if (port_ == fabric::kNoPort) return mad::kSAReqInvalid;
  if (port_ != query_.requester && !query_.trusted) return mad::kSAReqDenied;
  own_ = view_.topology().port(port_).guid;
  const std::size_t cap = view_.subnet().registers->ports[port_.value].guid_cap;
  for (std::size_t i = 0; i < mad::kGuidsPerBlock; ++i) {
    if (asks(i) && entry(i) >= cap) return mad::kSAReqInvalid;
  }
  // The port's own GUID is nobody's to change.
  const bool keeps_own =
      query_.header.mad.method == mad::Method::Set && wanted_.guid_info.guids[0] == own_;
  return asks(0) && entry(0) == 0 && !keeps_own ? mad::kSAReqInvalid : mad::kStatusOk;
}

bool Change::is_free(mad::Guid guid) const {
  if (guid.value == std::numeric_limits<std::uint64_t>::max()) return false;
  // What a port that has left does not use another one may have.
  return view_.find(guid) == fabric::kNoPort && !registrations_.alias_changes.promises(guid) &&
         std::count(after_.guids.begin(), after_.guids.end(), guid) == 0;
}

// 0 if luck has run out.
mad::Guid Change::made(std::size_t i) const {
  for (unsigned attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const mad::Guid guid = make_alias(own_, entry(i), attempt);
    const bool absent = registrations_.alias_guids.owner(guid) == mad::Guid{};
    if (absent && is_free(guid)) return guid;
  }
  return {};
}

bool Change::is_member(mad::Guid alias) const {
  return registrations_.groups.is_member(own_, alias);
}

mad::Status Change::plan() {
  before_ = after_ = registrations_.alias_guids.block(own_, wanted_.block_num);
  const bool removes = query_.header.mad.method == mad::Method::Delete;
  for (std::size_t i = 0; i < mad::kGuidsPerBlock; ++i) {
    if (!asks(i) || entry(i) == 0) continue;
    mad::Guid guid = removes ? mad::Guid{} : wanted_.guid_info.guids[i];
    const mad::Guid old = before_.guids[i];
    // Who asks again for what was made gets the same.
    if (!removes && guid == mad::Guid{}) guid = old == mad::Guid{} ? made(i) : old;
    if (guid == old) continue;
    if (guid != mad::Guid{} && !is_free(guid)) {
      denied_ = static_cast<std::uint8_t>(denied_ | 1u << i);
      continue;
    }
    if (old != mad::Guid{} && is_member(old)) return mad::kSAReqDenied;
    after_.guids[i] = guid;
  }
  return mad::kStatusOk;
}

mad::Status Change::carry_out(Records& records) {
  if (const auto status = check(); status != mad::kStatusOk) return status;
  auto& changes = registrations_.alias_changes;
  if (const auto* other = changes.find(own_, wanted_.block_num)) {
    // Who repeats the request while the device is being asked will have its answer.
    const auto same = query_.header.mad.transaction_id;
    const bool again = other->request.peer.lid == query_.peer.lid && same == other->transaction;
    return again ? kAnsweredLater : mad::kStatusBusy;
  }
  if (const auto status = plan(); status != mad::kStatusOk) return status;
  if (after_ == before_) {
    GUIDInfoRecord answer{view_.lid(port_), wanted_.block_num, after_};
    for (std::size_t i = 0; i < mad::kGuidsPerBlock; ++i) {
      if ((denied_ >> i & 1u) != 0) answer.guid_info.guids[i] = {};
    }
    records.add(answer);
    return mad::kStatusOk;
  }
  if (registrations_.alias_guids.size() + mad::kGuidsPerBlock > kMaxAliasGuids) {
    return mad::kSANoResources;
  }
  if (changes.full()) return mad::kStatusBusy;
  changes.add({{0, own_, wanted_.block_num, after_},
               entries_,
               denied_,
               query_.header.mad.transaction_id,
               *query_.request});
  return kAnsweredLater;
}

}  // namespace

mad::Status find_guid_info_records(const View& view, const Query& query, Records& records) {
  auto wanted = query.record<GUIDInfoRecord>();
  if (query.asks(kLid)) {
    const fabric::PortIndex port = view.find(wanted.lid);
    if (port == fabric::kNoPort) return mad::kStatusOk;
    wanted.lid = view.lid(port);
    look_at(view, query, wanted, port, records);
    return mad::kStatusOk;
  }
  for (const fabric::PortIndex port : view.topology().endports()) {
    if (records.full()) break;
    if (view.lid(port) != mad::kNoLid) look_at(view, query, wanted, port, records);
  }
  return mad::kStatusOk;
}

mad::Status handle_guid_info_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records) {
  const mad::Method method = query.header.mad.method;
  const bool reads = method != mad::Method::Set && method != mad::Method::Delete;
  if (reads) return find_guid_info_records(view, query, records);
  return Change(registrations, view, query).carry_out(records);
}

}  // namespace heddle::sa
