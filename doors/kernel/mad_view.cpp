// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/mad_view.hpp"

#include "base/check.hpp"
#include "mad/wire.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr std::uint8_t kBaseboardClass = 0x05;
constexpr std::uint32_t kBaseboardResponse = 1;  // in the attribute modifier
constexpr std::size_t kTransactionIdAt = 8;

}  // namespace

MadView::MadView(std::span<const std::byte> bytes) {
  HEDDLE_CHECK(bytes.size() >= kRmppHeaderEnd);
  const auto header = mad::decode<mad::MADHeader>(bytes.first<kMadHeaderBytes>());
  base_version = header.base_version;
  management_class = static_cast<std::uint8_t>(header.management_class);
  class_version = header.class_version;
  method = static_cast<std::uint8_t>(header.method);
  transaction_id = header.transaction_id.value;
  attribute_modifier = header.attribute_modifier;
  rmpp = mad::decode<mad::RMPPHeader>(
      bytes.subspan<kMadHeaderBytes, kRmppHeaderEnd - kMadHeaderBytes>());
}

bool MadView::is_response() const {
  return (method & mad::kResponseBit) != 0 ||
         method == static_cast<std::uint8_t>(mad::Method::TrapRepress) ||
         (management_class == kBaseboardClass && (attribute_modifier & kBaseboardResponse) != 0);
}

void put_transaction_id(std::span<std::byte> mad, std::uint64_t id) {
  for (std::size_t i = 0; i < 8; ++i) {
    mad[kTransactionIdAt + i] = static_cast<std::byte>(id >> (56 - 8 * i));
  }
}

void put_rmpp_header(std::span<std::byte> mad, const mad::RMPPHeader& header) {
  mad::encode(header, mad.subspan<kMadHeaderBytes, kRmppHeaderEnd - kMadHeaderBytes>());
}

std::uint32_t oui_of(std::span<const std::byte> mad) {
  HEDDLE_CHECK(mad.size() >= mad::kBytes<mad::VendorHeader>);
  return mad::decode<mad::VendorHeader>(mad.first<mad::kBytes<mad::VendorHeader>>()).oui;
}

}  // namespace heddle::doors::kernel
