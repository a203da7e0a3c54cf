// SPDX-License-Identifier: BSD-3-Clause
// Subnet administration as its clients meet it: two hosts and the manager, each with a kernel, on a
// wire that loses, doubles and mixes up. Queries, joins, leaves, services and alias GUIDs in any
// order, long ones by RMPP, with RMPP packets in between that nobody sent. In the end the wire is
// good again: then whoever asks must get the whole answer, no kernel may still hold a transfer, and
// what a desk says must be what the server says.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "doors/kernel/umad_file.hpp"
#include "mad/path_record.hpp"
#include "sa/desk.hpp"
#include "sa/request.hpp"
#include "sa/server.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/sa/client.hpp"
#include "tests/support/administration.hpp"

namespace heddle::sa {
namespace {

using fuzz::Bytes;

using doors::kernel::MadPort;

constexpr std::uint16_t kAttributes[] = {0x01, 0x03, 0x11, 0x12, 0x14, 0x15, 0x17, 0x18, 0x20,
                                         0x30, 0x31, 0x35, 0x35, 0x38, 0x38, 0x39, 0x3A, 0xF3};
constexpr mad::Method kMethods[] = {mad::Method::Get,           mad::Method::Set,
                                    mad::Method::GetTable,      mad::Method::GetTable,
                                    mad::Method::GetTraceTable, mad::Method::GetMulti,
                                    mad::Method::Delete,        mad::Method::ReportResp};

const std::shared_ptr<const View>& view() {
  static const auto made =
      std::make_shared<const View>(support::administered(support::ring(3, 2), 1));
  return made;
}

mad::Lid lid_of(std::size_t host) {
  const auto& topology = view()->topology();
  return view()->lids().base(topology.endports()[topology.switch_count() + host]);
}

// A host's kernel, with one agent for the class, and what has arrived for it.
class Host final : public doors::kernel::PortHardware, public doors::kernel::AgentOwner {
 public:
  explicit Host(mad::Lid own, bool serves) : lid(own) {
    doors::kernel::Registration wanted;
    wanted.qpn = 1;
    wanted.management_class = 0x03;
    wanted.class_version = 2;
    wanted.rmpp_version = 1;
    for (const mad::Method method : kMethods) {
      if (serves && wants_answer(method)) {
        wanted.methods[0] |= std::uint64_t{1} << static_cast<unsigned>(method);
      }
    }
    const auto added = port.add_agent(wanted, *this, 0);
    HEDDLE_CHECK(added.error == std::errc{});
    agent = added.id;
  }

  void transmit(mad::Datagram datagram) override { sent.push_back(std::move(datagram)); }
  bool has_p_key(std::uint16_t index) const override { return index == 0; }
  std::uint8_t lmc() const override { return 0; }
  std::uint8_t port_number() const override { return 1; }
  bool alone() const override { return true; }
  void deliver(doors::kernel::Arrival arrival) override { arrived.push_back(std::move(arrival)); }

  void write(mad::Datagram datagram, std::uint32_t timeout_ms, std::uint32_t retries,
             base::Instant now) {
    doors::kernel::UserMadHeader header;
    header.timeout_ms = timeout_ms;
    header.retries = retries;
    header.peer = datagram.peer;
    header.peer.q_key = 0x8001'0000;
    static_cast<void>(port.send(agent, header, std::move(datagram.payload), now));
  }

  mad::Lid lid;
  std::deque<mad::Datagram> sent;
  std::deque<doors::kernel::Arrival> arrived;
  doors::kernel::AgentIds ids;
  MadPort port{*this, ids};
  doors::kernel::AgentId agent = 0;
};

class World {
 public:
  World() {
    server_.set_key(kOurKey);
    for (const auto& partition : partitions::default_policy().partitions) {
      server_.set_permanent_groups(partition.groups);
    }
    server_.renew(now_, view());
    desk_.open(view(), kOurKey);
  }

