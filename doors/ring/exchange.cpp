// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/exchange.hpp"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "doors/passed_descriptors.hpp"

namespace heddle::doors::ring {
namespace {

// Not close(), which is this library's own in a program that it is loaded into.
void close_quietly(int fd) {
  const int before = errno;
  syscall(SYS_close, fd);
  errno = before;
}

void keep_descriptors(msghdr& message, Descriptors& along) {
  int kept = 0;
  for_each_descriptor(message, [&](int fd) {
    if (kept < kMostDescriptors) {
      along.fds[kept++] = fd;
    } else {
      close_quietly(fd);
    }
  });
}

}  // namespace

bool send_packet(int socket, const Parts& parts, const Descriptors& along, int flags) {
  iovec pieces[2] = {{parts.head, parts.head_size}, {parts.tail, parts.tail_size}};
  int count = 0;
  while (count < kMostDescriptors && along.fds[count] >= 0) ++count;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(part), along.fds, bytes);
  }
  ssize_t sent = -1;
  do sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(parts.head_size + parts.tail_size);
}

ssize_t receive_packet(int socket, const Parts& parts, Descriptors& along, int flags) {
  iovec pieces[2] = {{parts.head, parts.head_size}, {parts.tail, parts.tail_size}};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  along = {};
  ssize_t got = -1;
  do got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return got;
  keep_descriptors(message, along);
  if ((message.msg_flags & MSG_TRUNC) == 0) return got;
  for (const int fd : along.fds) {
    if (fd >= 0) close_quietly(fd);
  }
  along = {};
  errno = EMSGSIZE;
  return -1;
}

int connect_packets(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::strlen(path);
  if (size >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path, size);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close_quietly(fd);
  return -1;
}

}  // namespace heddle::doors::ring
