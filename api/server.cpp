// SPDX-License-Identifier: BSD-3-Clause
#include "api/server.hpp"

#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "api/serve.hpp"

namespace heddle::api {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::local::stream_protocol;
using boost::system::error_code;

// How often those who follow events hear that there are none.
constexpr std::chrono::seconds kIdle{15};
// How often those who wait are looked after though there is no news.
constexpr std::chrono::milliseconds kPulse{250};
// Out of file descriptors, most likely: others will be closed.
constexpr std::chrono::milliseconds kAcceptAgain{100};

struct Told {
  sm::Event event;
  WallTime time;
};
using Mail =
    std::variant<std::shared_ptr<const sm::Snapshot>, std::shared_ptr<const sm::GroupList>, Told,
                 Seat, std::shared_ptr<const perf::Readings>, std::shared_ptr<const LinkCare>,
                 std::shared_ptr<const congestion::Report>,
                 std::shared_ptr<const partitions::Managed>>;

bool somebody_listens(asio::io_context& loop, const stream_protocol::endpoint& at) {
  stream_protocol::socket probe(loop);
  error_code error;
  probe.connect(at, error);
  return !error;
}

base::Error cannot_listen(const TcpDoor& door, std::string_view why) {
  return base::error(fmt::format("cannot listen on {}:{}: {}", door.address, door.port, why));
}

base::Result<asio::ip::address> address_of(const TcpDoor& door) {
  error_code error;
  const auto address = asio::ip::make_address(door.address, error);
  if (error) return cannot_listen(door, "this is no IP address");
  if (!address.is_loopback() && (door.certificate.empty() || !door.tokens)) {
    return cannot_listen(door, "beyond this machine TLS and tokens are needed");
  }
  return address;
}

base::Result<asio::ssl::context> tls_of(const TcpDoor& door) {
  asio::ssl::context tls(asio::ssl::context::tls_server);
  tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                  asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                  asio::ssl::context::no_tlsv1_1);
  error_code error;
  tls.use_certificate_chain_file(door.certificate.string(), error);
  if (error) return base::error(fmt::format("{}: {}", door.certificate.string(), error.message()));
  tls.use_private_key_file(door.key.string(), asio::ssl::context::pem, error);
  if (error) return base::error(fmt::format("{}: {}", door.key.string(), error.message()));
  return tls;
}

}  // namespace

class Server::Inner final : public Host {
 public:
  Inner(ServerOptions options, CommandSink commands)
      : options_(std::move(options)), commands_(std::move(commands)) {
    state_.identity = options_.identity;
    state_.exports = options_.exports;
    state_.atlas = options_.atlas;
    state_.seat = options_.seat;
    state_.book = options_.book;
  }

  ~Inner() override {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
    error_code ignored;
    if (local_.is_open()) std::filesystem::remove(options_.socket, ignored);
  }

  base::Result<> open() {
    if (!options_.socket.empty()) {
      const auto opened = open_socket();
      if (opened.has_error()) return opened.error();
    }
    if (options_.tcp) {
      const auto opened = open_tcp(*options_.tcp);
      if (opened.has_error()) return opened.error();
    }
    if (local_.is_open()) accept_local();
    if (remote_.is_open()) accept_remote();
    if (options_.console) open_console(*options_.console);
    tick();
    thread_ = std::thread([this] { run(); });
    return {};
  }

  // From any thread.
  void put(Mail mail) {
    const std::lock_guard lock(mutex_);
    const bool is_event = std::holds_alternative<Told>(mail);
    if (is_event && mail_.size() >= kMostWaiting) return;
    mail_.push_back(std::move(mail));
    if (mail_.size() == 1) asio::post(loop_, [this] { take_mail(); });
  }

  std::uint16_t port() const { return port_; }
  std::uint16_t console_port() const { return console_ ? console_->port() : std::uint16_t{0}; }
  const std::string& console_trouble() const { return console_trouble_; }

  // Host
  Response answer(const Request& request, const Caller& caller) override {
    state_.now = std::chrono::system_clock::now();
    Response response;
    try {
      response = handle(request, state_);
    } catch (const std::exception& failure) {
      return refusal(500, failure.what());
    }
    if (!response.command) return response;
    if (std::holds_alternative<AcceptLosses>(*response.command)) state_.losses.accept();
    commands_(*std::exchange(response.command, std::nullopt), caller.name);
    return response;
  }

