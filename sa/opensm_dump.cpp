// SPDX-License-Identifier: BSD-3-Clause
#include "sa/opensm_dump.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/file_place.hpp"
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
constexpr std::size_t kShown = 40;  // bytes of what is wrong
constexpr std::array<std::string_view, 4> kDataKeys{" data8=", " data16=", " data32=", " data64="};

// In hexadecimal, with so many digits at least.
std::string hex_text(std::uint64_t value, unsigned digits = 1) {
  while (digits < 16 && value >> (4 * digits) != 0) ++digits;
  return base::hex(value, digits);
}

// --- reading

// The fields of a line, in their order. What is wrong first is what is told.
class Fields {
 public:
  explicit Fields(const base::FilePlace& place) : place_(place), rest_(place.line) {}

  // Behind "key=" or whatever stands before the value.
  template <class Number = std::uint64_t>
  Number number(std::string_view key) {
    skip(key);
    return static_cast<Number>(digits(std::numeric_limits<Number>::max()));
  }
  mad::Gid gid(std::string_view key) {
    const mad::GidPrefix prefix{number(key)};
    const std::size_t begin = last_value_;
    const mad::Gid gid{prefix, mad::Guid{number(":")}};
    last_value_ = begin;
    return gid;
  }
  // Between quotation marks, up to what must come next.
  std::string_view quoted(std::string_view key, std::string_view next) {
    skip(key);
    last_value_ = here();
    const auto end = rest_.find(next);
    if (good() && end == rest_.npos) miss(next);
    if (!good()) return {};
    return std::exchange(rest_, rest_.substr(end)).substr(0, end);
  }
  // Where the value that was read last begins, for refuse().
  std::size_t last_value() const { return last_value_; }
  void refuse(std::size_t at, std::string_view why) {
    if (good()) wrong_ = place_.wrong_at(at, why);
  }
  bool good() const { return !wrong_; }
  base::Result<> finish() const { return good() ? base::Result<>() : *wrong_; }

 private:
  std::size_t here() const { return place_.index_of(rest_); }
  void miss(std::string_view key) {
    const auto word = base::trim(key);
    refuse(here(), "'" + std::string(word) + "' is wanted in the rest of this line");
  }
  void skip(std::string_view key) {
    if (!good()) return;
    const auto at = rest_.find(key);
    if (at == rest_.npos) return miss(key);
    rest_.remove_prefix(at + key.size());
  }
  std::uint64_t digits(std::uint64_t max) {
    if (!good()) return 0;
    last_value_ = here();
    const auto end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
      return std::isxdigit(static_cast<unsigned char>(c)) == 0 && c != 'x';
    });
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    const auto text = rest_.substr(0, length);
    const auto value = base::parse_hex(text);
    if (!value || *value > max) {
      const auto found = base::printable(rest_.substr(0, std::min(rest_.find(' '), kShown)));
      refuse(here(),
             "a number from 0x0 to " + hex_text(max) + " is wanted here; '" + found + "' is none");
      return 0;
    }
    rest_.remove_prefix(length);
    return *value;
  }

  const base::FilePlace& place_;
  std::string_view rest_;
  std::size_t last_value_ = 0;
  std::optional<base::Error> wrong_;
};

class Reader {
 public:
  Reader(base::Instant now, std::uint64_t wall) : restoring_(now), wall_(wall) {}

  base::Result<> read(const base::FilePlace& place) {
    const std::string_view line = place.line;
    Fields fields(place);
    if (line.starts_with(kAlias)) {
      read_aliases(fields);
    } else if (line.starts_with(kGroup)) {
      read_group(fields, line.find(kWellKnown) != line.npos);
    } else if (line.starts_with(kMember)) {
      read_member(fields);
    } else if (line.starts_with(kSubscription)) {
      read_subscription(fields);
    } else if (line.starts_with(kService)) {
      read_service(fields);
    } else {
      refuse_line(fields, line);
    }
    return fields.finish();
  }
  Registrations finish() { return restoring_.finish(); }

 private:
  static void refuse_line(Fields& fields, std::string_view line) {
    std::string kinds;
    for (const auto kind : {kAlias, kGroup, kMember, kSubscription}) {
      kinds += "'" + std::string(base::trim(kind)) + "', ";
    }
    fields.refuse(0, "a line begins with " + kinds + "or '" + std::string(kService) +
                         "'; this one with '" + base::printable(line.substr(0, kShown)) + "'");
  }

