// SPDX-License-Identifier: BSD-3-Clause
// A datagram socket that never blocks, local with an abstract name or UDP, for several messages in
// one system call. Asio only waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/socket.h>

#include "base/result.hpp"
#include "doors/ibsim/messages.hpp"

namespace heddle::doors::ibsim {

// A socket's name, of either family.
class SocketAddress {
 public:
  SocketAddress() = default;
  // An abstract name. The NUL behind it is part of the address, as libumad2sim wants it. Refuses
  // names that do not fit (at most 106 bytes) and empty ones.
  static base::Result<SocketAddress> local(const std::string& name);
  // "ADDRESS:PORT" or "PORT", which is on 127.0.0.1; dotted IPv4.
  static base::Result<SocketAddress> udp(const std::string& text);

  // The same address with another UDP port; only for UDP.
  SocketAddress with_port(std::uint16_t port) const;
  std::uint16_t port() const;

  bool is_udp() const { return storage_.ss_family == AF_INET; }
  std::string text() const;
  friend bool operator==(const SocketAddress& left, const SocketAddress& right);

  // For system calls.
  sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage_); }
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size = sizeof(sockaddr_storage);

 private:
  sockaddr_storage storage_{};
};

// What a batch of messages is received into. One for all sockets of a loop will do.
class Inbox {
 public:
  // Few: the first answers are on their way while the next questions are read, and a client that
  // has many in flight works at the same time as the server instead of in turns with it.
  static constexpr std::size_t kMessages = 8;
  Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  // Of the last batch; a message that is too long for any of ours shows as kSlotBytes.
  std::span<const std::byte> message(std::size_t index) const;

 private:
  friend class DatagramSocket;
  static constexpr std::size_t kSlotBytes = kRequestBytes + 32;
  std::vector<std::byte> bytes_;
  std::vector<iovec> slots_;
  std::vector<mmsghdr> headers_;
};

enum class Sent : std::uint8_t {
  All,
  Full,  // the receiver's buffer; what was not sent stays with the caller
  Gone,  // nobody is there any more
};

class DatagramSocket {
 public:
  // Bound to this name; the error says why not.
  static base::Result<DatagramSocket> bound(boost::asio::io_context& loop,
                                            const SocketAddress& address);

  // Only messages from there arrive from now on. Repeating it tells whether anybody is still there.
  bool connect(const SocketAddress& peer);
  SocketAddress name();

  // How many messages came, at most `most` and Inbox::kMessages; 0 when there are none. Errors that
  // the network reports for earlier messages are skipped.
  std::size_t receive(Inbox& inbox, std::size_t most = Inbox::kMessages);
  // To the peer; `sent` counts what went. Only after connect().
  Sent send(std::span<const RequestBytes> messages, std::size_t& sent);

  // For the socket where everybody's control messages arrive: false when there is none.
  bool receive_from(std::span<std::byte> buffer, std::size_t& length, SocketAddress& from);
  // Lost when the receiver does not take it at once.
  void send_to(std::span<const std::byte> message, const SocketAddress& to);

  // Calls `ready` once, from the loop, unless the socket is closed before.
  void when_readable(std::function<void()> ready);
  void when_writable(std::function<void()> ready);

 private:
  DatagramSocket(boost::asio::io_context& loop, int handle) : descriptor_(loop, handle) {}
  void when(boost::asio::posix::stream_descriptor::wait_type type, std::function<void()> ready);

  boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace heddle::doors::ibsim
