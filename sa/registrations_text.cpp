// SPDX-License-Identifier: BSD-3-Clause
#include "sa/registrations_text.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "mad/wire.hpp"

namespace heddle::sa {
namespace {

constexpr std::string_view kHead = "heddle registrations 1";
constexpr std::string_view kTail = "end";

// --- writing

template <mad::Described T>
std::string bytes_of(const T& record) {
  const auto bytes = mad::encode(record);
  return base::hex_bytes(bytes);
}

void write_line(std::string& text, std::initializer_list<std::string> words) {
  std::string_view separator;
  for (const std::string& word : words) {
    text.append(separator).append(word);
    separator = " ";
  }
  text += '\n';
}

void write_group(std::string& text, const multicast::Group& group) {
  write_line(text, {"group", bytes_of(group.record()), group.permanent() ? "1" : "0"});
  for (const auto& [gid, member] : group.members()) {
    write_line(text, {"member", bytes_of(group.record_of(member)), base::hex(member.port.value),
                      base::hex(member.joined_by.value)});
  }
}

void write_subscription(std::string& text, const Subscription& subscription) {
  const mad::Address& to = subscription.report_to;
  write_line(text, {"subscription", bytes_of(subscription.info), bytes_of(subscription.subscriber),
                    base::hex(to.lid.value, 4), base::hex(to.qpn, 6), base::hex(to.q_key, 8),
                    std::to_string(to.sl.value), std::to_string(to.path_bits),
                    std::to_string(to.p_key_index), subscription.trusted ? "1" : "0"});
}

void write_aliases(std::string& text, const AliasGuids& aliases) {
  for (const auto& [port, entries] : aliases.all()) {
    for (std::size_t entry = 0; entry < entries->size(); ++entry) {
      const mad::Guid alias = (*entries)[entry];
      if (alias == mad::Guid{}) continue;
      write_line(text,
                 {"alias", base::hex(port.value), std::to_string(entry), base::hex(alias.value)});
    }
  }
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
  bool good() const { return good_ && next_ == words_.size(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  bool good_ = true;
};

class Reader {
 public:
  explicit Reader(base::Instant now) : now_(now) {}

  bool read(std::string_view text) {
    Line line(text);
    const std::string_view kind = line.word();
    if (kind == "group") return read_group(line);
    if (kind == "member") return read_member(line);
    if (kind == "service") return read_service(line);
    if (kind == "subscription") return read_subscription(line);
    if (kind == "alias") return read_alias(line);
    return false;
  }
  // Groups were made as permanent ones, so that they need no member; those that are none end now if
  // nobody keeps them alive.
  Registrations finish() {
    registrations_.groups.retain_permanent(permanent_);
    return std::move(registrations_);
  }

 private:
  bool read_group(Line& line) {
    const auto record = line.record<mad::MCMemberRecord>();
    if (line.flag()) permanent_.push_back(record.mgid);
    return line.good() && registrations_.groups.add_permanent(record).ok();
  }
  bool read_member(Line& line) {
    multicast::Request request;
    request.wanted = line.record<mad::MCMemberRecord>();
    request.mask = mad::component<&mad::MCMemberRecord::mgid>() |
                   mad::component<&mad::MCMemberRecord::port_gid>() |
                   mad::component<&mad::MCMemberRecord::join_state>() |
                   mad::component<&mad::MCMemberRecord::proxy_join>();
    request.port.port = mad::Guid{line.number<std::uint64_t>()};
    request.requester.port = mad::Guid{line.number<std::uint64_t>()};
    request.trusted = true;
    return line.good() && registrations_.groups.join(request).ok();
  }
  bool read_service(Line& line) {
    const auto record = line.record<mad::ServiceRecord>();
    return line.good() &&
           registrations_.services.set(now_, record, true) == Services::Outcome::Done;
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
    return line.good() &&
           registrations_.subscriptions.add(subscription) == Subscriptions::Outcome::Done;
  }

  bool read_alias(Line& line) {
    const mad::Guid port{line.number<std::uint64_t>()};
    const auto entry = line.number<std::uint8_t>();
    const mad::Guid alias{line.number<std::uint64_t>()};
    AliasGuids& aliases = registrations_.alias_guids;
    const bool sound = entry != 0 && alias != mad::Guid{} && aliases.owner(alias) == mad::Guid{};
    if (!line.good() || !sound || aliases.size() >= kMaxAliasGuids) return false;
    aliases.set(port, entry, alias);
    return true;
  }

  base::Instant now_;
  Registrations registrations_;
  std::vector<mad::Gid> permanent_;
};

}  // namespace

std::string to_text(const Registrations& registrations, base::Instant now) {
  std::string text(kHead);
  text += '\n';
  for (const auto& [mgid, group] : registrations.groups.all()) write_group(text, group);
  registrations.services.each(now, std::nullopt, [&](const mad::ServiceRecord& record) {
    write_line(text, {"service", bytes_of(record)});
    return true;
  });
  for (const auto& [id, subscription] : registrations.subscriptions.all()) {
    write_subscription(text, subscription);
  }
  write_aliases(text, registrations.alias_guids);
  return text.append(kTail) + '\n';
}

base::Result<Registrations> parse_registrations(std::string_view text, base::Instant now) {
  const auto lines = base::split(text, '\n');
  if (lines.size() < 3 || lines.front() != kHead || lines[lines.size() - 2] != kTail) {
    return base::error("these are no registrations, or not all of them");
  }
  Reader reader(now);
  for (std::size_t i = 1; i + 2 < lines.size(); ++i) {
    if (!reader.read(lines[i])) {
      return base::error("line " + std::to_string(i + 1) + " is no registration");
    }
  }
  return reader.finish();
}

}  // namespace heddle::sa
