// SPDX-License-Identifier: BSD-3-Clause
// The TCP door of OpenSM's console: scripts that pipe into it, and those who would tire it out.
#include "api/console_door.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace heddle::api {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void finish() { ::shutdown(socket_, SHUT_WR); }
  // Until this text has come at the end, or the other end is gone; five seconds are "(silence)".
  std::string read_until(const std::string& mark) {
    std::string text;
    char bytes[4096];
    while (mark.empty() || !text.ends_with(mark)) {
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got < 0) return text + "(silence)";
      if (got == 0) break;
      text.append(bytes, static_cast<std::size_t>(got));
    }
    return text;
  }
  std::string read_all() { return read_until({}); }

 private:
  int socket_;
};

// Says again what it is told, and by whom.
class ConsoleDoorTest : public testing::Test {
 protected:
  ~ConsoleDoorTest() override {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }
  void open(ConsoleOptions options = {}) {
    auto door = ConsoleDoor::open(loop_, options, [this](std::string_view line, const Caller& who) {
      ConsoleAnswer answer;
      answer.text = std::string(line) + "\n";
      answer.ends = line == "quit";
      answer.repeats = line == "loop";
      if (line == "who") answer.text = who.name + (who.role == Role::Writer ? " writes\n" : "\n");
      if (line == "pieces") {
        answer.pieces = [left = 3]() mutable -> std::optional<std::string> {
          if (left == 0) return std::nullopt;
          return --left == 1 ? std::string() : fmt::format("{} left\n", left);
        };
      }
      if (line == "much") {
        answer.pieces = [this]() -> std::optional<std::string> {
          ++made_;
          return std::string(1 << 20, 'x');
        };
      }
      return answer;
    });
    ASSERT_TRUE(door) << door.error().message;
    door_ = std::move(*door);
    thread_ = std::thread([this] { loop_.run(); });
  }

  std::atomic<int> made_ = 0;
  boost::asio::io_context loop_;
  std::unique_ptr<ConsoleDoor> door_;
  std::thread thread_;
};

const std::string kPrompt(kConsolePrompt);

TEST_F(ConsoleDoorTest, AnswersWhatIsPipedIntoItAndEnds) {
  open();
  Client client(door_->port());
  client.send("one\r\ntwo\nthree");
  client.finish();
  EXPECT_EQ(client.read_all(),
            kPrompt + "one\r\n" + kPrompt + "two\n" + kPrompt + "three\n" + kPrompt);
}

TEST_F(ConsoleDoorTest, TalksLineByLineUntilItIsTakenLeaveOf) {
  open();
  Client client(door_->port());
  EXPECT_EQ(client.read_until(kPrompt), kPrompt);
  client.send("pieces\n");
  EXPECT_EQ(client.read_until(kPrompt), "pieces\n2 left\n0 left\n" + kPrompt);
  client.send("quit\nnot any more\n");
  EXPECT_EQ(client.read_all(), "quit\n");
}

TEST_F(ConsoleDoorTest, RepeatsUntilItIsToldToStop) {
  open({.repeat = 20ms});
  Client client(door_->port());
  client.read_until(kPrompt);
  client.send("loop\n");
  const std::string round = "loop\nuse \"q<ret>\" to quit loop\n";
  EXPECT_EQ(client.read_until(round + round).substr(0, round.size()), round);
  client.send("q\n");
  EXPECT_THAT(client.read_until(kPrompt), EndsWith(kPrompt));
  client.send("one\n");
  EXPECT_EQ(client.read_until(kPrompt), "one\n" + kPrompt);
}

TEST_F(ConsoleDoorTest, KnowsItsOwnUserByTheKernel) {
  open();
  Client client(door_->port());
  client.read_until(kPrompt);
  client.send("who\n");
  EXPECT_EQ(client.read_until(kPrompt),
            fmt::format("user {} by a console writes\n", ::geteuid()) + kPrompt);
}

TEST_F(ConsoleDoorTest, WhoSaysTooMuchAtOnceIsLeft) {
  open();
  Client client(door_->port());
  client.send(std::string(4 * kMaxConsoleLine, 'x'));
  EXPECT_THAT(client.read_all(), testing::Not(HasSubstr("x")));
  Client other(door_->port());
  other.send("one\nquit\n");
  EXPECT_THAT(other.read_all(), HasSubstr("one\n")) << "and the door stays open";
}

TEST_F(ConsoleDoorTest, WhoSaysNothingIsLeft) {
  open({.idle = 50ms});
  Client client(door_->port());
  EXPECT_EQ(client.read_all(), kPrompt);
}

TEST_F(ConsoleDoorTest, WhoTakesNothingIsLeftAndCostsLittle) {
  open({.patience = 200ms});
  Client client(door_->port());
  client.send("much\n");
  std::this_thread::sleep_for(1s);
  const int made = made_;
  EXPECT_LT(made, 64) << "what nobody takes is not made";
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(made_, made);
}

TEST_F(ConsoleDoorTest, SoManyAndNoMore) {
  open();
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kMostConsoles; ++i) {
    clients.push_back(std::make_unique<Client>(door_->port()));
    EXPECT_EQ(clients.back()->read_until(kPrompt), kPrompt);
  }
  Client one_more(door_->port());
  one_more.send("one\n");
  EXPECT_EQ(one_more.read_all(), "There are too many consoles already\n");
  clients.back()->send("quit\n");
  clients.back()->read_all();
  Client next(door_->port());
  EXPECT_EQ(next.read_until(kPrompt), kPrompt);
}

TEST_F(ConsoleDoorTest, APortThatIsTakenIsAnError) {
  open();
  boost::asio::io_context loop;
  const auto second = ConsoleDoor::open(loop, {.port = door_->port()}, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace heddle::api
