// SPDX-License-Identifier: BSD-3-Clause
#include "sa/request.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mad/mgid.hpp"
#include "mad/path_record.hpp"

namespace heddle::sa {
namespace {

using mad::Method;
using mad::Status;

constexpr std::uint8_t kNoResponseTime = 31;

// The method that answers; nothing for one that wants no answer.
std::optional<Method> response_to(Method method) {
  if (!mad::awaits_response(method) || method == Method::Report) return std::nullopt;
  if (method == Method::Set) return Method::GetResp;
  if (method == Method::GetTraceTable) return Method::GetTableResp;
  return static_cast<Method>(static_cast<std::uint8_t>(method) | mad::kResponseBit);
}

// What is wrong with a request before anybody looks at what it asks for.
Status screen(const mad::SAHeader& header, const Entry* entry) {
  if (header.mad.base_version != mad::kBaseVersion) return mad::kStatusBadVersion;
  if (header.mad.class_version != mad::kSAClassVersion) return mad::kStatusBadVersion;
  const std::uint8_t method = bit_of(header.mad.method);
  if (method == 0) return mad::kStatusBadMethod;
  if (entry == nullptr || (entry->methods & method) == 0) return mad::kStatusBadMethodAttribute;
  return mad::kStatusOk;
}

// What the number of records means for the method.
Status judge(const Query& query, const Records& records) {
  if (query.wants_table()) return records.full() ? mad::kSANoResources : mad::kStatusOk;
  if (records.count() == 0) return mad::kSANoRecords;
  return records.count() == 1 ? mad::kStatusOk : mad::kSATooManyRecords;
}

// Whether a PathRecord, whole or not, names a group as its destination.
bool is_about_group(const mad::SAHeader& header, const mad::Payload& payload) {
  if ((header.component_mask & mad::component<&mad::PathRecord::dgid>()) == 0) return false;
  std::array<std::byte, mad::kBytes<mad::PathRecord>> bytes{};
  const auto data = std::span(payload).subspan(mad::kSAHeaderBytes);
  std::copy_n(data.begin(), std::min(data.size(), bytes.size()), bytes.begin());
  return mad::is_multicast(mad::decode<mad::PathRecord>(bytes).dgid);
}

}  // namespace

bool follows_from_view(const mad::SAHeader& header, const mad::Payload& payload) {
  const Entry* entry = find_entry(header.mad.attribute_id);
  if (entry == nullptr || entry->find == nullptr) return false;
  const bool paths = entry->id == mad::SAAttributeId::PathRecord;
  return !paths || !is_about_group(header, payload);
}

bool may_take_long(const mad::Datagram& request) {
  if (request.payload.size() < mad::kSAHeaderBytes) return false;
  const mad::SAHeader header = header_of(request.payload);
  const bool table = header.mad.method == Method::GetTable || header.mad.method == Method::GetMulti;
  return table && follows_from_view(header, request.payload);
}

std::optional<mad::Datagram> look_up(const View& view, mad::SMKey key,
                                     const mad::Datagram& request) {
  return look_up(view, key, header_of(request.payload), request);
}

std::optional<mad::Datagram> look_up(const View& view, mad::SMKey key, const mad::SAHeader& header,
                                     const mad::Datagram& request) {
  bool waits = false;
  return Request(&view, nullptr, key, {}).answer(header, request, waits);
}

bool wants_answer(Method method) {
  return response_to(method).has_value();
}

mad::Datagram make_reply(const mad::SAHeader& asked, const mad::Address& peer, Status status,
                         Records records) {
  const bool well = status == mad::kStatusOk;
  mad::SAHeader header = asked;
  header.mad.method = response_to(asked.mad.method).value_or(Method::GetResp);
  header.mad.base_version = mad::kBaseVersion;
  header.mad.class_version = mad::kSAClassVersion;
  header.mad.status = status;
  if (well) {
    const Entry* entry = find_entry(asked.mad.attribute_id);
    header.mad.attribute_id = static_cast<std::uint16_t>(entry->answers_with);
  }
  header.sm_key = {};  // C15-0.1.5
  header.rmpp = {};
  header.attribute_offset =
      well ? static_cast<std::uint16_t>(records.record_bytes() / 8) : std::uint16_t{0};
  const bool table = records.is_table();
  mad::Datagram reply{peer, well ? records.take() : mad::Payload{}};
  if (well && table) {
    header.rmpp = {
        mad::kRmppVersion, mad::RMPPType::Data, kNoResponseTime, mad::kRmppActive, 0, 0, 0};
  } else {
    reply.payload.resize(mad::kMadBytes);
  }
  mad::encode(header,
              std::span<std::byte, mad::kSAHeaderBytes>(reply.payload.data(), mad::kSAHeaderBytes));
  return reply;
}

namespace {

mad::Datagram put_off(mad::SAHeader header, const mad::Address& peer, std::uint8_t hint) {
  header.mad.status = mad::kStatusBusy;
  header.sm_key = {};
  header.rmpp = {};
  header.rmpp.response_time = hint;
  // The kernel replaces the RMPP header of whatever an agent sends for which it does RMPP; the
  // distance of records, of which there are none, gets through.
  header.attribute_offset = hint;
  mad::Datagram reply{peer, {}};
  reply.payload.resize(mad::kMadBytes);
  mad::encode(header,
              std::span<std::byte, mad::kSAHeaderBytes>(reply.payload.data(), mad::kSAHeaderBytes));
  return reply;
}

}  // namespace

mad::Datagram busy(const mad::Datagram& request, std::uint8_t hint) {
  mad::SAHeader header = header_of(request.payload);
  header.mad.method = response_to(header.mad.method).value_or(Method::GetResp);
  return put_off(header, request.peer, hint);
}

mad::Datagram busy_instead(const mad::Datagram& reply, std::uint8_t hint) {
  return put_off(header_of(reply.payload), reply.peer, hint);
}

Status Request::look_up(const mad::Datagram& received, const Entry* entry, Query& query,
                        Records& records) const {
  if (const Status status = screen(query.header, entry); status != mad::kStatusOk) return status;
  if (view_ == nullptr) return mad::kStatusBusy;
  query.trusted = query.header.sm_key == key_ && key_ != mad::SMKey{};
  query.requester = view_->find(received.peer.lid);
  if (query.requester == fabric::kNoPort) return mad::kSAReqDenied;
  if (!may_ask(trust_, key_, query.header)) return mad::kSAReqDenied;
  query.trust = trust_;
  query.guest = view_->guest(received.peer);
  query.peer = received.peer;
  query.request = &received;
  query.now = now_;
  query.message = std::span(received.payload).subspan(mad::kSAHeaderBytes);
  std::copy_n(query.message.begin(), std::min(query.message.size(), query.data.size()),
              query.data.begin());
  Status status = mad::kStatusBadMethodAttribute;
  if (registrations_ != nullptr && entry->handle != nullptr) {
    status = entry->handle(*registrations_, *view_, query, records);
  } else if (entry->find != nullptr) {
    status = entry->find(*view_, query, records);
  }
  return status == mad::kStatusOk ? judge(query, records) : status;
}

std::optional<mad::Datagram> Request::answer(const mad::SAHeader& asked,
                                             const mad::Datagram& received, bool& waits) const {
  // Who tries keys learns nothing, not even that this one was wrong.
  const bool wrong_key = asked.sm_key != mad::SMKey{} && asked.sm_key != key_;
  if (!response_to(asked.mad.method) || (view_ != nullptr && wrong_key)) return std::nullopt;
  Query query;
  query.header = asked;
  const Entry* entry = find_entry(asked.mad.attribute_id);
  Records records(query.wants_table());
  const Status status = look_up(received, entry, query, records);
  waits = status == kWaitsForFetches;
  if (waits || status == kAnsweredLater) return std::nullopt;
  return make_reply(asked, received.peer, status, std::move(records));
}

}  // namespace heddle::sa
