// SPDX-License-Identifier: BSD-3-Clause
// A network that takes its time, between one that connects to it and one that listens.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace heddle::test {

// Carries one connection, and refuses more: who has to connect again is not served. What the
// listener says goes through at a pace, and waits on the listener's side of it.
class SlowNetwork {
 public:
  SlowNetwork(std::uint16_t to_port, std::size_t bytes_per_second)
      : acceptor_(loop_, {boost::asio::ip::address_v4::loopback(), 0}),
        from_(loop_),
        to_(loop_),
        to_port_(to_port),
        bytes_per_second_(bytes_per_second),
        place_("127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port())),
        back_([this] { carry(); }) {}
  ~SlowNetwork() {
    boost::system::error_code ignored;
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes who accepts
    from_.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    to_.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    back_.join();
    if (forth_.joinable()) forth_.join();
  }
  SlowNetwork(const SlowNetwork&) = delete;
  SlowNetwork& operator=(const SlowNetwork&) = delete;

  const std::string& place() const { return place_; }

 private:
  using tcp = boost::asio::ip::tcp;
  static constexpr std::size_t kPiece = 16384;

  void carry() {
    boost::system::error_code error;
    if (acceptor_.accept(from_, error)) return;
    acceptor_.close(error);
    to_.open(tcp::v4());
    to_.set_option(boost::asio::socket_base::receive_buffer_size(kPiece));
    if (to_.connect({boost::asio::ip::address_v4::loopback(), to_port_}, error)) return;
    forth_ = std::thread([this] { copy(from_, to_, {}); });
    copy(to_, from_, std::chrono::nanoseconds(std::chrono::seconds(1)) / bytes_per_second_);
  }
  static void copy(tcp::socket& from, tcp::socket& to, std::chrono::nanoseconds each_byte) {
    std::array<char, kPiece> piece;
    boost::system::error_code error;
    while (true) {
      const auto size = from.read_some(boost::asio::buffer(piece), error);
      if (!error) boost::asio::write(to, boost::asio::buffer(piece, size), error);
      if (error) return;
      std::this_thread::sleep_for(each_byte * size);
    }
  }

  boost::asio::io_context loop_;
  tcp::acceptor acceptor_;
  tcp::socket from_, to_;
  std::uint16_t to_port_;
  std::size_t bytes_per_second_;
  std::string place_;
  std::thread forth_, back_;
};

}  // namespace heddle::test