  Caller caller(std::string_view authorization, std::string_view host) override {
    if (options_.tcp->tokens) return options_.tcp->tokens->caller(authorization);
    return {names_loopback(host) ? Role::Reader : Role::Nobody, "somebody"};
  }

  bool begin_stream() override {
    if (streams_ == kMostStreams) return false;
    ++streams_;
    return true;
  }
  void end_stream() override { --streams_; }
  void wait(std::shared_ptr<Waiter> waiter) override {
    waiting_.push_back(std::move(waiter));
    if (waiting_.size() == 1) pulse();
  }
  void left() override { --connections_; }
  std::chrono::milliseconds patience() const override { return options_.patience; }

 private:
  void run() {
    for (;;) {
      try {
        loop_.run();
        return;
      } catch (const std::exception&) {
        // A connection that ran out of memory is gone; the others are not.
      }
    }
  }

  base::Result<> open_socket() {
    const auto wrong = [&](const error_code& error) {
      return base::error(
          fmt::format("cannot listen on {}: {}", options_.socket.string(), error.message()));
    };
    const std::string path = options_.socket.string();
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      return wrong(make_error_code(boost::system::errc::filename_too_long));
    }
    const stream_protocol::endpoint at(path);
    error_code error;
    stream_protocol::acceptor acceptor(loop_);
    acceptor.open(at.protocol(), error);
    if (error) return wrong(error);
    acceptor.bind(at, error);
    if (error == asio::error::address_in_use && !somebody_listens(loop_, at)) {
      std::filesystem::remove(path, error);
      acceptor.bind(at, error);
    }
    if (error) return wrong(error);
    // Who may do what is decided by the credentials of each who connects.
    if (::chmod(path.c_str(), options_.everyone_reads ? 0666 : 0600) != 0) {
      return wrong(error_code(errno, boost::system::system_category()));
    }
    acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return wrong(error);
    local_ = std::move(acceptor);
    return {};
  }

  base::Result<> open_tcp(const TcpDoor& door) {
    const auto address = address_of(door);
    if (address.has_error()) return address.error();
    if (!door.certificate.empty()) {
      auto tls = tls_of(door);
      if (tls.has_error()) return tls.error();
      tls_ = std::move(*tls);
    }
    const tcp::endpoint at(*address, door.port);
    error_code error;
    tcp::acceptor acceptor(loop_);
    acceptor.open(at.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(at, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return cannot_listen(door, error.message());
    port_ = acceptor.local_endpoint().port();
    remote_ = std::move(acceptor);
    return {};
  }

  void open_console(const ConsoleOptions& wanted) {
    auto door = ConsoleDoor::open(loop_, wanted, [this](std::string_view line, const Caller& who) {
      return talk(line, who);
    });
    if (door.has_error()) {
      console_trouble_ = door.error().message;
    } else {
      console_ = std::move(*door);
    }
  }

  ConsoleAnswer talk(std::string_view line, const Caller& caller) {
    state_.now = std::chrono::system_clock::now();
    ConsoleAnswer said;
    try {
      said = answer_console(line, state_);
    } catch (const std::exception& failure) {
      said.text = fmt::format("{}\n", failure.what());
      return said;
    }
    if (!said.request) return said;
    said.request->role = caller.role;
    const Response made = answer(*said.request, caller);
    if (made.status >= 400) said.text = console_complaint(made);
    return said;
  }

  void accept_local() {
    local_.async_accept([this](const error_code& error, stream_protocol::socket socket) {
      if (error) return accept_later([this] { accept_local(); });
      accept_local();
      const Caller caller = local_caller(socket.native_handle(), options_.everyone_reads);
      if (!admit()) return;
      serve(*this, std::move(socket), caller);
    });
  }

  void accept_remote() {
    remote_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return accept_later([this] { accept_remote(); });
      accept_remote();
      if (!admit()) return;
      tls_ ? serve(*this, std::move(socket), *tls_) : serve(*this, std::move(socket));
    });
  }

  // Beyond the limit a connection is closed at once.
  bool admit() {
    if (connections_ == kMostConnections) return false;
    ++connections_;
    return true;
  }

  void accept_later(std::function<void()> accept) {
    auto timer = std::make_shared<asio::steady_timer>(loop_, kAcceptAgain);
    timer->async_wait([timer, accept = std::move(accept)](const error_code& error) {
      if (!error) accept();
    });
  }

  void take_mail() {
    std::deque<Mail> mail;
    {
      const std::lock_guard lock(mutex_);
      mail.swap(mail_);
    }
    const WallTime now = std::chrono::system_clock::now();
    for (Mail& each : mail) {
      if (auto* snapshot = std::get_if<0>(&each)) {
        state_.take(std::move(*snapshot), now);
      } else if (auto* groups = std::get_if<1>(&each)) {
        state_.groups = std::move(*groups);
      } else if (auto* told = std::get_if<Told>(&each)) {
        state_.take(told->event, told->time);
      } else if (auto* seat = std::get_if<Seat>(&each)) {
        state_.seat = std::move(*seat);
      } else if (auto* care = std::get_if<std::shared_ptr<const LinkCare>>(&each)) {
        state_.care = std::move(*care);
      } else if (auto* report = std::get_if<std::shared_ptr<const congestion::Report>>(&each)) {
        state_.congestion = std::move(*report);
      } else if (auto* managed = std::get_if<std::shared_ptr<const partitions::Managed>>(&each)) {
        if (state_.book) take_over(std::move(*managed), now);
      } else {
        state_.take(std::move(std::get<std::shared_ptr<const perf::Readings>>(each)), now);
      }
    }
    wake(false);
  }

  void take_over(std::shared_ptr<const partitions::Managed> managed, WallTime now) {
    const auto kept = state_.book->take_over(std::move(managed), now);
    if (kept.has_error() && options_.partitions_not_kept) {
      options_.partitions_not_kept(kept.error().message);
    }
  }

  void wake(bool idle) {
    for (const auto& waiter : std::exchange(waiting_, {})) waiter->on_news(idle);
  }

  // Who waits for an answer has a time to wait for it.
  void pulse() {
    pulser_.expires_after(kPulse);
    pulser_.async_wait([this](const error_code& error) {
      if (!error) wake(false);
    });
  }

  void tick() {
    ticker_.expires_after(kIdle);
    ticker_.async_wait([this](const error_code& error) {
      if (error) return;
      wake(true);
      tick();
    });
  }

  ServerOptions options_;
  CommandSink commands_;
  State state_;
  std::size_t connections_ = 0;
  std::size_t streams_ = 0;
  std::mutex mutex_;
  std::deque<Mail> mail_;  // guarded by mutex_
  std::optional<asio::ssl::context> tls_;
  std::uint16_t port_ = 0;
  // Connections live in the loop's handlers and in the list, and go with them before the rest.
  asio::io_context loop_{1};
  asio::steady_timer ticker_{loop_};
  asio::steady_timer pulser_{loop_};
  stream_protocol::acceptor local_{loop_};
  tcp::acceptor remote_{loop_};
  std::unique_ptr<ConsoleDoor> console_;
  std::string console_trouble_;
  std::vector<std::shared_ptr<Waiter>> waiting_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}

Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::start(ServerOptions options, CommandSink commands) {
  auto inner = std::make_unique<Inner>(std::move(options), std::move(commands));
  const auto opened = inner->open();
  if (opened.has_error()) return opened.error();
  return std::unique_ptr<Server>(new Server(std::move(inner)));
}

