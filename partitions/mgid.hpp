// SPDX-License-Identifier: BSD-3-Clause
// Multicast GIDs (IBA vol. 1, 4.1.1), and those that stand for IP groups (RFC 4391, 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::partitions {

inline constexpr std::uint64_t kIpv4Signature = 0x401b;  // bits 16..31 of the MGID
inline constexpr std::uint64_t kIpv6Signature = 0x601b;

constexpr bool is_multicast(const mad::Gid& gid) {
  return gid.prefix.value >> 56 == 0xff;
}
constexpr bool is_ip(const mad::Gid& mgid) {
  const std::uint64_t signature = mgid.prefix.value >> 32 & 0xffff;
  return signature == kIpv4Signature || signature == kIpv6Signature;
}
constexpr std::uint8_t scope_of(const mad::Gid& mgid) {
  return mgid.prefix.value >> 48 & 0xf;
}
constexpr mad::Gid with_scope(mad::Gid mgid, std::uint8_t scope) {
  mgid.prefix.value = (mgid.prefix.value & ~(0xfull << 48)) | std::uint64_t{scope} << 48;
  return mgid;
}
// Of IP groups: others have no P_Key in their MGID.
constexpr mad::PKey p_key_of(const mad::Gid& mgid) {
  return mad::PKey{static_cast<std::uint16_t>(mgid.prefix.value >> 16)};
}
constexpr mad::Gid with_p_key(mad::Gid mgid, mad::PKey p_key) {
  mgid.prefix.value = (mgid.prefix.value & ~(0xffffull << 16)) | std::uint64_t{p_key.value} << 16;
  return mgid;
}
// ff1s:401b:PKEY::ffff:ffff for the IPv4 signature.
constexpr mad::Gid broadcast_mgid(std::uint64_t signature, mad::PKey p_key, std::uint8_t scope) {
  const mad::Gid bare{{0xff10ull << 48 | signature << 32}, {0xffff'ffff}};
  return with_scope(with_p_key(bare, p_key), scope);
}

// Eight groups of hexadecimal digits, or fewer and one "::".
std::optional<mad::Gid> gid_of(std::string_view text);
// All eight groups.
std::string gid_text(const mad::Gid& gid);

}  // namespace heddle::partitions
