// SPDX-License-Identifier: BSD-3-Clause
// A query as the handlers see it, and where they put the records they find.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/time.hpp"
#include "fabric/topology.hpp"
#include "mad/component_mask.hpp"
#include "mad/datagram.hpp"
#include "mad/sa_attributes.hpp"
#include "mad/sa_header.hpp"
#include "sa/trust.hpp"
#include "sa/virtual_ports.hpp"

namespace heddle::sa {

// The largest answer: 32 MiB, half a million PathRecords. A larger one is refused with
// ERR_NO_RESOURCES, and nothing of it is sent.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{32} << 20;

struct Query {
  mad::SAHeader header;
  std::array<std::byte, mad::kSADataBytes> data{};
  std::span<const std::byte> message;      // all the data: longer than `data` if it came by RMPP
  const mad::Datagram* request = nullptr;  // as it came
  mad::Address peer;                       // who asks, and where the answer goes
  base::Instant now{};
  fabric::PortIndex requester = fabric::kNoPort;  // an endport of the subnet
  const VirtualPort* guest = nullptr;             // who asks, if it is a virtual port behind it
  bool trusted = false;                           // its SM_Key is ours
  Trust trust;                                    // in whoever asks, if it is not

  bool asks(std::uint64_t component) const { return (header.component_mask & component) != 0; }
  // What memberships know the requester by.
  fabric::PortIndex member() const { return guest != nullptr ? guest->member : requester; }
  // A Get wants one record; the others want whatever there is.
  bool wants_table() const {
    return header.mad.method == mad::Method::GetTable ||
           header.mad.method == mad::Method::GetMulti ||
           header.mad.method == mad::Method::GetTraceTable;
  }
  template <mad::Described T>
  T record() const {
    return mad::decode<T>(data);
  }
};

// Records, encoded as they will be sent: behind room for the header, each at a multiple of 8 bytes.
class Records {
 public:
  explicit Records(bool table) : table_(table) { payload_.resize(mad::kSAHeaderBytes); }

  // A Get needs no more than two records to know that one is too many.
  bool full() const { return full_; }
  bool is_table() const { return table_; }
  std::size_t count() const { return count_; }
  std::size_t record_bytes() const { return record_bytes_; }
  template <mad::Described T>
  void add(const T& record) {
    constexpr std::size_t bytes = mad::kRecordBytes<T>;
    const std::size_t at = payload_.size();
    payload_.resize(at + bytes);
    mad::encode(record, std::span<std::byte, bytes>(payload_.data() + at, bytes));
    record_bytes_ = bytes;
    ++count_;
    full_ = table_ ? payload_.size() > kMaxAnswerBytes : count_ > 1;
  }
  // Adds the record if it has what the query asks for.
  template <mad::Described T>
  void offer(const Query& query, const T& wanted, const T& record) {
    if (mad::matches(query.header.component_mask, wanted, record)) add(record);
  }
  mad::Payload take() { return std::move(payload_); }

 private:
  bool table_;
  bool full_ = false;
  std::size_t count_ = 0;
  std::size_t record_bytes_ = 0;
  mad::Payload payload_;
};

}  // namespace heddle::sa
