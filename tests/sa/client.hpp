// SPDX-License-Identifier: BSD-3-Clause
// A client of subnet administration, for tests: what it sends and how it reads the answers is its
// own, apart from the layout of the records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mad/attribute_catalogue.hpp"
#include "mad/datagram.hpp"
#include "mad/sa_attributes.hpp"
#include "sa/server.hpp"

namespace heddle::sa {

inline constexpr mad::SMKey kOurKey{0x1234};

struct Question {
  mad::Method method = mad::Method::Get;
  std::uint16_t attribute{};
  std::uint32_t modifier{};
  std::uint64_t mask{};
  mad::SMKey key{};
  std::uint8_t class_version = mad::kSAClassVersion;
};

template <mad::Described T>
mad::Datagram make_query(const Question& question, const T& record, mad::Lid from) {
  mad::SAHeader header;
  header.mad = {mad::kBaseVersion,
                mad::ManagementClass::SubnAdm,
                question.class_version,
                question.method,
                mad::kStatusOk,
                0,
                mad::TransactionId{0xabcdef0123456789},
                question.attribute,
                question.modifier};
  header.rmpp.version = mad::kRmppVersion;
  header.sm_key = question.key;
  header.component_mask = question.mask;
  mad::Datagram datagram;
  datagram.peer.lid = from;
  datagram.peer.qpn = 1;
  datagram.payload.resize(mad::kMadBytes);
  mad::encode(header, std::span<std::byte, 56>(datagram.payload.data(), 56));
  const auto bytes = mad::encode(record);
  std::copy(bytes.begin(), bytes.end(), datagram.payload.begin() + 56);
  return datagram;
}

template <mad::Described T>
struct Reply {
  bool came = false;
  mad::SAHeader header;
  std::vector<T> records;
  mad::Status status() const { return header.mad.status; }
};

// As a client reads it: a table by its attribute offset, anything else as one record.
template <mad::Described T>
Reply<T> read_reply(const std::optional<mad::Datagram>& datagram) {
  Reply<T> reply;
  if (!datagram || datagram->payload.size() < 56) return reply;
  const std::span<const std::byte> payload(datagram->payload.data(), datagram->payload.size());
  reply.came = true;
  reply.header = mad::decode<mad::SAHeader>(payload.first<56>());
  if (reply.status() != mad::kStatusOk) return reply;
  const bool table = (reply.header.rmpp.flags & mad::kRmppActive) != 0;
  const std::size_t distance = std::size_t{reply.header.attribute_offset} * 8;
  const std::size_t end = table ? payload.size() : std::min(payload.size(), 56 + distance);
  for (std::size_t at = 56; distance != 0 && at + mad::kBytes<T> <= end; at += distance) {
    reply.records.push_back(mad::decode<T>(payload.subspan(at).template first<mad::kBytes<T>>()));
  }
  return reply;
}

}  // namespace heddle::sa
