// SPDX-License-Identifier: BSD-3-Clause
// The functions of libc that programs call and find here first. What is none of the simulated
// host's files goes on to libc.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "doors/ring/library/host.hpp"
#include "doors/ring/library/libc.hpp"
#include "doors/ring/library/umad.hpp"
#include "doors/ring/library/waiting.hpp"

using heddle::doors::ring::any_umad;
using heddle::doors::ring::open_place;
using heddle::doors::ring::place_of;
using heddle::doors::ring::poll_umads;
using heddle::doors::ring::Use;
using heddle::doors::ring::watch_umads;

#define HEDDLE_SHOWN __attribute__((visibility("default")))

namespace {

// Where a path leads: into the tree that shows the host's files, or where it says.
class Led {
 public:
  explicit Led(const char* path) : place_(place_of(path, room_)), path_(path) {}
  bool is_ours() const { return place_ != nullptr; }
  const char* place() const { return is_ours() ? place_ : path_; }

 private:
  char room_[PATH_MAX];
  const char* place_;
  const char* path_;
};

constexpr bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

timespec of_milliseconds(int time) {
  return {time / 1000, static_cast<long>(time % 1000) * 1'000'000};
}

int poll_any(pollfd* files, nfds_t count, int milliseconds) {
  const timespec timeout = of_milliseconds(milliseconds < 0 ? 0 : milliseconds);
  return poll_umads(files, count, milliseconds < 0 ? nullptr : &timeout, nullptr);
}

// Only reading has a meaning for files of the host.
FILE* open_stream(const char* place, const char* mode) {
  const bool writes = mode[0] != 'r' || mode[1] == '+';
  const int fd = open_place(place, writes ? O_RDWR : O_RDONLY);
  FILE* stream = fd < 0 ? nullptr : fdopen(fd, mode);
  if (stream == nullptr && fd >= 0) close(fd);
  return stream;
}

}  // namespace

// What libc declares for the checks of its own headers only.
extern "C" {
HEDDLE_SHOWN int __open_2(const char* path, int flags);
HEDDLE_SHOWN int __open64_2(const char* path, int flags);
HEDDLE_SHOWN ssize_t __read_chk(int fd, void* buffer, size_t count, size_t room);
HEDDLE_SHOWN int __openat_2(int folder, const char* path, int flags);
HEDDLE_SHOWN int __openat64_2(int folder, const char* path, int flags);
HEDDLE_SHOWN int __poll_chk(pollfd* files, nfds_t count, int timeout, size_t room);
HEDDLE_SHOWN int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout,
                             const sigset_t* mask, size_t room);
// And what programs call that were linked with a glibc before 2.33. There is one `version`.
HEDDLE_SHOWN int __xstat(int version, const char* path, struct stat* status);
HEDDLE_SHOWN int __xstat64(int version, const char* path, struct stat64* status);
HEDDLE_SHOWN int __lxstat(int version, const char* path, struct stat* status);
HEDDLE_SHOWN int __lxstat64(int version, const char* path, struct stat64* status);
HEDDLE_SHOWN int __fxstatat(int version, int folder, const char* path, struct stat* status,
                            int flags);
HEDDLE_SHOWN int __fxstatat64(int version, int folder, const char* path, struct stat64* status,
                              int flags);
}

#define HEDDLE_MODE(flags)            \
  mode_t mode = 0;                    \
  if (has_mode(flags)) {              \
    va_list arguments;                \
    va_start(arguments, flags);       \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments);                \
  }

