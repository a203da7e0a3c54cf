// SPDX-License-Identifier: BSD-3-Clause
// What a multicast GID says about itself (IBA vol. 1, 4.1.1; for IPoIB RFC 4391, 4).
#pragma once

#include <cstdint>

#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::mad {

// Bits 32..47 of a GID, from the left 16..31: who gave the rest its meaning.
inline constexpr std::uint16_t kIPv4Signature = 0x401B;
inline constexpr std::uint16_t kIPv6Signature = 0x601B;
inline constexpr std::uint16_t kMadeBySASignature = 0xA01B;

inline constexpr std::uint8_t kLinkLocalScope = 2;

constexpr bool is_multicast(const Gid& gid) {
  return gid.prefix.value >> 56 == 0xFF;
}
constexpr std::uint8_t flags_of(const Gid& mgid) {
  return static_cast<std::uint8_t>(mgid.prefix.value >> 52 & 0xF);
}
constexpr std::uint8_t scope_of(const Gid& mgid) {
  return static_cast<std::uint8_t>(mgid.prefix.value >> 48 & 0xF);
}
constexpr std::uint16_t signature_of(const Gid& mgid) {
  return static_cast<std::uint16_t>(mgid.prefix.value >> 32);
}
constexpr bool is_ipv4(const Gid& mgid) {
  return signature_of(mgid) == kIPv4Signature;
}
constexpr bool is_ipv6(const Gid& mgid) {
  return signature_of(mgid) == kIPv6Signature;
}
constexpr bool is_ipoib(const Gid& mgid) {
  return is_ipv4(mgid) || is_ipv6(mgid);
}
// Meaningful where is_ipoib(): others have no P_Key in their MGID.
constexpr PKey p_key_of(const Gid& mgid) {
  return PKey{static_cast<std::uint16_t>(mgid.prefix.value >> 16)};
}
// ff1s:601b:<P_Key>::1:ffxx:xxxx: what asks who owns an IPv6 address (RFC 4291, 2.7.1).
constexpr bool is_solicited_node(const Gid& mgid) {
  return is_ipv6(mgid) && (mgid.prefix.value & 0xFFFF) == 0 && mgid.guid.value >> 24 == 0x1FF;
}
constexpr Gid with_scope(Gid mgid, std::uint8_t scope) {
  mgid.prefix.value = (mgid.prefix.value & ~(0xFull << 48)) | std::uint64_t{scope & 0xFu} << 48;
  return mgid;
}
constexpr Gid with_p_key(Gid mgid, PKey p_key) {
  mgid.prefix.value = (mgid.prefix.value & ~(0xFFFFull << 16)) | std::uint64_t{p_key.value} << 16;
  return mgid;
}
// ff1s:401b:<P_Key>::ffff:ffff, or 601b: the group whose terms hold for all IPoIB groups of the
// partition. The MGID holds the P_Key with its membership bit set.
constexpr Gid broadcast_mgid(PKey p_key, std::uint16_t signature,
                             std::uint8_t scope = kLinkLocalScope) {
  const Gid bare{{0xFF10ull << 48 | std::uint64_t{signature} << 32}, {0xFFFF'FFFF}};
  const PKey full{static_cast<std::uint16_t>(p_key.value | 0x8000u)};
  return with_scope(with_p_key(bare, full), scope);
}

}  // namespace heddle::mad
