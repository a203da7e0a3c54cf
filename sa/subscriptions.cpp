// SPDX-License-Identifier: BSD-3-Clause
#include "sa/subscriptions.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::sa {
namespace {

// What a subscriber means by a subscription, apart from how it wants to be told.
bool same_wish(const mad::InformInfo& a, const mad::InformInfo& b) {
  return a.gid == b.gid && a.lid_range_begin == b.lid_range_begin &&
         a.lid_range_end == b.lid_range_end && a.is_generic == b.is_generic && a.type == b.type &&
         a.trap_number == b.trap_number && a.producer_type == b.producer_type;
}

bool in_range(const mad::InformInfo& info, mad::Lid lid) {
  if (info.lid_range_begin == mad::kPermissiveLid) return true;
  return info.lid_range_begin <= lid && lid <= info.lid_range_end;
}

}  // namespace

bool Subscription::means(const mad::Notice& notice, const mad::Gid& source) const {
  if ((info.is_generic != 0) != notice.is_generic) return false;
  if (info.type != kAnyType && info.type != static_cast<std::uint16_t>(notice.type)) return false;
  if (info.producer_type != kAnyProducer && info.producer_type != notice.producer_type) {
    return false;
  }
  if (info.trap_number != kAnyTrap && info.trap_number != notice.trap_number) return false;
  // Who is not trusted does not hear of keys, whatever it subscribed to.
  if (notice.type == mad::NoticeType::Security && !trusted) return false;
  if (info.gid != mad::Gid{}) return info.gid == source;
  return in_range(info, notice.issuer_lid);
}

Subscriptions::ById::const_iterator Subscriptions::find(const Subscription& wanted) const {
  const auto [first, last] = by_port_.equal_range(wanted.subscriber.guid.value);
  for (auto it = first; it != last; ++it) {
    const auto known = by_id_.find(it->second);
    const Subscription& subscription = known->second;
    if (subscription.subscriber == wanted.subscriber &&
        subscription.report_to.qpn == wanted.report_to.qpn &&
        same_wish(subscription.info, wanted.info)) {
      return known;
    }
  }
  return by_id_.end();
}

const Subscription* Subscriptions::find(SubscriptionId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

std::uint16_t Subscriptions::free_number(const mad::Gid& subscriber) const {
  std::set<std::uint16_t> taken;
  const auto [first, last] = by_port_.equal_range(subscriber.guid.value);
  for (auto it = first; it != last; ++it) taken.insert(by_id_.at(it->second).number);
  std::uint16_t number = 0;
  while (taken.count(number) != 0) ++number;
  return number;
}

Subscriptions::Outcome Subscriptions::add(Subscription wanted, std::size_t most) {
  if (const auto known = find(wanted); known != by_id_.end()) {
    touched_.add(known->first);
    Subscription& subscription = by_id_.at(known->first);
    subscription.report_to = wanted.report_to;  // its LID may be a new one
    subscription.info = wanted.info;
    subscription.trusted = wanted.trusted;
    return Outcome::Done;
  }
  const std::uint64_t port = wanted.subscriber.guid.value;
  if (by_id_.size() >= kMaxSubscriptions || by_port_.count(port) >= most) {
    return Outcome::TooMany;
  }
  wanted.number = free_number(wanted.subscriber);
  const SubscriptionId id{next_++};
  touched_.add(id);
  by_port_.emplace(port, id);
  by_id_.emplace(id, std::move(wanted));
  return Outcome::Done;
}

Subscriptions::Outcome Subscriptions::remove(const Subscription& wanted) {
  const auto known = find(wanted);
  if (known == by_id_.end()) return Outcome::Unknown;
  drop(known);
  return Outcome::Done;
}

void Subscriptions::remove_all(const mad::Gid& subscriber) {
  const auto [first, last] = by_port_.equal_range(subscriber.guid.value);
  std::vector<SubscriptionId> ids;
  for (auto it = first; it != last; ++it) ids.push_back(it->second);
  for (const SubscriptionId id : ids) remove(id);
}

void Subscriptions::drop(ById::const_iterator which) {
  if (which == by_id_.end()) return;
  touched_.add(which->first);
  const auto [first, last] = by_port_.equal_range(which->second.subscriber.guid.value);
  by_port_.erase(
      std::find_if(first, last, [&](const auto& entry) { return entry.second == which->first; }));
  by_id_.erase(which);
}

std::vector<SubscriptionId> Subscriptions::meaning(const mad::Notice& notice,
                                                   const mad::Gid& source,
                                                   const MayHear& may_hear) const {
  std::vector<SubscriptionId> ids;
  for (const auto& [id, subscription] : by_id_) {
    if (!subscription.means(notice, source)) continue;
    if (!may_hear || subscription.trusted || may_hear(subscription)) ids.push_back(id);
  }
  return ids;
}

}  // namespace heddle::sa
