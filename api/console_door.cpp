// SPDX-License-Identifier: BSD-3-Clause
#include "api/console_door.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace heddle::api {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Out of file descriptors, most likely: others will be closed.
constexpr std::chrono::milliseconds kAcceptAgain{100};
// For the other end to see that it is over.
constexpr std::chrono::milliseconds kLeavePatience{1000};

struct Shared {
  ConsoleOptions options;
  ConsoleDoor::Talk talk;
  std::size_t open = 0;
  std::size_t leaving = 0;  // these are not among the open
};

// Standard input and output as one stream.
class Terminal {
 public:
  using executor_type = asio::posix::stream_descriptor::executor_type;

  // Where there is none, nothing can be read, which ends it.
  explicit Terminal(asio::io_context& loop) : in_(loop), out_(loop) {
    if (terminal_is_anothers()) return;
    error_code ignored;
    in_.assign(::dup(STDIN_FILENO), ignored);
    out_.assign(::dup(STDOUT_FILENO), ignored);
  }

  executor_type get_executor() { return in_.get_executor(); }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    in_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    out_.async_write_some(buffers, std::forward<Handler>(handler));
  }
  void close(error_code& error) {
    in_.close(error);
    out_.close(error);
  }

 private:
  asio::posix::stream_descriptor in_, out_;
};

// One who talks: a line is answered before the next is taken.
template <class Stream>
class Talker : public std::enable_shared_from_this<Talker<Stream>> {
 public:
  Talker(std::shared_ptr<Shared> shared, Stream stream, Caller caller)
      : shared_(std::move(shared)),
        stream_(std::move(stream)),
        caller_(std::move(caller)),
        watch_(stream_.get_executor()),
        again_(stream_.get_executor()) {
    ++shared_->open;
  }
  ~Talker() { --(leaving_ ? shared_->leaving : shared_->open); }
  Talker(const Talker&) = delete;
  Talker& operator=(const Talker&) = delete;

  void start() {
    if (shared_->open > kMostConsoles) {
      answer_.text = "There are too many consoles already\n";
      answer_.ends = true;
    }
    write();
  }

 private:
  static constexpr bool kIsTerminal = std::is_same_v<Stream, Terminal>;

  // Ends the connection when nothing happens for so long; at a terminal nobody is waited for.
  void watch(std::chrono::milliseconds patience) {
    if (kIsTerminal) return;
    watch_.expires_after(patience);
    watch_.async_wait([self = this->shared_from_this()](const error_code& error) {
      if (!error) self->close();
    });
  }

  void close() {
    error_code ignored;
    closed_ = true;
    watch_.cancel();
    again_.cancel();
    stream_.close(ignored);
  }

  // Closed with something unread, what was answered last might never arrive.
  void leave() {
    if constexpr (kIsTerminal) {
      close();
    } else {
      if (shared_->leaving == kMostConsoles) return close();
      --shared_->open;
      ++shared_->leaving;
      error_code ignored;
      stream_.shutdown(tcp::socket::shutdown_send, ignored);
      leaving_ = true;
      watch(kLeavePatience);
      read();
    }
  }

  // What is left of the answer, then the prompt.
  void write() {
    out_ = std::exchange(answer_.text, {});
    if (out_.empty() && answer_.pieces) {
      // Of many switches most say nothing; others are served in between all the same.
      if (auto piece = answer_.pieces()) {
        out_ = std::move(*piece);
      } else {
        answer_.pieces = nullptr;
      }
    }
    const bool is_last = out_.empty() && !answer_.pieces;
    if (is_last) {
      if (answer_.ends) return leave();
      out_ = answer_.repeats ? "" : kConsolePrompt;
    }
    writing_ = true;
    watch(shared_->options.patience);
    asio::async_write(stream_, asio::buffer(out_),
                      [self = this->shared_from_this(), is_last](error_code error, std::size_t) {
                        self->writing_ = false;
                        if (error || self->closed_) return self->close();
                        is_last ? self->after_answer() : self->write();
                      });
  }

  void after_answer() {
    watch(shared_->options.idle);
    if (answer_.repeats) repeat_later();
    go_on();
  }

  void repeat_later() {
    again_.expires_after(shared_->options.repeat);
    again_.async_wait([self = this->shared_from_this()](const error_code& error) {
      const bool is_over = error || self->closed_ || self->writing_ || !self->answer_.repeats;
      if (!is_over) self->answer(self->repeated_);
    });
  }

