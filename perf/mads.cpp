// SPDX-License-Identifier: BSD-3-Clause
#include "perf/mads.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "mad/class_port_info.hpp"
#include "mad/gsi_datagram.hpp"

namespace heddle::perf {

PerfMad request(mad::Method method, mad::PerfAttributeId attribute, std::uint32_t transaction) {
  PerfMad mad;
  mad.header.base_version = mad::kBaseVersion;
  mad.header.management_class = mad::ManagementClass::Perf;
  mad.header.class_version = mad::kPerfClassVersion;
  mad.header.method = method;
  mad.header.transaction_id = mad::TransactionId{transaction};
  mad.header.attribute_id = static_cast<std::uint16_t>(attribute);
  return mad;
}

mad::Datagram to_datagram(const PerfMad& mad, mad::Lid lid, mad::ServiceLevel sl) {
  mad::Datagram datagram = mad::gsi_datagram(lid, sl);
  const auto header = mad::encode(mad.header);
  std::copy(header.begin(), header.end(), datagram.payload.begin());
  std::copy(mad.data.begin(), mad.data.end(), datagram.payload.begin() + mad::kPerfDataOffset);
  return datagram;
}

std::optional<mad::Address> redirection(const PerfMad& answer) {
  std::array<std::byte, mad::kBytes<mad::ClassPortInfo>> bytes{};
  std::copy_n(answer.data.begin(), bytes.size(), bytes.begin());
  const auto info = mad::decode<mad::ClassPortInfo>(bytes);
  if (!mad::is_unicast(info.redirect_lid) || info.redirect_qp == 0) return std::nullopt;
  mad::Address there;
  there.lid = info.redirect_lid;
  there.sl = info.redirect_sl;
  there.qpn = info.redirect_qp;
  there.q_key = info.redirect_q_key;
  return there;
}

std::optional<PerfMad> from_datagram(const mad::Datagram& datagram) {
  if (datagram.payload.size() < mad::kMadBytes) return std::nullopt;
  std::array<std::byte, mad::kBytes<mad::MADHeader>> header{};
  std::copy_n(datagram.payload.begin(), header.size(), header.begin());
  PerfMad mad;
  mad.header = mad::decode<mad::MADHeader>(header);
  if (mad.header.management_class != mad::ManagementClass::Perf) return std::nullopt;
  std::copy_n(datagram.payload.begin() + mad::kPerfDataOffset, mad.data.size(), mad.data.begin());
  return mad;
}

}  // namespace heddle::perf
