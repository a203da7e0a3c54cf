// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/entrance.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text.hpp"
#include "doors/passed_descriptors.hpp"

namespace heddle::doors {
namespace {

// Names end with a NUL each, the request with one more.
constexpr char kEnd = '\0';

std::string text_of(const std::vector<std::string>& at) {
  std::string text;
  for (const std::string& name : at) text += name + kEnd;
  return text + kEnd;
}

// The descriptors that came along: the first is kept, if there is room, and the rest closed.
void take_descriptors(msghdr& message, UniqueFd& device) {
  for_each_descriptor(message, [&device](int fd) {
    UniqueFd taken(fd);
    if (!device) device = std::move(taken);
  });
}

}  // namespace

base::Result<> ask_for_entry(int socket, const std::vector<std::string>& at, UniqueFd device) {
  std::string text = text_of(at);
  if (text.size() > kMaxEntryBytes) return base::error("too many names behind --at");
  iovec bytes{text.data(), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = device.get();
  std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != static_cast<ssize_t>(text.size())) {
    return base::error("the fabric cannot be told where to enter");
  }
  std::string answer;
  char buffer[512];
  while (answer.empty() || answer.back() != '\n') {
    const ssize_t got = recv(socket, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return base::error("the fabric ended while it was entered");
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  if (answer == "ok\n") return {};
  return base::error(std::string(base::trim(answer)));
}

base::Result<std::optional<EntryRequest>> read_entry(int socket, std::string& so_far,
                                                     UniqueFd& device) {
  char buffer[2048];
  iovec bytes{buffer, sizeof buffer};
  alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::optional<EntryRequest>{};
  if (got <= 0) return base::error("it hung up");
  take_descriptors(message, device);
  so_far.append(buffer, static_cast<std::size_t>(got));
  if (so_far.size() > kMaxEntryBytes) return base::error("the request is too long");
  const bool whole = so_far == std::string(1, kEnd) ||
                     (so_far.size() >= 2 && so_far.ends_with(std::string_view("\0\0", 2)));
  if (!whole) return std::optional<EntryRequest>{};
  if (!device) return base::error("the request brought no device");
  return std::optional<EntryRequest>(EntryRequest{names_of(so_far), std::move(device)});
}

std::vector<std::string> names_of(const std::string& bytes) {
  std::vector<std::string> names;
  for (const std::string_view name : base::split(bytes, kEnd)) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

base::Result<UniqueFd> connect_to(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) {
    return base::error(fmt::format("the path of the socket is too long: {}", text));
  }
  std::memcpy(address.sun_path, text.c_str(), text.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return base::error(fmt::format("no fabric can be entered at {}: {}", text,
                                   std::generic_category().message(errno)));
  }
  return socket;
}

}  // namespace heddle::doors
