// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "tests/doors/kernel/kernel_pair.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr std::size_t kSaHeader = 56;
constexpr std::uint8_t kGetTable = 0x12;
constexpr std::uint8_t kGetTableResp = 0x92;
constexpr std::uint8_t kGetMulti = 0x14;

// A asks, B answers with a table of `bytes`.
class RmppTest : public testing::Test {
 protected:
  RmppTest() {
    EXPECT_EQ(register_agent(*asker, {.rmpp = 1}), std::errc{});
    EXPECT_EQ(register_agent(*server, {.methods = {kGetTable, kGetMulti}, .rmpp = 1}), std::errc{});
  }

  void ask(std::uint32_t timeout_ms = 1000, std::uint32_t retries = 0) {
    const auto request = mad_of({.method = kGetTable});
    ASSERT_EQ(
        asker->write(umad_of(request, {.timeout_ms = timeout_ms, .retries = retries}), hosts.now),
        std::errc{});
    hosts.carry();
  }

  // B's answer as it was written.
  std::vector<std::byte> answer(std::size_t data_bytes, std::uint32_t retries = 3) {
    const Got request = read(*server);
    EXPECT_EQ(request.error, std::errc{});
    auto reply = mad_of({.method = kGetTableResp,
                         .transaction_id = request.view().transaction_id,
                         .size = kSaHeader + data_bytes,
                         .rmpp = true});
    EXPECT_EQ(server->write(umad_of(reply, {.lid = 1, .retries = retries}), hosts.now),
              std::errc{});
    return reply;
  }

  static void expect_same_data(const Got& got, const std::vector<std::byte>& sent) {
    ASSERT_EQ(got.error, std::errc{});
    ASSERT_EQ(got.mad.size(), sent.size());
    EXPECT_TRUE(std::equal(sent.begin() + 36, sent.end(), got.mad.begin() + 36));
  }

  unsigned count(mad::RMPPType type) const {
    unsigned found = 0;
    for (const auto& datagram : hosts.wire) {
      const MadView view(datagram.payload);
      if (view.is_active_rmpp() && view.rmpp.type == type) ++found;
    }
    return found;
  }

  Pair hosts;
  std::unique_ptr<UmadFile> asker = hosts.a.open();
  std::unique_ptr<UmadFile> server = hosts.b.open();
};

TEST_F(RmppTest, ATableOfManySegmentsArrivesWhole) {
  for (const std::size_t data : {1u, 199u, 200u, 201u, 400u, 12'800u, 13'001u, 1'000'000u}) {
    SCOPED_TRACE(data);
    ask();
    const auto sent = answer(data);
    hosts.carry();
    const Got got = read(*asker);
    expect_same_data(got, sent);
    EXPECT_EQ(got.header.length, kHeaderBytes + sent.size());
    EXPECT_EQ(got.header.status, 0u);
    hosts.pass(seconds(20));
    EXPECT_FALSE(asker->readable()) << "no timeout comes after the answer";
  }
}

// A whole message is remembered for a while, but never at the cost of the next one.
TEST_F(RmppTest, WhoAsksWithoutPauseIsAlwaysAnswered) {
  for (std::uint64_t i = 1; i <= kMaxReceptions + 10; ++i) {
    const auto request = mad_of({.method = kGetTable, .transaction_id = i});
    ASSERT_EQ(asker->write(umad_of(request, {.timeout_ms = 1000}), hosts.now), std::errc{});
    hosts.carry();
    const auto sent = answer(200);
    hosts.carry();
    const Got got = read(*asker);
    ASSERT_EQ(got.error, std::errc{}) << i;
    ASSERT_EQ(got.mad.size(), sent.size()) << i;
  }
}

TEST_F(RmppTest, ReceiverAcknowledgesTheFirstTheLastAndOncePerWindow) {
  ask();
  answer(200 * 200);
  hosts.carry();
  EXPECT_EQ(count(mad::RMPPType::Data), 200u);
  // After 1, 65, 129, 193 and the last.
  EXPECT_EQ(count(mad::RMPPType::Ack), 5u);
}

