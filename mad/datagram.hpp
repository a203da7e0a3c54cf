// SPDX-License-Identifier: BSD-3-Clause
// A MAD with its address: what crosses the seam between the SM machine, a transport and a world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <boost/container/small_vector.hpp>

#include "mad/gid.hpp"
#include "mad/smp.hpp"
#include "mad/types.hpp"

namespace heddle::mad {

// Global route header, as far as a MAD's sender or receiver cares.
struct GlobalRoute {
  Gid remote{};
  std::uint8_t gid_index{};
  std::uint8_t hop_limit{};
  std::uint8_t traffic_class{};
  std::uint32_t flow_label{};  // 20 bits
  friend bool operator==(const GlobalRoute&, const GlobalRoute&) = default;
};

// The well-known Q_Key of QP1, which every sender to it must name (IBA vol. 1, 10.2.5).
inline constexpr std::uint32_t kManagementQKey = 0x8001'0000;

// The other end: where a datagram goes to, or came from.
struct Address {
  Lid lid = kPermissiveLid;  // permissive for directed-route SMPs
  std::uint32_t qpn{};       // 0 for SMPs, 1 for the rest of management
  std::uint32_t q_key{};     // kManagementQKey on QP1
  ServiceLevel sl{};
  std::uint8_t path_bits{};
  std::uint16_t p_key_index{};
  std::optional<GlobalRoute> global_route{};
  friend bool operator==(const Address&, const Address&) = default;
};

// 256 bytes in place; only whole RMPP messages are longer and live on the heap.
using Payload = boost::container::small_vector<std::byte, kMadBytes>;

struct Datagram {
  Address peer{};
  Payload payload{};
  friend bool operator==(const Datagram&, const Datagram&) = default;
};

inline Datagram make_datagram(const Address& peer, const Smp& smp) {
  const MadBytes bytes = encode_smp(smp);
  return {peer, Payload(bytes.begin(), bytes.end())};
}

}  // namespace heddle::mad
