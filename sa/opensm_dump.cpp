// SPDX-License-Identifier: BSD-3-Clause
#include "sa/opensm_dump.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "mad/wire.hpp"
#include "sa/restoring.hpp"

namespace heddle::sa {
namespace {

constexpr std::string_view kAlias = "GUIDInfo Record:";
constexpr std::string_view kGroup = "MC Group ";
constexpr std::string_view kMember = "mcm_port:";
constexpr std::string_view kSubscription = "InformInfo Record:";
constexpr std::string_view kService = "Service Record:";
constexpr std::string_view kWellKnown = " (well known):";
constexpr std::uint32_t kGsiQKey = 0x8001'0000;
// Where the parts of a service stand in its bytes.
constexpr std::size_t kServiceKey = 32, kServiceData = 112, kPart = 16;
constexpr std::size_t kNameBytes = 64;
constexpr std::array<std::string_view, 4> kDataKeys{" data8=", " data16=", " data32=", " data64="};

// --- reading

// The fields of a line, in their order.
class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}

  // Behind "key=" or whatever stands before the value.
  template <class Number = std::uint64_t>
  Number number(std::string_view key) {
    skip(key);
    return static_cast<Number>(digits(std::numeric_limits<Number>::max()));
  }
  mad::Gid gid(std::string_view key) {
    const mad::GidPrefix prefix{number(key)};
    return {prefix, mad::Guid{number(":")}};
  }
  // Between quotation marks, up to what must come next.
  std::string_view quoted(std::string_view key, std::string_view next) {
    skip(key);
    const auto end = rest_.find(next);
    if (!good_ || end == rest_.npos) return fail(next), std::string_view{};
    return std::exchange(rest_, rest_.substr(end)).substr(0, end);
  }
  bool good() const { return good_; }
  const std::string& missing() const { return missing_; }

 private:
  void skip(std::string_view key) {
    const auto at = good_ ? rest_.find(key) : rest_.npos;
    if (at == rest_.npos) return fail(key);
    rest_.remove_prefix(at + key.size());
    last_ = key;
  }
  std::uint64_t digits(std::uint64_t max) {
    if (!good_) return 0;
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
      return std::isxdigit(static_cast<unsigned char>(c)) == 0 && c != 'x';
    });
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const auto text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    const auto value = base::parse_hex(text);
    if (value && *value <= max) return *value;
    fail(last_);
    return 0;
  }
  void fail(std::string_view key) {
    if (good_) missing_ = base::trim(key);
    good_ = false;
  }

  std::string_view rest_, last_;
  std::string missing_;  // the first
  bool good_ = true;
};

class Reader {
 public:
  Reader(base::Instant now, std::uint64_t wall) : restoring_(now), wall_(wall) {}

  // What is wrong with the line; nothing if it is sound.
  std::string read(std::string_view line) {
    Fields fields(line);
    bool taken = false;
    if (line.starts_with(kAlias)) {
      taken = read_aliases(fields);
    } else if (line.starts_with(kGroup)) {
      taken = read_group(fields, line.find(kWellKnown) != line.npos);
    } else if (line.starts_with(kMember)) {
      if (group_ == mad::Gid{}) return "a member before the first group";
      taken = read_member(fields);
    } else if (line.starts_with(kSubscription)) {
      taken = read_subscription(fields);
    } else if (line.starts_with(kService)) {
      taken = read_service(fields);
    } else {
      return "this is no line of a dump of subnet administration: " +
             base::printable(line.substr(0, 40));
    }
    if (!fields.good()) return "a number is expected behind '" + fields.missing() + "'";
    return taken ? "" : "this cannot be so, or stands here twice";
  }
  Registrations finish() { return restoring_.finish(); }

 private:
  bool read_aliases(Fields& fields) {
    const mad::Guid port{fields.number(" base_guid=")};
    fields.number<std::uint16_t>(" lid=");
    const auto block = fields.number<std::uint8_t>(" block_num=");
    bool sound = true;
    for (std::size_t i = 0; i < 8; ++i) {
      const mad::Guid alias{fields.number(" guid" + std::to_string(i) + '=')};
      const std::size_t entry = 8u * block + i;
      if (!fields.good()) return false;
      if (entry == 0 || alias == mad::Guid{}) continue;
      sound = restoring_.add_alias(port, entry, alias) && sound;
    }
    return sound;
  }