TEST_F(RmppTest, LengthsInTheFirstAndLastSegmentCountTheClassHeader) {
  ask();
  hosts.wire.clear();
  answer(450);
  hosts.carry();
  std::vector<mad::RMPPHeader> data;
  for (const auto& datagram : hosts.wire) {
    const MadView view(datagram.payload);
    if (view.rmpp.type == mad::RMPPType::Data) data.push_back(view.rmpp);
  }
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(data[0].data2, 3u * 20 + 450);
  EXPECT_EQ(data[0].flags, mad::kRmppActive | mad::kRmppFirst);
  EXPECT_EQ(data[1].flags, mad::kRmppActive);
  EXPECT_EQ(data[2].data2, 20u + 50);
  EXPECT_EQ(data[2].flags, mad::kRmppActive | mad::kRmppLast);
  EXPECT_EQ(data[2].data1, 3u);
}

TEST_F(RmppTest, LostSegmentsAndAcksAreSentAgain) {
  unsigned seen = 0;
  hosts.loses = [&seen](const mad::Datagram& datagram) {
    const MadView view(datagram.payload);
    return view.is_active_rmpp() && ++seen % 50 == 0;
  };
  ask(60'000);
  const auto sent = answer(200 * 300);
  hosts.pass(seconds(39));
  expect_same_data(read(*asker), sent);
}

TEST_F(RmppTest, ALostLastAckIsRepeatedForADuplicate) {
  bool armed = true;
  hosts.loses = [&armed](const mad::Datagram& datagram) {
    const MadView view(datagram.payload);
    const bool last_ack = view.rmpp.type == mad::RMPPType::Ack && view.rmpp.data1 == 2;
    return last_ack && std::exchange(armed, false);
  };
  ask();
  const auto sent = answer(300);
  hosts.pass(milliseconds(1));
  expect_same_data(read(*asker), sent);
  hosts.pass(seconds(3));
  EXPECT_EQ(count(mad::RMPPType::Data), 3u) << "the second segment once more";
  EXPECT_FALSE(asker->readable()) << "and no second message of it";
  const base::Instant next = hosts.b.port.deadline();
  EXPECT_EQ(next, base::kNever) << "the sender has its Ack";
}

TEST_F(RmppTest, ASenderWithoutAcksGivesUpAfterItsRetries) {
  hosts.loses = [](const mad::Datagram& datagram) {
    return MadView(datagram.payload).rmpp.type == mad::RMPPType::Ack;
  };
  ask();
  answer(1000, 2);
  hosts.pass(seconds(7));
  EXPECT_EQ(count(mad::RMPPType::Data), 3u) << "the first segment, three times";
  EXPECT_EQ(hosts.b.port.deadline(), base::kNever);
}

TEST_F(RmppTest, AReceiverThatWaitsTooLongAborts) {
  hosts.loses = [](const mad::Datagram& datagram) {
    const MadView view(datagram.payload);
    return view.rmpp.type == mad::RMPPType::Data && view.rmpp.data1 > 1;
  };
  ask();
  answer(1000, 0);
  hosts.pass(seconds(41));
  ASSERT_EQ(count(mad::RMPPType::Abort), 1u);
  EXPECT_EQ(MadView(hosts.wire.back().payload).rmpp.status,
            static_cast<std::uint8_t>(RmppStatus::TotalTimeTooLong));
}

TEST_F(RmppTest, AnAbortEndsTheSenderWithoutAWordToTheProgram) {
  hosts.loses = [](const mad::Datagram& datagram) {
    return MadView(datagram.payload).rmpp.type == mad::RMPPType::Ack;
  };
  ask();
  const auto reply = answer(1000);
  hosts.carry();
  auto abort = mad_of({.method = kGetTable, .transaction_id = MadView(reply).transaction_id});
  put_rmpp_header(abort, {1, mad::RMPPType::Abort, 0, mad::kRmppActive, 118, 0, 0});
  mad::Datagram datagram{{}, mad::Payload(abort.begin(), abort.end())};
  datagram.peer.lid = mad::Lid{1};
  datagram.peer.qpn = 1;
  hosts.b.port.receive(datagram, hosts.now);
  EXPECT_EQ(hosts.b.port.deadline(), base::kNever);
  EXPECT_FALSE(server->readable());
}

TEST_F(RmppTest, ARequestOfManySegmentsIsAnsweredInKind) {
  const auto request = mad_of({.method = kGetMulti, .size = kSaHeader + 5000, .rmpp = true});
  ASSERT_EQ(asker->write(umad_of(request, {.timeout_ms = 500, .retries = 1}), hosts.now),
            std::errc{});
  hosts.carry();
  const Got got = read(*server);
  expect_same_data(got, request);
  auto reply = mad_of({.method = 0x94,
                       .transaction_id = got.view().transaction_id,
                       .size = kSaHeader + 7000,
                       .rmpp = true});
  ASSERT_EQ(server->write(umad_of(reply, {.lid = 1}), hosts.now), std::errc{});
  hosts.carry();
  expect_same_data(read(*asker), reply);
  EXPECT_EQ(hosts.a.port.deadline() == base::kNever, false) << "the last Ack can be repeated";
  hosts.pass(seconds(11));
  EXPECT_EQ(hosts.a.port.deadline(), base::kNever);
}

TEST_F(RmppTest, ARequestThatArrivedButIsNotAnsweredIsNotSentAgainAndTimesOut) {
  const auto request = mad_of({.method = kGetMulti, .size = kSaHeader + 500, .rmpp = true});
  ASSERT_EQ(asker->write(umad_of(request, {.timeout_ms = 100, .retries = 2}), hosts.now),
            std::errc{});
  hosts.pass(milliseconds(299));
  EXPECT_EQ(count(mad::RMPPType::Data), 3u);
  EXPECT_FALSE(asker->readable());
  hosts.pass(milliseconds(2));
  const Got got = read(*asker);
  EXPECT_EQ(got.header.status, static_cast<std::uint32_t>(ETIMEDOUT));
  EXPECT_EQ(got.mad.size(), kMadHeaderBytes);
}

TEST_F(RmppTest, TooSmallABufferTellsTheLengthAndLosesNothing) {
  ask();
  const auto sent = answer(1000);
  hosts.carry();
  EXPECT_EQ(read(*asker, kHeaderBytes + 255).error, std::errc::invalid_argument);
  const Got shown = read(*asker, kHeaderBytes + 256);
  EXPECT_EQ(shown.error, std::errc::no_space_on_device);
  EXPECT_EQ(shown.header.length, kHeaderBytes + sent.size());
  EXPECT_EQ(shown.mad.size(), 256u);
  expect_same_data(read(*asker, kHeaderBytes + sent.size()), sent);
}

TEST_F(RmppTest, VendorClassesHaveTheirOwnHeaderLength) {
  auto sender = hosts.a.open();
  auto taker = hosts.b.open();
  const Wish wish{.management_class = 0x33, .version = 1, .methods = {1}, .oui = 0x1405, .rmpp = 1};
  ASSERT_EQ(
      register_agent(*sender, {.management_class = 0x33, .version = 1, .oui = 0x1405, .rmpp = 1}),
      std::errc{});
  ASSERT_EQ(register_agent(*taker, wish), std::errc{});
  const auto message = mad_of({.management_class = 0x33,
                               .version = 1,
                               .size = 40 + 216 * 2 + 5,
                               .rmpp = true,
                               .oui = 0x1405});
  ASSERT_EQ(sender->write(umad_of(message, {}), hosts.now), std::errc{});
  hosts.carry();
  EXPECT_EQ(count(mad::RMPPType::Data), 3u);
  const Got got = read(*taker);
  ASSERT_EQ(got.mad.size(), message.size());
  EXPECT_TRUE(std::equal(message.begin() + 36, message.end(), got.mad.begin() + 36));
}

TEST_F(RmppTest, AProgramThatDoesRmppItselfGetsTheSegments) {
  auto own = hosts.a.open();
  ib_user_mad_reg_req2 request{};
  request.qpn = 1;
  request.mgmt_class = 0x03;
  request.mgmt_class_version = 2;
  request.rmpp_version = 1;
  request.flags = IB_USER_MAD_USER_RMPP;
  std::array<std::byte, sizeof request> bytes;
  std::memcpy(bytes.data(), &request, sizeof request);
  ASSERT_EQ(own->ioctl(_IOWR(kIoctlType, 4, ib_user_mad_reg_req2), bytes), std::errc{});
  ASSERT_EQ(own->write(umad_of(mad_of({.method = kGetTable}), {.timeout_ms = 100}), hosts.now),
            std::errc{});
  hosts.carry();
  answer(1000);
  hosts.carry();
  const Got first = read(*own);
  ASSERT_EQ(first.mad.size(), 256u);
  EXPECT_EQ(first.view().rmpp.data1, 1u);
  EXPECT_FALSE(own->readable()) << "nobody has acknowledged, so there is no second";
}

}  // namespace
}  // namespace heddle::doors::kernel
