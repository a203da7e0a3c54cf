// SPDX-License-Identifier: BSD-3-Clause
// The server with clients made by hand, good and bad.
#include "doors/ibsim/server.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/prng.hpp"
#include "mad/capability.hpp"
#include "mad/node_info.hpp"
#include "mad/port_info.hpp"
#include "sim/devices.hpp"
#include "tests/sim/probe.hpp"

namespace heddle::doors::ibsim {
namespace {

using std::chrono::milliseconds;

int next_pid() {
  static int pid = 0;
  return ++pid;
}

// Behaves as libumad2sim does, on the test's own loop.
class Program {
 public:
  Program(boost::asio::io_context& loop, std::string base)
      : loop_(loop),
        base_(std::move(base)),
        pid_(next_pid()),
        control_(DatagramSocket::bound(loop, name("ctl")).value()),
        data_(DatagramSocket::bound(loop, name("in")).value()) {}

  // The client's number; nothing when it was refused.
  std::optional<std::uint32_t> connect(const std::string& node, bool is_sm = false) {
    const auto reply = ask(ControlType::Connect,
                           encode_client_info({static_cast<std::uint32_t>(pid_), 0, is_sm, node}));
    if (!reply || reply->type == ControlType::Error) return std::nullopt;
    const ClientInfo info = decode_client_info(reply->data);
    index_ = info.id;
    node_ = info.node;
    if (!data_.connect(address(fmt::format("out{}", index_)))) return std::nullopt;
    return index_;
  }

  std::optional<Control> ask(ControlType type, const ControlData& data = {}) {
    control_.send_to(encode_control({index_, type, 64, data}), address("ctl"));
    std::array<std::byte, 100> answer{};
    std::size_t length = 0;
    SocketAddress from;
    for (int i = 0; i < 200 && !control_.receive_from(answer, length, from); ++i) turn();
    if (length != kControlBytes) return std::nullopt;
    Control control;
    std::uint32_t type_answered = 0;
    std::memcpy(&type_answered, answer.data() + 8, sizeof type_answered);
    control.type = static_cast<ControlType>(type_answered);
    std::copy_n(answer.begin() + 16, kControlDataBytes, control.data.begin());
    return control;
  }

  void say_control(const std::vector<std::byte>& bytes) { control_.send_to(bytes, address("ctl")); }
  void say_data(const std::vector<std::byte>& bytes) {
    data_.send_to(bytes, address(fmt::format("out{}", index_)));
  }

  void send(const Request& request) {
    std::size_t sent = 0;
    data_.send({&request.bytes(), 1}, sent);
  }

  // What it is sent within the time.
  std::vector<Request> receive(milliseconds patience) {
    std::vector<Request> all;
    const auto until = std::chrono::steady_clock::now() + patience;
    do {
      turn();
      while (const std::size_t count = data_.receive(inbox_)) {
        for (std::size_t i = 0; i < count; ++i) {
          all.push_back(Request::from_datagram(inbox_.message(i)).value());
        }
      }
    } while (all.empty() && std::chrono::steady_clock::now() < until);
    return all;
  }

  const std::string& node() const { return node_; }

 private:
  void turn() {
    loop_.restart();
    loop_.run_for(milliseconds(2));
  }
  SocketAddress address(const std::string& rest) const {
    return SocketAddress::local(base_ + ":" + rest).value();
  }
  SocketAddress name(const char* kind) const { return address(fmt::format("{}{}", kind, pid_)); }

  boost::asio::io_context& loop_;
  std::string base_;
  int pid_;
  DatagramSocket control_;
  DatagramSocket data_;
  Inbox inbox_;
  std::uint32_t index_ = 0;
  std::string node_;
};

Request get(mad::AttributeId attribute, const sim::Route& route, std::uint64_t transaction) {
  mad::Smp smp = sim::directed(mad::Method::Get, attribute, route);
  smp.transaction_id = mad::TransactionId{transaction};
  return Request::to_client(mad::make_datagram({}, smp), mad::kPermissiveLid);
}

std::uint8_t status_of(const Request& request) {
  return std::to_integer<std::uint8_t>(request.bytes()[19]);
}

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    server = Server::start(loop, host, {base, ""}, [this](const std::string& line) {
               said.push_back(line);
             }).value();
    const sim::PortIndex peer = host.world().devices().lines[first()].peer;
    switch_node = host.world().devices().lines[peer].node;
  }
  sim::EndpointId first() const { return *host.world().default_endpoint(); }
  std::string host_name(unsigned at) const {
    std::vector<std::string> names;
    for (const auto& node : host.world().devices().plan.nodes) {
      if (node.type == mad::NodeType::ChannelAdapter) names.push_back(node.name);
    }
    return names.at(at);
  }
  // The way from the first host to the second.
  sim::Route to_second() const {
    const auto second = host.world().find_endpoint(host_name(1));
    return {1, host.world().devices().lines[host.world().devices().lines[*second].peer].number};
  }