  static void read_membership(Fields& fields, mad::MCMemberRecord& record) {
    const auto scope_state = fields.number<std::uint8_t>(" scope_state=");
    record.scope = static_cast<std::uint8_t>(scope_state >> 4);
    record.join_state = scope_state & 0xf;
    record.proxy_join = fields.number<std::uint8_t>(" proxy_join=") != 0;
  }
  bool read_group(Fields& fields, bool well_known) {
    mad::MCMemberRecord record;
    group_ = record.mgid = fields.gid(" mgid=");
    fields.gid(" port_gid=");
    record.q_key = fields.number<std::uint32_t>(" qkey=");
    record.mlid = mad::Lid{fields.number<std::uint16_t>(" mlid=")};
    record.mtu = static_cast<mad::Mtu>(fields.number<std::uint8_t>(" mtu=") & 0x3f);
    record.t_class = fields.number<std::uint8_t>(" tclass=");
    record.p_key = mad::PKey{fields.number<std::uint16_t>(" pkey=")};
    record.rate = fields.number<std::uint8_t>(" rate=") & 0x3f;
    record.packet_life_time = fields.number<std::uint8_t>(" pkt_life=") & 0x3f;
    const auto packed = fields.number<std::uint32_t>(" sl_flow_hop=");
    record.sl = mad::ServiceLevel{static_cast<std::uint8_t>(packed >> 28)};
    record.flow_label = packed >> 8 & 0xf'ffff;
    record.hop_limit = static_cast<std::uint8_t>(packed & 0xff);
    read_membership(fields, record);
    record.join_state = 0;
    record.proxy_join = false;
    record.mtu_selector = record.rate_selector = record.packet_life_time_selector =
        mad::Selector::Exactly;
    return fields.good() && restoring_.add_group(record, well_known);
  }
  bool read_member(Fields& fields) {
    mad::MCMemberRecord record;
    record.mgid = group_;
    record.port_gid = fields.gid(" port_gid=");
    read_membership(fields, record);
    if (!fields.good()) return false;
    const mad::Guid owner = restoring_.so_far().alias_guids.owner(record.port_gid.guid);
    const mad::Guid port = owner == mad::Guid{} ? record.port_gid.guid : owner;
    return restoring_.add_member(record, port, {});
  }

  bool read_subscription(Fields& fields) {
    Subscription made;
    made.subscriber = fields.gid(" subscriber_gid=");
    made.number = fields.number<std::uint16_t>(" subscriber_enum=");
    mad::InformInfo& info = made.info;
    info.gid = fields.gid(" gid=");
    info.lid_range_begin = mad::Lid{fields.number<std::uint16_t>(" lid_range_begin=")};
    info.lid_range_end = mad::Lid{fields.number<std::uint16_t>(" lid_range_end=")};
    info.lid_range_end = std::max(info.lid_range_begin, info.lid_range_end);
    info.is_generic = fields.number<std::uint8_t>(" is_generic=");
    info.subscribe = fields.number<std::uint8_t>(" subscribe=");
    info.type = fields.number<std::uint16_t>(" trap_type=");
    info.trap_number = fields.number<std::uint16_t>(" trap_num=");
    const auto packed = fields.number<std::uint32_t>(" qpn_resp_time_val=");
    info.qpn = packed >> 8;
    info.resp_time_value = packed & 0x1f;
    info.producer_type = fields.number<std::uint32_t>(" node_type=") & kAnyProducer;
    mad::Address& to = made.report_to;
    to.lid = mad::Lid{fields.number<std::uint16_t>(" lid=")};
    to.path_bits = fields.number<std::uint8_t>(" path_bits=");
    to.qpn = fields.number<std::uint32_t>(" remote_qp=");
    to.q_key = fields.number<std::uint32_t>(" remote_qkey=");
    if (to.q_key == 0) to.q_key = kGsiQKey;
    to.p_key_index = fields.number<std::uint16_t>(" pkey_ix=");
    to.sl = mad::ServiceLevel{fields.number<std::uint8_t>(" sl=")};
    return fields.good() && restoring_.add_subscription(made);
  }

