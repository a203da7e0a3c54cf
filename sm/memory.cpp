// SPDX-License-Identifier: BSD-3-Clause
#include "sm/memory.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "base/text.hpp"
#include "sa/registrations_text.hpp"

namespace heddle::sm {
namespace {

constexpr std::string_view kOffice = "office";
constexpr std::string_view kLid = "lid";
constexpr std::string_view kMasterKey = "m_key";
constexpr std::string_view kPortKey = "key";

std::string_view kind_of(const base::Record& record) {
  return std::string_view(record.name).substr(0, record.name.find(' '));
}

std::string name_of_lids(mad::Guid port) {
  return std::string(kLid) + ' ' + base::hex(port.value);
}

std::optional<RememberedLids> parse_lids(const base::Record& record) {
  const auto name = base::split(record.name, ' ');
  const auto words = base::split(*record.value, ' ');
  if (name.size() != 2 || words.size() != 2) return std::nullopt;
  const auto guid = base::parse_hex(name[1]);
  const auto lid = base::parse_number(words[0], mad::kLastUnicastLid.value);
  const auto lmc = base::parse_number(words[1], mad::kMaxLmc);
  if (!guid || !lid || !lmc) return std::nullopt;
  return RememberedLids{mad::Guid{*guid}, mad::Lid{static_cast<std::uint16_t>(*lid)},
                        static_cast<std::uint8_t>(*lmc)};
}

// False where the value is no key.
bool read_key(std::string_view kind, std::string_view value, RememberedKeys& keys) {
  const auto words = base::split(value, ' ');
  if (words.size() != (kind == kMasterKey ? 1u : 2u)) return false;
  const auto key = base::parse_hex(words.back());
  const auto guid = base::parse_hex(words.front());
  if (!key || !guid || *key == 0) return false;
  if (kind == kMasterKey) {
    keys.masters.push_back({*key});
  } else {
    keys.by_port.insert_or_assign(mad::Guid{*guid}, mad::MKey{*key});
  }
  return true;
}
bool is_key(std::string_view kind) {
  return kind == kMasterKey || kind == kPortKey;
}

std::optional<Office> parse_office(std::string_view text) {
  const auto words = base::split(text, ' ');
  if (words.size() != 3) return std::nullopt;
  const auto holder = base::parse_hex(words[0]);
  const auto lid = base::parse_number(words[1], mad::kLastUnicastLid.value);
  const auto epoch = base::parse_number(words[2]);
  if (!holder || !lid || !epoch) return std::nullopt;
  return Office{mad::Guid{*holder}, mad::Lid{static_cast<std::uint16_t>(*lid)}, *epoch};
}

}  // namespace

base::Record to_record(const Office& office) {
  return {std::string(kOffice), base::hex(office.holder.value) + ' ' +
                                    std::to_string(office.lid.value) + ' ' +
                                    std::to_string(office.epoch)};
}

base::Record to_record(const RememberedLids& lids) {
  return {name_of_lids(lids.port_guid),
          std::to_string(lids.base.value) + ' ' + std::to_string(lids.lmc)};
}

std::vector<base::Record> to_records(const RememberedKeys& keys) {
  std::vector<base::Record> records;
  for (std::size_t i = 0; i < keys.masters.size(); ++i) {
    // Records are in the order of their names, and these in that of their age.
    records.push_back(
        {std::string(kMasterKey) + ' ' + base::hex(i, 2), base::hex(keys.masters[i].value)});
  }
  for (const auto& [port, key] : keys.by_port) {
    records.push_back({std::string(kPortKey) + ' ' + base::hex(port.value),
                       base::hex(port.value) + ' ' + base::hex(key.value)});
  }
  return records;
}

std::string to_text(const RememberedKeys& keys) {
  std::string text;
  for (const base::Record& record : to_records(keys)) {
    text.append(kind_of(record)).append(" ").append(*record.value).append("\n");
  }
  return text;
}

RememberedKeys take_keys(std::string& registrations) {
  RememberedKeys keys;
  std::size_t end = 0;
  while (end < registrations.size()) {
    const auto next = std::min(registrations.find('\n', end), registrations.size() - 1);
    const auto line = std::string_view(registrations).substr(end, next - end);
    const auto blank = std::min(line.find(' '), line.size());
    if (!is_key(line.substr(0, blank))) break;
    (void)read_key(line.substr(0, blank), line.substr(std::min(blank + 1, line.size())), keys);
    end = next + 1;
  }
  registrations.erase(0, end);
  return keys;
}

std::vector<base::Record> lid_changes(std::span<const RememberedLids> before,
                                      std::span<const RememberedLids> after) {
  std::vector<base::Record> changes;
  auto old = before.begin();
  const auto forget_until = [&](const RememberedLids* next) {
    for (; old != before.end() && (next == nullptr || old->port_guid < next->port_guid); ++old) {
      changes.push_back({name_of_lids(old->port_guid), std::nullopt});
    }
  };
  for (const RememberedLids& lids : after) {
    forget_until(&lids);
    const bool known = old != before.end() && old->port_guid == lids.port_guid;
    if (!known || *old != lids) changes.push_back(to_record(lids));
    if (known) ++old;
  }
  forget_until(nullptr);
  return changes;
}

Recalled recall(std::span<const base::Record> records) {
  Recalled recalled;
  std::vector<base::Record> registrations;
  RememberedKeys keys;
  bool held = false;
  for (const base::Record& record : records) {
    if (!record.value) continue;
    const auto kind = kind_of(record);
    if (kind == kLid) {
      if (const auto lids = parse_lids(record)) recalled.lids.push_back(*lids);
      continue;
    }
    if (is_key(kind)) {
      (void)read_key(kind, *record.value, keys);
      continue;
    }
    held |= kind == kOffice && parse_office(*record.value).has_value();
    registrations.push_back(record);
  }
  recalled.registrations = to_text(keys);
  if (held) recalled.registrations += sa::to_text(registrations);
  return recalled;
}

std::optional<Office> take_office(std::string& registrations) {
  const std::string head = '\n' + std::string(kOffice) + ' ';
  const auto at = registrations.find(head);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + head.size();
  const auto end = registrations.find('\n', begin);
  if (end == std::string::npos) return std::nullopt;
  const auto office = parse_office(std::string_view(registrations).substr(begin, end - begin));
  registrations.erase(at, end - at);
  return office;
}

void Replica::take(base::Instant now, std::uint64_t epoch, bool whole,
                   std::span<const base::Record> records) {
  if (epoch < epoch_) return;
  if (!whole && (epoch != epoch_ || empty())) return;
  epoch_ = epoch;
  if (whole) by_name_.clear();
  for (const base::Record& record : records) {
    if (record.value) {
      by_name_[record.name] = {*record.value, now - std::chrono::seconds(record.age)};
    } else {
      by_name_.erase(record.name);
    }
  }
}

std::vector<base::Record> Replica::records(base::Instant now) const {
  std::vector<base::Record> records;
  records.reserve(by_name_.size());
  for (const auto& [name, said] : by_name_) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - said.when).count();
    records.push_back({name, said.value, static_cast<std::uint64_t>(age)});
  }
  return records;
}

}  // namespace heddle::sm