extern "C" {

// --- files are opened ---------------------------------------------------------------------------

HEDDLE_SHOWN int open(const char* path, int flags, ...) {
  HEDDLE_MODE(flags)
  const Led led(path);
  return led.is_ours() ? open_place(led.place(), flags) : HEDDLE_LIBC(open)(path, flags, mode);
}

HEDDLE_SHOWN int open64(const char* path, int flags, ...) {
  HEDDLE_MODE(flags)
  const Led led(path);
  return led.is_ours() ? open_place(led.place(), flags) : HEDDLE_LIBC(open64)(path, flags, mode);
}

HEDDLE_SHOWN int openat(int folder, const char* path, int flags, ...) {
  HEDDLE_MODE(flags)
  const Led led(path);
  return led.is_ours() ? open_place(led.place(), flags)
                       : HEDDLE_LIBC(openat)(folder, path, flags, mode);
}

HEDDLE_SHOWN int openat64(int folder, const char* path, int flags, ...) {
  HEDDLE_MODE(flags)
  const Led led(path);
  return led.is_ours() ? open_place(led.place(), flags)
                       : HEDDLE_LIBC(openat64)(folder, path, flags, mode);
}

int __open_2(const char* path, int flags) {
  return open(path, flags);
}

int __open64_2(const char* path, int flags) {
  return open64(path, flags);
}

int __openat_2(int folder, const char* path, int flags) {
  return openat(folder, path, flags);
}

int __openat64_2(int folder, const char* path, int flags) {
  return openat64(folder, path, flags);
}

HEDDLE_SHOWN FILE* fopen(const char* path, const char* mode) {
  const Led led(path);
  return led.is_ours() ? open_stream(led.place(), mode) : HEDDLE_LIBC(fopen)(path, mode);
}

HEDDLE_SHOWN FILE* fopen64(const char* path, const char* mode) {
  const Led led(path);
  return led.is_ours() ? open_stream(led.place(), mode) : HEDDLE_LIBC(fopen64)(path, mode);
}

// --- and used -----------------------------------------------------------------------------------

HEDDLE_SHOWN ssize_t read(int fd, void* buffer, size_t count) {
  const Use umad(fd);
  return umad ? umad->read(buffer, count) : HEDDLE_LIBC(read)(fd, buffer, count);
}

ssize_t __read_chk(int fd, void* buffer, size_t count, size_t room) {
  const Use umad(fd);
  return umad ? umad->read(buffer, count < room ? count : room)
              : HEDDLE_LIBC(__read_chk)(fd, buffer, count, room);
}

HEDDLE_SHOWN ssize_t write(int fd, const void* bytes, size_t count) {
  const Use umad(fd);
  return umad ? umad->write(bytes, count) : HEDDLE_LIBC(write)(fd, bytes, count);
}

HEDDLE_SHOWN int ioctl(int fd, unsigned long command, ...) noexcept {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  const Use umad(fd);
  // These are of every descriptor and not of the device.
  const bool general = command == FIONBIO || command == FIOCLEX || command == FIONCLEX;
  return umad && !general ? umad->ioctl(command, argument)
                          : HEDDLE_LIBC(ioctl)(fd, command, argument);
}

HEDDLE_SHOWN int close(int fd) {
  const Use umad(fd);
  return umad ? umad->close() : HEDDLE_LIBC(close)(fd);
}

HEDDLE_SHOWN int poll(pollfd* files, nfds_t count, int timeout) {
  return any_umad(files, count) ? poll_any(files, count, timeout)
                                : HEDDLE_LIBC(poll)(files, count, timeout);
}

int __poll_chk(pollfd* files, nfds_t count, int timeout, size_t room) {
  return any_umad(files, count) ? poll_any(files, count, timeout)
                                : HEDDLE_LIBC(__poll_chk)(files, count, timeout, room);
}

HEDDLE_SHOWN int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  return any_umad(files, count) ? poll_umads(files, count, timeout, mask)
                                : HEDDLE_LIBC(ppoll)(files, count, timeout, mask);
}

int __ppoll_chk(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask,
                size_t room) {
  return any_umad(files, count) ? poll_umads(files, count, timeout, mask)
                                : HEDDLE_LIBC(__ppoll_chk)(files, count, timeout, mask, room);
}

HEDDLE_SHOWN int select(int count, fd_set* reading, fd_set* writing, fd_set* excepting,
                        timeval* timeout) {
  watch_umads(count, reading);
  return HEDDLE_LIBC(select)(count, reading, writing, excepting, timeout);
}

