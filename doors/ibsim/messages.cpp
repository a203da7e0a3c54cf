// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/messages.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace heddle::doors::ibsim {
namespace {

constexpr std::uint32_t kMagic = 0xdeadbeef;

// Offsets in a control message, and in the data of CONNECT.
constexpr std::size_t kClientAt = 4;
constexpr std::size_t kTypeAt = 8;
constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kDataAt = 16;
constexpr std::size_t kQpAt = 4;
constexpr std::size_t kIsSmAt = 8;
constexpr std::size_t kNodeAt = 12;

// Offsets in a request.
constexpr std::size_t kDlidAt = 0;
constexpr std::size_t kSlidAt = 4;
constexpr std::size_t kDqpAt = 8;
constexpr std::size_t kSqpAt = 12;
constexpr std::size_t kStatusAt = 16;
constexpr std::size_t kMadLengthAt = 24;
constexpr std::size_t kMadAt = 32;

// Offsets in a MAD.
constexpr std::size_t kClassAt = 1;
constexpr std::size_t kMethodAt = 3;
constexpr std::size_t kTransactionAt = 8;

// In the machine's own order.
template <class Number>
Number native(std::span<const std::byte> bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}
template <class Number>
void put_native(std::span<std::byte> bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

// In network order.
template <class Number>
Number network(std::span<const std::byte> bytes, std::size_t at) {
  return static_cast<Number>(mad::detail::load_bytes<sizeof(Number)>(bytes.data() + at));
}
template <class Number>
void put_network(std::span<std::byte> bytes, std::size_t at, Number number) {
  mad::detail::store_bytes<sizeof(Number)>(bytes.data() + at, number);
}

}  // namespace

base::Result<Control> decode_control(std::span<const std::byte> bytes) {
  if (bytes.size() != kControlBytes) {
    return base::error(
        fmt::format("a control message has {} bytes, not {}", kControlBytes, bytes.size()));
  }
  if (native<std::uint32_t>(bytes, 0) != kMagic) {
    return base::error("a control message without its magic number");
  }
  Control control;
  control.client = native<std::uint32_t>(bytes, kClientAt);
  const auto type = native<std::uint32_t>(bytes, kTypeAt);
  if (type == 0 || type > static_cast<std::uint32_t>(ControlType::GetPKeys)) {
    return base::error(fmt::format("there is no control message of type {}", type));
  }
  control.type = static_cast<ControlType>(type);
  control.length = native<std::uint32_t>(bytes, kLengthAt);
  if (control.length > kControlDataBytes) {
    return base::error(fmt::format("a control message cannot hold {} bytes", control.length));
  }
  std::copy_n(bytes.begin() + kDataAt, kControlDataBytes, control.data.begin());
  return control;
}

ControlBytes encode_control(const Control& control) {
  ControlBytes bytes{};
  put_native(bytes, 0, kMagic);
  put_native(bytes, kClientAt, control.client);
  put_native(bytes, kTypeAt, static_cast<std::uint32_t>(control.type));
  put_native(bytes, kLengthAt, control.length);
  std::copy(control.data.begin(), control.data.end(), bytes.begin() + kDataAt);
  return bytes;
}

ClientInfo decode_client_info(const ControlData& data) {
  ClientInfo info;
  info.id = native<std::uint32_t>(data, 0);
  info.qp = native<std::uint32_t>(data, kQpAt);
  info.is_sm = native<std::uint32_t>(data, kIsSmAt) != 0;
  for (std::size_t i = 0; i < kNodeIdBytes; ++i) {
    const char letter = std::to_integer<char>(data[kNodeAt + i]);
    if (letter == '\0') break;
    info.node += letter;
  }
  return info;
}

ControlData encode_client_info(const ClientInfo& info) {
  ControlData data{};
  put_native(data, 0, info.id);
  put_native(data, kQpAt, info.qp);
  put_native(data, kIsSmAt, std::uint32_t{info.is_sm});
  const std::size_t length = std::min(info.node.size(), kNodeIdBytes - 1);
  std::memcpy(data.data() + kNodeAt, info.node.data(), length);
  return data;
}

bool decode_is_sm(const ControlData& data) {
  return native<std::uint32_t>(data, 0) != 0;
}

std::uint8_t decode_port_number(const ControlData& data) {
  return std::to_integer<std::uint8_t>(data[0]);
}

ControlData encode_vendor(std::uint32_t vendor, std::uint32_t device, std::uint32_t revision) {
  ControlData data{};
  put_native(data, 0, vendor);
  put_native(data, 4, device);
  put_native(data, 8, revision);
  return data;  // the firmware's version stays 0
}

ControlData encode_port(mad::Lid lid, mad::PortState state) {
  ControlData data{};
  put_native(data, 0, lid.value);
  data[2] = static_cast<std::byte>(state);
  return data;
}

ControlData encode_gid(mad::GidPrefix prefix, mad::Guid guid) {
  ControlData data{};
  put_network(data, 0, prefix.value);
  put_network(data, 8, guid.value);
  return data;
}

ControlData encode_guid(mad::Guid guid) {
  ControlData data{};
  put_network(data, 0, guid.value);
  return data;
}

base::Result<Request> Request::from_datagram(std::span<const std::byte> bytes) {
  if (bytes.size() != kRequestBytes) {
    return base::error(fmt::format("a request has {} bytes, not {}", kRequestBytes, bytes.size()));
  }
  Request request;
  std::copy(bytes.begin(), bytes.end(), request.bytes_.begin());
  return request;
}

Request Request::to_client(const mad::Datagram& datagram, mad::Lid own_lid) {
  Request request;
  RequestBytes& bytes = request.bytes_;
  put_network(bytes, kDlidAt, own_lid.value);
  put_network(bytes, kSlidAt, datagram.peer.lid.value);
  // A management QP talks to its like.
  put_network(bytes, kDqpAt, datagram.peer.qpn);
  put_network(bytes, kSqpAt, datagram.peer.qpn);
  const std::size_t length = std::min(datagram.payload.size(), mad::kMadBytes);
  put_network(bytes, kMadLengthAt, std::uint64_t{length});
  std::copy_n(datagram.payload.begin(), length, bytes.begin() + kMadAt);
  return request;
}

mad::Datagram Request::datagram() const {
  mad::Datagram datagram;
  datagram.peer.lid = mad::Lid{network<std::uint16_t>(bytes_, kDlidAt)};
  datagram.peer.qpn = network<std::uint32_t>(bytes_, kDqpAt);
  datagram.peer.q_key = datagram.peer.qpn == 0 ? 0 : mad::kManagementQKey;
  datagram.payload.assign(bytes_.begin() + kMadAt, bytes_.end());
  return datagram;
}

Request Request::timed_out() const {
  Request back = *this;
  put_network(back.bytes_, kStatusAt, kStatusTimedOut);
  return back;
}

std::uint8_t Request::method() const {
  return std::to_integer<std::uint8_t>(bytes_[kMadAt + kMethodAt]);
}

std::uint8_t Request::management_class() const {
  return std::to_integer<std::uint8_t>(bytes_[kMadAt + kClassAt]);
}

mad::TransactionId Request::transaction() const {
  return mad::TransactionId{network<std::uint64_t>(bytes_, kMadAt + kTransactionAt)};
}

void Request::set_transaction(mad::TransactionId transaction) {
  put_network(bytes_, kMadAt + kTransactionAt, transaction.value);
}

}  // namespace heddle::doors::ibsim
