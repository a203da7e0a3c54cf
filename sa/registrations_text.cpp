// SPDX-License-Identifier: BSD-3-Clause
#include "sa/registrations_text.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "mad/wire.hpp"
#include "sa/restoring.hpp"

namespace heddle::sa {
namespace {

constexpr std::string_view kHead = "heddle registrations 1";
constexpr std::string_view kTail = "end";
constexpr std::string_view kService = "service";

// --- writing

template <mad::Described T>
std::string bytes_of(const T& record) {
  const auto bytes = mad::encode(record);
  return base::hex_bytes(bytes);
}

// Records are in the order of their names, and a group must be there before its members.
base::Record said(std::string name, const std::vector<std::string>& words) {
  base::Record record{std::move(name), std::string{}};
  for (const std::string& word : words) {
    if (!record.value->empty()) *record.value += ' ';
    *record.value += word;
  }
  return record;
}

std::string name_of_group(const mad::Gid& mgid) {
  return "group " + bytes_of(mgid);
}
base::Record record_of(const multicast::Group& group) {
  return said(name_of_group(group.mgid()),
              {bytes_of(group.record()), group.permanent() ? "1" : "0"});
}

std::string name_of_member(const mad::Gid& mgid, const mad::Gid& port_gid) {
  return "member " + bytes_of(mgid) + ' ' + bytes_of(port_gid);
}
base::Record record_of(const multicast::Group& group, const multicast::Member& member) {
  return said(name_of_member(group.mgid(), member.port_gid),
              {bytes_of(group.record_of(member)), base::hex(member.port.value),
               base::hex(member.joined_by.value)});
}

std::string name_of_service(const Services::Name& name) {
  const auto [id, prefix, guid, p_key] = name;
  return "service " + base::hex(id) + ' ' + base::hex(prefix) + ' ' + base::hex(guid) + ' ' +
         base::hex(p_key, 4);
}
base::Record record_of(const mad::ServiceRecord& service) {
  return said(name_of_service(Services::name_of(service)), {bytes_of(service)});
}

std::string name_of_subscription(SubscriptionId id) {
  return "subscription " + base::hex(id.value);
}
base::Record record_of(SubscriptionId id, const Subscription& subscription) {
  const mad::Address& to = subscription.report_to;
  return said(name_of_subscription(id),
              {bytes_of(subscription.info), bytes_of(subscription.subscriber),
               base::hex(to.lid.value, 4), base::hex(to.qpn, 6), base::hex(to.q_key, 8),
               std::to_string(to.sl.value), std::to_string(to.path_bits),
               std::to_string(to.p_key_index), subscription.trusted ? "1" : "0"});
}

std::string name_of_alias(mad::Guid port, std::size_t entry) {
  return "alias " + base::hex(port.value) + ' ' + std::to_string(entry);
}
base::Record record_of(mad::Guid port, std::size_t entry, mad::Guid alias) {
  return said(name_of_alias(port, entry),
              {base::hex(port.value), std::to_string(entry), base::hex(alias.value)});
}

// What stands under a name now, or that nothing does.
class Changed {
 public:
  void set(base::Record record) { by_name_[record.name] = std::move(record.value); }
  void forget(const std::string& name) { by_name_[name] = std::nullopt; }
  std::vector<base::Record> take() {
    std::vector<base::Record> records;
    records.reserve(by_name_.size());
    for (auto& [name, value] : by_name_) records.push_back({name, std::move(value)});
    return records;
  }

 private:
  std::map<std::string, std::optional<std::string>> by_name_;
};

void collect(Changed& changed, const multicast::Groups& groups,
             const multicast::Groups::Place& place) {
  const multicast::Group* group = groups.find(place.mgid);
  if (place.port_gid == mad::Gid{}) {
    if (group == nullptr) return changed.forget(name_of_group(place.mgid));
    return changed.set(record_of(*group));
  }
  const bool is_member = group != nullptr && group->members().count(place.port_gid) != 0;
  if (!is_member) return changed.forget(name_of_member(place.mgid, place.port_gid));
  changed.set(record_of(*group, group->members().at(place.port_gid)));
}

// --- reading

class Line {
 public:
  explicit Line(std::string_view text) : words_(base::split(text, ' ')) {}

