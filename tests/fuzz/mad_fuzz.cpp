// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an SMP, and its data as every attribute: nothing may crash, what is decoded must
// survive encoding, and every rendering must cope.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "base/check.hpp"
#include "mad/attribute_catalogue.hpp"
#include "mad/describe.hpp"
#include "mad/describe_json.hpp"
#include "mad/describe_smp.hpp"
#include "mad/link.hpp"
#include "mad/validation.hpp"

namespace {

using namespace heddle::mad;

template <class T>
void exercise(std::span<const std::byte> bytes) {
  std::array<std::byte, kBytes<T>> own{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), own.size()), own.begin());
  const T value = decode<T>(own);
  HEDDLE_CHECK(decode<T>(encode(value)) == value);
  HEDDLE_CHECK(differences(value, value).empty());
  HEDDLE_CHECK(!to_text(value).empty());
  HEDDLE_CHECK(!to_json(value).dump().empty());
  nonzero_fields(value);
}

void judge(std::span<const std::byte, kSmpDataBytes> data) {
  const auto port = decode<PortInfo>(data);
  const auto vendor = decode<MlnxExtendedPortInfo>(data);
  for (const PortKind kind : {PortKind::EndPort, PortKind::SwitchPort0, PortKind::SwitchExternal}) {
    validate(port, kind);
  }
  active_speed(port, &vendor);
  active_width(port);
  validate(decode<NodeInfo>(data));
  validate(decode<SwitchInfo>(data));
  validate(decode<SMInfo>(data));
  validate(decode<LinearForwardingTable>(data), 36);
  const auto notice = decode<Notice>(data);
  validate(notice);
  std::visit(
      []<class D>(const D& details) {
        if constexpr (Described<D>) to_text(details);
      },
      decode_details(notice));
}

// The input as a MAD that passes for an SMP: otherwise few inputs would get behind the header.
MadBytes smp_from(std::span<const std::byte> bytes) {
  MadBytes mad{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), mad.size()), mad.begin());
  mad[0] = std::byte{kBaseVersion};
  mad[1] &= std::byte{0x80};
  mad[1] |= std::byte{0x01};
  mad[2] = std::byte{kSmClassVersion};
  return mad;
}

}  // namespace

// One input works on one table, picked by its first byte, so that runs are quick.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  unsigned count = 0;
  for_each_described([&]<class T>() { ++count; });
  unsigned turn = data[0] % count;
  for_each_described([&]<class T>() {
    if (turn-- == 0) exercise<T>(bytes);
  });
  decode_smp(bytes);
  const auto smp = decode_smp(smp_from(bytes));
  HEDDLE_CHECK(smp.has_value());
  HEDDLE_CHECK(describe_smp(*smp).find('\n') == std::string::npos);
  judge(smp->data);
  return 0;
}