  static inline int number = 0;
  std::string base = fmt::format("heddle-test-{}-{}", ::getpid(), ++number);
  boost::asio::io_context loop;
  FabricHost host{loop, sim::World(sim::generate_fabric("star:3").value(), {})};
  std::vector<std::string> said;
  std::unique_ptr<Server> server;
  sim::NodeIndex switch_node = 0;
};

TEST_F(ServerTest, AClientAsksItsNeighbourAndGetsItsOwnTransactionBack) {
  Program program(loop, base);
  ASSERT_TRUE(program.connect(host_name(1)).has_value());
  EXPECT_EQ(program.node(), host_name(1));
  program.send(get(mad::AttributeId::NodeInfo, {1}, 0x0000'0003'0000'0042));
  const auto answers = program.receive(milliseconds(500));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].method(), 0x81);
  EXPECT_EQ(status_of(answers[0]), 0);
  EXPECT_EQ(answers[0].transaction().value & 0xffff'ffff'ffff, 0x0003'0000'0042u);
}

// 2, 4, 8, 8, and of the next 8 there are 6: nothing is left behind, and the next batch is small.
TEST_F(ServerTest, BatchesAreAsLargeAsWhatWaits) {
  constexpr unsigned kQuestions = 28;
  Program program(loop, base);
  ASSERT_TRUE(program.connect("").has_value());
  EXPECT_EQ(server->clients().begin()->second->batch(), 2u);
  for (unsigned i = 0; i < kQuestions; ++i) {
    program.send(get(mad::AttributeId::NodeInfo, {1}, 0x0000'0003'0000'0100 + i));
  }
  std::size_t answered = 0;
  for (std::size_t more = 1; more != 0 && answered < kQuestions; answered += more) {
    more = program.receive(milliseconds(500)).size();
  }
  EXPECT_EQ(answered, kQuestions);
  EXPECT_EQ(server->clients().begin()->second->batch(), 3u);
}

TEST_F(ServerTest, WhoDoesNotChooseSitsOnTheFirstHostAndWhoChoosesNonsenseNowhere) {
  Program anywhere(loop, base);
  ASSERT_TRUE(anywhere.connect(""));
  EXPECT_EQ(anywhere.node(), host_name(0));
  Program lost(loop, base);
  EXPECT_FALSE(lost.connect("nowhere"));
  EXPECT_THAT(said.back(), testing::HasSubstr("no host or switch 'nowhere'"));
  EXPECT_EQ(server->counters().refused, 1u);
}

TEST_F(ServerTest, AProgramReadsTheRegistersOfItsOwnPort) {
  Program program(loop, base);
  ASSERT_TRUE(program.connect(host_name(1)));
  const auto own = *host.world().find_endpoint(host_name(1));
  const auto node = program.ask(ControlType::GetNodeInfo);
  ASSERT_TRUE(node);
  EXPECT_EQ(mad::decode<mad::NodeInfo>(node->data).port_guid, host.world().port_guid(own));
  const auto port = program.ask(ControlType::GetPortInfo);
  ASSERT_TRUE(port);
  EXPECT_EQ(mad::decode<mad::PortInfo>(port->data).port_state, mad::PortState::Init);
  const auto keys = program.ask(ControlType::GetPKeys);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->data[0], std::byte{0xff});
  ControlData beyond{};
  beyond[0] = std::byte{9};
  EXPECT_EQ(program.ask(ControlType::GetPortInfo, beyond)->type, ControlType::Error);
}

TEST_F(ServerTest, WhatHasNoWayComesBackAtOnce) {
  Program program(loop, base);
  ASSERT_TRUE(program.connect(""));
  program.send(get(mad::AttributeId::NodeInfo, {1, 200}, 1));
  const auto answers = program.receive(milliseconds(500));
  ASSERT_EQ(answers.size(), 1u) << "before the patience is over";
  EXPECT_EQ(status_of(answers[0]), kStatusTimedOut);
  EXPECT_EQ(answers[0].method(), 0x01) << "the request itself";
  EXPECT_EQ(server->counters().traffic.undeliverable, 1u);
}

TEST_F(ServerTest, WhatNobodyAnswersComesBackBeforeLibumad2simGivesUp) {
  host.change([this](sim::World& world) { world.silence(switch_node, true); });
  Program program(loop, base);
  ASSERT_TRUE(program.connect(""));
  program.send(get(mad::AttributeId::NodeInfo, {1}, 1));
  EXPECT_TRUE(program.receive(milliseconds(500)).empty());
  const auto answers = program.receive(milliseconds(490));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(status_of(answers[0]), kStatusTimedOut);
}

TEST_F(ServerTest, OnlyAnSmIsAsked) {
  Program asking(loop, base);
  Program asked(loop, base);
  ASSERT_TRUE(asking.connect(host_name(0)));
  ASSERT_TRUE(asked.connect(host_name(1)));
  const Request request = get(mad::AttributeId::SMInfo, to_second(), 9);
  asking.send(request);
  EXPECT_TRUE(asked.receive(milliseconds(50)).empty()) << "it is no SM";
  ControlData on{};
  on[0] = std::byte{1};
  ASSERT_TRUE(asked.ask(ControlType::SetIsSm, on));
  asking.send(request);
  const auto heard = asked.receive(milliseconds(500));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].management_class(), 0x81);
}