  void play(Bytes bytes) {
    while (!bytes.empty()) {
      switch (bytes.one() % 8) {
        case 0:
          pass(std::chrono::milliseconds(20 * bytes.one()));
          break;
        case 1:
          loss_ = bytes.one() % 64;
          break;
        case 2:
          stray(bytes);
          break;
        default:
          ask(bytes);
          break;
      }
    }
    loss_ = 0;
    pass(std::chrono::minutes(3));
    be_well(client_a_);
    be_well(client_b_);
  }

 private:
  Host& client(std::uint8_t which) { return which % 2 == 0 ? client_a_ : client_b_; }

  void ask(Bytes& bytes) {
    Host& from = client(bytes.one());
    Question question;
    question.method = kMethods[bytes.one() % std::size(kMethods)];
    question.attribute = kAttributes[bytes.one() % std::size(kAttributes)];
    const std::uint8_t kind = bytes.one();
    question.mask = kind % 3 == 0 ? bytes.word() : kind % 3 == 1 ? 0 : 0b11;
    if (kind >= 128) question.key = kOurKey;
    auto request = make_query(question, mad::Gid{}, from.lid);
    put_transaction(request);
    // The two GIDs with which most records begin.
    const auto& topology = view()->topology();
    const auto gid = [&](std::uint8_t of) {
      const bool group = of >= 200;
      if (group) return mad::Gid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{of % 4u}};
      return view()->gid(topology.endports()[of % topology.endports().size()]);
    };
    put(request, 0, gid(bytes.one()));
    put(request, 16, gid(bytes.one()));
    if (question.method == mad::Method::GetMulti) make_multi(request, bytes);
    request.peer.lid = manager_.lid;
    from.write(std::move(request), 2000, bytes.one() % 4, now_);
    carry();
  }

  static void put(mad::Datagram& request, std::size_t at, const mad::Gid& gid) {
    const auto encoded = mad::encode(gid);
    std::copy(encoded.begin(), encoded.end(),
              request.payload.begin() + mad::kSAHeaderBytes + static_cast<long>(at));
  }
  void put_transaction(mad::Datagram& request) {
    const std::uint32_t id = ++last_id_;
    for (std::size_t i = 0; i < 4; ++i) {
      request.payload[12 + i] = static_cast<std::byte>(id >> (24 - 8 * i));
    }
  }
  // With so many GIDs that it goes out by RMPP.
  static void make_multi(mad::Datagram& request, Bytes& bytes) {
    constexpr std::size_t kHead = 24;
    const std::size_t sources = bytes.one() % 24u, destinations = bytes.one() % 24u;
    request.payload.resize(std::max<std::size_t>(
        mad::kMadBytes, mad::kSAHeaderBytes + kHead + 16 * (sources + destinations)));
    request.payload[mad::kSAHeaderBytes + 12] = static_cast<std::byte>(sources);
    request.payload[mad::kSAHeaderBytes + 13] = static_cast<std::byte>(destinations);
    const auto& topology = view()->topology();
    for (std::size_t i = 0; i < sources + destinations; ++i) {
      put(request, kHead + 16 * i, view()->gid(topology.endports()[i % 9]));
    }
    request.payload[26] = std::byte{mad::kRmppActive};
  }

  // Something like the last packet of somebody, with another RMPP header, to somebody.
  void stray(Bytes& bytes) {
    mad::Datagram datagram = last_;
    datagram.payload.resize(mad::kMadBytes);
    const std::uint8_t kept = bytes.one();
    for (std::size_t i = 24; i < 36; ++i) {
      if ((kept >> (i % 8) & 1) == 0) datagram.payload[i] = std::byte{bytes.one()};
    }
    if (bytes.one() % 2 == 0) datagram.payload[3] ^= std::byte{mad::kResponseBit};
    datagram.peer.qpn = 1;
    Host& to = bytes.one() % 2 == 0 ? manager_ : client(bytes.one());
    datagram.peer.lid = client(bytes.one()).lid;
    to.port.receive(datagram, now_);
    carry();
  }