  void go_on() {
    if (writing_ || closed_) return;
    const std::size_t end = in_.find('\n');
    if (end != std::string::npos) {
      const std::string line = in_.substr(0, end);
      in_.erase(0, end + 1);
      return take(line);
    }
    if (in_.size() > kMaxConsoleLine) return close();
    if (!at_end_) return read();
    if (in_.empty()) return close();
    take(std::exchange(in_, {}));
  }

  void read() {
    if (reading_) return;
    reading_ = true;
    stream_.async_read_some(asio::buffer(bytes_),
                            [self = this->shared_from_this()](error_code error, std::size_t count) {
                              self->reading_ = false;
                              if (self->leaving_) return error ? self->close() : self->read();
                              self->at_end_ = static_cast<bool>(error);
                              self->in_.append(self->bytes_.data(), count);
                              self->go_on();
                            });
  }

  void take(const std::string& line) {
    again_.cancel();
    if (!answer_.repeats) return answer(line);
    if (!line.starts_with('q')) return answer(repeated_);
    answer_ = {};
    write();
  }

  void answer(std::string line) {
    answer_ = line.size() > kMaxConsoleLine ? ConsoleAnswer{} : shared_->talk(line, caller_);
    if (line.size() > kMaxConsoleLine) answer_.ends = true;
    if (answer_.repeats) answer_.text += "use \"q<ret>\" to quit loop\n";
    repeated_ = std::move(line);
    write();
  }

  std::shared_ptr<Shared> shared_;
  Stream stream_;
  Caller caller_;
  asio::steady_timer watch_, again_;
  std::array<char, kMaxConsoleLine> bytes_{};
  std::string in_;   // has come, and is not taken
  std::string out_;  // is on its way
  ConsoleAnswer answer_;
  std::string repeated_;  // the line whose answer is given again
  bool at_end_ = false, closed_ = false, leaving_ = false, reading_ = false, writing_ = false;
};

class TerminalDoor final : public ConsoleDoor {
 public:
  TerminalDoor(asio::io_context& loop, std::shared_ptr<Shared> shared) {
    std::make_shared<Talker<Terminal>>(std::move(shared), Terminal(loop),
                                       Caller{Role::Writer, "the terminal"})
        ->start();
  }
  std::uint16_t port() const override { return 0; }
};

class TcpConsoleDoor final : public ConsoleDoor {
 public:
  TcpConsoleDoor(asio::io_context& loop, std::shared_ptr<Shared> shared)
      : acceptor_(loop), again_(loop), shared_(std::move(shared)) {}

  base::Result<> listen() {
    const bool is_any = shared_->options.where == ConsoleOptions::Where::AnyAddress;
    const asio::ip::address_v4 address =
        is_any ? asio::ip::address_v4::any() : asio::ip::address_v4::loopback();
    const tcp::endpoint at(address, shared_->options.port);
    error_code error;
    acceptor_.open(at.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(at, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return base::error(fmt::format("cannot listen on {}:{}: {}", address.to_string(), at.port(),
                                     error.message()));
    }
    accept();
    return {};
  }
  std::uint16_t port() const override { return acceptor_.local_endpoint().port(); }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return accept_later();
      accept();
      Caller caller = console_caller(socket.native_handle());
      std::make_shared<Talker<tcp::socket>>(shared_, std::move(socket), std::move(caller))->start();
    });
  }

  void accept_later() {
    again_.expires_after(kAcceptAgain);
    again_.async_wait([this](const error_code& error) {
      if (!error) accept();
    });
  }

  tcp::acceptor acceptor_;
  asio::steady_timer again_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace

bool terminal_is_anothers() {
  std::signal(SIGTTIN, SIG_IGN);
  return ::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
}

base::Result<std::unique_ptr<ConsoleDoor>> ConsoleDoor::open(asio::io_context& loop,
                                                             ConsoleOptions options, Talk talk) {
  auto shared = std::make_shared<Shared>(Shared{options, std::move(talk)});
  if (options.where == ConsoleOptions::Where::Terminal) {
    return std::unique_ptr<ConsoleDoor>(new TerminalDoor(loop, std::move(shared)));
  }
  auto door = std::make_unique<TcpConsoleDoor>(loop, std::move(shared));
  const auto opened = door->listen();
  if (opened.has_error()) return opened.error();
  return std::unique_ptr<ConsoleDoor>(std::move(door));
}

}  // namespace heddle::api
