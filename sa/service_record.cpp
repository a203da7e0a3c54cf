// SPDX-License-Identifier: BSD-3-Clause
#include "mad/service_record.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "sa/handlers.hpp"

namespace heddle::sa {
namespace {

using mad::component;
using mad::ServiceRecord;

constexpr auto kGid = component<&ServiceRecord::service_gid>();
constexpr auto kKey = component<&ServiceRecord::service_key>();
constexpr auto kPKey = component<&ServiceRecord::service_p_key>();
constexpr auto kNames = component<&ServiceRecord::service_id>() | kGid;

constexpr mad::PKey kDefaultPKey = partitions::full_key(partitions::kDefaultBaseKey);

// Whether the service would be of who asks: of its own node, or, since virtual ports on one host
// are different machines', of the virtual port itself. The host speaks for all.
bool is_own(const View& view, const Query& query, mad::Guid guid) {
  const auto& topology = view.topology();
  const fabric::PortIndex port = view.find(guid);
  if (query.guest != nullptr) return view.guest(guid) == query.guest;
  return topology.node_of(port) == topology.node_of(query.requester);
}

// Who may speak for a port: the node it is on, and whoever is trusted. A port is known by its GUID;
// the prefix may be that of another subnet that knows it too.
mad::Status check_owner(const View& view, const Query& query, const mad::Gid& gid) {
  const fabric::PortIndex port = view.find(gid.guid);
  if (port == fabric::kNoPort) return mad::kSAReqInvalidGid;
  const bool own = is_own(view, query, gid.guid);
  return own || query.trusted ? mad::kStatusOk : mad::kSAReqDenied;
}

// A node may do with its own services what it likes; but a key that it brings must be the right
// one: several programs of a node tell their services apart by it.
bool needs_no_key(const Query& query) {
  return query.trusted || !query.asks(kKey);
}

mad::Status status_of(Services::Outcome outcome) {
  switch (outcome) {
    case Services::Outcome::Done:
      return mad::kStatusOk;
    case Services::Outcome::WrongKey:
      return mad::kSAReqDenied;
    case Services::Outcome::TooMany:
      return mad::kSANoResources;
    case Services::Outcome::Unknown:
      return mad::kSANoRecords;
  }
  return mad::kSAReqInvalid;
}

// Whether who asks may know of a service: its own node's, and those of ports that it may talk to,
// in a partition that both are in.
bool may_know(const View& view, const Query& query, const ServiceRecord& service) {
  if (query.trusted) return true;
  const fabric::PortIndex port = view.find(service.service_gid.guid);
  if (port == fabric::kNoPort) return false;
  if (is_own(view, query, service.service_gid.guid)) return true;
  const VirtualPort* guest = view.guest(service.service_gid.guid);
  const bool sees =
      guest != nullptr ? view.may_talk(query.member(), guest->member) : view.may_see(query, port);
  return sees && view.holds(query.member(), service.service_p_key);
}

// Most queries name a service by its number, which finds it at once.
std::optional<std::uint64_t> wanted_id(const Query& query, const ServiceRecord& wanted) {
  if (!query.asks(component<&ServiceRecord::service_id>())) return std::nullopt;
  return wanted.service_id;
}

// Keys go out to whom we trust alone.
ServiceRecord as_told(const Query& query, ServiceRecord record) {
  if (!query.trusted) record.service_key = {};
  return record;
}

// Of the port with this GUID, under the others that it has: one port does not get more than another
// by aliases. A virtual port is a port of its own.
std::size_t services_elsewhere(const Services& services, const View& view, mad::Guid guid) {
  const mad::Guid owner = view.aliases().owner(guid);
  const mad::Guid port = owner == mad::Guid{} ? guid : owner;
  const auto* aliases = view.aliases().find(port);
  if (aliases == nullptr) return 0;
  std::size_t count = services.count_of(port);
  for (const mad::Guid alias : *aliases) {
    if (alias != mad::Guid{}) count += services.count_of(alias);
  }
  return count - services.count_of(guid);
}

mad::Status set(Services& services, const View& view, const Query& query, ServiceRecord record,
                Records& records) {
  if ((query.header.component_mask & kNames) != kNames) return mad::kSAReqInsufficientComponents;
  if (const auto status = check_owner(view, query, record.service_gid); status != mad::kStatusOk) {
    return status;
  }
  if (!query.asks(kKey)) record.service_key = {};
  if (!query.asks(kPKey)) record.service_p_key = kDefaultPKey;
  // Nobody reaches a port through a partition that it is not in.
  if (!view.holds(view.member(record.service_gid.guid), record.service_p_key)) {
    return mad::kSAReqInvalid;
  }
  if (!query.asks(component<&ServiceRecord::service_lease>())) record.service_lease = kLeaseForEver;
  const std::size_t most = query.trusted ? kMaxServicesOfPort : query.trust.services;
  const auto status =
      status_of(services.set(query.now, record, needs_no_key(query), most,
                             services_elsewhere(services, view, record.service_gid.guid)));
  if (status == mad::kStatusOk) records.add(as_told(query, record));
  return status;
}

// Get, GetTable and Delete mean the records that match; a key is never compared, so that nobody can
// guess one.
mad::Status find(const Services& services, const View& view, const Query& query,
                 const ServiceRecord& wanted, Records& records) {
  Query open = query;
  if (!query.trusted) open.header.component_mask &= ~kKey;
  services.each(query.now, wanted_id(query, wanted), [&](ServiceRecord record) {
    if (may_know(view, query, record)) {
      records.offer(open, wanted, as_told(query, std::move(record)));
    }
    return !records.full();
  });
  return mad::kStatusOk;
}

// The one record that matches, whatever it is named by.
mad::Status remove(Services& services, const View& view, const Query& query,
                   const ServiceRecord& wanted, Records& records) {
  std::vector<ServiceRecord> found;
  services.each(query.now, wanted_id(query, wanted), [&](const ServiceRecord& record) {
    const bool meant = mad::matches(query.header.component_mask & ~kKey, wanted, record);
    if (meant && may_know(view, query, record)) found.push_back(record);
    return found.size() < 2;
  });
  if (found.empty()) return mad::kSANoRecords;
  if (found.size() > 1) return mad::kSATooManyRecords;
  ServiceRecord& record = found.front();
  if (const auto status = check_owner(view, query, record.service_gid); status != mad::kStatusOk) {
    return status;
  }
  record.service_key = query.asks(kKey) ? wanted.service_key : ServiceRecord{}.service_key;
  const auto status = status_of(services.remove(record, needs_no_key(query)));
  if (status == mad::kStatusOk) records.add(as_told(query, record));
  return status;
}

}  // namespace

mad::Status handle_service_records(Registrations& registrations, const View& view,
                                   const Query& query, Records& records) {
  const auto record = query.record<ServiceRecord>();
  switch (query.header.mad.method) {
    case mad::Method::Set:
      return set(registrations.services, view, query, record, records);
    case mad::Method::Delete:
      return remove(registrations.services, view, query, record, records);
    default:
      return find(registrations.services, view, query, record, records);
  }
}

}  // namespace heddle::sa
