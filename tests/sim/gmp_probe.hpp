// SPDX-License-Identifier: BSD-3-Clause
// Management software that asks on QP1 and waits for the answer.
#pragma once

#include <algorithm>
#include <optional>

#include "mad/mad_header.hpp"
#include "mad/perf_attribute.hpp"
#include "sim/gmp.hpp"
#include "tests/sim/probe.hpp"

namespace heddle::sim {

struct Gmp {
  mad::MADHeader header;
  mad::PerfData data{};  // from byte 64 on, as most classes have it
};

inline Gmp question_of(mad::ManagementClass which, mad::Method method, unsigned attribute) {
  Gmp gmp;
  gmp.header.base_version = mad::kBaseVersion;
  gmp.header.management_class = which;
  gmp.header.class_version = 1;
  gmp.header.method = method;
  gmp.header.transaction_id = mad::TransactionId{77};
  gmp.header.attribute_id = static_cast<std::uint16_t>(attribute);
  return gmp;
}

inline mad::Datagram datagram_of(const Gmp& gmp, mad::Lid dlid) {
  mad::Datagram datagram;
  datagram.peer.lid = dlid;
  datagram.peer.qpn = 1;
  datagram.peer.q_key = mad::kManagementQKey;
  datagram.payload.resize(mad::kMadBytes);
  const auto header = mad::encode(gmp.header);
  std::copy(header.begin(), header.end(), datagram.payload.begin());
  std::copy(gmp.data.begin(), gmp.data.end(), datagram.payload.begin() + mad::kPerfDataOffset);
  return datagram;
}

inline Gmp gmp_of(const mad::Datagram& datagram) {
  Gmp gmp;
  std::array<std::byte, mad::kBytes<mad::MADHeader>> header{};
  std::copy_n(datagram.payload.begin(), header.size(), header.begin());
  gmp.header = mad::decode<mad::MADHeader>(header);
  std::copy_n(datagram.payload.begin() + mad::kPerfDataOffset, gmp.data.size(), gmp.data.begin());
  return gmp;
}

// Sends, lets the world run to rest and gives the answer, nothing when there was none.
inline std::optional<Gmp> ask(Probe& probe, const Gmp& gmp, mad::Lid dlid) {
  probe.world.send(probe.at, datagram_of(gmp, dlid), probe.now);
  probe.settle();
  const auto deliveries = probe.world.take_deliveries();
  if (deliveries.empty()) return std::nullopt;
  EXPECT_EQ(deliveries.size(), 1u);
  EXPECT_EQ(deliveries[0].to, probe.at);
  EXPECT_EQ(deliveries[0].datagram.peer.lid, dlid);
  return gmp_of(deliveries[0].datagram);
}

}  // namespace heddle::sim