base::Result<> Server::check(const TcpDoor& door) {
  const auto address = address_of(door);
  if (address.has_error()) return address.error();
  if (door.certificate.empty()) return {};
  const auto tls = tls_of(door);
  return tls.has_error() ? base::Result<>(tls.error()) : base::Result<>();
}

void Server::publish(std::shared_ptr<const sm::Snapshot> snapshot) {
  inner_->put(std::move(snapshot));
}

void Server::publish(std::shared_ptr<const sm::GroupList> groups) {
  inner_->put(std::move(groups));
}

void Server::publish(std::shared_ptr<const perf::Readings> readings) {
  inner_->put(std::move(readings));
}

void Server::publish(std::shared_ptr<const LinkCare> care) {
  inner_->put(std::move(care));
}

void Server::publish(std::shared_ptr<const partitions::Managed> managed) {
  inner_->put(std::move(managed));
}

void Server::publish(std::shared_ptr<const congestion::Report> report) {
  inner_->put(std::move(report));
}

void Server::tell(const sm::Event& event) {
  inner_->put(Told{event, std::chrono::system_clock::now()});
}

void Server::sit(Seat seat) {
  inner_->put(std::move(seat));
}

std::uint16_t Server::port() const {
  return inner_->port();
}

std::uint16_t Server::console_port() const {
  return inner_->console_port();
}

const std::string& Server::console_trouble() const {
  return inner_->console_trouble();
}

}  // namespace heddle::api
