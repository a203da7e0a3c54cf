// SPDX-License-Identifier: BSD-3-Clause
// What a kernel must know of a MAD's bytes to dispatch it: the common header, the RMPP header, and
// how long the header of a class is (IBA vol. 1, 13.4.3, 13.6.2 and 16.x).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mad/datagram.hpp"
#include "mad/mad_header.hpp"
#include "mad/rmpp_header.hpp"
#include "mad/vendor_header.hpp"

namespace heddle::doors::kernel {

inline constexpr std::size_t kMadHeaderBytes = 24;
inline constexpr std::size_t kRmppHeaderEnd = 36;                    // common and RMPP header
inline constexpr std::size_t kRmppDataBytes = 256 - kRmppHeaderEnd;  // 220, behind them
inline constexpr std::uint8_t kFirstOuiClass = 0x30;
inline constexpr std::uint8_t kLastOuiClass = 0x4f;

// Vendor classes that carry an OUI and the RMPP header.
constexpr bool has_oui(std::uint8_t management_class) {
  return management_class >= kFirstOuiClass && management_class <= kLastOuiClass;
}
constexpr bool is_subnet_class(std::uint8_t management_class) {
  return management_class == 0x01 || management_class == 0x81;
}
// SubnAdm, DevMgt, DevAdm, BIS and the vendor classes with an OUI.
constexpr bool may_rmpp(std::uint8_t management_class) {
  return management_class == 0x03 || management_class == 0x06 || management_class == 0x10 ||
         management_class == 0x12 || has_oui(management_class);
}
// Bytes in front of the class's data.
constexpr std::size_t class_header_bytes(std::uint8_t management_class) {
  if (management_class == 0x03) return 56;
  if (has_oui(management_class)) return 40;
  if (may_rmpp(management_class)) return 64;
  return kMadHeaderBytes;
}

// The fields by which MADs are told apart; `bytes` must hold a whole MAD of 256 bytes or at least
// kRmppHeaderEnd bytes of it.
struct MadView {
  explicit MadView(std::span<const std::byte> bytes);

  std::uint8_t base_version;
  std::uint8_t management_class;
  std::uint8_t class_version;
  std::uint8_t method;
  std::uint64_t transaction_id;
  std::uint32_t attribute_modifier;
  mad::RMPPHeader rmpp;  // meaningless unless may_rmpp()

  // TrapRepress answers a Trap without the response bit; Baseboard Management has its own mark.
  bool is_response() const;
  bool is_active_rmpp() const {
    return may_rmpp(management_class) && (rmpp.flags & mad::kRmppActive) != 0;
  }
};

void put_transaction_id(std::span<std::byte> mad, std::uint64_t id);
void put_rmpp_header(std::span<std::byte> mad, const mad::RMPPHeader& header);
// Behind the RMPP header of classes 0x30..0x4F.
std::uint32_t oui_of(std::span<const std::byte> mad);

}  // namespace heddle::doors::kernel
