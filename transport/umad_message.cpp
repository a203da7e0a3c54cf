// SPDX-License-Identifier: BSD-3-Clause
#include "transport/umad_message.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/umad.h>

#include "transport/header.hpp"

namespace heddle::transport {
namespace {

// The well-known queue key of QP1 (IBA vol. 1, 10.2.5). The kernel does not report it.
constexpr std::uint32_t kGsiQueueKey = 0x8001'0000;

void put_address(void* umad, const mad::Address& peer) {
  umad_set_addr_net(umad, htons(peer.lid.value), htonl(peer.qpn), peer.sl.value, htonl(peer.q_key));
  umad_set_pkey(umad, peer.p_key_index);
  umad_get_mad_addr(umad)->path_bits = peer.path_bits;
  if (!peer.global_route) {
    umad_set_grh(umad, nullptr);
    return;
  }
  const mad::GlobalRoute& route = *peer.global_route;
  ib_mad_addr_t grh{};
  grh.ib_gid.global.subnet_prefix = htobe64(route.remote.prefix.value);
  grh.ib_gid.global.interface_id = htobe64(route.remote.guid.value);
  grh.flow_label = route.flow_label;  // umad_set_grh turns it round
  grh.hop_limit = route.hop_limit;
  grh.traffic_class = route.traffic_class;
  umad_set_grh(umad, &grh);
  umad_get_mad_addr(umad)->gid_index = route.gid_index;
}

mad::Address get_address(void* umad) {
  const ib_mad_addr_t& from = *umad_get_mad_addr(umad);
  mad::Address peer;
  peer.lid = mad::Lid{ntohs(from.lid)};
  peer.qpn = ntohl(from.qpn);
  peer.q_key = peer.qpn == 0 ? 0 : kGsiQueueKey;
  peer.sl = mad::ServiceLevel{from.sl};
  peer.path_bits = from.path_bits;
  peer.p_key_index = static_cast<std::uint16_t>(umad_get_pkey(umad));
  if (from.grh_present) {
    union umad_gid gid {};
    std::memcpy(&gid, from.gid, sizeof gid);
    peer.global_route = mad::GlobalRoute{{mad::GidPrefix{be64toh(gid.global.subnet_prefix)},
                                          mad::Guid{be64toh(gid.global.interface_id)}},
                                         from.gid_index,
                                         from.hop_limit,
                                         from.traffic_class,
                                         ntohl(from.flow_label) & 0xf'ffffu};
  }
  return peer;
}

}  // namespace

UmadMessage::UmadMessage() {
  reserve(mad::kMadBytes);
}

void UmadMessage::reserve(std::size_t length) {
  // umad_size() is the kernel's choice of header once the port is open; its largest is this one.
  buffer_.resize(std::max(buffer_.size(), sizeof(ib_user_mad_t) + length));
}

std::size_t UmadMessage::room() const {
  return buffer_.size() - sizeof(ib_user_mad_t);
}

std::size_t UmadMessage::fill(const mad::Datagram& datagram) {
  const std::size_t size = datagram.payload.size();
  const std::size_t length =
      is_rmpp_message(datagram.payload) ? size : std::max(size, mad::kMadBytes);
  reserve(length);
  // No more than what is sent: the buffer may be as long as the longest table ever was.
  std::fill_n(buffer_.begin(), sizeof(ib_user_mad_t), std::byte{0});
  put_address(data(), datagram.peer);
  auto* mad = static_cast<std::byte*>(umad_get_mad(data()));
  std::memcpy(mad, datagram.payload.data(), size);
  std::fill(mad + size, mad + length, std::byte{0});
  return length;
}

std::optional<Received> UmadMessage::take(std::size_t length) {
  const auto* bytes = static_cast<const std::byte*>(umad_get_mad(data()));
  std::optional<Received> taken(std::in_place);
  Received& received = *taken;
  received.datagram.payload.assign(bytes, bytes + std::min(length, room()));
  const auto header = peek_header(received.datagram.payload);
  if (!header) return std::nullopt;
  received.datagram.peer = get_address(data());

  const bool response = mad::is_response(header->method);
  const bool given_back = umad_status(data()) != 0;
  if (given_back && response) return std::nullopt;
  if (given_back) {
    received.arrival = Arrival::SendFailed;
    reduce_to_header(received.datagram.payload);
  }
  if (given_back || response) {
    set_transaction_id(received.datagram.payload, sender_half(header->transaction_id));
  }
  return taken;
}

}  // namespace heddle::transport
