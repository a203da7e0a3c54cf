// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/library/waiting.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "doors/ring/library/libc.hpp"
#include "doors/ring/library/umad.hpp"

namespace heddle::doors::ring {
namespace {

constexpr long kSecond = 1'000'000'000;  // ns
constexpr nfds_t kMostOnStack = 32;
constexpr short kReading = POLLIN | POLLRDNORM;
constexpr short kWriting = POLLOUT | POLLWRNORM;

// The files that are polled with umad files taken out, as libc shall see them.
class Others {
 public:
  explicit Others(nfds_t count)
      : files_(count <= kMostOnStack ? stack_
                                     : static_cast<pollfd*>(std::malloc(count * sizeof(pollfd)))) {}
  ~Others() {
    if (files_ != stack_) std::free(files_);
  }
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;
  pollfd* files() const { return files_; }

 private:
  pollfd stack_[kMostOnStack];
  pollfd* files_;
};

timespec now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time;
}

timespec sum(timespec a, const timespec& b) {
  a.tv_sec += b.tv_sec;
  a.tv_nsec += b.tv_nsec;
  if (a.tv_nsec >= kSecond) {
    a.tv_nsec -= kSecond;
    ++a.tv_sec;
  }
  return a;
}

timespec left_until(const timespec& end) {
  const timespec present = now();
  timespec left{end.tv_sec - present.tv_sec, end.tv_nsec - present.tv_nsec};
  if (left.tv_nsec < 0) {
    left.tv_nsec += kSecond;
    --left.tv_sec;
  }
  return left.tv_sec < 0 ? timespec{0, 0} : left;
}

// Answers for the umad files alone, without a system call: how many are ready.
int look(pollfd* files, nfds_t count, nfds_t& others) {
  int ready = 0;
  others = 0;
  for (nfds_t i = 0; i < count; ++i) {
    const Use umad(files[i].fd);
    files[i].revents = 0;
    if (!umad) {
      others += files[i].fd >= 0 ? 1 : 0;
      continue;
    }
    files[i].revents = static_cast<short>(files[i].events & kWriting);
    if ((files[i].events & kReading) != 0 && umad->readable()) {
      files[i].revents = static_cast<short>(files[i].revents | (files[i].events & kReading));
    }
    if (files[i].revents != 0) ++ready;
  }
  return ready;
}

// Copies what libc shall wait for; for umad files that a message comes, if anybody wants that.
// False when one has come: then no file has been told that we sleep.
bool prepare(const pollfd* files, nfds_t count, pollfd* copy) {
  for (nfds_t i = 0; i < count; ++i) {
    copy[i] = files[i];
    copy[i].revents = 0;
    const Use umad(files[i].fd);
    if (!umad) continue;
    copy[i].events = (files[i].events & kReading) != 0 ? POLLIN : 0;
    if (copy[i].events == 0 || umad->announce_sleep()) continue;
    for (nfds_t k = 0; k < i; ++k) {
      const Use before(files[k].fd);
      if (before && copy[k].events != 0) before->woken();
    }
    return false;
  }
  return true;
}

// What libc said, behind the sleep: how many files are ready that are not umad files in order.
int conclude(pollfd* files, nfds_t count, const pollfd* copy) {
  int ready = 0;
  for (nfds_t i = 0; i < count; ++i) {
    const Use umad(files[i].fd);
    files[i].revents = copy[i].revents;
    if (umad) {
      if (copy[i].events != 0) umad->woken();
      const bool gone = (copy[i].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
      files[i].revents = static_cast<short>(gone ? POLLERR | POLLHUP : 0);
    }
    if (files[i].revents != 0) ++ready;
  }
  return ready;
}

// The others among the files, at once; the umad files have been looked at.
int add_others(pollfd* files, nfds_t count, pollfd* copy) {
  for (nfds_t i = 0; i < count; ++i) {
    copy[i] = files[i];
    copy[i].revents = 0;
    if (Use(files[i].fd)) copy[i].fd = -1;
  }
  const int ready = HEDDLE_LIBC(poll)(copy, count, 0);
  for (nfds_t i = 0; ready > 0 && i < count; ++i) {
    if (copy[i].fd >= 0) files[i].revents = copy[i].revents;
  }
  return ready;
}

}  // namespace

bool any_umad(const pollfd* files, nfds_t count) {
  for (nfds_t i = 0; i < count; ++i) {
    if (Use(files[i].fd)) return true;
  }
  return false;
}

int poll_umads(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  nfds_t others = 0;
  const Others copy(count);
  if (copy.files() == nullptr) {
    errno = ENOMEM;
    return -1;
  }
  const bool ends = timeout != nullptr;
  timespec end{};
  for (bool first = true;; first = false) {
    const int ready = look(files, count, others);
    if (ready > 0) {
      const int more = others == 0 ? 0 : add_others(files, count, copy.files());
      return ready + (more > 0 ? more : 0);
    }
    if (first && ends) end = sum(now(), *timeout);
    if (!prepare(files, count, copy.files())) continue;
    const timespec left = ends ? left_until(end) : timespec{};
    const int got = HEDDLE_LIBC(ppoll)(copy.files(), count, ends ? &left : nullptr, mask);
    const int reason = errno;
    const int done = conclude(files, count, copy.files());
    errno = reason;
    if (got < 0) return got;
    if (done > 0 || got == 0) return done;
  }
}

void watch_umads(int count, const fd_set* reading) {
  for (int fd = 0; reading != nullptr && fd < count && fd < FD_SETSIZE; ++fd) {
    if (!FD_ISSET(fd, reading)) continue;
    const Use umad(fd);
    if (umad) umad->watched_by_others();
  }
}

}  // namespace heddle::doors::ring
