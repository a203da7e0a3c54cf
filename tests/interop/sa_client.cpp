// SPDX-License-Identifier: BSD-3-Clause
#include "tests/interop/sa_client.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include <arpa/inet.h>
#include <endian.h>

namespace heddle::interop {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSAClass = 0x03;
constexpr int kReport = 0x06;
constexpr std::uint8_t kMostGids = 255;
constexpr std::size_t kStatusAt = 4;

mad::SAHeader header_of(const Bytes& mad) {
  const auto* bytes = reinterpret_cast<const std::byte*>(mad.data());
  return mad::decode<mad::SAHeader>(
      std::span<const std::byte, mad::kSAHeaderBytes>(bytes, mad::kSAHeaderBytes));
}

int left_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<long>(left.count(), 0));
}

}  // namespace

SAClient::SAClient(const std::string& device, bool rmpp)
    : device_(device),
      umad_(device_.c_str(), 1),
      agent_(umad_.listen(kSAClass, mad::kSAClassVersion, rmpp ? 1 : 0,
                          rmpp ? std::vector<int>{kReport} : std::vector<int>{})) {}

// By libibumad, which a preload library may have put elsewhere.
// Each reading is of dozens of files: not for every request of a flood.
const umad_port_t& SAClient::here() const {
  constexpr auto kFresh = std::chrono::milliseconds(200);
  const auto now = std::chrono::steady_clock::now();
  if (read_at_ && now < *read_at_ + kFresh) return port_;
  port_ = {};
  if (umad_get_port(device_.c_str(), 1, &port_) == 0) umad_release_port(&port_);
  read_at_ = now;
  return port_;
}

void SAClient::speak_for(unsigned gid, const mad::Gid& manager) {
  const mad::Guid none{};
  unsigned found = 0;
  for (gid_index_ = 0; gid_index_ < kMostGids; ++gid_index_) {
    const auto text = doors::class_text("ports/1/gids/" + std::to_string(gid_index_), device_);
    if (text.empty()) break;
    gid_ = gid_of(text);
    if (gid_->guid == none || found++ != gid) continue;
    manager_ = manager;
    return;
  }
  throw std::out_of_range("port of " + device_ + " has no GID number " + std::to_string(gid));
}

mad::Gid SAClient::gid() const {
  if (gid_) return *gid_;
  const auto& port = here();
  return {be64toh(port.gid_prefix), mad::Guid{be64toh(port.port_guid)}};
}

int SAClient::lid() const {
  return static_cast<int>(here().base_lid);
}

int SAClient::sm_lid() const {
  return static_cast<int>(here().sm_lid);
}

Bytes SAClient::message_of(const Question& question, std::uint32_t id) const {
  mad::SAHeader header;
  header.mad.base_version = 1;
  header.mad.management_class = mad::ManagementClass::SubnAdm;
  header.mad.class_version = mad::kSAClassVersion;
  header.mad.method = question.method;
  header.mad.transaction_id = mad::TransactionId{id};
  header.mad.attribute_id = static_cast<std::uint16_t>(question.attribute);
  header.sm_key = question.key;
  header.component_mask = question.mask;
  const bool long_message = question.data.size() > mad::kSADataBytes;
  if (long_message) {
    header.rmpp.version = mad::kRmppVersion;
    header.rmpp.type = mad::RMPPType::Data;
    header.rmpp.flags = mad::kRmppActive;
  }
  const auto encoded = mad::encode(header);
  Bytes mad(mad::kSAHeaderBytes + std::max(question.data.size(), mad::kSADataBytes));
  std::memcpy(mad.data(), encoded.data(), encoded.size());
  std::copy(question.data.begin(), question.data.end(), mad.begin() + mad::kSAHeaderBytes);
  return mad;
}

int SAClient::send_request(const Bytes& mad, int timeout_ms) {
  if (!manager_) return umad_.send(agent_, mad, sm_lid(), 1, timeout_ms);
  doors::RawGid to;
  const auto encoded = mad::encode(*manager_);
  std::memcpy(to.data(), encoded.data(), to.size());
  return umad_.send_by({0, &to, gid_index_}, agent_, mad, sm_lid(), timeout_ms);
}

std::optional<std::uint32_t> SAClient::send(const Question& question, int timeout_ms) {
  const std::uint32_t id = ++last_id_;
  const bool sent = send_request(message_of(question, id), timeout_ms) == 0;
  return sent ? std::optional(id) : std::nullopt;
}

Reply SAClient::ask(const Question& question, int timeout_ms) {
  Reply reply;
  const auto id = send(question, timeout_ms);
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms + 2000);
  while (id && Clock::now() < end) {
    auto answer = umad_.receive(left_until(end));
    if (answer.agent < 0) break;
    if (answer.status != 0 && doors::id_of(answer.mad) == *id) break;  // nobody answered
    if (answer.mad.size() < mad::kSAHeaderBytes) continue;
    const auto header = header_of(answer.mad);
    if (header.mad.method == mad::Method::Report && answer.status == 0) {
      reports_.push_back(std::move(answer.mad));
      continue;
    }
    if (doors::id_of(answer.mad) != *id) continue;
    reply.arrived = true;
    reply.header = header;
    reply.data.assign(answer.mad.begin() + mad::kSAHeaderBytes, answer.mad.end());
    break;
  }
  return reply;
}

std::optional<doors::Answer> SAClient::next_answer(int timeout_ms) {
  auto answer = umad_.receive(timeout_ms);
  if (answer.agent < 0) return std::nullopt;
  return answer;
}

std::optional<Bytes> SAClient::next(int timeout_ms) {
  auto answer = next_answer(timeout_ms);
  if (!answer || answer->status != 0) return std::nullopt;
  return std::move(answer->mad);
}

std::optional<Report> SAClient::next_report(int timeout_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (reports_.empty()) {
    auto answer = umad_.receive(left_until(end));
    if (answer.agent < 0) return std::nullopt;
    if (answer.mad.size() < mad::kSAHeaderBytes + mad::kBytes<mad::IssuedNotice>) continue;
    if (header_of(answer.mad).mad.method != mad::Method::Report) continue;
    reports_.push_back(std::move(answer.mad));
  }
  Report report;
  report.mad = std::move(reports_.front());
  reports_.erase(reports_.begin());
  const auto* bytes = reinterpret_cast<const std::byte*>(report.mad.data());
  report.issued =
      mad::decode<mad::IssuedNotice>(std::span<const std::byte, mad::kBytes<mad::IssuedNotice>>(
          bytes + mad::kSAHeaderBytes, mad::kBytes<mad::IssuedNotice>));
  return report;
}

void SAClient::confirm(const Report& report) {
  Bytes mad = report.mad;
  mad[3] = static_cast<std::uint8_t>(mad::Method::ReportResp);
  mad[kStatusAt] = mad[kStatusAt + 1] = 0;
  umad_.send(agent_, mad, sm_lid(), 1, 0);
}

mad::Gid gid_of(const std::string& text) {
  std::array<std::byte, 16> bytes{};
  ::inet_pton(AF_INET6, text.c_str(), bytes.data());
  return mad::decode<mad::Gid>(bytes);
}

}  // namespace heddle::interop
