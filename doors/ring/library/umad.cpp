// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/library/umad.hpp"

#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doors/ring/exchange.hpp"
#include "doors/ring/library/libc.hpp"

namespace heddle::doors::ring {
namespace {

constexpr int kMostFiles = 1024;            // descriptors beyond are no files of ours
constexpr long kLongestWait = 100'000'000;  // ns for room, until the fabric's death is looked for
constexpr int kPatienceInClose = 100'000;   // turns for other threads to leave the file

Umad files[kMostFiles];

// Whose memory this is: a child has its own after fork(), and that of its parent after vfork().
std::atomic<pid_t> self{0};

void remember_self() {
  if (self.load() == 0) pthread_atfork(nullptr, nullptr, [] { self = getpid(); });
  self = getpid();
}

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

int failed(int error) {
  errno = error;
  return -1;
}

void close_all(int first, int second, int third) {
  for (const int fd : {first, second, third}) {
    if (fd >= 0) HEDDLE_LIBC(close)(fd);
  }
}

// A file in memory with these bytes, or -1.
int memory_of(const void* bytes, std::size_t size) {
  const int file = memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  for (std::size_t at = 0; file >= 0 && at < size;) {
    const ssize_t put =
        pwrite(file, static_cast<const char*>(bytes) + at, size - at, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      close_all(file, -1, -1);
      return failed(ENOMEM);
    }
    at += static_cast<std::size_t>(put);
  }
  return file;
}

}  // namespace

// --- which file ---------------------------------------------------------------------------------

Umad* Umad::enter(int fd) {
  if (fd < 0 || fd >= kMostFiles) return nullptr;
  Umad& file = files[fd];
  if (!file.open_.load(std::memory_order_relaxed)) return nullptr;
  file.users_.fetch_add(1);
  if (file.open_.load()) return &file;
  file.leave();
  return nullptr;
}

void Umad::leave() {
  users_.fetch_sub(1);
}

bool Umad::begin(int memory, int wake, int calls) {
  void* place = MAP_FAILED;
  if (wake >= kMostFiles) {
    errno = EMFILE;
  } else if (files[wake].users_.load() != 0) {
    errno = EBUSY;  // of a file that was here before, and somebody still reads
  } else {
    place = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  }
  if (place == MAP_FAILED) {
    const int reason = errno;
    close_all(memory, wake, calls);
    errno = reason;
    return false;
  }
  HEDDLE_LIBC(close)(memory);
  Umad& file = files[wake];
  file.shared_ = static_cast<Shared*>(place);
  file.in_ = RingReader(file.shared_->to_program);
  file.out_ = RingWriter(file.shared_->to_fabric);
  remember_self();
  file.owner_ = self;
  file.wake_ = wake;
  file.calls_ = calls;
  file.sleepers_ = 0;
  file.watched_ = false;
  file.open_ = true;
  return true;
}

int Umad::close() {
  if (self.load() != getpid()) return HEDDLE_LIBC(close)(wake_);
  if (!open_.exchange(false)) return failed(EBADF);
  // A child that closes what it inherited ends nothing for its parent.
  if (owner_ == self.load()) {
    Question question;
    question.what = Ask::Close;
    Reply reply;
    int none = -1;
    call(question, reply, none);
    shutdown(wake_, SHUT_RDWR);  // wakes those who wait
  }
  for (int turns = 0; users_.load() > 1 && turns < kPatienceInClose; ++turns) sched_yield();
  if (users_.load() == 1) munmap(shared_, sizeof(Shared));
  close_all(calls_, -1, -1);
  return HEDDLE_LIBC(close)(wake_);
}

// --- reading ------------------------------------------------------------------------------------

ssize_t Umad::read(void* buffer, std::size_t room) {
  for (;;) {
    {
      const Lock lock(reading_);
      Frame frame;
      const RingReader::Found found = in_.peek(frame);
      if (found == RingReader::Found::Lie) return failed(EIO);
      if (found == RingReader::Found::Message) {
        const ssize_t got = take(buffer, room, frame);
        const int reason = errno;
        if (watched_.load() || sleepers_.load() > 0) show();
        errno = reason;
        return got;
      }
      if (!in_.announce_sleep()) continue;
      sleepers_.fetch_add(1);
    }
    // Waits, unless the descriptor is not to wait. What woke us is taken with that.
    char bytes[64];
    const ssize_t got = recv(wake_, bytes, sizeof bytes, 0);
    const int reason = errno;
    const Lock lock(reading_);
    const bool alone = sleepers_.fetch_sub(1) == 1 && !watched_.load();
    if (got > 0) continue;
    if (got < 0 && reason == EAGAIN && !in_.empty()) continue;
    if (got < 0 && alone) in_.stay_awake();
    return failed(got == 0 ? ENODEV : reason);
  }
}

ssize_t Umad::take(void* buffer, std::size_t room, const Frame& frame) {
  if (room < frame.least) return failed(EINVAL);
  if (room < frame.message) {
    in_.copy(buffer, frame.least < frame.size ? frame.least : frame.size);
    return failed(ENOSPC);
  }
  if (frame.message > frame.size) return take_long(buffer, frame);
  in_.copy(buffer, frame.size);
  pass(frame);
  return static_cast<ssize_t>(frame.size);
}

ssize_t Umad::take_long(void* buffer, const Frame& frame) {
  Question question;
  question.what = Ask::Take;
  Reply reply;
  int file = -1;
  const int asked = call(question, reply, file);
  ssize_t got = 0;
  while (asked == 0 && static_cast<std::uint64_t>(got) < frame.message) {
    const ssize_t piece = pread(file, static_cast<char*>(buffer) + got,
                                frame.message - static_cast<std::uint64_t>(got), got);
    if (piece < 0 && errno == EINTR) continue;
    if (piece <= 0) break;
    got += piece;
  }
  close_all(file, -1, -1);
  pass(frame);
  return asked == 0 ? got : failed(EIO);
}

void Umad::pass(const Frame& frame) {
  if (in_.pass(frame)) wake_fabric();
}

bool Umad::readable() {
  const Lock lock(reading_);
  return !in_.empty();
}

bool Umad::announce_sleep() {
  const Lock lock(reading_);
  if (!in_.announce_sleep()) return false;
  sleepers_.fetch_add(1);
  return true;
}

// Whoever else waits has nothing but the descriptor: what came since the last look is taken with
// that, so it is looked for once more and told anew.
void Umad::woken() {
  const Lock lock(reading_);
  const bool alone = sleepers_.fetch_sub(1) == 1 && !watched_.load();
  if (alone) {
    drain();
  } else {
    show();
  }
}

void Umad::drain() {
  char bytes[64];
  while (recv(wake_, bytes, sizeof bytes, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof bytes)) {
    continue;
  }
}

void Umad::watched_by_others() {
  const Lock lock(reading_);
  watched_ = true;
  show();
}

void Umad::show() {
  char byte = 0;
  if (in_.empty()) {
    drain();
  } else if (recv(wake_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1) {
    return;
  }
  // What came in between is told by the fabric, once it is asked to look.
  if (!in_.announce_sleep()) wake_fabric();
}

// --- writing ------------------------------------------------------------------------------------

ssize_t Umad::write(const void* bytes, std::size_t size) {
  if (size > kMostInline) return write_long(bytes, size);
  bool must_wake = false;
  {
    const Lock lock(writing_);
    Frame frame;
    frame.size = static_cast<std::uint32_t>(size);
    frame.message = size;
    if (!put(frame, bytes)) return -1;
    must_wake = out_.must_wake();
  }
  if (must_wake && !wake_fabric()) return failed(ENODEV);
  return static_cast<ssize_t>(size);
}

bool Umad::put(const Frame& frame, const void* bytes) {
  for (;;) {
    auto done = out_.put(frame, bytes);
    if (done == RingWriter::Put::Full) {
      out_.announce_wait();
      done = out_.put(frame, bytes);
    }
    if (done == RingWriter::Put::Done) return true;
    if (done == RingWriter::Put::Lie) return failed(EIO) == 0;
    if (out_.must_wake() && !wake_fabric()) return failed(ENODEV) == 0;
    char byte = 0;
    if (recv(wake_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return failed(ENODEV) == 0;
    const timespec patience{0, kLongestWait};
    syscall(SYS_futex, &shared_->to_fabric.writer_waits, FUTEX_WAIT, 1, &patience, nullptr, 0);
  }
}

ssize_t Umad::write_long(const void* bytes, std::size_t size) {
  int file = memory_of(bytes, size);
  if (file < 0) return -1;
  const int ours = file;
  Question question;
  question.what = Ask::Write;
  question.size = size;
  Reply reply;
  const int done = call(question, reply, file);
  const int reason = errno;
  close_all(ours, file, -1);
  errno = reason;
  return done == 0 ? static_cast<ssize_t>(size) : -1;
}

bool Umad::wake_fabric() {
  const char byte = 0;
  const ssize_t sent = send(calls_, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  // What does not fit is one of many that the fabric has not looked at.
  return sent == 1 || errno == EAGAIN || errno == EINTR;
}

// --- calls --------------------------------------------------------------------------------------

int Umad::ioctl(unsigned long command, void* argument) {
  const std::size_t size = _IOC_SIZE(command);
  Question question;
  question.what = Ask::Ioctl;
  question.command = static_cast<std::uint32_t>(command);
  if (size > sizeof question.argument) return failed(ENOTTY);
  if (size > 0 && argument == nullptr) return failed(EFAULT);
  if ((_IOC_DIR(command) & _IOC_WRITE) != 0) std::memcpy(question.argument, argument, size);
  Reply reply;
  int none = -1;
  if (call(question, reply, none) != 0) return -1;
  if ((_IOC_DIR(command) & _IOC_READ) != 0) std::memcpy(argument, reply.argument, size);
  return 0;
}

int Umad::call(Question& question, Reply& reply, int& file) {
  const Lock lock(calling_);
  Descriptors along;
  along.fds[0] = file;
  file = -1;
  if (!send_packet(calls_, {&question, sizeof question, nullptr, 0}, along, 0)) {
    return failed(ENODEV);
  }
  Descriptors back;
  const ssize_t got = receive_packet(calls_, {&reply, sizeof reply, nullptr, 0}, back, 0);
  file = back.fds[0];
  if (got != static_cast<ssize_t>(sizeof reply)) return failed(ENODEV);
  return reply.error == 0 ? 0 : failed(reply.error);
}

}  // namespace heddle::doors::ring