TEST_F(ServerTest, AnSmGetsNothingOfAClassThatItWouldDieOf) {
  Program sm(loop, base);
  ASSERT_TRUE(sm.connect("", true));
  const auto send = [&](std::uint8_t management_class) {
    mad::Datagram datagram;
    datagram.payload.resize(mad::kMadBytes);
    datagram.payload[0] = datagram.payload[2] = datagram.payload[3] = std::byte{1};
    datagram.payload[1] = std::byte{management_class};
    for (const auto& [index, client] : server->clients()) client->receive(datagram);
    return sm.receive(milliseconds(20)).size();
  };
  for (const int registered : {0x01, 0x81, 0x03, 0x04, 0x21}) {
    EXPECT_EQ(send(static_cast<std::uint8_t>(registered)), 1u) << registered;
  }
  for (const int deadly : {0x32, 0x0a, 0x06, 0x07, 0x00, 0xff}) {
    EXPECT_EQ(send(static_cast<std::uint8_t>(deadly)), 0u) << deadly;
  }
}

TEST_F(ServerTest, WhoIsKilledLosesItsSeatAndItsIsSm) {
  const auto is_sm = [&] {
    return (host.world().devices().ports[first()].info.capability_mask & mad::kIsSM) != 0;
  };
  {
    Program program(loop, base);
    ASSERT_TRUE(program.connect("", true));
    EXPECT_TRUE(is_sm());
    program.send(get(mad::AttributeId::NodeInfo, {1}, 1));
  }
  loop.restart();
  loop.run_for(milliseconds(1300));
  EXPECT_TRUE(server->clients().empty());
  EXPECT_EQ(server->counters().reaped, 1u);
  EXPECT_FALSE(is_sm());
}

TEST_F(ServerTest, AnImpostorIsNotLetIn) {
  Program honest(loop, base);
  ASSERT_TRUE(honest.connect(""));
  Program other(loop, base);
  // It has not connected: its number 0 is the honest one's.
  const auto reply = other.ask(ControlType::Disconnect);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->type, ControlType::Error);
  EXPECT_EQ(server->clients().size(), 1u);
  const auto claim = other.ask(ControlType::Connect, encode_client_info({1'000'000, 0, false, ""}));
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->type, ControlType::Error) << "not the pid of its socket";
}

TEST_F(ServerTest, GarbageIsCountedAndTheFabricLivesOn) {
  Program program(loop, base);
  ASSERT_TRUE(program.connect(""));
  base::Prng prng(7);
  for (std::size_t size = 1; size < 400; size += 7) {
    std::vector<std::byte> noise(size);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(prng());
    program.say_control(noise);
    program.say_data(noise);
    program.receive(milliseconds(0));
  }
  EXPECT_GT(server->counters().garbage_control, 50u);
  EXPECT_GT(server->counters().traffic.garbage, 50u);
  std::vector<std::byte> noise(kRequestBytes);
  for (int i = 0; i < 500; ++i) {
    for (std::byte& byte : noise) byte = static_cast<std::byte>(prng());
    program.say_data(noise);
    if (i % 50 == 0) program.receive(milliseconds(0));
  }
  while (!program.receive(milliseconds(20)).empty()) {
  }
  program.send(get(mad::AttributeId::NodeInfo, {1}, 0x42));
  EXPECT_EQ(program.receive(milliseconds(500)).size(), 1u);
}

