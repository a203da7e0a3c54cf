// SPDX-License-Identifier: BSD-3-Clause
// The server as clients meet it: good ones, slow ones, dead ones and bad ones.
#include "api/server.hpp"

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/folder.hpp"

namespace heddle::api {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// A plain socket: what is sent is what is written here.
class Client {
 public:
  explicit Client(const std::filesystem::path& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.string().copy(at.sun_path, sizeof at.sun_path - 1);
    connect(reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect(reinterpret_cast<const sockaddr*>(&at), sizeof at);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) {
    ASSERT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // Until this text has come, the other end is gone, or five seconds have passed.
  std::string read_until(const std::string& mark) {
    char bytes[4096];
    while (mark.empty() || text_.find(mark) == std::string::npos) {
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0) break;
      text_.append(bytes, static_cast<std::size_t>(got));
    }
    return std::exchange(text_, {});
  }
  std::string read_all() { return read_until({}); }

 private:
  void connect(const sockaddr* at, socklen_t size) {
    const timeval patience{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(socket_, at, size), 0);
  }
  int socket_;
  std::string text_;
};

class ServerTest : public testing::Test {
 protected:
  ServerOptions options() {
    ServerOptions options;
    options.socket = folder_.path() / "s";
    options.patience = 500ms;
    return options;
  }
  std::unique_ptr<Server> start(ServerOptions options) {
    auto server = Server::start(std::move(options), [this](Command command, std::string who) {
      commands_.set_value({std::move(command), std::move(who)});
    });
    EXPECT_TRUE(server) << server.error().message;
    return server ? std::move(*server) : nullptr;
  }
  std::filesystem::path socket() const { return folder_.path() / "s"; }

