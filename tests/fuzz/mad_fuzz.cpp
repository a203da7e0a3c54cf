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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for_each_described([&]<class T>() { exercise<T>(bytes); });
  if (size >= kSmpDataBytes) judge(bytes.first<kSmpDataBytes>());
  if (const auto smp = decode_smp(bytes)) {
    const std::string line = describe_smp(*smp);
    HEDDLE_CHECK(line.find('\n') == std::string::npos);
    judge(smp->data);
  }
  return 0;
}
