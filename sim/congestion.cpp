// SPDX-License-Identifier: BSD-3-Clause
#include "sim/congestion.hpp"

#include <algorithm>
#include <chrono>

#include "mad/class_port_info.hpp"
#include "sim/congestion_log.hpp"

namespace heddle::sim {
namespace {

using Id = mad::CongestionAttributeId;

constexpr std::uint8_t kControlTableBlocks = 2;
constexpr std::size_t kDataOffset = mad::kPerfDataOffset - mad::kCongestionLogOffset;
constexpr std::uint8_t kResponseTime = 16;  // 4.096 us * 2^16

struct Request {
  const AgentContext& context;
  PortIndex port;  // whose registers: port 0 of a switch, the adapter's port otherwise
  bool is_set;
  std::uint32_t modifier;
};

using Data = std::span<std::byte, mad::kPerfDataBytes>;
using View = std::span<const std::byte, mad::kPerfDataBytes>;

Data data_of(CongestionMad& body) {
  return Data(body.data.data() + kDataOffset, mad::kPerfDataBytes);
}

CongestionRegisters& registers_of(const Request& request) {
  return request.context.devices.congestion[request.port];
}

void let_lease_expire(CongestionRegisters& registers, base::Instant now) {
  if (now < registers.lease_expires) return;
  registers.key.cc_key_protect_bit = false;
  registers.lease_expires = base::kNever;
}

void note_violation(CongestionRegisters& registers, base::Instant now) {
  mad::CongestionKeyInfo& info = registers.key;
  if (info.cc_key_violations != 0xFFFF) ++info.cc_key_violations;
  if (info.cc_key_lease_period != 0 && registers.lease_expires == base::kNever) {
    registers.lease_expires = now + std::chrono::seconds(info.cc_key_lease_period);
  }
}

// What was written of ClassPortInfo: where traps are wanted.
mad::ClassPortInfo wanted_traps(const Request& request) {
  const auto& settings = registers_of(request).settings;
  const auto found = settings.find({static_cast<std::uint16_t>(Id::ClassPortInfo), 0});
  return found == settings.end() ? mad::ClassPortInfo{}
                                 : mad::decode<mad::ClassPortInfo>(View(found->second));
}

template <class T>
void put(mad::Payload& payload, std::size_t offset, const T& value) {
  const auto bytes = mad::encode(value);
  std::copy(bytes.begin(), bytes.end(), payload.begin() + static_cast<std::ptrdiff_t>(offset));
}

// Trap 0, sent once; nothing where nobody wants traps.
void raise_violation(const Request& request, const mad::MADHeader& header, mad::CCKey key) {
  constexpr std::uint32_t kManagementQueuePair = 1;
  const AgentContext& context = request.context;
  const mad::ClassPortInfo wanted = wanted_traps(request);
  if (!mad::is_unicast(wanted.trap_lid)) return;
  mad::BadCCKeyNotice details;
  details.source_lid = context.slid;
  details.method = header.method;
  details.attribute_id = header.attribute_id;
  details.attribute_modifier = header.attribute_modifier;
  details.qp = kManagementQueuePair;
  details.cc_key = key;
  details.source_gid = context.sgid.value_or(mad::Gid{});
  const mad::PortInfo& info = context.devices.ports[request.port].info;
  const mad::IssuedNotice notice{
      mad::make_notice(mad::TrapNumber{mad::kBadCCKeyTrap}, mad::NoticeType::Security,
                       context.devices.nodes[context.node()].type, info.lid, details),
      {info.gid_prefix, context.devices.port_guid(request.port)}};
  mad::MADHeader told = header;
  told.method = mad::Method::Trap;
  told.attribute_id = static_cast<std::uint16_t>(Id::Notice);
  told.attribute_modifier = 0;
  told.transaction_id = mad::TransactionId{registers_of(request).key.cc_key_violations};
  mad::Datagram trap;
  trap.peer.lid = wanted.trap_lid;
  trap.peer.sl = wanted.trap_sl;
  trap.peer.qpn = kManagementQueuePair;
  trap.peer.q_key = wanted.trap_q_key;
  trap.payload.resize(mad::kMadBytes);
  put(trap.payload, 0, told);
  put(trap.payload, mad::kPerfDataOffset, notice);
  context.devices.class_traps.emplace_back(request.port, std::move(trap));
}

bool key_admits(const Request& request, const mad::MADHeader& header, mad::CCKey key) {
  CongestionRegisters& registers = registers_of(request);
  let_lease_expire(registers, request.context.now);
  const mad::CongestionKeyInfo& info = registers.key;
  if (info.cc_key == mad::CCKey{}) return true;
  if (key == info.cc_key) {
    registers.lease_expires = base::kNever;
    return true;
  }
  if (!request.is_set && !info.cc_key_protect_bit) return true;
  note_violation(registers, request.context.now);
  raise_violation(request, header, key);
  return false;
}

// Shown to everybody that may ask: a protect bit that the lease has ended lets the next manager in.
mad::Status on_key_info(const Request& request, Data data) {
  CongestionRegisters& registers = registers_of(request);
  if (request.is_set) {
    registers.key = mad::decode<mad::CongestionKeyInfo>(View(data));
    registers.lease_expires = base::kNever;
  }
  mad::encode(registers.key, data);
  return mad::kStatusOk;
}

// A setting that the device keeps as it was written, by attribute and block.
mad::Status on_setting(const Request& request, Id attribute, std::uint32_t block, Data data) {
  auto& settings = registers_of(request).settings;
  const std::pair key{static_cast<std::uint16_t>(attribute), block};
  if (request.is_set) {
    std::copy(data.begin(), data.end(), settings[key].begin());
    return mad::kStatusOk;
  }
  const auto found = settings.find(key);
  if (found == settings.end()) {
    std::fill(data.begin(), data.end(), std::byte{0});
  } else {
    std::copy(found->second.begin(), found->second.end(), data.begin());
  }
  return mad::kStatusOk;
}

mad::Status on_control_table(const Request& request, Data data) {
  if (request.modifier >= kControlTableBlocks) return mad::kStatusBadField;
  const auto table = mad::decode<mad::CongestionControlTable>(View(data));
  constexpr unsigned kEntries = kControlTableBlocks * mad::kCongestionTableEntriesPerBlock;
  if (request.is_set && table.ccti_limit >= kEntries) return mad::kStatusBadField;
  return on_setting(request, Id::CongestionControlTable, request.modifier, data);
}

mad::Status on_read_only(const Request& request, Id attribute, CongestionMad& body) {
  if (request.is_set) return mad::kStatusBadMethodAttribute;
  const bool is_switch = request.context.devices.is_switch(request.context.node());
  if (attribute == Id::CongestionLog) {
    body.data = take_congestion_log(registers_of(request), is_switch, request.context.now);
  } else if (attribute == Id::CongestionInfo) {
    mad::encode(mad::CongestionInfo{0, is_switch ? std::uint8_t{0} : kControlTableBlocks},
                data_of(body));
  } else if (attribute == Id::TimeStamp) {
    mad::encode(mad::TimeStamp{congestion_time_stamp(request.context.now)}, data_of(body));
  }
  return mad::kStatusOk;
}

// Only where traps are to go can be written.
mad::Status on_class_port_info(const Request& request, Data data) {
  if (request.is_set) on_setting(request, Id::ClassPortInfo, 0, data);
  mad::ClassPortInfo info = wanted_traps(request);
  info.base_version = mad::kBaseVersion;
  info.class_version = kCongestionClassVersion;
  info.capability_mask = mad::kSendsTraps;
  info.capability_mask2 = 0;
  info.resp_time_value = kResponseTime;
  info.redirect_gid = {};
  info.redirect_tc = 0;
  info.redirect_sl = {};
  info.redirect_fl = 0;
  info.redirect_lid = {};
  info.redirect_p_key = {};
  info.redirect_qp = 0;
  info.redirect_q_key = 0;
  mad::encode(info, data);
  return mad::kStatusOk;
}

mad::Status dispatch(const Request& request, Id attribute, CongestionMad& body) {
  const NodeIndex node = request.context.node();
  const bool is_switch = request.context.devices.is_switch(node);
  const Data data = data_of(body);
  switch (attribute) {
    case Id::ClassPortInfo:
      return on_class_port_info(request, data);
    case Id::CongestionInfo:
    case Id::CongestionLog:
    case Id::TimeStamp:
      return on_read_only(request, attribute, body);
    case Id::CongestionKeyInfo:
      return on_key_info(request, data);
    case Id::SwitchCongestionSetting:
      if (!is_switch) break;
      return on_setting(request, attribute, 0, data);
    case Id::SwitchPortCongestionSetting:
      if (!is_switch) break;
      if (request.modifier >
          request.context.devices.nodes[node].port_count / mad::kCongestionPortsPerBlock) {
        return mad::kStatusBadField;
      }
      return on_setting(request, attribute, request.modifier, data);
    case Id::CACongestionSetting:
      if (is_switch) break;
      return on_setting(request, attribute, 0, data);
    case Id::CongestionControlTable:
      if (is_switch) break;
      return on_control_table(request, data);
    case Id::Notice:
      break;
  }
  return mad::kStatusBadMethodAttribute;
}

}  // namespace

Answer answer_congestion(const AgentContext& context, mad::MADHeader& header, CongestionMad& body) {
  const Request request{context, context.devices.management_port(context.port),
                        header.method == mad::Method::Set, header.attribute_modifier};
  if (header.class_version == 0 || header.class_version > kCongestionClassVersion) {
    header.status = mad::kStatusBadVersion;
    return Answer::Reply;
  }
  if (!key_admits(request, header, body.key)) return Answer::Silence;
  header.status = dispatch(request, static_cast<Id>(header.attribute_id), body);
  return Answer::Reply;
}

}  // namespace heddle::sim
