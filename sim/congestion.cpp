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

bool key_admits(const Request& request, mad::CCKey key) {
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
  } else {
    mad::ClassPortInfo info;
    info.base_version = mad::kBaseVersion;
    info.class_version = kCongestionClassVersion;
    info.resp_time_value = kResponseTime;
    mad::encode(info, data_of(body));
  }
  return mad::kStatusOk;
}

mad::Status dispatch(const Request& request, Id attribute, CongestionMad& body) {
  const NodeIndex node = request.context.node();
  const bool is_switch = request.context.devices.is_switch(node);
  const Data data = data_of(body);
  switch (attribute) {
    case Id::ClassPortInfo:
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
  if (!key_admits(request, body.key)) return Answer::Silence;
  header.status = dispatch(request, static_cast<Id>(header.attribute_id), body);
  return Answer::Reply;
}

}  // namespace heddle::sim
