// SPDX-License-Identifier: BSD-3-Clause
#include "sim/gmp.hpp"

#include <algorithm>

#include "mad/mad_header.hpp"
#include "sim/congestion.hpp"
#include "sim/pma.hpp"

namespace heddle::sim {
namespace {

using mad::ManagementClass;

constexpr std::size_t kHeaderBytes = mad::kBytes<mad::MADHeader>;
constexpr std::size_t kHeadersOfPacket = 8 + 12 + 8 + 4;
constexpr std::size_t kGlobalRouteBytes = 40;

mad::MADHeader header_of(const mad::Payload& payload) {
  return mad::decode<mad::MADHeader>(
      std::span<const std::byte, kHeaderBytes>(payload.data(), kHeaderBytes));
}

// Baseboard management and the vendors' classes of the first range: firmware, if anybody.
bool is_firmware_class(ManagementClass which) {
  constexpr std::uint8_t kBaseboard = 0x05;
  constexpr std::uint8_t kFirstVendor = 0x09;
  constexpr std::uint8_t kLastVendor = 0x0F;
  const auto number = static_cast<std::uint8_t>(which);
  return number == kBaseboard || (number >= kFirstVendor && number <= kLastVendor);
}

mad::Status perf(const AgentContext& context, const mad::MADHeader& header, mad::Payload& payload) {
  if (header.class_version != mad::kPerfClassVersion) return mad::kStatusBadVersion;
  mad::PerfData data;
  const auto bytes = payload.begin() + mad::kPerfDataOffset;
  std::copy_n(bytes, data.size(), data.begin());
  const mad::Status status = answer_perf(context, header.method, header.attribute_id, data);
  if (status == mad::kStatusOk) std::copy(data.begin(), data.end(), bytes);
  return status;
}

Answer congestion(const AgentContext& context, mad::MADHeader& header, mad::Payload& payload) {
  std::array<std::byte, mad::kBytes<mad::CongestionKey>> key;
  std::copy_n(payload.begin() + mad::kCongestionKeyOffset, key.size(), key.begin());
  CongestionMad body;
  body.key = mad::decode<mad::CongestionKey>(key).cc_key;
  const auto bytes = payload.begin() + mad::kCongestionLogOffset;
  std::copy_n(bytes, body.data.size(), body.data.begin());
  const Answer answer = answer_congestion(context, header, body);
  if (header.status == mad::kStatusOk) std::copy(body.data.begin(), body.data.end(), bytes);
  return answer;
}

Answer dispatch(const AgentContext& context, mad::MADHeader& header, mad::Payload& payload) {
  header.status = mad::kStatusOk;
  switch (header.management_class) {
    case ManagementClass::Perf:
      header.status = perf(context, header, payload);
      return Answer::Reply;
    case ManagementClass::CongestionControl:
      return congestion(context, header, payload);
    default:
      header.status = mad::kStatusBadVersion;
      return Answer::Reply;
  }
}

}  // namespace

bool is_for_device(const mad::Payload& payload) {
  if (payload.size() < kHeaderBytes) return false;
  const mad::MADHeader header = header_of(payload);
  if (mad::is_response(header.method)) return false;
  if (header.management_class == ManagementClass::Perf ||
      header.management_class == ManagementClass::CongestionControl) {
    return header.method != mad::Method::Trap;  // which are for their managers
  }
  const bool asks = header.method == mad::Method::Get || header.method == mad::Method::Set;
  return asks && is_firmware_class(header.management_class);
}

Answer answer_gmp(const AgentContext& context, mad::Payload& payload) {
  mad::MADHeader header = header_of(payload);
  if (!mad::awaits_response(header.method)) return Answer::Silence;
  payload.resize(mad::kMadBytes);
  if (header.base_version != mad::kBaseVersion) {
    header.status = mad::kStatusBadVersion;
  } else if (header.method != mad::Method::Get && header.method != mad::Method::Set) {
    header.status = mad::kStatusBadMethodAttribute;
  } else if (context.devices.nodes[context.node()].misbehaviour.busy) {
    header.status = mad::kStatusBusy;
  } else if (dispatch(context, header, payload) == Answer::Silence) {
    return Answer::Silence;
  }
  header.method = mad::Method::GetResp;
  const auto bytes = mad::encode(header);
  std::copy(bytes.begin(), bytes.end(), payload.begin());
  return Answer::Reply;
}

std::uint16_t packet_words(const mad::Datagram& datagram) {
  const std::size_t route = datagram.peer.global_route ? kGlobalRouteBytes : 0;
  return static_cast<std::uint16_t>(
      (kHeadersOfPacket + route + std::max(datagram.payload.size(), mad::kMadBytes) + 3) / 4);
}

}  // namespace heddle::sim