  test::Folder folder_;
  std::promise<std::pair<Command, std::string>> commands_;
};

const std::string kHealth = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(ServerTest, AnswersSeveralRequestsOnOneConnection) {
  const auto server = start(options());
  Client client(socket());
  for (int i = 0; i < 3; ++i) {
    client.send(kHealth);
    const std::string answer = client.read_until("ok\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff"));
    EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'"));
  }
  client.send("HEAD /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string head = client.read_all();
  EXPECT_THAT(head, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(head, testing::EndsWith("\r\n\r\n")) << "it has no body";
}

TEST_F(ServerTest, BadBytesGetFourHundredAndTheDoorStaysOpen) {
  const auto server = start(options());
  const std::string long_header =
      "GET / HTTP/1.1\r\nX: " + std::string(kMaxHeaderBytes, 'x') + "\r\n\r\n";
  const std::string long_body = "POST /v1/resweep HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n";
  const std::pair<std::string, const char*> cases[] = {
      {std::string("\0\1\2\3\xff\xfe garbage\r\n\r\n", 18), "HTTP/1.1 400"},
      {"GET\r\n\r\n", "HTTP/1.1 400"},
      {"GET / HTTP/9.9\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400"},
      {long_header, "HTTP/1.1 431"},
      {long_body, "HTTP/1.1 413"},
  };
  for (const auto& [bytes, answer] : cases) {
    Client client(socket());
    client.send(bytes);
    EXPECT_THAT(client.read_all(), StartsWith(answer)) << bytes.substr(0, 40);
  }
  Client client(socket());
  client.send(kHealth);
  EXPECT_THAT(client.read_until("ok\n"), HasSubstr("200 OK"));
}

TEST_F(ServerTest, WhoSaysNothingIsLeftAndWhoGoesAwayIsNoHarm) {
  const auto server = start(options());
  Client silent(socket());
  silent.send("GET /heal");
  {
    Client gone(socket());
    gone.send("GET /v1/events/stream HTTP/1.1\r\n\r\n");
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s) << "it was not left";
  Client client(socket());
  client.send(kHealth);
  EXPECT_THAT(client.read_until("ok\n"), HasSubstr("200 OK"));
}

TEST_F(ServerTest, BeyondTheLimitOfConnectionsOthersWaitForNobody) {
  auto chosen = options();
  chosen.patience = 20s;
  const auto server = start(chosen);
  std::vector<std::unique_ptr<Client>> crowd;
  for (std::size_t i = 0; i < kMostConnections; ++i) {
    crowd.push_back(std::make_unique<Client>(socket()));
    crowd.back()->send(kHealth);
    EXPECT_THAT(crowd.back()->read_until("ok\n"), HasSubstr("200 OK"));
  }
  Client late(socket());
  EXPECT_EQ(late.read_all(), "") << "it was not turned away";
  crowd.clear();
  std::string answer;
  for (int tries = 0; tries < 50 && answer.empty(); ++tries) {
    std::this_thread::sleep_for(20ms);
    Client again(socket());
    again.send(kHealth);
    answer = again.read_until("ok\n");
  }
  EXPECT_THAT(answer, HasSubstr("200 OK")) << "a place that was left stays taken";
}

TEST_F(ServerTest, EventsReachWhoFollowsThem) {
  const auto server = start(options());
  Client client(socket());
  client.send("GET /v1/events/stream HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
  // Longer than anybody else may be silent.
  std::this_thread::sleep_for(700ms);
  server->tell(sm::Event{sm::LocalPortDown{"somebody pulled the cable"}});
  const std::string told = client.read_until("\n\n");
  EXPECT_THAT(told, HasSubstr("event: LocalPortDown\n"));
  EXPECT_THAT(told, HasSubstr("somebody pulled the cable"));
}

TEST_F(ServerTest, WhoOnlyLooksAtTheHeaderOfEventsTakesNobodysPlace) {
  const auto server = start(options());
  Client looks(socket());
  for (std::size_t i = 0; i <= kMostStreams; ++i) {
    looks.send("HEAD /v1/events/stream HTTP/1.1\r\n\r\n");
    ASSERT_THAT(looks.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200")) << i << " before it";
  }
  std::vector<std::unique_ptr<Client>> follow;
  for (std::size_t i = 0; i <= kMostStreams; ++i) {
    follow.push_back(std::make_unique<Client>(socket()));
    follow.back()->send("GET /v1/events/stream HTTP/1.1\r\n\r\n");
    const char* status = i < kMostStreams ? "HTTP/1.1 200" : "HTTP/1.1 503";
    EXPECT_THAT(follow.back()->read_until("\r\n\r\n"), StartsWith(status)) << i << " before it";
  }
}

TEST_F(ServerTest, CommandsOfOurOwnUserAreCarriedOut) {
  const auto server = start(options());
  Client client(socket());
  client.send("POST /v1/resweep HTTP/1.1\r\nContent-Length: 20\r\n\r\n{\"reason\": \"a test\"}");
  EXPECT_THAT(client.read_until("resweep"), HasSubstr("202 Accepted"));
  auto told = commands_.get_future();
  ASSERT_EQ(told.wait_for(5s), std::future_status::ready);
  const auto [command, who] = told.get();
  EXPECT_EQ(std::get<Resweep>(command).reason, "a test");
  EXPECT_EQ(who, "user " + std::to_string(::geteuid()));
}

TEST_F(ServerTest, ASocketThatNobodyHoldsIsReplacedAndALiveOneIsNot) {
  {
    // Left behind, as after a crash.
    const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    socket().string().copy(at.sun_path, sizeof at.sun_path - 1);
    ASSERT_EQ(::bind(dead, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    ::close(dead);
  }
  const auto server = start(options());
  ASSERT_NE(server, nullptr);
  struct stat found {};
  ASSERT_EQ(::stat(socket().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  const auto second = Server::start(options(), {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

TEST_F(ServerTest, OnLoopbackEverybodyReadsAndNobodyWrites) {
  auto chosen = options();
  chosen.tcp = TcpDoor{"127.0.0.1", 0, {}, {}, {}};
  const auto server = start(chosen);
  const auto ask = [&](const std::string& request) {
    Client client(server->port());
    client.send(request);
    return client.read_all();
  };
  const std::string rest = " HTTP/1.1\r\nConnection: close\r\nHost: ";
  EXPECT_THAT(ask("GET /v1/status" + rest + "localhost\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("POST /v1/reload" + rest + "localhost\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("GET /v1/status" + rest + "evil.example\r\n\r\n"), StartsWith("HTTP/1.1 401"))
      << "a page in a browser could read it";
}

TEST_F(ServerTest, WithTokensOnlyTheyOpen) {
  auto chosen = options();
  chosen.tcp = TcpDoor{"127.0.0.1", 0, *Tokens::parse("read r 0123456789abcdef", "t"), {}, {}};
  const auto server = start(chosen);
  const auto ask = [&](const std::string& line, const std::string& header) {
    Client client(server->port());
    client.send(line + " HTTP/1.1\r\nConnection: close\r\n" + header + "\r\n");
    return client.read_all();
  };
  const std::string token = "Authorization: Bearer 0123456789abcdef\r\n";
  EXPECT_THAT(ask("GET /v1/status", token), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("POST /v1/reload", token), StartsWith("HTTP/1.1 403"));
  const std::string refused = ask("GET /v1/status", "");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(refused, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THAT(ask("GET /healthz", ""), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, BeyondThisMachineNothingIsOpenedWithoutTlsAndTokens) {
  auto chosen = options();
  chosen.tcp = TcpDoor{"0.0.0.0", 0, *Tokens::parse("read r 0123456789abcdef", "t"), {}, {}};
  const auto server = Server::start(chosen, {});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("TLS and tokens are needed"));
}

TEST_F(ServerTest, TheConsoleHasDoneWhatTheApiDoes) {
  ServerOptions with_console = options();
  with_console.console = ConsoleOptions{};
  const auto server = start(std::move(with_console));
  ASSERT_EQ(server->console_trouble(), "");
  Client client(server->console_port());
  client.send("priority 9\n");
  EXPECT_THAT(client.read_until("9\n"), HasSubstr("OpenSM $ Setting sm-priority to 9\n"));
  const auto [command, who] = commands_.get_future().get();
  EXPECT_EQ(std::get<SetPriority>(command).priority, 9u);
  EXPECT_EQ(who, "user " + std::to_string(::geteuid()) + " by a console");
}

TEST_F(ServerTest, WithoutAPortForTheConsoleAllElseWorks) {
  ServerOptions first = options();
  first.console = ConsoleOptions{};
  const auto server = start(std::move(first));
  ServerOptions second = options();
  second.socket = folder_.path() / "t";
  second.console = ConsoleOptions{};
  second.console->port = server->console_port();
  const auto other = start(std::move(second));
  EXPECT_THAT(other->console_trouble(), HasSubstr("cannot listen on 127.0.0.1:"));
  EXPECT_EQ(other->console_port(), 0);
  Client client(folder_.path() / "t");
  client.send(kHealth);
  EXPECT_THAT(client.read_until("ok\n"), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace heddle::api