HEDDLE_SHOWN int pselect(int count, fd_set* reading, fd_set* writing, fd_set* excepting,
                         const timespec* timeout, const sigset_t* mask) {
  watch_umads(count, reading);
  return HEDDLE_LIBC(pselect)(count, reading, writing, excepting, timeout, mask);
}

HEDDLE_SHOWN int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  if (operation != EPOLL_CTL_DEL) {
    const Use umad(fd);
    if (umad) umad->watched_by_others();
  }
  return HEDDLE_LIBC(epoll_ctl)(epoll, operation, fd, event);
}

// --- and looked at ------------------------------------------------------------------------------

HEDDLE_SHOWN DIR* opendir(const char* path) {
  return HEDDLE_LIBC(opendir)(Led(path).place());
}

HEDDLE_SHOWN int scandir(const char* path, dirent*** names, int (*filter)(const dirent*),
                         int (*compare)(const dirent**, const dirent**)) {
  return HEDDLE_LIBC(scandir)(Led(path).place(), names, filter, compare);
}

HEDDLE_SHOWN int scandir64(const char* path, dirent64*** names, int (*filter)(const dirent64*),
                           int (*compare)(const dirent64**, const dirent64**)) {
  return HEDDLE_LIBC(scandir64)(Led(path).place(), names, filter, compare);
}

HEDDLE_SHOWN int stat(const char* path, struct stat* status) noexcept {
  return HEDDLE_LIBC(stat)(Led(path).place(), status);
}

HEDDLE_SHOWN int stat64(const char* path, struct stat64* status) noexcept {
  return HEDDLE_LIBC(stat64)(Led(path).place(), status);
}

HEDDLE_SHOWN int lstat(const char* path, struct stat* status) noexcept {
  return HEDDLE_LIBC(lstat)(Led(path).place(), status);
}

HEDDLE_SHOWN int lstat64(const char* path, struct stat64* status) noexcept {
  return HEDDLE_LIBC(lstat64)(Led(path).place(), status);
}

HEDDLE_SHOWN int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return HEDDLE_LIBC(fstatat)(folder, Led(path).place(), status, flags);
}

HEDDLE_SHOWN int fstatat64(int folder, const char* path, struct stat64* status,
                           int flags) noexcept {
  return HEDDLE_LIBC(fstatat64)(folder, Led(path).place(), status, flags);
}

int __xstat(int, const char* path, struct stat* status) {
  return stat(path, status);
}

int __xstat64(int, const char* path, struct stat64* status) {
  return stat64(path, status);
}

int __lxstat(int, const char* path, struct stat* status) {
  return lstat(path, status);
}

int __lxstat64(int, const char* path, struct stat64* status) {
  return lstat64(path, status);
}

int __fxstatat(int, int folder, const char* path, struct stat* status, int flags) {
  return fstatat(folder, path, status, flags);
}

int __fxstatat64(int, int folder, const char* path, struct stat64* status, int flags) {
  return fstatat64(folder, path, status, flags);
}

HEDDLE_SHOWN int statx(int folder, const char* path, int flags, unsigned int mask,
                       struct statx* status) noexcept {
  return HEDDLE_LIBC(statx)(folder, Led(path).place(), flags, mask, status);
}

HEDDLE_SHOWN int access(const char* path, int mode) noexcept {
  return HEDDLE_LIBC(access)(Led(path).place(), mode);
}

HEDDLE_SHOWN int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return HEDDLE_LIBC(faccessat)(folder, Led(path).place(), mode, flags);
}

// Whoever lists a folder in full asks for these as well.
HEDDLE_SHOWN ssize_t getxattr(const char* path, const char* name, void* value,
                              size_t size) noexcept {
  return HEDDLE_LIBC(getxattr)(Led(path).place(), name, value, size);
}

HEDDLE_SHOWN ssize_t lgetxattr(const char* path, const char* name, void* value,
                               size_t size) noexcept {
  return HEDDLE_LIBC(lgetxattr)(Led(path).place(), name, value, size);
}

HEDDLE_SHOWN int chdir(const char* path) noexcept {
  return HEDDLE_LIBC(chdir)(Led(path).place());
}

}  // extern "C"
