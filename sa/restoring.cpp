// SPDX-License-Identifier: BSD-3-Clause
#include "sa/restoring.hpp"

#include "mad/component_mask.hpp"

namespace heddle::sa {

bool Restoring::taken_if(bool sound, std::string_view why_not) {
  if (!sound) why_not_ = why_not;
  return sound;
}

// Groups are made as permanent ones, so that they need no member yet.
bool Restoring::add_group(const mad::MCMemberRecord& record, bool permanent) {
  if (permanent) permanent_.push_back(record.mgid);
  const auto answer = registrations_.groups.add_permanent(record);
  return taken_if(answer.ok(), answer.reason);
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
  const auto answer = registrations_.groups.join(request);
  return taken_if(answer.ok(), answer.reason);
}

bool Restoring::add_service(mad::ServiceRecord record, std::uint64_t age) {
  const bool ends = record.service_lease != kLeaseForEver;
  if (ends && record.service_lease <= age) return true;  // it has ended meanwhile
  if (ends) record.service_lease -= static_cast<std::uint32_t>(age);
  const auto outcome = registrations_.services.set(now_, record, true);
  return taken_if(outcome == Services::Outcome::Done, "its port has too many services");
}

bool Restoring::add_subscription(const Subscription& subscription) {
  const auto outcome = registrations_.subscriptions.add(subscription);
  return taken_if(outcome == Subscriptions::Outcome::Done, "its port has too many subscriptions");
}

bool Restoring::add_alias(mad::Guid port, std::size_t entry, mad::Guid alias) {
  AliasGuids& aliases = registrations_.alias_guids;
  constexpr std::size_t kMostEntries = 256;  // GUIDCap has eight bits
  const bool sound = taken_if(entry != 0 && entry < kMostEntries && alias != mad::Guid{},
                              "an alias has an index from 1 to 255, and is not 0") &&
                     taken_if(aliases.owner(alias) == mad::Guid{}, "this alias is taken") &&
                     taken_if(aliases.size() < kMaxAliasGuids, "there are too many aliases");
  if (sound) aliases.set(port, entry, alias);
  return sound;
}

// Groups that are not permanent end now if nobody keeps them alive.
Registrations Restoring::finish() {
  registrations_.groups.retain_permanent(permanent_);
  return std::move(registrations_);
}

}  // namespace heddle::sa
