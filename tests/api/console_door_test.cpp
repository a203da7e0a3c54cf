// SPDX-License-Identifier: BSD-3-Clause
// The TCP door of OpenSM's console: scripts that pipe into it, and those who would tire it out.
#include "api/console_door.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::api {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

sockaddr_in address(std::uint16_t port, in_addr_t host) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = host;
  return at;
}

// One that is not the loopback's.
std::optional<in_addr_t> address_of_this_host() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  std::optional<in_addr_t> found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    const bool is_up = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (!is_up || each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    found = reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr;
  }
  ::freeifaddrs(all);
  return found;
}

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    close_in();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int in() const { return ends_[1]; }
  int out() const { return ends_[0]; }
  void close_in() { ::close(std::exchange(ends_[1], -1)); }
  std::string read_all() {
    std::string text;
    char bytes[256];
    for (ssize_t got = 0; (got = ::read(out(), bytes, sizeof bytes)) > 0;) {
      text.append(bytes, static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int ends_[2] = {-1, -1};
};

// One descriptor in the place of another, as long as it lives.
class Standing {
 public:
  Standing(int in_place_of, int fd) : place_(in_place_of), own_(::dup(in_place_of)) {
    EXPECT_EQ(::dup2(fd, place_), place_);
  }
  ~Standing() {
    ::dup2(own_, place_);
    ::close(own_);
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;

 private:
  int place_, own_;
};

class Client {
 public:
  explicit Client(std::uint16_t port, in_addr_t host = htonl(INADDR_LOOPBACK))
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in at = address(port, host);
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

// Another user of this host may look.
TEST_F(ConsoleDoorTest, OthersOnlyLook) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr uid_t kNobody = 65534;
  open();
  Pipe said;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setuid(kNobody) != 0) ::_exit(1);
    Client client(door_->port());
    client.send("who\nquit\n");
    const std::string text = client.read_all();
    ::_exit(::write(said.in(), text.data(), text.size()) < 0);
  }
  said.close_in();
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(said.read_all(),
            kPrompt + fmt::format("user {} by a console\n", kNobody) + kPrompt + "quit\n");
}

TEST_F(ConsoleDoorTest, OnAnyAddressOthersMayLook) {
  const auto elsewhere = address_of_this_host();
  if (!elsewhere) GTEST_SKIP() << "this host has no address but its loopback's";
  open({.where = ConsoleOptions::Where::AnyAddress});
  Client client(door_->port(), *elsewhere);
  client.send("who\nquit\n");
  in_addr at{*elsewhere};
  EXPECT_EQ(client.read_all(),
            kPrompt + fmt::format("a console at {}\n", ::inet_ntoa(at)) + kPrompt + "quit\n")
      << "nobody can tell who that is, whatever user it runs as";
  Client here(door_->port());
  here.send("who\nquit\n");
  EXPECT_THAT(here.read_all(), HasSubstr(" writes\n"));
}

TEST_F(ConsoleDoorTest, OnTheLoopbackNobodyComesFromElsewhere) {
  const auto elsewhere = address_of_this_host();
  if (!elsewhere) GTEST_SKIP() << "this host has no address but its loopback's";
  open();
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in at = address(door_->port(), *elsewhere);
  EXPECT_NE(::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  ::close(socket);
}

// Standard input and output are pipes meanwhile.
TEST_F(ConsoleDoorTest, TalksAtTheTerminalUntilItsInputEnds) {
  Pipe typed, shown;
  {
    const Standing in(STDIN_FILENO, typed.out()), out(STDOUT_FILENO, shown.in());
    open({.where = ConsoleOptions::Where::Terminal});
  }
  EXPECT_EQ(door_->port(), 0);
  shown.close_in();
  const std::string lines = "who\nlast";
  EXPECT_EQ(::write(typed.in(), lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  typed.close_in();
  EXPECT_EQ(shown.read_all(), kPrompt + "the terminal writes\n" + kPrompt + "last\n" + kPrompt);
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

TEST_F(ConsoleDoorTest, WhoTakesNothingMakesRoomForOthers) {
  open({.patience = 200ms});
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kMostConsoles; ++i) {
    clients.push_back(std::make_unique<Client>(door_->port()));
    clients.back()->send("much\n");
  }
  std::string said;
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (said != kPrompt && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(50ms);
    Client next(door_->port());
    said = next.read_until(kPrompt);
  }
  EXPECT_EQ(said, kPrompt);
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
