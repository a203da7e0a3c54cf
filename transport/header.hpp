// SPDX-License-Identifier: BSD-3-Clause
// The common MAD header (IBA vol. 1, 13.4.3) as far as a transport looks at it: whose it is and
// which request it belongs to. Works on any class, which the codecs of mad/ need not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mad/datagram.hpp"
#include "mad/types.hpp"

namespace heddle::transport {

// The kernel returns no more than this of a request that timed out.
inline constexpr std::size_t kHeaderBytes = 24;

struct Header {
  mad::ManagementClass management_class{};
  mad::Method method{};
  mad::TransactionId transaction_id{};
};

// Nothing when the bytes are too few to be a MAD.
inline std::optional<Header> peek_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) return std::nullopt;
  std::uint64_t id = 0;
  for (std::size_t i = 8; i < 16; ++i) id = id << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return Header{static_cast<mad::ManagementClass>(bytes[1]), static_cast<mad::Method>(bytes[3]),
                mad::TransactionId{id}};
}

// The bytes must hold a header.
inline void set_transaction_id(std::span<std::byte> bytes, mad::TransactionId id) {
  for (std::size_t i = 16; i-- > 8; id.value >>= 8) bytes[i] = static_cast<std::byte>(id.value);
}

// The half that is the sender's own, whatever the transport put above it.
inline mad::TransactionId sender_half(mad::TransactionId id) {
  return {id.value & 0xffff'ffffu};
}

// Whether the payload is one RMPP message: the reliable protocol's flags say so, in the classes
// that have them at this place. Its length counts, so it is not padded to a whole MAD.
inline bool is_rmpp_message(std::span<const std::byte> bytes) {
  constexpr std::size_t kRmppHeaderEnd = 36;
  constexpr std::size_t kFlagsByte = 26;
  constexpr std::byte kActive{1};
  return bytes.size() >= kRmppHeaderEnd &&
         bytes[1] == static_cast<std::byte>(mad::ManagementClass::SubnAdm) &&
         (bytes[kFlagsByte] & kActive) != std::byte{0};
}

// What a request looks like when the kernel gives it back unanswered: the header, then nothing.
inline void reduce_to_header(mad::Payload& payload) {
  payload.resize(kHeaderBytes);
  payload.resize(mad::kMadBytes);
}

}  // namespace heddle::transport
