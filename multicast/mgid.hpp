// SPDX-License-Identifier: BSD-3-Clause
// What a multicast GID says about itself (IBA vol. 1, 4.1.1; for IPoIB RFC 4391, 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mad/gid.hpp"
#include "mad/types.hpp"

namespace heddle::multicast {

// Bits 32..47 of a GID, from the left 16..31: who gave the rest its meaning.
inline constexpr std::uint16_t kIPv4Signature = 0x401B;
inline constexpr std::uint16_t kIPv6Signature = 0x601B;
inline constexpr std::uint16_t kMadeBySASignature = 0xA01B;

inline constexpr std::uint8_t kLinkLocalScope = 2;

// GIDs in the order of their bytes.
struct GidOrder {
  constexpr bool operator()(const mad::Gid& a, const mad::Gid& b) const {
    return a.prefix != b.prefix ? a.prefix < b.prefix : a.guid < b.guid;
  }
};

constexpr std::uint8_t flags_of(const mad::Gid& mgid) {
  return static_cast<std::uint8_t>(mgid.prefix.value >> 52 & 0xF);
}
constexpr std::uint8_t scope_of(const mad::Gid& mgid) {
  return static_cast<std::uint8_t>(mgid.prefix.value >> 48 & 0xF);
}
constexpr std::uint16_t signature_of(const mad::Gid& mgid) {
  return static_cast<std::uint16_t>(mgid.prefix.value >> 32);
}

constexpr bool is_ipv4(const mad::Gid& mgid) {
  return signature_of(mgid) == kIPv4Signature;
}
constexpr bool is_ipv6(const mad::Gid& mgid) {
  return signature_of(mgid) == kIPv6Signature;
}
constexpr bool is_ipoib(const mad::Gid& mgid) {
  return is_ipv4(mgid) || is_ipv6(mgid);
}
// Meaningful where is_ipoib().
constexpr mad::PKey p_key_of(const mad::Gid& mgid) {
  return mad::PKey{static_cast<std::uint16_t>(mgid.prefix.value >> 16)};
}

// ff1s:601b:<P_Key>::1:ffxx:xxxx: what asks who owns an IPv6 address (RFC 4291, 2.7.1).
constexpr bool is_solicited_node(const mad::Gid& mgid) {
  return is_ipv6(mgid) && (mgid.prefix.value & 0xFFFF) == 0 && mgid.guid.value >> 24 == 0x1FF;
}

// ff1s:401b:<P_Key>::ffff:ffff, or 601b: the group whose terms hold for all IPoIB groups of the
// partition. The MGID holds the P_Key with its membership bit set.
constexpr mad::Gid broadcast_mgid(mad::PKey p_key, std::uint16_t signature,
                                  std::uint8_t scope = kLinkLocalScope) {
  const auto key = static_cast<std::uint64_t>(p_key.value | 0x8000u);
  const std::uint64_t head = 0xFF10u | (scope & 0xFu);
  return {mad::GidPrefix{head << 48 | std::uint64_t{signature} << 32 | key << 16},
          mad::Guid{0xFFFF'FFFF}};
}

// Why this cannot name a group, as a piece of a sentence; nothing when it can.
std::optional<std::string> fault_of(const mad::Gid& mgid);

// As people write it: "ff12:401b:ffff::ffff:ffff".
std::string text_of(const mad::Gid& gid);

}  // namespace heddle::multicast
