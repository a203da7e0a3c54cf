// SPDX-License-Identifier: BSD-3-Clause
// The services that ports have registered (ServiceRecord, IBA vol. 1, 15.2.5.14), each until its
// lease ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "base/touched.hpp"
#include "mad/service_record.hpp"

namespace heddle::sa {

inline constexpr std::uint32_t kLeaseForEver = 0xFFFF'FFFF;  // seconds
// What is refused with ERR_NO_RESOURCES: more than this in all, and of one port.
inline constexpr std::size_t kMaxServices = 65536;
inline constexpr std::size_t kMaxServicesOfPort = 1024;

class Services {
 public:
  enum class Outcome : std::uint8_t { Done, WrongKey, TooMany, Unknown };

  // Adds the record, or replaces the one of the same ServiceID, ServiceGID and P_Key: which takes
  // that one's key, if it has one, unless `keyless`. A lease counts from `now`. A new one is one of
  // at most `most` of its port, which has `elsewhere` under its other GUIDs.
  Outcome set(base::Instant now, const mad::ServiceRecord& record, bool keyless,
              std::size_t most = kMaxServicesOfPort, std::size_t elsewhere = 0);
  // The key as for set().
  Outcome remove(const mad::ServiceRecord& record, bool keyless);
  // Forgets those of GIDs with these GUIDs, whatever their leases.
  void remove_all(std::vector<mad::Guid> of);
  // Forgets those whose lease has ended.
  void expire(base::Instant now);
  // When the next lease ends; kNever.
  base::Instant next_end() const;

  std::size_t size() const { return by_name_.size(); }
  // Those of GIDs with this GUID.
  std::size_t count_of(mad::Guid guid) const;
  // In the order of their ServiceID, or those with this one. Leases are told as what is left of
  // them.
  template <class Visit>  // bool(const mad::ServiceRecord&): false to stop
  void each(base::Instant now, std::optional<std::uint64_t> id, Visit&& visit) const {
    auto service = id ? by_name_.lower_bound(Name{*id, 0, 0, 0}) : by_name_.begin();
    for (; service != by_name_.end(); ++service) {
      if (id && std::get<0>(service->first) != *id) return;
      const bool holds = service->second.ends > now;
      if (holds && !visit(told(now, service->second))) return;
    }
  }

  // ServiceID, GID, P_Key.
  using Name = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint16_t>;
  // As it is told; nothing when it is not there, or its lease has ended.
  std::optional<mad::ServiceRecord> find(base::Instant now, const Name& name) const;
  static Name name_of(const mad::ServiceRecord& record);
  // Which came, went or became others, for those who remember them.
  base::Touched<Name>& touched() { return touched_; }

 private:
  struct Service {
    mad::ServiceRecord record;
    base::Instant ends = base::kNever;
  };
  static mad::ServiceRecord told(base::Instant now, const Service& service);
  void forget(std::map<Name, Service>::iterator which);

  std::map<Name, Service> by_name_;
  std::set<std::pair<base::Instant, Name>> ends_;  // of leases that do end
  std::map<mad::Guid, std::size_t> count_of_;      // by the GUID in the GID; none is 0
  base::Touched<Name> touched_;
};

}  // namespace heddle::sa