  std::string_view word() { return next_ < words_.size() ? words_[next_++] : std::string_view{}; }
  template <class Number>
  Number number() {
    const std::string_view text = word();
    const auto value = base::parse_number(text, std::numeric_limits<Number>::max());
    good_ = good_ && value.has_value();
    return static_cast<Number>(value.value_or(0));
  }
  bool flag() { return number<std::uint8_t>() != 0; }
  template <mad::Described T>
  T record() {
    constexpr std::size_t size = mad::kBytes<T>;
    std::array<std::byte, size> bytes{};
    const std::string_view text = word();
    good_ = good_ && text.size() == 2 * size;
    for (std::size_t i = 0; good_ && i < size; ++i) {
      const auto value = base::parse_hex(text.substr(2 * i, 2));
      good_ = value.has_value();
      bytes[i] = static_cast<std::byte>(value.value_or(0));
    }
    return mad::decode<T>(bytes);
  }
  bool more() const { return next_ < words_.size(); }
  bool good() const { return good_ && next_ == words_.size(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  bool good_ = true;
};

class RegistrationsReader {
 public:
  explicit RegistrationsReader(base::Instant now) : restoring_(now) {}

  bool read(std::string_view text) {
    Line line(text);
    const std::string_view kind = line.word();
    if (kind == "group") return read_group(line);
    if (kind == "member") return read_member(line);
    if (kind == kService) return read_service(line);
    if (kind == "subscription") return read_subscription(line);
    if (kind == "alias") return read_alias(line);
    return false;
  }
  Registrations finish() { return restoring_.finish(); }

 private:
  bool read_group(Line& line) {
    const auto record = line.record<mad::MCMemberRecord>();
    const bool permanent = line.flag();
    return line.good() && restoring_.add_group(record, permanent);
  }
  bool read_member(Line& line) {
    const auto record = line.record<mad::MCMemberRecord>();
    const mad::Guid port{line.number<std::uint64_t>()};
    const mad::Guid joined_by{line.number<std::uint64_t>()};
    return line.good() && restoring_.add_member(record, port, joined_by);
  }
  bool read_service(Line& line) {
    const auto record = line.record<mad::ServiceRecord>();
    const auto age = line.more() ? line.number<std::uint32_t>() : 0u;
    return line.good() && restoring_.add_service(record, age);
  }
  bool read_subscription(Line& line) {
    Subscription subscription;
    subscription.info = line.record<mad::InformInfo>();
    subscription.subscriber = line.record<mad::Gid>();
    mad::Address& to = subscription.report_to;
    to.lid = mad::Lid{line.number<std::uint16_t>()};
    to.qpn = line.number<std::uint32_t>();
    to.q_key = line.number<std::uint32_t>();
    to.sl = mad::ServiceLevel{line.number<std::uint8_t>()};
    to.path_bits = line.number<std::uint8_t>();
    to.p_key_index = line.number<std::uint16_t>();
    subscription.trusted = line.flag();
    return line.good() && restoring_.add_subscription(subscription);
  }
  bool read_alias(Line& line) {
    const mad::Guid port{line.number<std::uint64_t>()};
    const auto entry = line.number<std::uint8_t>();
    const mad::Guid alias{line.number<std::uint64_t>()};
    return line.good() && restoring_.add_alias(port, entry, alias);
  }

  Restoring restoring_;
};

}  // namespace

std::vector<base::Record> to_records(const Registrations& registrations, base::Instant now) {
  std::vector<base::Record> records;
  for (const auto& [port, entries] : registrations.alias_guids.all()) {
    for (std::size_t entry = 0; entry < entries->size(); ++entry) {
      const mad::Guid alias = (*entries)[entry];
      if (alias != mad::Guid{}) records.push_back(record_of(port, entry, alias));
    }
  }
  for (const auto& [mgid, group] : registrations.groups.all()) records.push_back(record_of(group));
  for (const auto& [mgid, group] : registrations.groups.all()) {
    for (const auto& [gid, member] : group.members()) records.push_back(record_of(group, member));
  }
  registrations.services.each(now, std::nullopt, [&](const mad::ServiceRecord& record) {
    records.push_back(record_of(record));
    return true;
  });
  for (const auto& [id, subscription] : registrations.subscriptions.all()) {
    records.push_back(record_of(id, subscription));
  }
  return records;
}

void watch_changes(Registrations& registrations, bool wanted) {
  registrations.groups.touched().watch(wanted);
  registrations.services.touched().watch(wanted);
  registrations.subscriptions.touched().watch(wanted);
  registrations.alias_guids.touched().watch(wanted);
}

std::vector<base::Record> take_changes(Registrations& registrations, base::Instant now) {
  Changed changed;
  for (const auto& place : registrations.groups.touched().take()) {
    collect(changed, registrations.groups, place);
  }
  for (const auto& name : registrations.services.touched().take()) {
    const auto service = registrations.services.find(now, name);
    if (service) {
      changed.set(record_of(*service));
    } else {
      changed.forget(name_of_service(name));
    }
  }
  for (const SubscriptionId id : registrations.subscriptions.touched().take()) {
    const Subscription* subscription = registrations.subscriptions.find(id);
    if (subscription != nullptr) {
      changed.set(record_of(id, *subscription));
    } else {
      changed.forget(name_of_subscription(id));
    }
  }
  for (const auto& [port, entry] : registrations.alias_guids.touched().take()) {
    const mad::Guid alias = registrations.alias_guids.at(port, entry);
    if (alias != mad::Guid{}) {
      changed.set(record_of(port, entry, alias));
    } else {
      changed.forget(name_of_alias(port, entry));
    }
  }
  return changed.take();
}

std::string to_text(std::span<const base::Record> records) {
  std::string text(kHead);
  text += '\n';
  for (const base::Record& record : records) {
    if (!record.value) continue;
    const std::string kind = record.name.substr(0, record.name.find(' '));
    text.append(kind).append(" ").append(*record.value);
    if (record.age != 0 && kind == kService) text.append(" ").append(std::to_string(record.age));
    text += '\n';
  }
  return text.append(kTail) + '\n';
}

std::string to_text(const Registrations& registrations, base::Instant now) {
  return to_text(to_records(registrations, now));
}

base::Result<Registrations> parse_registrations(std::string_view text, base::Instant now) {
  const auto lines = base::split(text, '\n');
  if (lines.size() < 3 || lines.front() != kHead || lines[lines.size() - 2] != kTail) {
    return base::error("these are no registrations, or not all of them");
  }
  RegistrationsReader reader(now);
  for (std::size_t i = 1; i + 2 < lines.size(); ++i) {
    if (!reader.read(lines[i])) {
      return base::error("line " + std::to_string(i + 1) + " is no registration");
    }
  }
  return reader.finish();
}

}  // namespace heddle::sa