  bool read_service(Fields& fields) {
    std::array<std::byte, mad::kBytes<mad::ServiceRecord>> bytes{};
    const auto number = [](std::uint64_t value, std::span<std::byte, 8> to) {
      for (std::size_t i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(value >> (56 - 8 * i));
    };
    const auto pair = [&](std::string_view key, std::size_t at) {
      const mad::Gid both = fields.gid(key);
      number(both.prefix.value, std::span<std::byte, 8>(&bytes[at], 8));
      number(both.guid.value, std::span<std::byte, 8>(&bytes[at + 8], 8));
    };
    const auto id = fields.number(" id=");
    const mad::Gid gid = fields.gid(" gid=");
    const mad::PKey p_key{fields.number<std::uint16_t>(" pkey=")};
    fields.number<std::uint32_t>(" lease=");  // as it was asked for
    pair(" key=", kServiceKey);
    const auto name = fields.quoted(" name='", "' data8=");
    for (std::size_t i = 0; i < kDataKeys.size(); ++i) pair(kDataKeys[i], kServiceData + kPart * i);
    const auto modified = fields.number(" modified_time=");
    const auto left = fields.number<std::uint32_t>(" lease_period=");
    if (!fields.good() || name.size() > kNameBytes) return false;
    auto record = mad::decode<mad::ServiceRecord>(bytes);
    record.service_id = id;
    record.service_gid = gid;
    record.service_p_key = p_key;
    record.service_lease = left;
    std::copy(name.begin(), name.end(), record.service_name.begin());
    return restoring_.add_service(record, wall_ > modified ? wall_ - modified : 0);
  }

  Restoring restoring_;
  std::uint64_t wall_;
  mad::Gid group_{};  // whose members come
};

// --- writing

std::string text_of(const mad::Gid& gid) {
  return base::hex(gid.prefix.value) + ':' + base::hex(gid.guid.value);
}

class Writer {
 public:
  Writer& begin(std::string_view what) {
    text_ += what;
    return *this;
  }
  // With so many digits at least.
  Writer& put(std::string_view key, std::uint64_t value, unsigned digits) {
    while (digits < 16 && value >> (4 * digits) != 0) ++digits;
    text_.append(key).append(base::hex(value, digits));
    return *this;
  }
  Writer& put(std::string_view key, const mad::Gid& gid) {
    text_.append(key).append(text_of(gid));
    return *this;
  }
  Writer& quote(std::string_view key, std::string_view value) {
    text_.append(key).append(value).append("'");
    return *this;
  }
  void end() { text_ += "\n\n"; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_aliases(Writer& out, const Registrations& registrations,
                   const std::function<mad::Lid(mad::Guid)>& lid_of) {
  for (const auto& [port, entries] : registrations.alias_guids.all()) {
    for (std::size_t first = 0; first < entries->size(); first += 8) {
      const auto guids =
          registrations.alias_guids.block(port, static_cast<std::uint8_t>(first / 8));
      out.begin(kAlias).put(" base_guid=", port.value, 16).put(" lid=", lid_of(port).value, 4);
      out.put(" block_num=", first / 8, 1);
      for (std::size_t i = 0; i < 8; ++i) {
        const auto guid = first + i == 0 ? port : guids.guids[i];
        out.put(" guid" + std::to_string(i) + '=', guid.value, 16);
      }
      out.end();
    }
  }
}

unsigned exactly(unsigned value) {
  return 2u << 6 | value;
}
unsigned scope_state(const mad::MCMemberRecord& record, std::uint8_t state) {
  return static_cast<unsigned>(record.scope) << 4 | state;
}

void write_group(Writer& out, const multicast::Group& group) {
  const mad::MCMemberRecord& record = group.record();
  const auto& members = group.members();
  const auto maker = members.empty() ? mad::Gid{} : members.begin()->first;
  const auto packed = std::uint32_t{record.sl.value} << 28 | record.flow_label << 8 |
                      std::uint32_t{record.hop_limit};
  out.begin(kGroup).put("", record.mlid.value, 4).begin(group.permanent() ? " " : " :");
  out.begin(group.permanent() ? kWellKnown : "").put(" mgid=", record.mgid);
  out.put(" port_gid=", group.permanent() ? mad::Gid{} : maker).put(" qkey=", record.q_key, 8);
  out.put(" mlid=", record.mlid.value, 4);
  out.put(" mtu=", exactly(static_cast<unsigned>(record.mtu)), 2);
  out.put(" tclass=", record.t_class, 2).put(" pkey=", record.p_key.value, 4);
  out.put(" rate=", exactly(record.rate), 2).put(" pkt_life=", exactly(record.packet_life_time), 2);
  out.put(" sl_flow_hop=", packed, 8);
  out.put(" scope_state=", scope_state(record, multicast::kFullMember), 2);
  out.put(" proxy_join=", 0, 1).end();
  for (const auto& [gid, member] : members) {
    out.begin(kMember).put(" port_gid=", gid);
    out.put(" scope_state=", scope_state(record, member.join_state), 2);
    out.put(" proxy_join=", member.proxy_join ? 1 : 0, 1).end();
  }
}

void write_subscription(Writer& out, const Subscription& subscription) {
  const mad::InformInfo& info = subscription.info;
  const mad::Address& to = subscription.report_to;
  out.begin(kSubscription).put(" subscriber_gid=", subscription.subscriber);
  out.put(" subscriber_enum=", subscription.number, 1).begin(" InformInfo:");
  out.put(" gid=", info.gid).put(" lid_range_begin=", info.lid_range_begin.value, 1);
  out.put(" lid_range_end=", info.lid_range_end.value, 1);
  out.put(" is_generic=", info.is_generic, 1).put(" subscribe=", info.subscribe, 1);
  out.put(" trap_type=", info.type, 1).put(" trap_num=", info.trap_number, 1);
  out.put(" qpn_resp_time_val=", info.qpn << 8 | info.resp_time_value, 1);
  out.put(" node_type=", info.producer_type, 6).begin(" rep_addr:").put(" lid=", to.lid.value, 4);
  out.put(" path_bits=", to.path_bits, 2).put(" static_rate=", 0, 2);
  out.put(" remote_qp=", to.qpn, 8).put(" remote_qkey=", to.q_key, 8);
  out.put(" pkey_ix=", to.p_key_index, 4).put(" sl=", to.sl.value, 2).end();
}

std::string name_of(const mad::ServiceRecord& record) {
  const auto end = std::find(record.service_name.begin(), record.service_name.end(), '\0');
  std::string name(record.service_name.begin(), end);
  for (char& c : name) {
    if (c == '\'' || std::isprint(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

void write_service(Writer& out, const mad::ServiceRecord& record, std::uint64_t wall) {
  const auto bytes = mad::encode(record);
  const auto pair = [&](std::size_t at) {
    std::array<std::uint64_t, 2> halves{};
    for (std::size_t i = 0; i < kPart; ++i) {
      halves[i / 8] = halves[i / 8] << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    }
    return mad::Gid{mad::GidPrefix{halves[0]}, mad::Guid{halves[1]}};
  };
  out.begin(kService).put(" id=", record.service_id, 16).put(" gid=", record.service_gid);
  out.put(" pkey=", record.service_p_key.value, 4).put(" lease=", record.service_lease, 1);
  out.put(" key=", pair(kServiceKey)).quote(" name='", name_of(record));
  for (std::size_t i = 0; i < kDataKeys.size(); ++i) {
    out.put(kDataKeys[i], pair(kServiceData + kPart * i));
  }
  out.put(" modified_time=", wall, 1).put(" lease_period=", record.service_lease, 1).end();
}

}  // namespace

bool is_opensm_dump(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return false;
  text.remove_prefix(begin);
  return text.starts_with(kAlias) || text.starts_with(kGroup) || text.starts_with(kSubscription) ||
         text.starts_with(kService);
}

base::Result<Registrations> parse_opensm_dump(std::string_view text, base::Instant now,
                                              std::uint64_t wall) {
  Reader reader(now, wall);
  std::size_t number = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    ++number;
    if (base::trim(line).empty()) continue;
    const std::string wrong = reader.read(line);
    if (!wrong.empty()) return base::error("line " + std::to_string(number) + ": " + wrong);
  }
  return reader.finish();
}

std::string to_opensm_dump(const Registrations& registrations, base::Instant now,
                           std::uint64_t wall, const std::function<mad::Lid(mad::Guid)>& lid_of) {
  Writer out;
  write_aliases(out, registrations, lid_of);
  for (const auto& [mgid, group] : registrations.groups.all()) write_group(out, group);
  for (const auto& [id, each] : registrations.subscriptions.all()) write_subscription(out, each);
  registrations.services.each(now, std::nullopt, [&](const mad::ServiceRecord& record) {
    write_service(out, record, wall);
    return true;
  });
  return out.take();
}

}  // namespace heddle::sa