TEST_F(ServerTest, AClientThatNeverReadsLosesAndOthersDoNotNotice) {
  Program deaf(loop, base);
  Program other(loop, base);
  ASSERT_TRUE(deaf.connect(host_name(0)));
  ASSERT_TRUE(other.connect(host_name(1)));
  for (std::uint64_t i = 0; i < 4000; ++i) {
    deaf.send(get(mad::AttributeId::NodeInfo, {1}, i));
    if (i % 32 == 0) other.receive(milliseconds(0));
  }
  other.receive(milliseconds(20));
  EXPECT_GT(server->counters().traffic.lost, 0u);
  other.send(get(mad::AttributeId::NodeInfo, {1}, 1));
  EXPECT_EQ(other.receive(milliseconds(500)).size(), 1u);
}

TEST_F(ServerTest, AThousandClientsHaveASeatEach) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 4000) GTEST_SKIP() << "not enough files for both ends";
  std::vector<std::unique_ptr<Program>> programs;
  for (unsigned i = 0; i < 1000; ++i) {
    programs.push_back(std::make_unique<Program>(loop, base));
    ASSERT_TRUE(programs.back()->connect(host_name(i % 3))) << i;
  }
  EXPECT_EQ(server->clients().size(), 1000u);
  for (const auto& program : programs) program->send(get(mad::AttributeId::NodeInfo, {1}, 5));
  std::size_t answers = 0;
  for (const auto& program : programs) answers += program->receive(milliseconds(500)).size();
  EXPECT_EQ(answers, 1000u);
}

TEST_F(ServerTest, WhoHasJustAskedIsAttendedToAndThenTheLoopRests) {
  server.reset();
  server =
      Server::start(loop, host, {base, "", milliseconds(20)}, [](const std::string&) {}).value();
  Program program(loop, base);
  ASSERT_TRUE(program.connect(""));
  const auto ask = [&](std::uint64_t transaction) {
    program.send(get(mad::AttributeId::NodeInfo, {1}, transaction));
    return program.receive(milliseconds(500)).size();
  };
  // On a busy machine the time may be over, or the processor be wanted elsewhere, before we look.
  std::size_t turns = 0;
  for (std::uint64_t attempt = 1; attempt <= 1500 && turns == 0; ++attempt) {
    if (attempt > 1) std::this_thread::sleep_for(milliseconds(20));
    ASSERT_EQ(ask(attempt), 1u);
    loop.restart();
    turns = loop.poll();
  }
  EXPECT_GT(turns, 0u) << "turns, though nothing came";
  loop.restart();
  loop.run_for(milliseconds(40));
  loop.restart();
  EXPECT_EQ(loop.poll(), 0u) << "long silent: nothing is left but to wait";
  EXPECT_EQ(ask(9999), 1u) << "and its socket is waited for again";
}

TEST_F(ServerTest, WhoLeavesWhileAttendedToIsForgotten) {
  server.reset();
  server =
      Server::start(loop, host, {base, "", milliseconds(200)}, [](const std::string&) {}).value();
  Program program(loop, base);
  Program other(loop, base);
  ASSERT_TRUE(program.connect(""));
  ASSERT_TRUE(other.connect(""));
  for (Program* each : {&program, &other}) {
    each->send(get(mad::AttributeId::NodeInfo, {1}, 1));
    ASSERT_EQ(each->receive(milliseconds(500)).size(), 1u);
  }
  ASSERT_TRUE(program.ask(ControlType::Disconnect));
  EXPECT_EQ(server->clients().size(), 1u);
  other.send(get(mad::AttributeId::NodeInfo, {1}, 2));
  EXPECT_EQ(other.receive(milliseconds(500)).size(), 1u);
}

TEST_F(ServerTest, ANameThatIsTakenOrCannotBeIsAnError) {
  const auto quiet = [](const std::string&) {};
  const auto second = Server::start(loop, host, {base, ""}, quiet);
  ASSERT_TRUE(second.has_error());
  EXPECT_THAT(second.error().message, testing::HasSubstr("in use"));
  EXPECT_TRUE(Server::start(loop, host, {base + "b", "1.2.3:9"}, quiet).has_error());
  EXPECT_TRUE(Server::start(loop, host, {std::string(200, 'x'), ""}, quiet).has_error());
}

}  // namespace
}  // namespace heddle::doors::ibsim
