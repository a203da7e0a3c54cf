// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/library/host.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doors/ring/exchange.hpp"
#include "doors/ring/layout.hpp"
#include "doors/ring/library/libc.hpp"
#include "doors/ring/library/umad.hpp"

namespace heddle::doors::ring {
namespace {

struct Folder {
  const char* path;
  const char* place;  // in the tree
};
constexpr Folder kFolders[] = {{"/dev/infiniband", "/dev"},
                               {"/sys/class/infiniband", "/class/infiniband"},
                               {"/sys/class/infiniband_mad", "/class/infiniband_mad"}};

int failed(int error) {
  errno = error;
  return -1;
}

// The request: the path below the tree, then the names of nodes, each with a NUL.
std::size_t put_names(const char* path, char (&names)[kMostNames]) {
  const std::size_t size = std::strlen(path) + 1;
  const char* at = std::getenv(kPlaceVariable);
  const std::size_t more = at == nullptr ? 0 : std::strlen(at);
  if (size + more + 1 > sizeof names) return 0;
  std::memcpy(names, path, size);
  for (std::size_t i = 0; i < more; ++i) names[size + i] = at[i] == '\n' ? '\0' : at[i];
  names[size + more] = '\0';
  return size + more + 1;
}

// Each slash once, as the door's tree has them.
void put_once(const char* from, char* to) {
  for (; *from != '\0'; ++from) {
    if (*from == '/' && (from[1] == '/' || from[1] == '\0')) continue;
    *to++ = *from;
  }
  *to = '\0';
}

void set_flags(int fd, int flags) {
  fcntl(fd, F_SETFD, (flags & O_CLOEXEC) != 0 ? FD_CLOEXEC : 0);
  if ((flags & O_NONBLOCK) != 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int take_over(int connection, const Reply& reply, const Descriptors& along, int flags) {
  switch (reply.kind) {
    case Kind::Umad:
      if (!Umad::begin(along.fds[0], along.fds[1], connection)) return -1;
      set_flags(along.fds[1], flags);
      return along.fds[1];
    case Kind::IsSm:
      set_flags(connection, flags);
      return connection;
    case Kind::Text:
    case Kind::Folder:
      break;
  }
  HEDDLE_LIBC(close)(connection);
  if (along.fds[0] < 0) return failed(EIO);
  if ((flags & O_ACCMODE) != O_RDONLY) {
    HEDDLE_LIBC(close)(along.fds[0]);
    return failed(EACCES);
  }
  set_flags(along.fds[0], flags);
  return along.fds[0];
}

}  // namespace

const char* place_of(const char* path, char (&room)[PATH_MAX]) {
  if (path == nullptr || path[0] != '/') return nullptr;
  for (const Folder& folder : kFolders) {
    const std::size_t size = std::strlen(folder.path);
    if (std::strncmp(path, folder.path, size) != 0) continue;
    if (path[size] != '\0' && path[size] != '/') continue;
    const char* tree = std::getenv(kTreeVariable);
    if (tree == nullptr || *tree == '\0') return nullptr;
    const std::size_t before = std::strlen(tree);
    const std::size_t between = std::strlen(folder.place);
    const std::size_t behind = std::strlen(path + size);
    if (before + between + behind >= sizeof room) return nullptr;
    std::memcpy(room, tree, before);
    std::memcpy(room + before, folder.place, between);
    put_once(path + size, room + before + between);
    return room;
  }
  return nullptr;
}

int open_place(const char* place, int flags) {
  struct stat status {};
  if (HEDDLE_LIBC(stat)(place, &status) != 0) return -1;
  if (S_ISDIR(status.st_mode)) return HEDDLE_LIBC(open)(place, flags);
  if ((flags & (O_DIRECTORY | O_PATH)) != 0) return HEDDLE_LIBC(open)(place, flags);
  const char* tree = std::getenv(kTreeVariable);
  const char* door = std::getenv(kSocketVariable);
  char names[kMostNames];
  const std::size_t size = tree == nullptr ? 0 : put_names(place + std::strlen(tree) + 1, names);
  const int connection = door == nullptr || size == 0 ? -1 : connect_packets(door);
  if (connection < 0) return failed(ENODEV);
  Question question;
  question.what = Ask::Open;
  question.command = static_cast<std::uint32_t>(flags);
  Reply reply;
  char text[kMostText];
  Descriptors along;
  const bool asked = send_packet(connection, {&question, sizeof question, names, size}, {}, 0) &&
                     receive_packet(connection, {&reply, sizeof reply, text, sizeof text}, along,
                                    0) >= static_cast<ssize_t>(sizeof reply);
  if (asked && reply.error == 0) return take_over(connection, reply, along, flags);
  HEDDLE_LIBC(close)(connection);
  return failed(asked ? reply.error : ENODEV);
}

}  // namespace heddle::doors::ring
