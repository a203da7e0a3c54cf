// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/datagram_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.hpp"

namespace heddle::doors::ibsim {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::uint64_t kMaxPort = 65535;

std::string reason() {
  return std::generic_category().message(errno);
}

sockaddr_in internet(const SocketAddress& address) {
  sockaddr_in name{};
  std::memcpy(&name, address.data(), sizeof name);
  return name;
}

}  // namespace

base::Result<SocketAddress> SocketAddress::local(const std::string& name) {
  sockaddr_un un{};
  // One byte in front marks the name as abstract, one NUL behind it belongs to it.
  if (name.empty() || name.size() + 2 > sizeof un.sun_path) {
    return base::error(fmt::format("a socket's name has 1 to {} bytes, not {}",
                                   sizeof un.sun_path - 2, name.size()));
  }
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path + 1, name.data(), name.size());
  SocketAddress address;
  std::memcpy(&address.storage_, &un, sizeof un);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  return address;
}

base::Result<SocketAddress> SocketAddress::udp(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string host = colon == std::string::npos ? kLoopback : text.substr(0, colon);
  const auto port =
      base::parse_number(colon == std::string::npos ? text : text.substr(colon + 1), kMaxPort);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  if (!port || ::inet_pton(AF_INET, host.c_str(), &name.sin_addr) != 1) {
    return base::error(fmt::format("'{}' is not PORT or ADDRESS:PORT with a dotted IPv4 address",
                                   base::printable(text)));
  }
  SocketAddress address;
  std::memcpy(&address.storage_, &name, sizeof name);
  address.size = sizeof name;
  return address.with_port(static_cast<std::uint16_t>(*port));
}

SocketAddress SocketAddress::with_port(std::uint16_t port) const {
  sockaddr_in name = internet(*this);
  name.sin_port = htons(port);
  SocketAddress other = *this;
  std::memcpy(&other.storage_, &name, sizeof name);
  return other;
}

std::uint16_t SocketAddress::port() const {
  return ntohs(internet(*this).sin_port);
}

std::string SocketAddress::text() const {
  if (is_udp()) {
    const sockaddr_in name = internet(*this);
    std::array<char, INET_ADDRSTRLEN> host{};
    ::inet_ntop(AF_INET, &name.sin_addr, host.data(), host.size());
    return fmt::format("{}:{}", host.data(), port());
  }
  constexpr std::size_t before = offsetof(sockaddr_un, sun_path) + 1;
  if (size <= before) return "nobody";
  const std::string_view raw(reinterpret_cast<const char*>(&storage_) + before, size - before);
  return "@" + base::printable(raw);
}

bool operator==(const SocketAddress& left, const SocketAddress& right) {
  return left.size == right.size &&
         std::memcmp(&left.storage_, &right.storage_, std::size_t{left.size}) == 0;
}

Inbox::Inbox() : bytes_(kMessages * kSlotBytes), slots_(kMessages), headers_(kMessages) {
  for (std::size_t i = 0; i < kMessages; ++i) {
    slots_[i] = {bytes_.data() + i * kSlotBytes, kSlotBytes};
    headers_[i].msg_hdr.msg_iov = &slots_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

std::span<const std::byte> Inbox::message(std::size_t index) const {
  return {bytes_.data() + index * kSlotBytes, headers_[index].msg_len};
}

base::Result<DatagramSocket> DatagramSocket::bound(boost::asio::io_context& loop,
                                                   const SocketAddress& address) {
  const int handle =
      ::socket(address.data()->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (handle < 0) return base::error(fmt::format("no socket can be made: {}", reason()));
  if (::bind(handle, address.data(), address.size) != 0) {
    const std::string why = reason();
    ::close(handle);
    return base::error(fmt::format("cannot listen on {}: {}", address.text(), why));
  }
  return DatagramSocket(loop, handle);
}

bool DatagramSocket::connect(const SocketAddress& peer) {
  return ::connect(descriptor_.native_handle(), peer.data(), peer.size) == 0;
}

SocketAddress DatagramSocket::name() {
  SocketAddress own;
  if (::getsockname(descriptor_.native_handle(), own.data(), &own.size) != 0) own.size = 0;
  return own;
}

std::size_t DatagramSocket::receive(Inbox& inbox, std::size_t most) {
  // An error of the network, such as a refusal by ICMP, is told once and stands before messages.
  constexpr int kErrorsInARow = 4;
  const auto batch = static_cast<unsigned>(std::min(most, Inbox::kMessages));
  for (int tries = 0; tries < kErrorsInARow; ++tries) {
    const int count =
        ::recvmmsg(descriptor_.native_handle(), inbox.headers_.data(), batch, 0, nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  }
  return 0;
}

Sent DatagramSocket::send(std::span<const RequestBytes> messages, std::size_t& sent) {
  std::array<iovec, Inbox::kMessages> slots;
  std::array<mmsghdr, Inbox::kMessages> headers{};
  sent = 0;
  while (sent < messages.size()) {
    const std::size_t batch = std::min(messages.size() - sent, Inbox::kMessages);
    for (std::size_t i = 0; i < batch; ++i) {
      // The call does not write through it.
      slots[i] = {const_cast<std::byte*>(messages[sent + i].data()), kRequestBytes};
      headers[i].msg_hdr.msg_iov = &slots[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::sendmmsg(descriptor_.native_handle(), headers.data(),
                                 static_cast<unsigned>(batch), MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
      return Sent::Full;
    } else if (errno != EINTR) {
      return Sent::Gone;
    }
  }
  return Sent::All;
}

bool DatagramSocket::receive_from(std::span<std::byte> buffer, std::size_t& length,
                                  SocketAddress& from) {
  for (;;) {
    from.size = sizeof(sockaddr_storage);
    const ssize_t count = ::recvfrom(descriptor_.native_handle(), buffer.data(), buffer.size(), 0,
                                     from.data(), &from.size);
    if (count >= 0) {
      length = static_cast<std::size_t>(count);
      return true;
    }
    if (errno != EINTR && errno != ECONNREFUSED) return false;
  }
}

void DatagramSocket::send_to(std::span<const std::byte> message, const SocketAddress& to) {
  (void)::sendto(descriptor_.native_handle(), message.data(), message.size(), MSG_NOSIGNAL,
                 to.data(), to.size);
}

void DatagramSocket::when(boost::asio::posix::stream_descriptor::wait_type type,
                          std::function<void()> ready) {
  descriptor_.async_wait(type, [ready = std::move(ready)](const boost::system::error_code& error) {
    if (!error) ready();
  });
}

void DatagramSocket::when_readable(std::function<void()> ready) {
  when(boost::asio::posix::stream_descriptor::wait_read, std::move(ready));
}

void DatagramSocket::when_writable(std::function<void()> ready) {
  when(boost::asio::posix::stream_descriptor::wait_write, std::move(ready));
}

}  // namespace heddle::doors::ibsim
