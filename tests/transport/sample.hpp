// SPDX-License-Identifier: BSD-3-Clause
// MADs to send about, and a transport that only remembers what it was told.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mad/datagram.hpp"
#include "transport/header.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

inline mad::Datagram sample(mad::Method method, std::uint64_t id,
                            mad::AttributeId attribute = mad::AttributeId::NodeInfo) {
  mad::Smp smp;
  smp.method = method;
  smp.transaction_id = mad::TransactionId{id};
  smp.attribute_id = attribute;
  smp.data[5] = std::byte{0x5a};
  return mad::make_datagram({}, smp);
}

inline mad::Datagram sample_request(std::uint64_t id) {
  return sample(mad::Method::Get, id);
}

// What a device makes of a request: the same id, all 64 bits of it.
inline mad::Datagram answer_to(mad::Datagram request) {
  request.payload[3] = static_cast<std::byte>(mad::Method::GetResp);
  return request;
}

inline std::uint64_t id_of(const mad::Datagram& datagram) {
  return peek_header(datagram.payload).value().transaction_id.value;
}

class Remembering final : public Transport {
 public:
  void set_receiver(Receiver receiver) override { receiver_ = std::move(receiver); }
  void send(mad::Datagram datagram) override { sent.push_back(std::move(datagram)); }
  void set_is_sm(bool value) override { is_sm = value; }

  void deliver(std::vector<Received> batch) const { receiver_(batch); }

  std::vector<mad::Datagram> sent;
  bool is_sm = false;

 private:
  Receiver receiver_;
};

}  // namespace heddle::transport
