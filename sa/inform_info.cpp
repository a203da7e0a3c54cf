// SPDX-License-Identifier: BSD-3-Clause
// InformInfo: to subscribe, and to end that; InformInfoRecord: who has subscribed to what.
#include "mad/inform_info.hpp"

#include <algorithm>

#include "mad/inform_info_record.hpp"
#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

using mad::InformInfo;
using mad::InformInfoRecord;

constexpr std::uint16_t kFirstSecurityTrap = static_cast<std::uint16_t>(mad::TrapNumber::BadMKey);
constexpr std::uint16_t kLastSecurityTrap =
    static_cast<std::uint16_t>(mad::TrapNumber::SwitchBadPKey);

bool is_about_security(const InformInfo& info) {
  if (info.is_generic == 0) return false;
  if (info.type == static_cast<std::uint16_t>(mad::NoticeType::Security)) return true;
  return info.trap_number >= kFirstSecurityTrap && info.trap_number <= kLastSecurityTrap;
}

mad::Status check(const InformInfo& info, const Query& query, const View& view) {
  if (info.is_generic > 1 || info.subscribe > 1) return mad::kSAReqInvalid;
  if (is_about_security(info) && !query.trusted) return mad::kSAReqDenied;
  if (info.gid != mad::Gid{}) {
    return view.find(info.gid) != fabric::kNoPort ? mad::kStatusOk : mad::kSAReqInvalidGid;
  }
  if (info.lid_range_begin == mad::kPermissiveLid) return mad::kStatusOk;
  // Nobody has LID 0, but clients do subscribe to it.
  const bool unicast =
      info.lid_range_begin <= mad::kLastUnicastLid && info.lid_range_end <= mad::kLastUnicastLid;
  return unicast && info.lid_range_begin <= info.lid_range_end ? mad::kStatusOk
                                                               : mad::kSAReqInvalid;
}

mad::Gid gid_of_requester(const View& view, const Query& query) {
  if (query.guest != nullptr) return {view.subnet().prefix, query.guest->guid};
  return view.gid(query.requester);
}

mad::Status status_of(Subscriptions::Outcome outcome) {
  switch (outcome) {
    case Subscriptions::Outcome::Done:
      return mad::kStatusOk;
    case Subscriptions::Outcome::TooMany:
      return mad::kSANoResources;
    case Subscriptions::Outcome::Unknown:
      return mad::kSAReqInvalid;
  }
  return mad::kSAReqInvalid;
}

}  // namespace

mad::Status set_inform_info(Registrations& registrations, const View& view, const Query& query,
                            Records& records) {
  auto info = query.record<InformInfo>();
  const InformInfo asked = info;
  // No end is an end at the beginning.
  if (info.gid == mad::Gid{} && info.lid_range_end == mad::kNoLid) {
    info.lid_range_end = info.lid_range_begin;
  }
  if (const auto status = check(info, query, view); status != mad::kStatusOk) return status;
  Subscription wanted;
  wanted.subscriber = gid_of_requester(view, query);
  wanted.report_to = query.peer;
  wanted.trusted = query.trusted;
  const bool subscribe = info.subscribe != 0;
  // Only when ending a subscription does the record say whose it is: another QP of this port may.
  if (!subscribe && info.qpn != 0) wanted.report_to.qpn = info.qpn;
  info.qpn = wanted.report_to.qpn;
  wanted.info = info;
  auto& subscriptions = registrations.subscriptions;
  const std::size_t most = query.trusted ? kMaxSubscriptionsOfPort : query.trust.subscriptions;
  const auto status =
      status_of(subscribe ? subscriptions.add(wanted, most) : subscriptions.remove(wanted));
  if (status == mad::kStatusOk) records.add(asked);
  return status;
}

mad::Status find_inform_info_records(Registrations& registrations, const View& view,
                                     const Query& query, Records& records) {
  const auto wanted = query.record<InformInfoRecord>();
  const mad::Gid asker = gid_of_requester(view, query);
  for (const auto& [id, subscription] : registrations.subscriptions.all()) {
    if (records.full()) break;
    if (!query.trusted && subscription.subscriber != asker) continue;
    records.offer(
        query, wanted,
        InformInfoRecord{subscription.subscriber, subscription.number, subscription.info});
  }
  return mad::kStatusOk;
}

}  // namespace heddle::sa
