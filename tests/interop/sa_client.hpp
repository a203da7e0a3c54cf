// SPDX-License-Identifier: BSD-3-Clause
// A client of subnet administration over libibumad, as the kernel's ib_sa is one: it may also do
// what the kernel never would.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mad/component_mask.hpp"
#include "mad/gid.hpp"
#include "mad/inform_info.hpp"
#include "mad/mc_member_record.hpp"
#include "mad/notice.hpp"
#include "mad/sa_attributes.hpp"
#include "mad/sa_header.hpp"
#include "mad/service_record.hpp"
#include "tests/doors/device/umad_client.hpp"

namespace heddle::interop {

using doors::Bytes;

struct Reply {
  bool arrived = false;  // else nobody answered in time
  mad::SAHeader header;
  Bytes data;  // behind the header

  bool ok() const { return arrived && header.mad.status == mad::kStatusOk; }
  mad::Status status() const { return header.mad.status; }

  // The records of a table, or the one of a Get.
  template <mad::Described T>
  std::vector<T> records() const {
    std::vector<T> all;
    const auto step = std::size_t{header.attribute_offset} * 8;
    const auto* bytes = reinterpret_cast<const std::byte*>(data.data());
    const bool table = header.rmpp.type == mad::RMPPType::Data;
    for (std::size_t at = 0; ok() && at + mad::kBytes<T> <= data.size(); at += step) {
      all.push_back(
          mad::decode<T>(std::span<const std::byte, mad::kBytes<T>>(bytes + at, mad::kBytes<T>)));
      if (!table || step == 0) break;
    }
    return all;
  }
  template <mad::Described T>
  T record() const {
    const auto all = records<T>();
    return all.empty() ? T{} : all.front();
  }
};

struct Question {
  mad::Method method = mad::Method::Get;
  mad::SAAttributeId attribute{};
  std::uint64_t mask = 0;
  Bytes data;  // more than 200 bytes go out as an RMPP message
  mad::SMKey key{};
};

struct Report {
  mad::IssuedNotice issued;
  Bytes mad;
  int lid = 0;  // of whom it is from
};

class SAClient {
 public:
  // `device` is "mlx5_0" for the first place of `heddle sim run --at`. With `rmpp` false the
  // program must do RMPP by itself.
  explicit SAClient(const std::string& device, bool rmpp = true);

  // From here on it speaks for this one of the GIDs that its port has now, in their order: 0 is the
  // port's own, virtual ports' come last. Requests bear a GRH, to the manager's GID.
  void speak_for(unsigned gid, const mad::Gid& manager);

  const std::string& device() const { return device_; }
  mad::Gid gid() const;
  int lid() const;
  int sm_lid() const;

  Reply ask(const Question& question, int timeout_ms = 2000);
  // Sends it and waits for nothing. The transaction id, or nothing.
  std::optional<std::uint32_t> send(const Question& question, int timeout_ms = 0);
  // Any bytes at all.
  bool send_bytes(const Bytes& mad) { return umad_.send(agent_, mad, sm_lid(), 1, 0) == 0; }
  // Whatever comes next; nothing when nothing came.
  std::optional<Bytes> next(int timeout_ms);

  // The same, and what comes back because nobody answered.
  std::optional<doors::Answer> next_answer(int timeout_ms);

  // Waits for a report. Only one that is confirmed is not repeated.
  std::optional<Report> next_report(int timeout_ms);
  void confirm(const Report& report);

 private:
  const umad_port_t& here() const;
  int send_request(const Bytes& mad, int timeout_ms);
  Bytes message_of(const Question& question, std::uint32_t id) const;

  std::string device_;
  mutable umad_port_t port_{};  // as it was at
  mutable std::optional<std::chrono::steady_clock::time_point> read_at_;
  doors::Umad umad_;
  int agent_;
  std::uint8_t gid_index_ = 0;  // of whom it speaks for
  std::optional<mad::Gid> gid_, manager_;
  std::uint32_t last_id_ = 100;
  std::vector<Bytes> reports_;  // that came while an answer was awaited
};

// What a host must say of a group that it makes.
constexpr std::uint64_t kCreationMask =
    mad::component<&mad::MCMemberRecord::mgid>() |
    mad::component<&mad::MCMemberRecord::port_gid>() |
    mad::component<&mad::MCMemberRecord::join_state>() |
    mad::component<&mad::MCMemberRecord::q_key>() | mad::component<&mad::MCMemberRecord::p_key>() |
    mad::component<&mad::MCMemberRecord::t_class>() | mad::component<&mad::MCMemberRecord::sl>() |
    mad::component<&mad::MCMemberRecord::flow_label>();
// What names a member, and all that a join to a group that exists needs.
constexpr std::uint64_t kMemberMask = mad::component<&mad::MCMemberRecord::mgid>() |
                                      mad::component<&mad::MCMemberRecord::port_gid>() |
                                      mad::component<&mad::MCMemberRecord::join_state>();

// A record's bytes, for Question::data.
template <mad::Described T>
Bytes bytes_of(const T& record) {
  const auto encoded = mad::encode(record);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(encoded.data());
  return {bytes, bytes + encoded.size()};
}

// "ff12:401b:ffff::ffff:ffff", as inet_pton knows it.
mad::Gid gid_of(const std::string& text);

}  // namespace heddle::interop
