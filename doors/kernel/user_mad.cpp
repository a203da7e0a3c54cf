// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/user_mad.hpp"

#include <cstring>

#include <rdma/ib_user_mad.h>

#include "base/check.hpp"
#include "mad/wire.hpp"

namespace heddle::doors::kernel {
namespace {

static_assert(sizeof(ib_user_mad_hdr) == kHeaderBytes);
static_assert(sizeof(ib_user_mad_hdr_old) == kOldHeaderBytes);
static_assert(sizeof(ib_user_mad_reg_req) == kRegistrationBytes);
static_assert(sizeof(ib_user_mad_reg_req2) == kRegistration2Bytes);
static_assert(IB_USER_MAD_ABI_VERSION == kUmadAbiVersion);
static_assert(IB_USER_MAD_USER_RMPP == kUserRmpp);

constexpr std::uint32_t kFlowLabelMask = 0xf'ffff;

mad::GlobalRoute route_of(const ib_user_mad_hdr& raw) {
  mad::GlobalRoute route;
  std::array<std::byte, 16> gid;
  std::memcpy(gid.data(), raw.gid, gid.size());
  route.remote = mad::decode<mad::Gid>(gid);
  route.gid_index = raw.gid_index;
  route.hop_limit = raw.hop_limit;
  route.traffic_class = raw.traffic_class;
  route.flow_label = __builtin_bswap32(raw.flow_label) & kFlowLabelMask;
  return route;
}

std::size_t header_bytes(bool with_p_key) {
  return with_p_key ? kHeaderBytes : kOldHeaderBytes;
}

}  // namespace

std::optional<UserMadHeader> decode_header(std::span<const std::byte> bytes, bool with_p_key) {
  const std::size_t size = header_bytes(with_p_key);
  if (bytes.size() < size) return std::nullopt;
  ib_user_mad_hdr raw{};
  std::memcpy(&raw, bytes.data(), size);
  UserMadHeader header;
  header.id = raw.id;
  header.status = raw.status;
  header.timeout_ms = raw.timeout_ms;
  header.retries = raw.retries;
  header.length = raw.length;
  header.peer.lid = mad::Lid{__builtin_bswap16(raw.lid)};
  header.peer.qpn = __builtin_bswap32(raw.qpn);
  header.peer.q_key = __builtin_bswap32(raw.qkey);
  header.peer.sl = mad::ServiceLevel{static_cast<std::uint8_t>(raw.sl & 0xf)};
  header.peer.path_bits = raw.path_bits;
  header.peer.p_key_index = raw.pkey_index;
  if (raw.grh_present != 0) header.peer.global_route = route_of(raw);
  return header;
}

void encode_header(const UserMadHeader& header, bool with_p_key, std::span<std::byte> bytes) {
  const std::size_t size = header_bytes(with_p_key);
  HEDDLE_CHECK(bytes.size() >= size);
  ib_user_mad_hdr raw{};
  raw.id = header.id;
  raw.status = header.status;
  raw.timeout_ms = header.timeout_ms;
  raw.retries = header.retries;
  raw.length = header.length;
  raw.lid = __builtin_bswap16(header.peer.lid.value);
  raw.qpn = __builtin_bswap32(header.peer.qpn);
  raw.qkey = __builtin_bswap32(header.peer.q_key);
  raw.sl = header.peer.sl.value;
  raw.path_bits = header.peer.path_bits;
  raw.pkey_index = header.peer.p_key_index;
  if (header.peer.global_route) {
    const mad::GlobalRoute& route = *header.peer.global_route;
    raw.grh_present = 1;
    raw.gid_index = route.gid_index;
    raw.hop_limit = route.hop_limit;
    raw.traffic_class = route.traffic_class;
    raw.flow_label = __builtin_bswap32(route.flow_label);
    const auto gid = mad::encode(route.remote);
    std::memcpy(raw.gid, gid.data(), gid.size());
  }
  std::memcpy(bytes.data(), &raw, size);
}

std::optional<Registration> decode_registration(std::span<const std::byte> bytes) {
  if (bytes.size() < kRegistrationBytes) return std::nullopt;
  ib_user_mad_reg_req raw;
  std::memcpy(&raw, bytes.data(), sizeof raw);
  Registration wanted;
  wanted.qpn = raw.qpn;
  wanted.management_class = raw.mgmt_class;
  wanted.class_version = raw.mgmt_class_version;
  wanted.methods = {raw.method_mask[0], raw.method_mask[1]};
  wanted.oui = static_cast<std::uint32_t>(raw.oui[0] << 16 | raw.oui[1] << 8 | raw.oui[2]);
  wanted.rmpp_version = raw.rmpp_version;
  return wanted;
}

std::optional<Registration> decode_registration2(std::span<const std::byte> bytes) {
  if (bytes.size() < kRegistration2Bytes) return std::nullopt;
  ib_user_mad_reg_req2 raw;
  std::memcpy(&raw, bytes.data(), sizeof raw);
  Registration wanted;
  wanted.qpn = raw.qpn;
  wanted.management_class = raw.mgmt_class;
  wanted.class_version = raw.mgmt_class_version;
  wanted.methods = {raw.method_mask[0], raw.method_mask[1]};
  wanted.oui = raw.oui;
  wanted.rmpp_version = raw.rmpp_version;
  wanted.flags = raw.flags;
  return wanted;
}

}  // namespace heddle::doors::kernel
