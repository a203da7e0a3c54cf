// SPDX-License-Identifier: BSD-3-Clause
#include "sa/services.hpp"

#include <algorithm>
#include <chrono>

namespace heddle::sa {
namespace {

base::Instant end_of_lease(base::Instant now, std::uint32_t seconds) {
  return seconds == kLeaseForEver ? base::kNever : now + std::chrono::seconds(seconds);
}

// A service without a key is anybody's who may speak for its port.
bool fits(const mad::ServiceRecord& known, const mad::ServiceRecord& asked) {
  return known.service_key == mad::ServiceRecord{}.service_key ||
         known.service_key == asked.service_key;
}

}  // namespace

Services::Name Services::name_of(const mad::ServiceRecord& record) {
  return {record.service_id, record.service_gid.prefix.value, record.service_gid.guid.value,
          record.service_p_key.value};
}

mad::ServiceRecord Services::told(base::Instant now, const Service& service) {
  mad::ServiceRecord record = service.record;
  if (service.ends == base::kNever) return record;
  // Rounded up: what has not ended has a second left.
  const auto left = std::chrono::ceil<std::chrono::seconds>(service.ends - now).count();
  record.service_lease = static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0));
  return record;
}

Services::Outcome Services::set(base::Instant now, const mad::ServiceRecord& record, bool keyless,
                                std::size_t most, std::size_t elsewhere) {
  expire(now);
  const Name name = name_of(record);
  const auto known = by_name_.find(name);
  const mad::Guid guid = record.service_gid.guid;
  if (known != by_name_.end()) {
    if (!keyless && !fits(known->second.record, record)) return Outcome::WrongKey;
    forget(known);
  } else if (by_name_.size() >= kMaxServices || elsewhere + count_of(guid) >= most) {
    return Outcome::TooMany;
  }
  touched_.add(name);
  const base::Instant ends = end_of_lease(now, record.service_lease);
  by_name_.emplace(name, Service{record, ends});
  ++count_of_[guid];
  if (ends != base::kNever) ends_.emplace(ends, name);
  return Outcome::Done;
}

std::optional<mad::ServiceRecord> Services::find(base::Instant now, const Name& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || found->second.ends <= now) return std::nullopt;
  return told(now, found->second);
}

std::size_t Services::count_of(mad::Guid guid) const {
  const auto count = count_of_.find(guid);
  return count == count_of_.end() ? 0 : count->second;
}

Services::Outcome Services::remove(const mad::ServiceRecord& record, bool keyless) {
  const auto known = by_name_.find(name_of(record));
  if (known == by_name_.end()) return Outcome::Unknown;
  if (!keyless && !fits(known->second.record, record)) return Outcome::WrongKey;
  forget(known);
  return Outcome::Done;
}

// Ports that left at once may be many, and few of them have services.
void Services::remove_all(std::vector<mad::Guid> of) {
  of.erase(
      std::remove_if(of.begin(), of.end(), [&](mad::Guid guid) { return count_of(guid) == 0; }),
      of.end());
  if (of.empty()) return;
  std::sort(of.begin(), of.end());
  for (auto service = by_name_.begin(); service != by_name_.end();) {
    const auto which = service++;
    const mad::Guid guid = which->second.record.service_gid.guid;
    if (std::binary_search(of.begin(), of.end(), guid)) forget(which);
  }
}

void Services::forget(std::map<Name, Service>::iterator which) {
  touched_.add(which->first);
  ends_.erase({which->second.ends, which->first});
  const auto count = count_of_.find(which->second.record.service_gid.guid);
  if (--count->second == 0) count_of_.erase(count);
  by_name_.erase(which);
}

void Services::expire(base::Instant now) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    forget(by_name_.find(ends_.begin()->second));
  }
}

base::Instant Services::next_end() const {
  return ends_.empty() ? base::kNever : ends_.begin()->first;
}

}  // namespace heddle::sa