  void read_aliases(Fields& fields) {
    const mad::Guid port{fields.number(" base_guid=")};
    fields.number<std::uint16_t>(" lid=");
    const auto block = fields.number<std::uint8_t>(" block_num=");
    for (std::size_t i = 0; i < 8; ++i) {
      const mad::Guid alias{fields.number(" guid" + std::to_string(i) + '=')};
      const std::size_t entry = 8u * block + i;
      if (!fields.good()) return;
      if (entry == 0 || alias == mad::Guid{}) continue;
      take(fields, fields.last_value(), restoring_.add_alias(port, entry, alias));
    }
  }
  // What stands at this place, unless it could not be so.
  void take(Fields& fields, std::size_t at, bool taken) {
    if (!taken) fields.refuse(at, "this cannot be so: " + restoring_.why_not());
  }

  static void read_membership(Fields& fields, mad::MCMemberRecord& record) {
    const auto scope_state = fields.number<std::uint8_t>(" scope_state=");
    record.scope = static_cast<std::uint8_t>(scope_state >> 4);
    record.join_state = scope_state & 0xf;
    record.proxy_join = fields.number<std::uint8_t>(" proxy_join=") != 0;
  }
  void read_group(Fields& fields, bool well_known) {
    mad::MCMemberRecord record;
    group_ = record.mgid = fields.gid(" mgid=");
    const std::size_t at = fields.last_value();
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
    if (fields.good()) take(fields, at, restoring_.add_group(record, well_known));
  }
  void read_member(Fields& fields) {
    if (group_ == mad::Gid{}) {
      return fields.refuse(0, "a line '" + std::string(kGroup) + "...' is wanted before this one");
    }
    mad::MCMemberRecord record;
    record.mgid = group_;
    record.port_gid = fields.gid(" port_gid=");
    const std::size_t at = fields.last_value();
    read_membership(fields, record);
    if (!fields.good()) return;
    const mad::Guid owner = restoring_.so_far().alias_guids.owner(record.port_gid.guid);
    const mad::Guid port = owner == mad::Guid{} ? record.port_gid.guid : owner;
    take(fields, at, restoring_.add_member(record, port, {}));
  }

  void read_subscription(Fields& fields) {
    Subscription made;
    made.subscriber = fields.gid(" subscriber_gid=");
    const std::size_t at = fields.last_value();
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
    if (fields.good()) take(fields, at, restoring_.add_subscription(made));
  }

  void read_service(Fields& fields) {
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
    const std::size_t at = fields.last_value();
    const mad::Gid gid = fields.gid(" gid=");
    const mad::PKey p_key{fields.number<std::uint16_t>(" pkey=")};
    fields.number<std::uint32_t>(" lease=");  // as it was asked for
    pair(" key=", kServiceKey);
    const auto name = fields.quoted(" name='", "' data8=");
    if (name.size() > kNameBytes) {
      fields.refuse(fields.last_value(), "a name of 64 bytes at most is wanted here");
    }
    for (std::size_t i = 0; i < kDataKeys.size(); ++i) pair(kDataKeys[i], kServiceData + kPart * i);
    const auto modified = fields.number(" modified_time=");
    const auto left = fields.number<std::uint32_t>(" lease_period=");
    if (!fields.good()) return;
    auto record = mad::decode<mad::ServiceRecord>(bytes);
    record.service_id = id;
    record.service_gid = gid;
    record.service_p_key = p_key;
    record.service_lease = left;
    std::copy(name.begin(), name.end(), record.service_name.begin());
    take(fields, at, restoring_.add_service(record, wall_ > modified ? wall_ - modified : 0));
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
    text_.append(key).append(hex_text(value, digits));
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

base::Result<Registrations> parse_opensm_dump(std::string_view text, std::string_view title,
                                              base::Instant now, std::uint64_t wall) {
  Reader reader(now, wall);
  base::FilePlace place{title, 0, {}};
  for (const std::string_view line : base::split(text, '\n')) {
    ++place.number;
    place.line = line;
    if (base::trim(line).empty()) continue;
    const auto read = reader.read(place);
    if (read.has_error()) return read.error();
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
