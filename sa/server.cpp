// SPDX-License-Identifier: BSD-3-Clause
#include "sa/server.hpp"

#include <algorithm>
#include <utility>

#include "sa/registry.hpp"

namespace heddle::sa {
namespace {

using mad::Method;
using mad::Status;

constexpr std::uint8_t kNoResponseTime = 31;

// The method that answers; nothing for one that wants no answer.
std::optional<Method> response_to(Method method) {
  if (!mad::awaits_response(method)) return std::nullopt;
  if (method == Method::Set) return Method::GetResp;
  if (method == Method::GetTraceTable) return Method::GetTableResp;
  return static_cast<Method>(static_cast<std::uint8_t>(method) | mad::kResponseBit);
}

bool is_method_of_class(Method method) {
  switch (method) {
    case Method::Get:
    case Method::Set:
    case Method::GetTable:
    case Method::GetTraceTable:
    case Method::GetMulti:
    case Method::Delete:
      return true;
    default:
      return false;
  }
}

mad::SAHeader header_of(const mad::Payload& payload) {
  return mad::decode<mad::SAHeader>(
      std::span<const std::byte, mad::kSAHeaderBytes>(payload.data(), mad::kSAHeaderBytes));
}

// What is wrong with a request before anybody looks at what it asks for.
Status screen(const mad::SAHeader& header, const Entry* entry) {
  if (header.mad.base_version != mad::kBaseVersion) return mad::kStatusBadVersion;
  if (header.mad.class_version != mad::kSAClassVersion) return mad::kStatusBadVersion;
  const Method method = header.mad.method;
  if (!is_method_of_class(method)) return mad::kStatusBadMethod;
  const bool table = method == Method::GetTable;
  if (entry == nullptr || !(table ? entry->table : method == Method::Get)) {
    return mad::kStatusBadMethodAttribute;
  }
  return mad::kStatusOk;
}

// What the number of records means for the method.
Status judge(const Query& query, const Records& records) {
  if (query.wants_table()) return records.full() ? mad::kSANoResources : mad::kStatusOk;
  if (records.count() == 0) return mad::kSANoRecords;
  return records.count() == 1 ? mad::kStatusOk : mad::kSATooManyRecords;
}

Status look_up(const View* view, mad::SMKey key, const mad::Datagram& request, Query& query,
               Records& records) {
  const Entry* entry = find_entry(query.header.mad.attribute_id);
  if (const Status status = screen(query.header, entry); status != mad::kStatusOk) return status;
  if (view == nullptr) return mad::kStatusBusy;
  query.trusted = query.header.sm_key == key && key != mad::SMKey{};
  if (!query.trusted && query.header.sm_key != mad::SMKey{}) return mad::kSAReqDenied;
  query.requester = view->find(request.peer.lid);
  if (query.requester == fabric::kNoPort) return mad::kSAReqDenied;
  const auto bytes = std::span(request.payload).subspan(mad::kSAHeaderBytes);
  std::copy_n(bytes.begin(), std::min(bytes.size(), query.data.size()), query.data.begin());
  const Status status = entry->find(*view, query, records);
  return status == mad::kStatusOk ? judge(query, records) : status;
}

}  // namespace

bool is_subnet_administration(const mad::Payload& payload) {
  constexpr std::size_t kClassByte = 1;
  return payload.size() > kClassByte &&
         payload[kClassByte] == static_cast<std::byte>(mad::ManagementClass::SubnAdm);
}

std::optional<mad::Datagram> answer(const View* view, mad::SMKey key,
                                    const mad::Datagram& request) {
  if (request.payload.size() < mad::kSAHeaderBytes) return std::nullopt;
  Query query;
  query.header = header_of(request.payload);
  const auto response = response_to(query.header.mad.method);
  if (!response) return std::nullopt;

  Records records(query.wants_table());
  const Status status = look_up(view, key, request, query, records);
  const bool well = status == mad::kStatusOk;
  mad::SAHeader header = query.header;
  header.mad.method = *response;
  header.mad.base_version = mad::kBaseVersion;
  header.mad.class_version = mad::kSAClassVersion;
  header.mad.status = status;
  header.sm_key = {};  // C15-0.1.5
  header.rmpp = {};
  header.attribute_offset =
      well ? static_cast<std::uint16_t>(records.record_bytes() / 8) : std::uint16_t{0};
  mad::Datagram reply{request.peer, {}};
  if (well) reply.payload = records.take();
  if (well && query.wants_table()) {
    header.rmpp = {
        mad::kRmppVersion, mad::RMPPType::Data, kNoResponseTime, mad::kRmppActive, 0, 0, 0};
  } else {
    reply.payload.resize(mad::kMadBytes);
  }
  mad::encode(header,
              std::span<std::byte, mad::kSAHeaderBytes>(reply.payload.data(), mad::kSAHeaderBytes));
  return reply;
}

}  // namespace heddle::sa