  void carry() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Host* from : {&manager_, &client_a_, &client_b_}) {
        while (!from->sent.empty()) {
          moved = true;
          mad::Datagram datagram = std::move(from->sent.front());
          from->sent.pop_front();
          if (prng_.below(100) < loss_) continue;
          last_ = datagram;
          const mad::Lid to = datagram.peer.lid;
          datagram.peer.lid = from->lid;
          for (Host* host : {&manager_, &client_a_, &client_b_}) {
            if (host->lid == to) host->port.receive(datagram, now_);
          }
        }
      }
      moved |= serve();
    }
  }

  bool serve() {
    const bool any = !manager_.arrived.empty();
    for (; !manager_.arrived.empty(); manager_.arrived.pop_front()) {
      auto& arrival = manager_.arrived.front();
      if (arrival.header.status == 0) take({arrival.header.peer, std::move(arrival.mad)});
    }
    for (const AliasWrite& write : server_.take_alias_writes()) {
      const AliasOutcome outcome{write.ticket, write.guids, false};
      server_.on_aliases_written(now_, std::span(&outcome, 1));
    }
    desk_.open(server_.shared_view(), kOurKey);
    flush();
    return any;
  }

  void take(const mad::Datagram& request) {
    std::optional<mad::Datagram> reply;
    const bool taken = desk_.take(now_, request, reply);
    server_.on_mad(now_, request);
    // Reports may be due at the same time.
    std::size_t replies = 0;
    for (mad::Datagram& said : server_.take_outgoing()) {
      const bool report = said.payload[3] == static_cast<std::byte>(mad::Method::Report);
      if (!report) ++replies;
      HEDDLE_CHECK(report || !taken || reply == said);
      send(std::move(said));
    }
    HEDDLE_CHECK(!taken || replies == (reply ? 1u : 0u));
    server_.take_refusals();
    server_.take_role_changes();
    server_.take_lost();
  }

  // As the transport does it.
  void send(mad::Datagram datagram) {
    constexpr std::uint32_t kRetries = 3;
    manager_.write(std::move(datagram), 0, kRetries, now_);
  }
  void flush() {
    for (mad::Datagram& datagram : server_.take_outgoing()) send(std::move(datagram));
  }

  void pass(base::Duration time) {
    const base::Instant end = now_ + time;
    carry();
    for (;;) {
      const base::Instant next = std::min({manager_.port.deadline(), client_a_.port.deadline(),
                                           client_b_.port.deadline(), server_.deadline()});
      if (next > end) break;
      now_ = std::max(now_, next);
      for (Host* host : {&manager_, &client_a_, &client_b_}) host->port.advance(now_);
      server_.pump(now_);
      flush();
      carry();
    }
    now_ = end;
  }

  void be_well(Host& from) {
    HEDDLE_CHECK(manager_.port.deadline() == base::kNever);
    HEDDLE_CHECK(from.port.deadline() == base::kNever);
    from.arrived.clear();
    Question question{mad::Method::GetTable, 0x35};
    auto request = make_query(question, mad::PathRecord{}, from.lid);
    put_transaction(request);
    auto directly = request;
    request.peer.lid = manager_.lid;
    from.write(std::move(request), 2000, 0, now_);
    carry();
    HEDDLE_CHECK(from.arrived.size() == 1 && from.arrived.front().header.status == 0);
    const auto expected = look_up(*server_.shared_view(), kOurKey, directly);
    const auto& got = from.arrived.front().mad;
    // Behind the headers, which the transfer has changed.
    const auto header = static_cast<long>(mad::kSAHeaderBytes);
    HEDDLE_CHECK(expected && std::equal(expected->payload.begin() + header, expected->payload.end(),
                                        got.begin() + header, got.end()));
    pass(std::chrono::minutes(3));
  }

  Host manager_{lid_of(0), true};
  Host client_a_{lid_of(1), false};
  Host client_b_{lid_of(2), false};
  Server server_;
  Desk desk_;
  base::Instant now_{};
  base::Prng prng_{1};
  unsigned loss_ = 0;  // in a hundred
  std::uint32_t last_id_ = 0;
  mad::Datagram last_;
};

}  // namespace
}  // namespace heddle::sa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::sa::World().play(heddle::sa::Bytes({data, size}));
  return 0;
}
