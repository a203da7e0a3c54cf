// SPDX-License-Identifier: BSD-3-Clause
// Two hosts with a kernel each and a wire between them, on which a test can lose and watch MADs.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <rdma/ib_user_mad.h>
#include <sys/ioctl.h>

#include "doors/kernel/umad_file.hpp"
#include "mad/rmpp_header.hpp"

namespace heddle::doors::kernel {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Host final : public PortHardware {
 public:
  explicit Host(std::uint16_t own_lid) : lid(own_lid) {}

  std::unique_ptr<UmadFile> open(bool with_p_key = true) {
    auto file = std::make_unique<UmadFile>(port, [this] { ++wakes; });
    if (with_p_key) {
      EXPECT_EQ(file->ioctl(_IO(kIoctlType, 3), {}), std::errc{});
    }
    return file;
  }

  void transmit(mad::Datagram datagram) override { sent.push_back(std::move(datagram)); }
  bool has_p_key(std::uint16_t index) const override { return index < 4; }
  std::uint8_t lmc() const override { return own_lmc; }
  std::uint8_t port_number() const override { return 1; }
  bool alone() const override { return is_alone; }

  std::uint16_t lid;
  std::uint8_t own_lmc = 0;
  bool is_alone = true;
  unsigned wakes = 0;
  std::deque<mad::Datagram> sent;  // and not yet carried
  AgentIds ids;
  MadPort port{*this, ids};
};

struct Pair {
  Host a{1};
  Host b{2};
  base::Instant now{};
  std::function<bool(const mad::Datagram&)> loses = [](const auto&) { return false; };
  std::vector<mad::Datagram> wire;  // everything that was sent

  // Carries everything until the wire is at rest.
  void carry() {
    while (!a.sent.empty() || !b.sent.empty()) {
      Host& from = a.sent.empty() ? b : a;
      mad::Datagram datagram = std::move(from.sent.front());
      from.sent.pop_front();
      wire.push_back(datagram);
      if (loses(datagram)) continue;
      Host& to = datagram.peer.lid.value == a.lid ? a : b;
      datagram.peer.lid = mad::Lid{from.lid};
      to.port.receive(datagram, now);
    }
  }

  // Time passes, with all that is due on the way.
  void pass(base::Duration time) {
    const base::Instant end = now + time;
    carry();
    while (true) {
      const base::Instant next = std::min(a.port.deadline(), b.port.deadline());
      if (next > end) break;
      now = std::max(now, next);
      a.port.advance(now);
      b.port.advance(now);
      carry();
    }
    now = end;
  }
};

// --- registrations ------------------------------------------------------------------------------

struct Wish {
  std::uint8_t management_class = 0x03;
  std::uint8_t version = 2;
  std::vector<unsigned> methods{};
  std::uint8_t qpn = 1;
  std::uint32_t oui = 0;
  std::uint8_t rmpp = 0;
};

inline std::errc register_agent(UmadFile& file, const Wish& wish, std::uint32_t* id = nullptr) {
  ib_user_mad_reg_req request{};
  request.qpn = wish.qpn;
  request.mgmt_class = wish.management_class;
  request.mgmt_class_version = wish.version;
  request.rmpp_version = wish.rmpp;
  for (const unsigned method : wish.methods) {
    request.method_mask[method / 64] |= 1ul << (method % 64);
  }
  for (int i = 0; i < 3; ++i) {
    request.oui[i] = static_cast<std::uint8_t>(wish.oui >> (16 - 8 * i));
  }
  std::array<std::byte, sizeof request> bytes;
  std::memcpy(bytes.data(), &request, sizeof request);
  const std::errc error = file.ioctl(_IOWR(kIoctlType, 1, ib_user_mad_reg_req), bytes);
  std::memcpy(&request, bytes.data(), sizeof request);
  if (id != nullptr) *id = request.id;
  return error;
}

// --- messages -----------------------------------------------------------------------------------

struct Message {
  std::uint8_t management_class = 0x03;
  std::uint8_t version = 2;
  std::uint8_t method = 0x01;
  std::uint64_t transaction_id = 0x1234;
  std::size_t size = 256;
  bool rmpp = false;
  std::uint32_t oui = 0;
};

inline std::vector<std::byte> mad_of(const Message& message) {
  std::vector<std::byte> mad(message.size);
  for (std::size_t i = 64; i < mad.size(); ++i) mad[i] = static_cast<std::byte>(i * 7 + i / 256);
  mad[0] = std::byte{1};
  mad[1] = std::byte{message.management_class};
  mad[2] = std::byte{message.version};
  mad[3] = std::byte{message.method};
  put_transaction_id(mad, message.transaction_id);
  if (message.rmpp) {
    // As OpenSM leaves it: Active, and otherwise nothing.
    put_rmpp_header(mad, {0, mad::RMPPType::None, 0, mad::kRmppActive, 0, 0, 0});
  }
  for (std::size_t i = 0; message.oui != 0 && i < 3; ++i) {
    mad[37 + i] = static_cast<std::byte>(message.oui >> (16 - 8 * i));
  }
  return mad;
}

struct To {
  std::uint16_t lid = 2;
  std::uint32_t agent = 0;
  std::uint32_t timeout_ms = 0;
  std::uint32_t retries = 0;
  std::uint16_t p_key_index = 0;
  std::uint32_t qpn = 1;
};

inline std::vector<std::byte> umad_of(const std::vector<std::byte>& mad, const To& to) {
  UserMadHeader header;
  header.id = to.agent;
  header.timeout_ms = to.timeout_ms;
  header.retries = to.retries;
  header.peer.lid = mad::Lid{to.lid};
  header.peer.qpn = to.qpn;
  header.peer.q_key = 0x8001'0000;
  header.peer.p_key_index = to.p_key_index;
  std::vector<std::byte> bytes(kHeaderBytes);
  encode_header(header, true, bytes);
  bytes.insert(bytes.end(), mad.begin(), mad.end());
  return bytes;
}

struct Got {
  std::errc error{};
  UserMadHeader header;
  std::vector<std::byte> mad;
  MadView view() const { return MadView(mad); }
};

inline Got read(UmadFile& file, std::size_t room = 1 << 20) {
  auto read = file.read(room);
  Got got{read.error, {}, {}};
  if (read.bytes.size() < kHeaderBytes) return got;
  got.header = *decode_header(read.bytes, true);
  got.mad.assign(read.bytes.begin() + kHeaderBytes, read.bytes.end());
  return got;
}

}  // namespace heddle::doors::kernel
