// SPDX-License-Identifier: BSD-3-Clause
// Requests, answers and time, as a program sees them through its umad file.
#include "mad/smp.hpp"
#include "tests/doors/kernel/kernel_pair.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr auto kInvalidRequest = std::errc::invalid_argument;
constexpr std::errc kGoodRequest{};

class RequestsTest : public testing::Test {
 protected:
  RequestsTest() {
    EXPECT_EQ(register_agent(*asker, {}), kGoodRequest);
    EXPECT_EQ(register_agent(*server, {.methods = {1, 2, 5}}), kGoodRequest);
  }
  std::errc ask(const To& to, const Message& message = {}) {
    const std::errc error = asker->write(umad_of(mad_of(message), to), hosts.now);
    hosts.carry();
    return error;
  }
  std::errc answer(const Got& request, std::uint16_t lid = 1) {
    auto reply = request.mad;
    reply[3] |= std::byte{0x80};
    const std::errc error = server->write(umad_of(reply, {.lid = lid}), hosts.now);
    hosts.carry();
    return error;
  }

  Pair hosts;
  std::unique_ptr<UmadFile> asker = hosts.a.open();
  std::unique_ptr<UmadFile> server = hosts.b.open();
};

TEST_F(RequestsTest, TheUpperHalfOfTheTransactionIdIsTheAgents) {
  ASSERT_EQ(ask({.timeout_ms = 100}, {.transaction_id = 0xdead'beef'0000'0007}), kGoodRequest);
  const Got request = read(*server);
  EXPECT_EQ(request.view().transaction_id & 0xffff'ffff, 7u);
  EXPECT_NE(request.view().transaction_id >> 32, 0xdead'beefu);
  EXPECT_EQ(request.header.peer.lid.value, 1);
  EXPECT_EQ(request.header.peer.qpn, 1u);
  EXPECT_EQ(request.header.length, kHeaderBytes + 256);
  ASSERT_EQ(answer(request), kGoodRequest);
  const Got reply = read(*asker);
  EXPECT_EQ(reply.view().transaction_id, request.view().transaction_id);
  EXPECT_EQ(reply.header.status, 0u);
  EXPECT_EQ(reply.header.peer.q_key, 0u);
  EXPECT_TRUE(hosts.a.port.deadline() == base::kNever);
}

TEST_F(RequestsTest, AnAnswerGoesUpOnceAndOnlyWhileItIsAwaited) {
  ASSERT_EQ(ask({.timeout_ms = 100}), kGoodRequest);
  const Got request = read(*server);
  ASSERT_EQ(answer(request), kGoodRequest);
  ASSERT_EQ(answer(request), kGoodRequest);
  EXPECT_EQ(read(*asker).error, kGoodRequest);
  EXPECT_FALSE(asker->readable()) << "the second answer";
  ASSERT_EQ(ask({.timeout_ms = 0}, {.transaction_id = 5}), kGoodRequest);
  ASSERT_EQ(answer(read(*server)), kGoodRequest);
  EXPECT_FALSE(asker->readable()) << "the answer to a request without a timeout";
}

TEST_F(RequestsTest, AnAnswerOfAnotherClassIsNoAnswer) {
  ASSERT_EQ(ask({.timeout_ms = 100}), kGoodRequest);
  Got request = read(*server);
  request.mad[1] = std::byte{0x04};
  ASSERT_EQ(answer(request), kGoodRequest);
  EXPECT_FALSE(asker->readable());
}

TEST_F(RequestsTest, ARequestIsRepeatedAndThenComesBackAsItsHeader) {
  hosts.loses = [](const auto&) { return true; };
  ASSERT_EQ(ask({.timeout_ms = 100, .retries = 3}, {.transaction_id = 0x42}), kGoodRequest);
  hosts.pass(milliseconds(399));
  EXPECT_EQ(hosts.wire.size(), 4u);
  EXPECT_FALSE(asker->readable());
  hosts.pass(milliseconds(1));
  EXPECT_EQ(hosts.wire.size(), 4u);
  const Got back = read(*asker);
  EXPECT_EQ(back.header.status, static_cast<std::uint32_t>(ETIMEDOUT));
  EXPECT_EQ(back.header.peer.lid.value, 2);
  EXPECT_EQ(back.mad.size(), kMadHeaderBytes);
  EXPECT_EQ(static_cast<unsigned>(back.mad[15]), 0x42u) << "of the transaction id";
  EXPECT_EQ(hosts.a.port.deadline(), base::kNever);
}

TEST_F(RequestsTest, ARepeatedRequestMayStillBeAnswered) {
  unsigned seen = 0;
  hosts.loses = [&seen](const auto&) { return ++seen <= 2; };
  ASSERT_EQ(ask({.timeout_ms = 100, .retries = 2}), kGoodRequest);
  hosts.pass(milliseconds(250));
  ASSERT_EQ(answer(read(*server)), kGoodRequest);
  EXPECT_EQ(read(*asker).header.status, 0u);
  hosts.pass(seconds(1));
  EXPECT_FALSE(asker->readable());
}

TEST_F(RequestsTest, ATransactionIdInUseIsRefused) {
  ASSERT_EQ(ask({.timeout_ms = 100}), kGoodRequest);
  EXPECT_EQ(ask({.timeout_ms = 100}), kInvalidRequest);
  EXPECT_EQ(ask({.timeout_ms = 100}, {.transaction_id = 0x1235}), kGoodRequest);
  ASSERT_EQ(answer(read(*server)), kGoodRequest);
  EXPECT_EQ(ask({.timeout_ms = 100}), kGoodRequest) << "free again";
}

TEST_F(RequestsTest, WritesThatCannotBeAreRefused) {
  const auto whole = umad_of(mad_of({}), {.timeout_ms = 10});
  const auto begin = std::span(whole);
  EXPECT_EQ(asker->write(begin.first(kHeaderBytes + 35), {}), kInvalidRequest) << "no RMPP header";
  EXPECT_EQ(asker->write(begin.first(kHeaderBytes + 40), {}), kInvalidRequest) << "no SA header";
  EXPECT_EQ(asker->write(begin.first(3), {}), kInvalidRequest);
  EXPECT_EQ(ask({.agent = 32}), kInvalidRequest);
  EXPECT_EQ(ask({.agent = 3}), std::errc::io_error) << "nobody has registered it";
  EXPECT_EQ(ask({}, {.size = 257}), kInvalidRequest) << "too long without RMPP";
  EXPECT_EQ(ask({}, {.size = 300, .rmpp = true}), kInvalidRequest) << "and this agent has none";
  EXPECT_EQ(asker->write(begin.first(kHeaderBytes + 100), {}), kGoodRequest)
      << "short ones are filled";
}

TEST_F(RequestsTest, WhatTheHardwareDropsTimesOut) {
  ASSERT_EQ(ask({.timeout_ms = 10, .p_key_index = 4}), kGoodRequest) << "no such P_Key";
  ASSERT_EQ(ask({.timeout_ms = 10, .qpn = 0}, {.transaction_id = 2}), kGoodRequest);
  EXPECT_TRUE(hosts.wire.empty());
  hosts.pass(milliseconds(10));
  EXPECT_EQ(read(*asker).header.status, static_cast<std::uint32_t>(ETIMEDOUT));
  EXPECT_EQ(read(*asker).header.status, static_cast<std::uint32_t>(ETIMEDOUT));
}

TEST_F(RequestsTest, AClosedFileLeavesNothingBehind) {
  ASSERT_EQ(ask({.timeout_ms = 100}), kGoodRequest);
  const Got request = read(*server);
  asker.reset();
  EXPECT_EQ(hosts.a.port.deadline(), base::kNever);
  ASSERT_EQ(answer(request), kGoodRequest);
  hosts.pass(seconds(1));
}

TEST_F(RequestsTest, AReaderIsWokenAndAFullQueueLoses) {
  const unsigned before = hosts.b.wakes;
  for (std::uint64_t id = 0; id < kMaxReceived + 3; ++id) {
    ASSERT_EQ(ask({}, {.transaction_id = id}), kGoodRequest);
  }
  EXPECT_EQ(hosts.b.wakes - before, kMaxReceived);
  EXPECT_EQ(server->lost(), 3u);
  EXPECT_EQ(read(*server, 100).error, kInvalidRequest);
  EXPECT_EQ(read(*server).view().transaction_id & 0xffff'ffff, 0u) << "the first is still there";
}

TEST_F(RequestsTest, OurLmcBitsTellPathsApart) {
  hosts.a.own_lmc = 1;
  auto bytes = umad_of(mad_of({}), {.timeout_ms = 100});
  UserMadHeader header = *decode_header(bytes, true);
  header.peer.path_bits = 1;
  encode_header(header, true, bytes);
  ASSERT_EQ(asker->write(bytes, hosts.now), kGoodRequest);
  hosts.carry();
  ASSERT_EQ(answer(read(*server)), kGoodRequest);
  EXPECT_FALSE(asker->readable()) << "it came to path 0";
}

TEST_F(RequestsTest, AGlobalRouteGoesThroughAndComesUp) {
  auto bytes = umad_of(mad_of({}), {.timeout_ms = 100});
  UserMadHeader header = *decode_header(bytes, true);
  header.peer.global_route =
      mad::GlobalRoute{{mad::GidPrefix{0xfe80ull << 48}, mad::Guid{0x1234}}, 0, 64, 3, 0xabcde};
  encode_header(header, true, bytes);
  ASSERT_EQ(asker->write(bytes, hosts.now), kGoodRequest);
  hosts.carry();
  EXPECT_EQ(read(*server).header.peer.global_route, header.peer.global_route);
}

// --- directed routes ----------------------------------------------------------------------------

class DirectedTest : public RequestsTest {
 protected:
  DirectedTest() {
    EXPECT_EQ(register_agent(*smp_file, {.management_class = 0x81, .version = 1, .qpn = 0}),
              kGoodRequest);
    smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  }
  std::errc send() {
    const auto bytes = mad::encode_smp(smp);
    return smp_file->write(umad_of({bytes.begin(), bytes.end()}, {.lid = 0xffff, .qpn = 0}),
                           hosts.now);
  }
  std::unique_ptr<UmadFile> smp_file = hosts.a.open();
  mad::Smp smp;
};

TEST_F(DirectedTest, ARouteLeavesByItsOwnPort) {
  smp.hop_count = 1;
  smp.initial_path[1] = mad::PortNumber{1};
  EXPECT_EQ(send(), kGoodRequest);
  EXPECT_EQ(hosts.a.sent.size(), 1u);
  smp.initial_path[1] = mad::PortNumber{2};
  EXPECT_EQ(send(), kInvalidRequest);
}

TEST_F(DirectedTest, NoHopsIsTheOwnDevice) {
  EXPECT_EQ(send(), kGoodRequest);
}

TEST_F(DirectedTest, UnreasonableHopPointersAreRefused) {
  smp.hop_count = 2;
  smp.initial_path[1] = mad::PortNumber{1};
  for (const std::uint8_t pointer : {std::uint8_t{1}, std::uint8_t{4}, std::uint8_t{200}}) {
    smp.hop_pointer = pointer;
    EXPECT_EQ(send(), kInvalidRequest) << unsigned{pointer};
  }
  smp.hop_pointer = 0;
  smp.hop_count = 64;
  EXPECT_EQ(send(), kInvalidRequest);
}

TEST_F(DirectedTest, AnAnswerGoesBackByThePortItCameIn) {
  smp.direction = true;
  smp.method = mad::Method::GetResp;
  smp.hop_count = 2;
  smp.hop_pointer = 3;
  smp.return_path[2] = mad::PortNumber{1};
  EXPECT_EQ(send(), kGoodRequest);
  smp.return_path[2] = mad::PortNumber{2};
  EXPECT_EQ(send(), kInvalidRequest);
}

}  // namespace
}  // namespace heddle::doors::kernel
