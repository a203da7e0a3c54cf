// SPDX-License-Identifier: BSD-3-Clause
#include "sa/restoring.hpp"

#include "mad/component_mask.hpp"

namespace heddle::sa {

// Groups are made as permanent ones, so that they need no member yet.
bool Restoring::add_group(const mad::MCMemberRecord& record, bool permanent) {
  if (permanent) permanent_.push_back(record.mgid);
  return registrations_.groups.add_permanent(record).ok();
}

bool Restoring::add_member(const mad::MCMemberRecord& record, mad::Guid port, mad::Guid joined_by) {
  multicast::Request request;
  request.wanted = record;
  request.mask = mad::component<&mad::MCMemberRecord::mgid>() |
                 mad::component<&mad::MCMemberRecord::port_gid>() |
                 mad::component<&mad::MCMemberRecord::join_state>() |
                 mad::component<&mad::MCMemberRecord::proxy_join>();
  request.port.port = port;
  request.requester.port = joined_by;
  request.trusted = true;
  return registrations_.groups.join(request).ok();
}

bool Restoring::add_service(mad::ServiceRecord record, std::uint64_t age) {
  const bool ends = record.service_lease != kLeaseForEver;
  if (ends && record.service_lease <= age) return true;  // it has ended meanwhile
  if (ends) record.service_lease -= static_cast<std::uint32_t>(age);
  return registrations_.services.set(now_, record, true) == Services::Outcome::Done;
}

bool Restoring::add_subscription(const Subscription& subscription) {
  return registrations_.subscriptions.add(subscription) == Subscriptions::Outcome::Done;
}

bool Restoring::add_alias(mad::Guid port, std::size_t entry, mad::Guid alias) {
  AliasGuids& aliases = registrations_.alias_guids;
  constexpr std::size_t kMostEntries = 256;  // GUIDCap has eight bits
  const bool sound = entry != 0 && entry < kMostEntries && alias != mad::Guid{} &&
                     aliases.owner(alias) == mad::Guid{};
  if (!sound || aliases.size() >= kMaxAliasGuids) return false;
  aliases.set(port, entry, alias);
  return true;
}

// Groups that are not permanent end now if nobody keeps them alive.
Registrations Restoring::finish() {
  registrations_.groups.retain_permanent(permanent_);
  return std::move(registrations_);
}

}  // namespace heddle::sa
